#include "chip/fusion_plan.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "chip/attention_kernels.h"
#include "chip/drafts.h"
#include "chip/readers.h"
#include "chip/tiles.h"

namespace podsim {
namespace {

constexpr int kRounds = 3;

// What is known of a value as the graph is walked; of roots.
struct Passing {
  Frontier frontier;
  // A product whose epilogue it is computed in; its one reader may go on there,
  // so that it is not stored yet. kNoChipNode: nothing is left open.
  std::int32_t chain = kNoChipNode;
  int depth = 0;            // nodes of the longest chain since HBM
  bool has_random = false;  // random bits are in that chain
};

// One round.
class Planner {
 public:
  Planner(const ChipGraph& graph, const ChipFacts& facts,
          const FuseOptions& options, const std::vector<double>& bytes,
          const std::vector<std::int32_t>& kernel_before)
      : graph_(graph),
        facts_(facts),
        options_(options),
        bytes_(bytes),
        kernel_before_(kernel_before),
        readers_(KernelsThatRead(graph, kernel_before)),
        drafts_(graph, facts, options),
        state_(graph.values.size()) {}

  FusionPlan Run() {
    for (std::size_t id = 0; id < graph_.values.size(); ++id)
      state_[id].frontier = Itself(static_cast<ChipValueId>(id));
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto node = static_cast<std::int32_t>(i);
      if (facts_.ways[i] == ChipWay::kPasses) {
        TakePassing(node);
      } else if (facts_.ways[i] == ChipWay::kFolds) {
        TakeFold(node);
      } else {
        TakeWhole(node);
      }
    }
    return drafts_.Take();
  }

 private:
  const ValueType& TypeOfValue(ChipValueId value) const {
    return graph_.value(value).type;
  }
  Passing& StateOf(ChipValueId value) { return state_[graph_.root(value)]; }
  const Passing& StateOf(ChipValueId value) const {
    return state_[graph_.root(value)];
  }

  // Its operands', or of a slice the part of them that it leaves.
  Frontier FrontierOf(std::int32_t index) const {
    const ChipNode& node = graph_.node(index);
    const bool slices =
        node.op == OpCode("slice") || node.op == OpCode("dynamic_slice");
    Frontier all;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const Frontier& of = StateOf(node.operands[i]).frontier;
      all =
          Joined(all, slices && i == 0 ? PartOf(of, index, ShareOf(node)) : of);
    }
    return all;
  }

  double ShareOf(const ChipNode& slice) const {
    const auto elements = [&](ChipValueId value) {
      return static_cast<double>(TypeOfValue(value).shape.elements());
    };
    return elements(slice.results[0]) / elements(slice.operands[0]);
  }

  // One node reads it, in passing.
  bool HasOnePassingReader(ChipValueId value) const {
    return facts_.readers[value] == 1 &&
           facts_.ways[facts_.last_reader[value]] == ChipWay::kPasses;
  }

  bool MayGoOn(ChipValueId value) const {
    return !facts_.must_store[value] && HasOnePassingReader(value);
  }

  // A product, a collective, or an op that is a kernel of its own.
  void TakeWhole(std::int32_t index) {
    const ChipWay way = facts_.ways[index];
    const bool multiplies = way == ChipWay::kMultiplies;
    const DraftKind kind = multiplies               ? DraftKind::kProduct
                           : way == ChipWay::kJoins ? DraftKind::kCollective
                                                    : DraftKind::kAlone;
    drafts_.Open(kind, index, FrontierOf(index));
    const ChipValueId result = graph_.node(index).results[0];
    if (multiplies && options_.fuses && options_.epilogues && MayGoOn(result))
      StateOf(result).chain = index;
  }

  void TakeFold(std::int32_t index) {
    const ChipNode& node = graph_.node(index);
    const ChipValueId operand = node.operands[0];
    const ChipValueId result = node.results[0];
    const Frontier from = FrontierOf(index);
    if (options_.fuses && from.empty() && !StateOf(operand).has_random &&
        !facts_.must_store[result]) {
      StateOf(result).frontier.clear();  // known beforehand
      return;
    }
    drafts_.Carry(index, from, TypeOfValue(operand));
  }

  void TakePassing(std::int32_t index) {
    const ChipNode& node = graph_.node(index);
    const ChipValueId result = node.results[0];
    const std::int32_t chain = GoOn(index);
    Passing& state = StateOf(result);
    state.chain = chain;
    state.frontier = FrontierOf(index);
    state.has_random = IsRandom(*facts_.entries[index]);
    for (const ChipValueId operand : node.operands) {
      const Passing& of = StateOf(operand);
      state.depth = std::max(state.depth, of.depth);
      state.has_random = state.has_random || of.has_random;
    }
    ++state.depth;
    if (IsStored(result)) Store(result);
  }

  bool IsStored(ChipValueId value) const {
    const Passing& state = StateOf(value);
    if (!options_.fuses || facts_.must_store[value]) return true;
    if (facts_.readers[value] == 0) return false;
    if (options_.stores != ChipStores::kNever &&
        TensorsIn(state.frontier) > kMostFrontierTensors)
      return true;
    if (state.depth > kMostChainNodes) return true;
    if (state.chain != kNoChipNode) return !MayGoOn(value);
    return PaysToStore(value);
  }

