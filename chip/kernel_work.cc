#include "chip/kernel_work.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "chip/tiles.h"
#include "models/ops/op_cost.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

std::vector<ValueType> TypesOfValues(const ChipGraph& graph,
                                     const std::vector<ChipValueId>& values) {
  std::vector<ValueType> types;
  types.reserve(values.size());
  for (const ChipValueId value : values)
    types.push_back(graph.value(value).type);
  return types;
}

// What is left of the work where half the scores are none.
void TakeShare(ChipKernel& kernel) {
  for (ChipProduct& product : kernel.products)
    product.multiply_adds *= kernel.share;
  kernel.matrix_flops *= kernel.share;
  kernel.vector_flops *= kernel.share;
  kernel.transcendentals *= kernel.share;
}

void SetBytes(std::vector<ChipTransfer>& transfers, ChipValueId value,
              double bytes) {
  for (ChipTransfer& each : transfers)
    if (each.value == value) each.bytes = bytes;
}

}  // namespace

void AddWork(const ChipGraph& graph, const ChipFacts& facts,
             const FuseOptions& options, ChipKernel& kernel) {
  for (const std::int32_t index : kernel.nodes) {
    const ChipNode& node = graph.node(index);
    const std::vector<ValueType> inputs = TypesOfValues(graph, node.operands);
    const std::vector<ValueType> outputs = TypesOfValues(graph, node.results);
    const OpCost cost =
        CostOf(*facts.entries[index], {inputs, outputs, node.attributes},
               options.rows);
    kernel.vector_flops += cost.vector_flops;
    kernel.transcendentals += cost.transcendentals;
    for (const MatrixProduct& each : cost.products) {
      const double multiply_adds = UsefulMultiplyAdds(each);
      kernel.products.push_back({each.m, each.n, each.k, each.count,
                                 multiply_adds, each.rounded_operands});
      kernel.matrix_flops +=
          MatrixUnitFlops(each, multiply_adds, options.matrix_unit_side);
    }
  }
  if (kernel.share < 1) TakeShare(kernel);
}

std::vector<std::int32_t> KernelWorker::NodesOf(std::int32_t index) {
  std::vector<std::int32_t> nodes;
  const KernelDraft& draft = plan_.kernels[index];
  for (const std::vector<std::int32_t>* own : {&draft.ends, &draft.again})
    for (const std::int32_t node : *own) {
      if (seen_in_[node] == index) continue;
      seen_in_[node] = index;
      nodes.push_back(node);
    }
  for (std::size_t i = 0; i < nodes.size(); ++i)  // which grows
    for (const ChipValueId operand : graph_.node(nodes[i]).operands) {
      const std::int32_t maker = graph_.value(operand).node;
      if (maker == kNoChipNode || seen_in_[maker] == index ||
          plan_.kernel_of[maker] != kNoChipNode ||
          facts_.ways[maker] != ChipWay::kPasses)
        continue;
      seen_in_[maker] = index;
      nodes.push_back(maker);
    }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void KernelWorker::MendTraffic(ChipKernel& kernel) const {
  const ChipNode& node = graph_.node(kernel.main);
  const std::string_view op = node.op.name();
  const ChipValueId result = node.results[0];
  if (op == "gather" || op == "ScatterGrad") {
    const ChipValueId from = graph_.root(node.operands[0]);
    SetBytes(kernel.reads, from, std::min(BytesOf(from), BytesOf(result)));
  } else if (op == "GatherGrad") {
    // It adds into zeros, which are written first.
    const double given = std::min(BytesOf(node.operands[0]), BytesOf(result));
    kernel.reads.push_back({result, given});
    kernel.writes.push_back({result, given});
  } else if (op == "scatter") {
    WriteOver(/*update=*/2, /*adds=*/true, kernel);
  } else if (op == "dynamic_update_slice") {
    WriteOver(/*update=*/1, /*adds=*/false, kernel);
  } else if (node.op == OpCode::kUpdate && node.attributes.trusts) {
    WriteDirection(kernel);
  }
}

double KernelWorker::BytesOf(ChipValueId value) const {
  return BytesInHbm(graph_.value(value).type, options_.rows);
}

// Nobody else reads it.
bool KernelWorker::MayWriteOver(ChipValueId value) const {
  const ChipValue& known = graph_.value(value);
  return options_.fuses && known.node != kNoChipNode && !known.is_left() &&
         facts_.readers[value] == 1;
}

// Of operand 0 only what operand `update` says changes.
void KernelWorker::WriteOver(std::int32_t update, bool adds,
                             ChipKernel& kernel) const {
  const ChipNode& node = graph_.node(kernel.main);
  const ChipValueId over = graph_.root(node.operands[0]);
  if (!MayWriteOver(over)) return;
  const double given = std::min(BytesOf(node.operands[update]), BytesOf(over));
  SetBytes(kernel.reads, over, adds ? given : 0);
  SetBytes(kernel.writes, node.results[0], given);
  kernel.over = over;
}

void KernelWorker::WriteDirection(ChipKernel& kernel) const {
  const ChipNode& node = graph_.node(kernel.main);
  const ChipValueId gradient = graph_.root(node.operands.front());
  const ChipValueId weight = graph_.root(node.operands.back());
  kernel.writes.push_back({gradient, BytesOf(weight)});
  kernel.reads.push_back({gradient, BytesOf(weight)});
  kernel.reads.push_back({weight, BytesOf(weight)});
}

}  // namespace podsim
