#include "chip/attention.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

#include "chip/causal_mask.h"

namespace podsim {
namespace {

using Nodes = std::set<std::int32_t>;

// By value: the nodes that read it, or a view of it.
std::vector<std::vector<std::int32_t>> ReadersOf(const ChipGraph& graph) {
  std::vector<std::vector<std::int32_t>> readers(graph.values.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const ChipValueId operand : graph.nodes[i].operands)
      readers[graph.root(operand)].push_back(static_cast<std::int32_t>(i));
  return readers;
}

bool HasAny(const Attention& attention, const Nodes& taken) {
  const auto is_taken = [&](std::int32_t node) {
    return taken.count(node) > 0;
  };
  return std::any_of(attention.forward.begin(), attention.forward.end(),
                     is_taken) ||
         std::any_of(attention.backward.begin(), attention.backward.end(),
                     is_taken);
}

// One attention, as it is found from its first product on.
class Search {
 public:
  Search(const ChipGraph& graph, const std::vector<ChipWay>& ways,
         const std::vector<std::vector<std::int32_t>>& readers)
      : graph_(graph), ways_(ways), readers_(readers) {}

  std::optional<Attention> From(std::int32_t product) {
    if (!IsOfActivations(product)) return std::nullopt;
    scores_ = product;
    AddProducer(product);
    while (!open_.empty() && fits_) {
      const ChipValueId value = open_.back();
      open_.pop_back();
      Visit(value);
    }
    if (!fits_ || consumers_.empty() || !has_exponential_ || !has_fold_)
      return std::nullopt;
    AddMasks();
    return Parts();
  }

 private:
  const ValueType& TypeOf(ChipValueId value) const {
    return graph_.value(value).type;
  }
  ChipValueId ResultOf(std::int32_t node) const {
    return graph_.root(graph_.node(node).results[0]);
  }
  ChipWay WayOfNode(std::int32_t node) const { return ways_[node]; }

  bool IsOfActivations(std::int32_t product) const {
    const ChipNode& node = graph_.node(product);
    return TypeOf(ResultOf(product)).batched() &&
           std::all_of(node.operands.begin(), node.operands.end(),
                       [&](ChipValueId operand) {
                         const ChipValue& value =
                             graph_.value(graph_.root(operand));
                         return value.kind == ChipValueKind::kComputed &&
                                value.type.batched();
                       });
  }

  bool IsOfScores(ChipValueId value) const {
    const Shape& shape = TypeOf(value).shape;
    const Shape& scores = TypeOf(ResultOf(scores_)).shape;
    return shape.batched() && shape.elements() == scores.elements();
  }

  void AddProducer(std::int32_t product) {
    if (!IsOfActivations(product)) fits_ = false;
    if (!producers_.insert(product).second) return;
    Open(ResultOf(product));
  }

  void Open(ChipValueId value) {
    if (seen_.insert(value).second) open_.push_back(value);
  }

  void Visit(ChipValueId value) {
    const bool of_scores = IsOfScores(value);
    if (of_scores && graph_.value(value).is_left()) fits_ = false;
    for (const std::int32_t reader : readers_[value])
      Follow(reader, value, of_scores);
  }

  void Follow(std::int32_t reader, ChipValueId value, bool of_scores) {
    switch (WayOfNode(reader)) {
      case ChipWay::kPasses: {
        const ChipValueId result = ResultOf(reader);
        if (IsOfScores(result) ||
            TypeOf(result).shape.elements() <= TypeOf(value).shape.elements())
          AddBetween(reader);
        return;
      }
      case ChipWay::kFolds:
        has_fold_ = has_fold_ || of_scores;
        AddBetween(reader);
        return;
      case ChipWay::kMultiplies:
        if (!of_scores) return;
        if (!IsOfActivations(reader)) fits_ = false;
        consumers_.insert(reader);
        return;
      case ChipWay::kAlone:
      case ChipWay::kJoins:
      case ChipWay::kIsView:
        if (of_scores) fits_ = false;
    }
  }

  void AddBetween(std::int32_t node) {
    if (!between_.insert(node).second) return;
    has_exponential_ =
        has_exponential_ || graph_.node(node).op == OpCode("exponential");
    if (WayOfNode(node) == ChipWay::kPasses)
      for (const ChipValueId operand : graph_.node(node).operands)
        LookForProducer(graph_.root(operand));
    Open(ResultOf(node));
  }

  // Another product of as many elements, whose result meets these.
  void LookForProducer(ChipValueId value) {
    if (!IsOfScores(value) || !looked_.insert(value).second) return;
    const std::int32_t maker = graph_.value(value).node;
    if (maker == kNoChipNode) return;
    if (WayOfNode(maker) == ChipWay::kMultiplies) {
      AddProducer(maker);
    } else if (WayOfNode(maker) == ChipWay::kPasses) {
      for (const ChipValueId operand : graph_.node(maker).operands)
        LookForProducer(graph_.root(operand));
    }
  }

