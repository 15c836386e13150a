#include "chip/remat_uses.h"

#include <algorithm>
#include <cstddef>

namespace podsim {
namespace {

void NoteRead(std::int32_t reader, std::int32_t main, std::int32_t from,
              ValueUse& use) {
  if (use.first_reader == kNoKernel) use.first_reader = reader;
  use.last_reader = reader;
  if (reader == from) use.is_there = true;
  if (reader <= from) return;
  const bool is_first = use.next_reader == kNoKernel;
  if (is_first) use.next_reader = reader;
  use.next_node = is_first ? main : std::min(use.next_node, main);
}

void NoteTaken(const ChipGraph& graph, const ChipProgram& program,
               std::vector<ValueUse>& uses) {
  const auto take = [&](ChipValueId value) {
    if (value != kNoChipValue) uses[value].is_taken = true;
  };
  for (const ChipValue& value : graph.values) take(value.in_place_of);
  for (const ChipKernel& kernel : program.kernels) take(kernel.over);
  for (const ChipCollective& collective : program.collectives)
    for (const ChipValueId operand : graph.node(collective.node).operands)
      take(graph.root(operand));
}

}  // namespace

std::vector<ValueUse> UsesAround(const ChipGraph& graph,
                                 const ChipProgram& program,
                                 std::int32_t kernel) {
  std::vector<ValueUse> uses(graph.values.size());
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    for (const ChipTransfer& each : program.kernels[i].reads)
      NoteRead(index, program.kernels[i].main, kernel, uses[each.value]);
    for (const ChipTransfer& each : program.kernels[i].writes) {
      ValueUse& use = uses[each.value];
      if (use.writer == kNoKernel) use.writer = index;
      if (index == kernel) use.is_there = true;
    }
  }
  NoteTaken(graph, program, uses);
  return uses;
}

}  // namespace podsim
