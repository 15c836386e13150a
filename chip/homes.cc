#include "chip/homes.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "chip/tiles.h"

namespace podsim {
namespace {

constexpr std::int32_t kNotYet = -1;

bool LivesAlways(ChipValueKind kind) {
  switch (kind) {
    case ChipValueKind::kConstant:
    case ChipValueKind::kWeight:
    case ChipValueKind::kState:
    case ChipValueKind::kSlot:
      return true;
    case ChipValueKind::kInput:
    case ChipValueKind::kGradient:
    case ChipValueKind::kOutput:
    case ChipValueKind::kComputed:
      break;
  }
  return false;
}

struct HomeUse {
  std::int32_t first = kNotYet;
  std::int32_t last = kNotYet;
  bool is_read = false;
  bool is_output = false;
};

void NoteUse(std::int32_t kernel, HomeUse& use) {
  if (use.first == kNotYet) use.first = kernel;
  use.last = kernel;
}

// By value, of those that FirstThere names.
std::vector<HomeUse> UsesOf(const ChipGraph& graph, const ChipProgram& program,
                            const std::vector<ChipValueId>& first) {
  std::vector<HomeUse> uses(graph.values.size());
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    for (const ChipTransfer& each : program.kernels[i].reads) {
      if (each.on_chip) continue;
      NoteUse(index, uses[first[each.value]]);
      uses[first[each.value]].is_read = true;
    }
    for (const ChipTransfer& each : program.kernels[i].writes) {
      if (each.on_chip) continue;
      HomeUse& use = uses[first[each.value]];
      NoteUse(index, use);
      if (graph.value(each.value).kind == ChipValueKind::kOutput)
        use.is_output = true;
    }
  }
  return uses;
}

double& ClassOf(ChipValueKind kind, ChipHbm& hbm) {
  switch (kind) {
    case ChipValueKind::kInput:
      return hbm.inputs;
    case ChipValueKind::kConstant:
    case ChipValueKind::kWeight:
    case ChipValueKind::kState:
      return hbm.weights;
    case ChipValueKind::kSlot:
      return hbm.optimizer_state;
    case ChipValueKind::kGradient:
      return hbm.gradients;
    case ChipValueKind::kOutput:
    case ChipValueKind::kComputed:
      break;
  }
  return hbm.activations;
}

}  // namespace

std::vector<ChipValueId> FirstThere(const ChipGraph& graph,
                                    const ChipProgram& program) {
  std::vector<ChipValueId> over(graph.values.size(), kNoChipValue);
  for (std::size_t i = 0; i < over.size(); ++i)
    over[i] = graph.values[i].in_place_of;
  for (const ChipKernel& kernel : program.kernels)
    if (kernel.over != kNoChipValue)
      over[graph.node(kernel.main).results[0]] = kernel.over;
  std::vector<ChipValueId> first(over.size());
  std::iota(first.begin(), first.end(), 0);
  // Who writes over a value comes behind its maker.
  for (const ChipNode& node : graph.nodes)
    for (const ChipValueId result : node.results)
      if (over[result] != kNoChipValue) first[result] = first[over[result]];
  return first;
}

std::vector<ChipHome> HomesOf(const ChipGraph& graph,
                              const ChipProgram& program, std::int64_t rows) {
  const std::vector<ChipValueId> first = FirstThere(graph, program);
  const std::vector<HomeUse> uses = UsesOf(graph, program, first);
  const std::int32_t end = std::max<std::int32_t>(
      0, static_cast<std::int32_t>(program.kernels.size()) - 1);
  std::vector<ChipHome> homes;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const auto id = static_cast<ChipValueId>(i);
    const ChipValue& value = graph.values[i];
    const HomeUse& use = uses[i];
    if (first[i] != id || value.view_of != kNoChipValue) continue;
    ChipHome home{.value = id, .bytes = BytesInHbm(value.type, rows)};
    if (LivesAlways(value.kind)) {
      home.last = end;
    } else if (value.kind == ChipValueKind::kInput) {
      home.last = std::max(0, use.last);
    } else if (use.first != kNotYet) {
      home.first = use.first;
      home.last = use.is_output || !use.is_read ? end : use.last;
    } else {
      continue;
    }
    homes.push_back(home);
  }
  return homes;
}

void SetRows(const ChipGraph& graph, std::int64_t rows,
             std::vector<ChipHome>& homes) {
  for (ChipHome& home : homes) {
    const ValueType& type = graph.value(home.value).type;
    if (type.batched()) home.bytes = BytesInHbm(type, rows);
  }
}

ChipHbm FullestHbm(const ChipGraph& graph, const ChipProgram& program,
                   const std::vector<ChipHome>& homes) {
  const std::size_t count = std::max<std::size_t>(program.kernels.size(), 1);
  std::vector<ChipHbm> begin(count);
  std::vector<ChipHbm> end(count);
  for (const ChipHome& home : homes) {
    const ChipValueKind kind = graph.value(home.value).kind;
    ClassOf(kind, begin[home.first]) += home.bytes;
    ClassOf(kind, end[home.last]) += home.bytes;
  }
  ChipHbm now;
  ChipHbm fullest;
  const auto add = [&](const ChipHbm& part, double sign) {
    now.weights += sign * part.weights;
    now.gradients += sign * part.gradients;
    now.optimizer_state += sign * part.optimizer_state;
    now.activations += sign * part.activations;
    now.inputs += sign * part.inputs;
  };
  for (std::size_t i = 0; i < count; ++i) {
    add(begin[i], 1);
    now.kernel = static_cast<std::int32_t>(i);
    if (now.total() > fullest.total()) fullest = now;
    add(end[i], -1);
  }
  return fullest;
}

}  // namespace podsim