  // What is made in as many elements for these alone, such as a mask of random
  // bits: a kernel of its own makes that anew.
  void AddMasks() {
    Nodes open = between_;
    while (!open.empty()) {
      const std::int32_t node = *open.rbegin();  // behind all that it reads
      open.erase(node);
      if (WayOfNode(node) != ChipWay::kPasses) continue;
      for (const ChipValueId operand : graph_.node(node).operands) {
        const ChipValueId value = graph_.root(operand);
        const std::int32_t maker = graph_.value(value).node;
        if (maker == kNoChipNode || !IsOfScores(value) ||
            graph_.value(value).is_left() ||
            WayOfNode(maker) != ChipWay::kPasses || between_.count(maker) > 0)
          continue;
        const std::vector<std::int32_t>& readers = readers_[value];
        if (!std::all_of(readers.begin(), readers.end(), [&](std::int32_t at) {
              return between_.count(at) > 0;
            }))
          continue;
        between_.insert(maker);
        open.insert(maker);
      }
    }
  }

  // Whether any of `ends` depends on the result of `from`.
  bool AnyDependsOn(std::int32_t from, const Nodes& ends) const {
    std::vector<bool> depends(graph_.values.size());
    for (const ChipValueId result : graph_.node(from).results)
      depends[result] = true;
    for (std::int32_t i = from + 1; i <= *ends.rbegin(); ++i) {
      const ChipNode& node = graph_.node(i);
      const bool does =
          std::any_of(node.operands.begin(), node.operands.end(),
                      [&](ChipValueId of) { return depends[graph_.root(of)]; });
      if (!does) continue;
      if (ends.count(i) > 0) return true;
      for (const ChipValueId result : node.results) depends[result] = true;
    }
    return false;
  }

  // Those that some of `others` depend on: in the forward part.
  Nodes ForwardConsumers(const Nodes& others) const {
    Nodes forward;
    for (const std::int32_t consumer : consumers_)
      if (others.empty() || AnyDependsOn(consumer, others))
        forward.insert(consumer);
    return forward;
  }

  // Products of scores behind the last forward consumer are of the backward
  // part.
  Attention Parts() const {
    Attention parts;
    parts.causal_length = CausalLength();
    Nodes all = between_;
    all.insert(producers_.begin(), producers_.end());
    all.insert(consumers_.begin(), consumers_.end());
    Nodes others = producers_;
    others.erase(scores_);
    for (std::int32_t first = *consumers_.begin();
         !others.empty() && *others.begin() < first;)
      others.erase(others.begin());
    const Nodes consumers = ForwardConsumers(others);
    const std::int32_t last = consumers.empty() ? -1 : *consumers.rbegin();
    for (const std::int32_t node : all)
      (node <= last ? parts.forward : parts.backward).push_back(node);
    for (const std::int32_t node : parts.forward)
      if (!parts.backward.empty() &&
          (producers_.count(node) > 0 || WayOfNode(node) == ChipWay::kPasses))
        parts.again.push_back(node);
    return parts;
  }

  std::int64_t CausalLength() const {
    const Shape& shape = TypeOf(graph_.node(scores_).results[0]).shape;
    const std::size_t rank = shape.dims.size();
    if (rank < 2 || shape.dims[rank - 1] != shape.dims[rank - 2]) return 0;
    for (const std::int32_t node : between_)
      for (const ChipValueId operand : graph_.node(node).operands)
        if (ComparesPlaces(graph_, ways_, operand)) return shape.dims[rank - 1];
    return 0;
  }

  const ChipGraph& graph_;
  const std::vector<ChipWay>& ways_;
  const std::vector<std::vector<std::int32_t>>& readers_;
  std::int32_t scores_ = kNoChipNode;
  Nodes producers_;
  Nodes consumers_;
  Nodes between_;
  std::set<ChipValueId> seen_;
  std::set<ChipValueId> looked_;
  std::vector<ChipValueId> open_;
  bool fits_ = true;
  bool has_exponential_ = false;
  bool has_fold_ = false;
};

}  // namespace

std::vector<Attention> AttentionsOf(const ChipGraph& graph,
                                    const std::vector<ChipWay>& ways) {
  std::vector<Attention> found;
  std::vector<std::vector<std::int32_t>> readers;
  Nodes taken;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto node = static_cast<std::int32_t>(i);
    if (ways[i] != ChipWay::kMultiplies || taken.count(node) > 0) continue;
    if (readers.empty()) readers = ReadersOf(graph);
    std::optional<Attention> attention =
        Search(graph, ways, readers).From(node);
    if (!attention || HasAny(*attention, taken)) continue;
    taken.insert(attention->forward.begin(), attention->forward.end());
    taken.insert(attention->backward.begin(), attention->backward.end());
    found.push_back(*std::move(attention));
  }
  return found;
}

}  // namespace podsim
