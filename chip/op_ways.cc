#include "chip/op_ways.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace podsim {
namespace {

struct NamedWay {
  ChipWay way = ChipWay::kAlone;
  std::vector<std::size_t> in_hbm = {};  // operands that must be there
};

// All ops that do not say it of themselves (element by element, products,
// collectives). That windows do not read in passing is seen in the profile of
// ResNet-50 (google/paragraph, hlo_after_optimizations_resnet_32_tpuv3): a loop
// of its own writes the ReLU that MaxPool and MaxPoolGrad read.
const std::map<std::string_view, NamedWay>& NamedWays() {
  static const auto& ways = *new std::map<std::string_view, NamedWay>{
      {"Scale", {ChipWay::kPasses}},
      {"SoftmaxXentGrad", {ChipWay::kPasses}},
      {"Assign", {ChipWay::kPasses}},
      {"constant", {ChipWay::kPasses}},
      {"iota", {ChipWay::kPasses}},
      {"broadcast_in_dim", {ChipWay::kPasses}},
      {"transpose", {ChipWay::kPasses}},
      {"reverse", {ChipWay::kPasses}},
      {"slice", {ChipWay::kPasses}},
      {"dynamic_slice", {ChipWay::kPasses}},
      {"pad", {ChipWay::kPasses}},
      {"concatenate", {ChipWay::kPasses}},
      {"random_bits", {ChipWay::kPasses}},
      {"shared_random_bits", {ChipWay::kPasses}},

      {"reduce", {ChipWay::kFolds}},
      {"arg_max", {ChipWay::kFolds}},
      {"BiasGrad", {ChipWay::kFolds}},

      {"SoftmaxXent", {ChipWay::kAlone}},
      {"ReduceMultiplyGrad", {ChipWay::kAlone}},
      {"reduce_window", {ChipWay::kAlone, {0}}},
      {"select_and_scatter", {ChipWay::kAlone, {0, 1}}},
      {"gather", {ChipWay::kAlone, {0}}},
      {"GatherGrad", {ChipWay::kAlone}},
      {"scatter", {ChipWay::kAlone, {0}}},
      {"ScatterGrad", {ChipWay::kAlone, {0}}},
      {"dynamic_update_slice", {ChipWay::kAlone, {0}}},
      {"arg_sort", {ChipWay::kAlone, {0}}},
      {"Update", {ChipWay::kAlone}},

      {"Reshape", {ChipWay::kIsView}},
      {"StopGradient", {ChipWay::kIsView}},
      {"RoundBFloat16", {ChipWay::kIsView}},
      {"CoreSum", {ChipWay::kIsView}},
      {"Clip", {ChipWay::kIsView}},  // taken apart (graph.cc)
  };
  return ways;
}

}  // namespace

ChipWay WayOf(const OpEntry& entry) {
  if (entry.is_product()) return ChipWay::kMultiplies;
  if (entry.joins_cores) return ChipWay::kJoins;
  if (entry.scalar.value != nullptr || entry.is_element_wise)
    return ChipWay::kPasses;
  const auto named = NamedWays().find(entry.name);
  PODSIM_CHECK(named != NamedWays().end());
  return named->second.way;
}

bool NeedsInHbm(const OpEntry& entry, std::size_t operand) {
  if (entry.joins_cores) return true;
  const auto named = NamedWays().find(entry.name);
  if (named == NamedWays().end()) return false;
  const std::vector<std::size_t>& in_hbm = named->second.in_hbm;
  return std::find(in_hbm.begin(), in_hbm.end(), operand) != in_hbm.end();
}

bool IsRandom(const OpEntry& entry) {
  const std::string_view name = entry.name;
  return name == "random_bits" || name == "shared_random_bits";
}

}  // namespace podsim
