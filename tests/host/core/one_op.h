// A Program of one op on a sample case of the op table, and memory to run it.
#ifndef PODSIM_TESTS_HOST_CORE_ONE_OP_H_
#define PODSIM_TESTS_HOST_CORE_ONE_OP_H_

#include <cstdint>
#include <vector>

#include "host/core/core.h"
#include "models/ops/op_entry.h"

namespace podsim::testing {

// Where result 0 lies.
enum class Place { kApart, kOverOperand0 };

class OneOp {
 public:
  OneOp(const OpEntry& entry, const OpSample& sample,
        Place place = Place::kApart);

  // Runs the op for `rows` stacked rows; fails the test on errors. Batched
  // operands have as many rows.
  void Run(const std::vector<Tensor>& operands, std::int64_t rows,
           const Panels& panels, const PodsimKernels& kernels);

  // What the last run left in result `i`, row-major.
  std::vector<float> Result(std::size_t i);

 private:
  TensorId AddTensor(const ValueType& type);
  void Write(TensorId id, const std::vector<double>& values);
  float* At(TensorId id);
  std::int64_t ElementsOf(TensorId id) const;

  Program program_;
  Segment segment_;
  std::int64_t rows_ = 0;
  std::vector<float> batched_;
  std::vector<float> scratch_;
  std::vector<std::int32_t> labels_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_CORE_ONE_OP_H_
