// One op in a Program of its own, run by the executor on chosen operands.
#ifndef PODSIM_TESTS_HOST_CORE_ONE_OP_H_
#define PODSIM_TESTS_HOST_CORE_ONE_OP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/core/core.h"
#include "models/kernels/kernels.h"
#include "models/ops/op_entry.h"
#include "models/ops/tensor.h"

namespace podsim::testing {

enum class Place : std::uint8_t {
  kApart,
  kOverOperand0,  // result 0 lies there
  kSummed,        // what would be per core is the host's: the cores' sum
};

class OneOp {
 public:
  OneOp(const OpEntry& entry, const OpSample& sample,
        Place place = Place::kApart);

  // Runs the op for `rows` stacked rows, of which each core has `rows_of_core`
  // (0: all are one core's); fails the test on errors. Batched operands have as
  // many rows; those that are per core one value behind the other.
  void Run(const std::vector<Tensor>& operands, std::int64_t rows,
           std::int64_t rows_of_core, const Panels& panels,
           const PodsimKernels& kernels);

  // What the last run left in result `i`, row-major, core behind core.
  std::vector<double> Result(std::size_t i);
  // The same as it lies there, element by element.
  std::vector<std::uint32_t> ResultBits(std::size_t i);

 private:
  TensorId AddTensor(const ValueType& type);
  void Write(TensorId id, const std::vector<double>& values);
  std::byte* At(TensorId id);
  std::int64_t cores() const;
  std::int64_t ElementsOf(TensorId id) const;

  Program program_;
  Segment segment_;
  std::int64_t rows_ = 0;
  std::int64_t rows_of_core_ = 0;
  std::vector<float> batched_;
  std::vector<float> per_core_;
  std::vector<float> scratch_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_CORE_ONE_OP_H_
