#include "host/core/pricer.h"

#include <algorithm>
#include <vector>

#include "base/status.h"
#include "models/graph/compile.h"
#include "models/graph/op_table.h"

namespace podsim {
namespace {

// 8 sublanes x 128 lanes x 2 adders. The figure is v4's (the scaling book);
// that v2 and v3 have the same is assumed. Memory is the limit of element-wise
// ops long before.
constexpr double kVectorFlopsPerCycle = 8 * 128 * 2;

std::vector<ValueType> TypesOf(const Program& program,
                               const std::vector<TensorId>& ids) {
  std::vector<ValueType> types;
  types.reserve(ids.size());
  for (const TensorId id : ids) types.push_back(TypeOf(program.tensor(id)));
  return types;
}

}  // namespace

CoreCost& CoreCost::operator+=(const CoreCost& other) {
  time += other.time;
  matrix_flops += other.matrix_flops;
  vector_flops += other.vector_flops;
  hbm_bytes += other.hbm_bytes;
  return *this;
}

CoreCost PriceSegment(const Program& program, const Segment& segment,
                      std::int64_t rows_per_core, const ChipFigures& figures) {
  PODSIM_CHECK(rows_per_core >= 0 && figures.matrix_flops_per_core > 0 &&
               figures.hbm_bytes_per_second_per_core > 0 &&
               figures.clock_hz > 0);
  CoreCost total;
  for (const Instruction& instruction : segment.instructions) {
    const std::vector<ValueType> inputs = TypesOf(program, instruction.inputs);
    const std::vector<ValueType> outputs =
        TypesOf(program, instruction.outputs);
    const OpCost cost =
        EntryOf(instruction.op)
            .cost({inputs, outputs, instruction.attributes}, rows_per_core);
    const double seconds =
        std::max({cost.matrix_unit_flops / figures.matrix_flops_per_core,
                  cost.vector_flops / (kVectorFlopsPerCycle * figures.clock_hz),
                  cost.hbm_bytes / figures.hbm_bytes_per_second_per_core});
    total += {SimTime::Seconds(seconds), cost.matrix_flops, cost.vector_flops,
              cost.hbm_bytes};
  }
  return total;
}

CoreCost PriceEntry(const Program& program, EntryPoint entry,
                    std::int64_t rows_per_core, const ChipFigures& figures) {
  CoreCost total;
  const auto found = program.entries.find(entry);
  if (found == program.entries.end()) return total;
  for (const Segment& segment : found->second)
    total += PriceSegment(program, segment, rows_per_core, figures);
  return total;
}

}  // namespace podsim
