#include "host/core/packed_variables.h"

#include <algorithm>
#include <cstddef>

#include "base/status.h"
#include "models/ops/op_table.h"

namespace podsim {

bool HasPackedSide(OpCode op) {
  const ProductForm form = EntryOf(op).product;
  return form == ProductForm::kPlain || form == ProductForm::kRightTransposed;
}

RightSide RightSideOf(const Program& program, const Instruction& product) {
  PODSIM_CHECK(HasPackedSide(product.op));
  RightSide side;
  side.tensor = product.inputs[1];
  side.transposed =
      EntryOf(product.op).product == ProductForm::kRightTransposed;
  side.rounded = product.attributes.rounded_operands;
  const std::vector<std::int64_t>& dims =
      program.tensor(side.tensor).shape.dims;
  side.n = side.transposed ? dims[0] : dims[1];
  side.k = side.transposed ? dims[1] : dims[0];
  return side;
}

void PackRightSide(const RightSide& side, const float* values,
                   std::int64_t columns, const PodsimKernels& kernels,
                   ParallelFor& parallel, OpTimes* times, float* packed) {
  const PodsimProducts& products = side.products(kernels);
  const auto pack = side.transposed ? products.pack_bt : products.pack;
  const std::int64_t row_length = side.transposed ? side.k : side.n;
  parallel.Run((side.n + columns - 1) / columns, [&](std::int64_t i) {
    const TimedWork timed(times, Work::kPacking);
    pack(side.n, side.k, values, row_length, i * columns,
         std::min(side.n, (i + 1) * columns), packed);
  });
}

PackedVariables::PackedVariables(const Program& program,
                                 const PodsimKernels& kernels)
    : kernels_(kernels) {
  for (const auto& [entry, segments] : program.entries)
    for (const Segment& segment : segments)
      for (const Instruction& instruction : segment.instructions) {
        if (!HasPackedSide(instruction.op)) continue;
        const RightSide side = RightSideOf(program, instruction);
        if (program.tensor(side.tensor).storage != Storage::kVariable ||
            Find(side) != nullptr)
          continue;
        packed_.push_back(
            {side, AlignedFloats(side.products(kernels).packed_elements(
                       side.n, side.k))});
      }
}

void PackedVariables::Pack(const Program& program,
                           std::span<const float> values, std::int64_t columns,
                           ParallelFor& parallel, OpTimes* times) {
  for (Packed& packed : packed_)
    PackRightSide(packed.side,
                  values.data() + program.tensor(packed.side.tensor).offset,
                  columns, kernels_, parallel, times, packed.values.data());
}

void PackedVariables::Pack(const Program& program,
                           std::span<const TensorId> variables,
                           std::span<const float> values, std::int64_t columns,
                           ParallelFor& parallel, OpTimes* times) {
  for (Packed& packed : packed_) {
    const TensorId id = packed.side.tensor;
    if (std::find(variables.begin(), variables.end(), id) == variables.end())
      continue;
    PackRightSide(packed.side, values.data() + program.tensor(id).offset,
                  columns, kernels_, parallel, times, packed.values.data());
  }
}

const float* PackedVariables::Find(const RightSide& side) const {
  for (const Packed& packed : packed_)
    if (packed.side == side) return packed.values.data();
  return nullptr;
}

std::int64_t PackedVariables::elements() const {
  std::int64_t elements = 0;
  for (const Packed& packed : packed_) elements += packed.values.size();
  return elements;
}

}  // namespace podsim
