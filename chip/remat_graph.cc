#include "chip/remat_graph.h"

#include <cstddef>
#include <map>

#include "chip/late_nodes.h"
#include "chip/op_ways.h"

namespace podsim {
namespace {

constexpr char kAgain[] = "/again";

enum class NodeFate : std::uint8_t {
  kStays,
  kReadsAgain,  // where it stands, it reads clones
  kMoves,       // behind clones, which it reads
  kIsCloned,    // and stays as it was
};

class Recomputer {
 public:
  Recomputer(const RematGraph& from, const ChipFacts& facts,
             const ChipProgram& program, std::int32_t at)
      : from_(from),
        old_(from.graph),
        facts_(facts),
        program_(program),
        at_(at),
        is_again_(old_.values.size()),
        is_part_(old_.nodes.size()),
        clone_of_(old_.values.size(), kNoChipValue),
        instead_(old_.values.size(), kNoChipValue) {}

  RematGraph Run(const std::vector<Recomputation>& recomputations) {
    for (const Recomputation& each : recomputations) {
      for (const ChipValueId value : each.values) is_again_[value] = true;
      for (const std::int32_t node : each.nodes) is_part_[node] = true;
      for (const auto& [value, other] : each.instead) instead_[value] = other;
    }
    fates_ = FatesOf();
    made_.graph.values = old_.values;
    made_.again = from_.again;
    AddClones();
    for (std::size_t i = 0; i < fates_.size(); ++i) AddNode(i);
    for (ChipValue& value : made_.graph.values)
      if (value.view_of != kNoChipValue)
        value.node = made_.graph.value(value.view_of).node;
    PlaceLateNodes(made_.graph, made_.is_late);
    return std::move(made_);
  }

 private:
  // By node: kernels compute it in passing, and none leaves its result. So is
  // what `repeats` says that kernels before and behind that one compute each
  // for itself, as those of an attention compute its scores.
  std::vector<bool> InPassing(const std::vector<bool>& repeats) const {
    std::vector<bool> written(old_.values.size());
    for (const ChipKernel& kernel : program_.kernels)
      for (const ChipTransfer& each : kernel.writes) written[each.value] = true;
    std::vector<bool> passes;
    passes.reserve(old_.nodes.size());
    for (std::size_t i = 0; i < old_.nodes.size(); ++i)
      passes.push_back((facts_.ways[i] == ChipWay::kPasses || repeats[i]) &&
                       !written[old_.nodes[i].results[0]]);
    return passes;
  }

  // By node: it reads a value that is recomputed, or something that is computed
  // from one in passing.
  std::vector<bool> DependOnAgain(const std::vector<bool>& passes) const {
    std::vector<bool> depends(old_.nodes.size());
    for (std::size_t i = 0; i < old_.nodes.size(); ++i)
      for (const ChipValueId operand : old_.nodes[i].operands) {
        const ChipValueId root = old_.root(operand);
        const std::int32_t maker = old_.value(root).node;
        if (is_again_[root] ||
            (maker != kNoChipNode && passes[maker] && depends[maker]))
          depends[i] = true;
      }
    return depends;
  }

  std::vector<NodeFate> FatesOf() const {
    std::vector<bool> before(old_.nodes.size());
    std::vector<bool> behind(old_.nodes.size());
    for (std::size_t i = 0; i < program_.kernels.size(); ++i)
      for (const std::int32_t node : program_.kernels[i].nodes)
        (static_cast<std::int32_t>(i) <= at_ ? before : behind)[node] = true;
    std::vector<bool> repeats(old_.nodes.size());
    for (std::size_t i = 0; i < repeats.size(); ++i)
      repeats[i] = before[i] && behind[i];
    const std::vector<bool> passes = InPassing(repeats);
    const std::vector<bool> depends = DependOnAgain(passes);
    std::vector<NodeFate> fates(old_.nodes.size(), NodeFate::kStays);
    for (std::size_t i = 0; i < fates.size(); ++i) {
      if (is_part_[i]) {
        fates[i] = NodeFate::kIsCloned;
      } else if (behind[i] && depends[i]) {
        fates[i] = !passes[i]  ? NodeFate::kReadsAgain
                   : before[i] ? NodeFate::kIsCloned
                               : NodeFate::kMoves;
      }
    }
    return fates;
  }

