#include "chip/causal_mask.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace podsim {
namespace {

// Steps that are followed: a mask has few.
constexpr int kDeepestMask = 8;
constexpr int kDeepestCount = 4;

class Mask {
 public:
  Mask(const ChipGraph& graph, const std::vector<ChipWay>& ways)
      : graph_(graph), ways_(ways) {}

  bool Compares(ChipValueId value, int depth) const {
    const ChipNode* node = MakerOf(value);
    if (node == nullptr || depth > kDeepestMask) return false;
    if (node->op == OpCode("compare"))
      return node->attributes.word != "EQ" && node->attributes.word != "NE" &&
             Counts(node->operands[0], 0) && Counts(node->operands[1], 0);
    if (node->op == OpCode("and"))
      return Compares(node->operands[0], depth + 1) ||
             Compares(node->operands[1], depth + 1);
    constexpr OpCode kGoesOn[] = {OpCode("broadcast_in_dim"),
                                  OpCode("transpose"), OpCode("convert"),
                                  OpCode("select")};
    return std::find(std::begin(kGoesOn), std::end(kGoesOn), node->op) !=
               std::end(kGoesOn) &&
           Compares(node->operands[0], depth + 1);
  }

 private:
  // Null: nothing makes it.
  const ChipNode* MakerOf(ChipValueId value) const {
    const std::int32_t maker = graph_.value(graph_.root(value)).node;
    return maker == kNoChipNode ? nullptr : &graph_.node(maker);
  }

  bool Counts(ChipValueId value, int depth) const {
    const ChipNode* node = MakerOf(value);
    if (node == nullptr || depth > kDeepestCount) return false;
    if (node->op == OpCode("iota")) return true;
    const auto place = static_cast<std::size_t>(node - graph_.nodes.data());
    return ways_[place] == ChipWay::kPasses &&
           std::any_of(node->operands.begin(), node->operands.end(),
                       [&](ChipValueId of) { return Counts(of, depth + 1); });
  }

  const ChipGraph& graph_;
  const std::vector<ChipWay>& ways_;
};

}  // namespace

bool ComparesPlaces(const ChipGraph& graph, const std::vector<ChipWay>& ways,
                    ChipValueId value) {
  return Mask(graph, ways).Compares(value, 0);
}

}  // namespace podsim
