// dot_general on arrays: a matrix product per batching index.
#include <cstdint>

#include "host/core/array_kernels.h"
#include "host/core/matrix_side.h"
#include "host/core/op_kernels.h"
#include "models/ops/dot_dimensions.h"

namespace podsim {
namespace {

MatrixSides SidesOf(const Array& array, const DotSide& side) {
  return {array.as<const float>(), array.dims, side.free, side.contracting,
          OffsetsOver(array.dims, side.batching)};
}

}  // namespace

// One product is cut into panels; of many each is a panel.
void DotGeneral(const ArrayCall& call) {
  const Array& a = call.in[0];
  const Array& b = call.in[1];
  const auto [of_a, of_b] =
      DotDimensionsOf(call.attributes, a.dims.size(), b.dims.size());
  const MatrixSides lefts = SidesOf(a, of_a);
  const MatrixSides rights = SidesOf(b, of_b);
  if (call.out[0].elements() == 0) return;
  const std::int64_t size = call.out[0].elements() / lefts.count();
  float* out = call.out[0].as<float>();
  InOrder alone;
  const ProductTools tools{ProductsFor(call), call.panels,
                           lefts.count() == 1 ? call.parallel : alone,
                           call.times};
  const auto multiply = [&](std::int64_t i) {
    const MatrixSide left = lefts.At(i);
    const MatrixSide right = rights.At(i);
    MultiplySides(tools, left, right,
                  ThreadFloats(0, PackedElements(tools, left, right)),
                  out + i * size);
  };
  if (lefts.count() == 1) return multiply(0);
  call.parallel.Run(lefts.count(), multiply);
}

}  // namespace podsim
