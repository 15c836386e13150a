// The weights as products read them: packed by the kernels, once per step
// instead of once per product.
//
//   PackedVariables packed(program, kernels);
//   packed.Pack(program, variables, panels, parallel);   // after each update
#ifndef PODSIM_HOST_CORE_PACKED_VARIABLES_H_
#define PODSIM_HOST_CORE_PACKED_VARIABLES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/aligned_floats.h"
#include "host/core/op_times.h"
#include "host/core/parallel_for.h"
#include "models/graph/program.h"
#include "models/kernels/kernels.h"

namespace podsim {

// The right side of a product as a matrix B[K,N]; see PodsimProducts.
struct RightSide {
  TensorId tensor = kNoTensor;
  bool transposed = false;  // lies as [N,K]
  bool rounded = false;     // to bfloat16
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool operator==(const RightSide&) const = default;

  const PodsimProducts& products(const PodsimKernels& kernels) const {
    return rounded ? kernels.bfloat16 : kernels.float32;
  }
};

// A product whose right side is packed before its rows are computed: that of a
// weight gradient is packed on the way, a K-block at a time.
bool HasPackedSide(OpCode op);

// REQUIRES: HasPackedSide(product.op).
RightSide RightSideOf(const Program& program, const Instruction& product);

// Packs `values` (of the tensor, as it lies) in ranges of `columns`.
// REQUIRES: columns is a multiple of kColumnCut; `packed` holds
// packed_elements(n, k). `times` may be null.
void PackRightSide(const RightSide& side, const float* values,
                   std::int64_t columns, const PodsimKernels& kernels,
                   ParallelFor& parallel, OpTimes* times, float* packed);

class PackedVariables {
 public:
  // Room for every variable that is the right side of a product in some entry
  // point; `kernels` must outlive this object.
  PackedVariables(const Program& program, const PodsimKernels& kernels);

  // Packs these variables anew (all of them without a list) from the arena
  // `values`; the same cuts as any other product's. `times` may be null.
  void Pack(const Program& program, std::span<const float> values,
            std::int64_t columns, ParallelFor& parallel,
            OpTimes* times = nullptr);
  void Pack(const Program& program, std::span<const TensorId> variables,
            std::span<const float> values, std::int64_t columns,
            ParallelFor& parallel, OpTimes* times = nullptr);

  // Null if it is none of these variables.
  const float* Find(const RightSide& side) const;

  std::int64_t elements() const;

 private:
  struct Packed {
    RightSide side;
    AlignedFloats values;
  };
  const PodsimKernels& kernels_;
  std::vector<Packed> packed_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_PACKED_VARIABLES_H_
