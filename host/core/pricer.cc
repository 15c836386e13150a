#include "host/core/pricer.h"

#include <algorithm>
#include <vector>

#include "base/status.h"
#include "models/graph/compile.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

// 8 sublanes x 128 lanes x 2 adders. The figure is v4's (the scaling book);
// that v2 and v3 have the same is assumed. Memory is the limit of element-wise
// ops long before.
constexpr double kVectorFlopsPerCycle = 8 * 128 * 2;

// Matrix units take rows eight at a time (bf16[8,128] x [128,128] every 8
// cycles: the scaling book, "TPUs").
constexpr std::int64_t kRowTile = 8;

// Assumed: a float32 product is the sum of six products of bfloat16 parts
// (three parts per operand, the three smallest of nine products dropped), as
// XLA's highest precision does it.
constexpr double kFloat32Passes = 6;

// Assumed: an exponential or a logarithm costs about ten vector operations.
constexpr double kTranscendentalFlops = 10;

double RoundUp(std::int64_t value, std::int64_t unit) {
  const std::int64_t tiles = (value + unit - 1) / unit;
  return static_cast<double>(tiles * unit);
}

std::vector<ValueType> TypesOf(const Program& program,
                               const std::vector<TensorId>& ids) {
  std::vector<ValueType> types;
  types.reserve(ids.size());
  for (const TensorId id : ids) types.push_back(TypeOf(program.tensor(id)));
  return types;
}

}  // namespace

ChipWork WorkOf(const OpCost& cost, int matrix_unit_side) {
  ChipWork work;
  for (const MatrixProduct& each : cost.products) {
    const auto count = static_cast<double>(each.count);
    const double passes = each.rounded_operands ? 1 : kFloat32Passes;
    work.matrix_flops += 2.0 * UsefulMultiplyAdds(each);
    work.matrix_unit_flops += 2.0 * count * RoundUp(each.m, kRowTile) *
                              RoundUp(each.n, matrix_unit_side) *
                              RoundUp(each.k, matrix_unit_side) * passes *
                              UsefulShare(each);
  }
  work.vector_flops =
      cost.vector_flops + kTranscendentalFlops * cost.transcendentals;
  work.hbm_bytes = cost.bytes_read + cost.bytes_written;
  return work;
}

CoreCost& CoreCost::operator+=(const CoreCost& other) {
  time += other.time;
  matrix_flops += other.matrix_flops;
  vector_flops += other.vector_flops;
  hbm_bytes += other.hbm_bytes;
  hbm_bound += other.hbm_bound;
  return *this;
}

CoreCost PriceSegment(const Program& program, const Segment& segment,
                      std::int64_t rows_per_core, const ChipFigures& figures) {
  PODSIM_CHECK(rows_per_core >= 0 && figures.matrix_flops > 0 &&
               figures.hbm_bytes_per_second > 0 && figures.clock_hz > 0);
  CoreCost total;
  for (const Instruction& instruction : segment.instructions) {
    const std::vector<ValueType> inputs = TypesOf(program, instruction.inputs);
    const std::vector<ValueType> outputs =
        TypesOf(program, instruction.outputs);
    const ChipWork work =
        WorkOf(CostOf(EntryOf(instruction.op),
                      {inputs, outputs, instruction.attributes}, rows_per_core),
               figures.matrix_unit_side);
    const double traffic = work.hbm_bytes / figures.hbm_bytes_per_second;
    const double longest =
        std::max({work.matrix_unit_flops / figures.matrix_flops,
                  work.vector_flops / (kVectorFlopsPerCycle * figures.cores() *
                                       figures.clock_hz),
                  traffic});
    const SimTime time = SimTime::Seconds(longest / figures.core_share);
    total += {time, work.matrix_flops, work.vector_flops, work.hbm_bytes,
              longest == traffic ? time : SimTime()};
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
