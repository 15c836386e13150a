#include "models/graph/row_groups.h"

#include <algorithm>
#include <cstddef>

#include "models/ops/op_table.h"

namespace podsim {
namespace {

bool IsRowWise(const Program& program, const Instruction& instruction) {
  const auto batched = [&](TensorId id) {
    return program.tensor(id).batched();
  };
  return EntryOf(instruction.op).is_row_wise &&
         std::all_of(instruction.outputs.begin(), instruction.outputs.end(),
                     batched);
}

}  // namespace

void GroupRows(const Program& program, std::vector<Instruction>& instructions) {
  std::int32_t group = 0;
  for (Instruction& instruction : instructions) {
    if (IsRowWise(program, instruction)) {
      instruction.row_group = group;
    } else {
      instruction.row_group = kNoRowGroup;
      ++group;
    }
  }
}

std::vector<std::span<const Instruction>> RowGroups(
    std::span<const Instruction> instructions) {
  std::vector<std::span<const Instruction>> groups;
  while (!instructions.empty()) {
    const std::int32_t group = instructions.front().row_group;
    std::size_t size = 1;
    while (group != kNoRowGroup && size < instructions.size() &&
           instructions[size].row_group == group)
      ++size;
    groups.push_back(instructions.first(size));
    instructions = instructions.subspan(size);
  }
  return groups;
}

}  // namespace podsim