  void Store(ChipValueId value) {
    Passing& state = StateOf(value);
    drafts_.Carry(graph_.value(value).node, state.frontier, TypeOfValue(value));
    state = {.frontier = Itself(value)};
  }

  // The product in whose epilogue the node goes on with the chain of an
  // operand: the latest of these. The others' chains end with the operand.
  std::int32_t GoOn(std::int32_t index) {
    const ChipNode& node = graph_.node(index);
    std::int32_t latest = kNoChipNode;
    for (const ChipValueId operand : node.operands)
      latest = std::max(latest, StateOf(operand).chain);
    if (latest == kNoChipNode) return kNoChipNode;
    const ValueType& result = TypeOfValue(node.results[0]);
    bool goes_on =
        !IsMask(result) && drafts_.RidesIn(FrontierOf(index), result) == latest;
    for (const ChipValueId operand : node.operands)
      if (StateOf(operand).chain == latest)
        goes_on = goes_on && MayReplace(TypeOfValue(operand), result);
    for (const ChipValueId operand : node.operands) {
      const std::int32_t chain = StateOf(operand).chain;
      if (chain != kNoChipNode && (!goes_on || chain != latest))
        EndChain(graph_.root(operand));
    }
    return goes_on ? latest : kNoChipNode;
  }

  // Storing `next` in the place of what it is computed from loses nothing.
  bool MayReplace(const ValueType& value, const ValueType& next) const {
    if (options_.stores == ChipStores::kNever &&
        SizeOf(next.dtype) >= SizeOf(value.dtype))
      return false;
    return IsNoLarger(next, value);
  }

  // A product's own result is stored already.
  void EndChain(ChipValueId value) {
    if (graph_.value(value).node == StateOf(value).chain) {
      StateOf(value).chain = kNoChipNode;
    } else {
      Store(value);
    }
  }

  // Its only reader computes something in passing that may be stored as well.
  bool HasLaterPlace(ChipValueId value) const {
    if (!MayGoOn(value)) return false;
    const ChipNode& reader = graph_.node(facts_.last_reader[value]);
    const ValueType& next = TypeOfValue(reader.results[0]);
    const ValueType& type = TypeOfValue(value);
    return IsMask(next) == IsMask(type) && IsNoLarger(next, type);
  }

  bool PaysToStore(ChipValueId value) const {
    if (options_.stores == ChipStores::kNever || HasLaterPlace(value))
      return false;
    const Passing& state = StateOf(value);
    const int kernels =
        readers_[value].CountWithout(kernel_before_[graph_.value(value).node]);
    if (IsMask(TypeOfValue(value))) return state.has_random && kernels >= 2;
    const double read = BytesOf(state.frontier, kNoChipNode);
    const double stored = bytes_[value];
    if (options_.stores == ChipStores::kWhereverItSaves)
      return kernels >= 2 && stored + kernels * stored < kernels * read;
    const double writer = BytesOf(
        state.frontier, drafts_.RidesIn(state.frontier, TypeOfValue(value)));
    return kernels > 2 && writer + stored + kernels * stored < kernels * read;
  }

  // Without what is at hand in the kernel of `product`.
  double BytesOf(const Frontier& frontier, std::int32_t product) const {
    double bytes = 0;
    ForTensors(frontier, [&](ChipValueId value, double share) {
      if (!drafts_.IsAtHand(value, product)) bytes += share * bytes_[value];
    });
    return bytes;
  }

  const ChipGraph& graph_;
  const ChipFacts& facts_;
  const FuseOptions& options_;
  const std::vector<double>& bytes_;                // by value
  const std::vector<std::int32_t>& kernel_before_;  // by node
  const std::vector<KernelSet> readers_;            // by value
  Drafts drafts_;
  std::vector<Passing> state_;  // by value
};

// Nothing is stored but what must be.
std::vector<std::int32_t> KernelsAtFirst(const ChipGraph& graph,
                                         const ChipFacts& facts) {
  std::vector<std::int32_t> kernel_of;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const bool stays = facts.ways[i] != ChipWay::kPasses ||
                       facts.must_store[graph.nodes[i].results[0]];
    kernel_of.push_back(stays ? static_cast<std::int32_t>(i) : kNoChipNode);
  }
  return kernel_of;
}

}  // namespace

FusionPlan PlanFusion(const ChipGraph& graph, const ChipFacts& facts,
                      const FuseOptions& options) {
  std::vector<double> bytes;
  bytes.reserve(graph.values.size());
  for (const ChipValue& value : graph.values)
    bytes.push_back(BytesInHbm(value.type, options.rows));
  FusionPlan plan;
  plan.kernel_of = KernelsAtFirst(graph, facts);
  for (int round = 0; round < kRounds; ++round)
    plan = Planner(graph, facts, options, bytes, plan.kernel_of).Run();
  if (options.fuses && options.fuses_attention)
    plan = WithAttentionKernels(graph, facts, options.matrix_unit_side,
                                std::move(plan));
  return plan;
}

}  // namespace podsim
