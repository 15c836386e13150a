#include "bench/validation/least_hbm.h"

#include <algorithm>

#include "chip/step.h"
#include "models/ops/shape.h"

namespace podsim::validation {
namespace {

double BytesOf(DType dtype, const Shape& shape, std::int64_t rows) {
  auto bytes = static_cast<double>(SizeOf(dtype));
  for (const std::int64_t dim : DimsFor(shape, rows))
    bytes *= static_cast<double>(dim);
  return bytes;
}

double BytesOf(const ProgramTensor& tensor, std::int64_t rows) {
  return BytesOf(tensor.dtype, tensor.shape, rows);
}

bool IsComputed(const ChipValue& value) {
  return value.kind == ChipValueKind::kComputed ||
         value.kind == ChipValueKind::kOutput;
}

double OperandsOf(const ChipKernel& kernel, const ChipGraph& graph,
                  std::int64_t rows) {
  double bytes = 0;
  for (const ChipTransfer& read : kernel.reads) {
    const ChipValue& value = graph.value(read.value);
    if (IsComputed(value) && !read.on_chip)
      bytes += BytesOf(value.type.dtype, value.type.shape, rows);
  }
  return bytes;
}

}  // namespace

LeastHbm LeastHbmOf(const Program& program, std::int64_t batch,
                    std::int64_t microbatches, const ChipFigures& chip) {
  LeastHbm least;
  for (const ProgramInput& input : program.inputs)
    least.inputs += BytesOf(program.tensor(input.tensor), batch);
  for (const ProgramVariable& variable : program.variables)
    least.variables += BytesOf(program.tensor(variable.tensor), batch);
  for (const GradientBucket& bucket : program.buckets)
    for (const TensorId gradient : bucket.gradients)
      least.gradients += BytesOf(program.tensor(gradient), batch);
  const std::int64_t rows = batch / microbatches;
  const ChipStep step = ChipStepOf(program, rows, chip);
  for (const ChipKernel& kernel : step.program.kernels)
    least.operands =
        std::max(least.operands, OperandsOf(kernel, step.graph, rows));
  return least;
}

}  // namespace podsim::validation
