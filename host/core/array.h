// What most kernels work on: arrays of any rank, with a number for B.
#ifndef PODSIM_HOST_CORE_ARRAY_H_
#define PODSIM_HOST_CORE_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/core/core.h"
#include "host/core/parallel_for.h"
#include "models/kernels/kernels.h"
#include "models/ops/op.h"
#include "models/ops/shape.h"

namespace podsim {

// Row-major, borrowed. Bools are bytes of 0 or 1; a bfloat16 that an op made is
// a float32 rounded to it, one that the infeed brings has two bytes.
struct Array {
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> dims;
  std::int64_t element_bytes = 4;
  std::byte* data = nullptr;  // of an operand: only to be read

  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  std::int64_t elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : dims) product *= dim;
    return product;
  }
};

// One computation of an op. The executor decides what B is: some rows of the
// stacked ones where the op is row-wise, the rows of one core where it is not,
// all of a host's where the results are to be the cores' sums
// (OpEntry::sums_batch). Called at once for different parts.
struct ArrayCall {
  std::span<const Array> in;
  std::span<const Array> out;
  const OpAttributes& attributes;
  const PodsimKernels& kernels;
  const Panels& panels;
  // For what is worth cutting; runs on this thread alone where parts of the op
  // are computed at once.
  ParallelFor& parallel;
  Workspace& workspace;  // this thread's
  OpTimes* times;
};

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_ARRAY_H_
