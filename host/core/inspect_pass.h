// A training pass run op by op, to see where its numbers stop being finite.
#ifndef PODSIM_HOST_CORE_INSPECT_PASS_H_
#define PODSIM_HOST_CORE_INSPECT_PASS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"
#include "host/core/array.h"
#include "host/core/core.h"
#include "models/graph/program.h"

namespace podsim {

// What a tensor held when it was written, or, if the pass does not write it,
// when it was first read.
struct SeenTensor {
  bool has_nan = false;
  bool has_inf = false;
  float bad = 0;  // the first element that is not finite
  // The examples of that one and of the first NaN, from 0; -1: no example's.
  std::int64_t bad_row = -1;
  std::int64_t nan_row = -1;
  // Of the finite elements; least > greatest: there is none.
  float least = std::numeric_limits<float>::max();
  float greatest = std::numeric_limits<float>::lowest();

  bool is_finite() const { return !has_nan && !has_inf; }
};

// By tensor; views are seen as what they are a view of. What is no float, or
// was not touched, has no elements.
using SeenTensors = std::vector<SeenTensor>;

// `batch_axis`: the dimension with B, `rows` of them, or -1.
SeenTensor LookAt(const Array& array, int batch_axis, std::int64_t rows);

struct Inspection {
  const Program& program;
  std::int64_t rows;  // of one core
  const Panels& panels;
  const PodsimKernels& kernels;
  ParallelFor& parallel;
  const CoreBuffers& buffers;
  // Puts into the buffers what all-reduce `number` in the middle of the pass
  // gave this core.
  std::function<void(std::size_t number)> join = nullptr;
};

// Runs kTrainMicrobatch up to the op that makes `until`, on these buffers.
// Errors: as RunSegment.
absl::StatusOr<SeenTensors> InspectPass(const Inspection& inspection,
                                        TensorId until);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_INSPECT_PASS_H_
