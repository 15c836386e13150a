#include "chip/late_nodes.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace podsim {
namespace {

class LatePlacer {
 public:
  LatePlacer(const ChipGraph& graph, const std::vector<bool>& is_late)
      : graph_(graph),
        is_late_(is_late),
        place_(graph.nodes.size(), kNoChipNode) {}

  // Nodes by their old numbers.
  std::vector<std::int32_t> Order() {
    const std::vector<bool> wanted = WantedNodes();
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i] && !is_late_[i])
        PlaceWithOperands(static_cast<std::int32_t>(i));
    return std::move(order_);
  }

 private:
  // kNoChipNode: there beforehand.
  std::int32_t MakerOf(ChipValueId operand) const {
    return graph_.value(graph_.root(operand)).node;
  }

  std::vector<bool> WantedNodes() const {
    const std::vector<ChipNode>& nodes = graph_.nodes;
    std::vector<bool> wanted(nodes.size());
    std::vector<std::int32_t> open;
    const auto want = [&](std::int32_t node) {
      if (node == kNoChipNode || wanted[node]) return;
      wanted[node] = true;
      open.push_back(node);
    };
    for (const ChipValue& value : graph_.values)
      if (value.is_left()) want(value.node);
    while (!open.empty()) {
      const std::int32_t node = open.back();
      open.pop_back();
      for (const ChipValueId operand : nodes[node].operands)
        want(MakerOf(operand));
    }
    return wanted;
  }

  void PlaceWithOperands(std::int32_t node) {
    std::vector<std::int32_t> open = {node};
    while (!open.empty()) {
      const std::int32_t maker = UnplacedMakerFor(open.back());
      if (maker != kNoChipNode) {
        open.push_back(maker);
        continue;
      }
      place_[open.back()] = static_cast<std::int32_t>(order_.size());
      order_.push_back(open.back());
      open.pop_back();
    }
  }

  std::int32_t UnplacedMakerFor(std::int32_t node) const {
    for (const ChipValueId operand : graph_.node(node).operands) {
      const std::int32_t maker = MakerOf(operand);
      if (maker != kNoChipNode && place_[maker] == kNoChipNode) return maker;
    }
    return kNoChipNode;
  }

  const ChipGraph& graph_;
  const std::vector<bool>& is_late_;
  std::vector<std::int32_t> place_;  // by node, in the new order
  std::vector<std::int32_t> order_;
};

}  // namespace

void PlaceLateNodes(ChipGraph& graph, std::vector<bool>& is_late) {
  const std::vector<std::int32_t> order = LatePlacer(graph, is_late).Order();
  std::vector<std::int32_t> place(graph.nodes.size(), kNoChipNode);
  std::vector<ChipNode> nodes;
  std::vector<bool> late;
  for (const std::int32_t old : order) {
    place[old] = static_cast<std::int32_t>(nodes.size());
    nodes.push_back(std::move(graph.nodes[old]));
    late.push_back(is_late[old]);
  }
  for (ChipValue& value : graph.values)
    if (value.node != kNoChipNode) value.node = place[value.node];
  graph.nodes = std::move(nodes);
  is_late = std::move(late);
}

}  // namespace podsim
