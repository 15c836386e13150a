#include "chip/facts.h"

#include <algorithm>
#include <cstddef>

#include "models/ops/op_table.h"

namespace podsim {
namespace {

void NoteReads(const ChipGraph& graph, std::int32_t index, ChipFacts& facts) {
  const ChipNode& node = graph.node(index);
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const ChipValueId operand = graph.root(node.operands[i]);
    if (NeedsInHbm(*facts.entries[index], i)) facts.must_store[operand] = true;
    if (facts.last_reader[operand] == index) continue;
    facts.last_reader[operand] = index;
    ++facts.readers[operand];
  }
}

void NoteProducts(const ChipGraph& graph, std::int32_t index,
                  ChipFacts& facts) {
  const ChipNode& node = graph.node(index);
  std::int32_t latest =
      facts.ways[index] == ChipWay::kMultiplies ? index : kNoChipNode;
  for (const ChipValueId operand : node.operands)
    latest = std::max(latest, facts.latest_product[graph.root(operand)]);
  for (const ChipValueId result : node.results)
    facts.latest_product[result] = latest;
}

}  // namespace

ChipFacts FactsOf(const ChipGraph& graph) {
  ChipFacts facts;
  const std::size_t values = graph.values.size();
  facts.readers.assign(values, 0);
  facts.last_reader.assign(values, kNoChipNode);
  facts.must_store.assign(values, false);
  facts.latest_product.assign(values, kNoChipNode);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    const OpEntry& entry = EntryOf(graph.nodes[i].op);
    facts.entries.push_back(&entry);
    facts.ways.push_back(WayOf(entry));
    NoteReads(graph, index, facts);
    NoteProducts(graph, index, facts);
    for (const ChipValueId result : graph.nodes[i].results)
      if (graph.value(result).is_left()) facts.must_store[result] = true;
  }
  facts.attentions = AttentionsOf(graph, facts.ways);
  return facts;
}

bool IsWithinSpace(const ValueType& inner, const ValueType& outer) {
  return inner.batched() == outer.batched() &&
         inner.shape.elements() <= outer.shape.elements();
}

bool IsNoLarger(const ValueType& a, const ValueType& b) {
  return a.batched() == b.batched() && a.shape.elements() * SizeOf(a.dtype) <=
                                           b.shape.elements() * SizeOf(b.dtype);
}

}  // namespace podsim