  ChipValueId AddValue(ChipValue value) {
    value.name += kAgain;
    made_.graph.values.push_back(std::move(value));
    made_.again.push_back(kNoChipValue);
    return static_cast<ChipValueId>(made_.graph.values.size()) - 1;
  }

  void AddClones() {
    for (std::size_t i = 0; i < fates_.size(); ++i) {
      if (fates_[i] != NodeFate::kIsCloned) continue;
      for (const ChipValueId result : old_.nodes[i].results) {
        ChipValue clone = old_.value(result);
        clone.kind = ChipValueKind::kComputed;
        clone.in_place_of = kNoChipValue;
        clone_of_[result] = AddValue(std::move(clone));
        if (is_again_[result]) made_.again[result] = clone_of_[result];
      }
    }
  }

  void AddNode(std::size_t index) {
    const ChipNode& node = old_.nodes[index];
    const NodeFate fate = fates_[index];
    if (fate == NodeFate::kIsCloned) {
      ChipNode clone = node;
      for (ChipValueId& operand : clone.operands)
        operand = AsRead(operand, is_part_[index]);
      for (ChipValueId& result : clone.results) result = clone_of_[result];
      PushNode(std::move(clone), /*is_late=*/true);
    }
    ChipNode same = node;
    if (fate == NodeFate::kReadsAgain || fate == NodeFate::kMoves)
      for (ChipValueId& operand : same.operands)
        operand = AsRead(operand, /*in_part=*/false);
    PushNode(std::move(same), from_.is_late[index] || fate == NodeFate::kMoves);
  }

  void PushNode(ChipNode node, bool is_late) {
    for (const ChipValueId result : node.results)
      made_.graph.values[result].node =
          static_cast<std::int32_t>(made_.graph.nodes.size());
    made_.graph.nodes.push_back(std::move(node));
    made_.is_late.push_back(is_late);
  }

  // What is read in the operand's place.
  ChipValueId AsRead(ChipValueId operand, bool in_part) {
    const ChipValueId root = old_.root(operand);
    ChipValueId read = clone_of_[root];
    if (read == kNoChipValue && in_part) read = instead_[root];
    if (read == kNoChipValue) return operand;
    if (operand == root) return read;
    const auto [view, is_new] = views_.try_emplace({operand, read});
    if (is_new) {
      ChipValue value = old_.value(operand);
      value.view_of = read;
      view->second = AddValue(std::move(value));
    }
    return view->second;
  }

  const RematGraph& from_;
  const ChipGraph& old_;
  const ChipFacts& facts_;
  const ChipProgram& program_;
  const std::int32_t at_;
  std::vector<bool> is_again_;  // by value: it is recomputed
  std::vector<bool> is_part_;   // by node: of what is recomputed
  std::vector<ChipValueId> clone_of_;
  std::vector<ChipValueId> instead_;
  std::vector<NodeFate> fates_;
  // By the old view and the value that it is a view of now.
  std::map<std::pair<ChipValueId, ChipValueId>, ChipValueId> views_;
  // Its nodes in the old order, each clone before what it is a clone of.
  RematGraph made_;
};

}  // namespace

RematGraph WithoutRemat(ChipGraph graph) {
  RematGraph remat;
  remat.is_late.assign(graph.nodes.size(), false);
  remat.again.assign(graph.values.size(), kNoChipValue);
  remat.graph = std::move(graph);
  return remat;
}

RematGraph WithRecomputed(const RematGraph& remat, const ChipFacts& facts,
                          const ChipProgram& program, std::int32_t at,
                          const std::vector<Recomputation>& recomputations) {
  return Recomputer(remat, facts, program, at).Run(recomputations);
}

}  // namespace podsim
