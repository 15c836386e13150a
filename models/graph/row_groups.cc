#include "models/graph/row_groups.h"

#include <algorithm>
#include <cstddef>

#include "models/graph/compile.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

std::vector<ValueType> TypesInRows(const Program& program,
                                   const std::vector<TensorId>& ids) {
  std::vector<ValueType> types;
  types.reserve(ids.size());
  for (const TensorId id : ids) types.push_back(TypeOf(program.tensor(id)));
  return types;
}

}  // namespace

bool IsRowWise(const Program& program, const Instruction& instruction) {
  return IsRowWise(
      EntryOf(instruction.op),
      {TypesInRows(program, instruction.inputs),
       TypesInRows(program, instruction.outputs), instruction.attributes});
}

namespace {

bool RunsPerCore(const Program& program, const Instruction& instruction) {
  const auto differs = [&](TensorId id) {
    const ProgramTensor& tensor = program.tensor(id);
    return tensor.batched() || tensor.storage == Storage::kPerCore;
  };
  return std::any_of(instruction.outputs.begin(), instruction.outputs.end(),
                     differs) &&
         !EntryOf(instruction.op).joins_cores &&
         !IsRowWise(program, instruction);
}

}  // namespace

void GroupRows(const Program& program, std::vector<Instruction>& instructions) {
  std::int32_t group = 0;
  for (Instruction& instruction : instructions) {
    instruction.per_core = RunsPerCore(program, instruction);
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
