// Graphs computed op by op by the kernels of one level, forward and backward:
// gradients by inputs, which no Program has.
#ifndef PODSIM_TESTS_HOST_CORE_KERNEL_CALCULATOR_H_
#define PODSIM_TESTS_HOST_CORE_KERNEL_CALCULATOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/graph/graph.h"
#include "models/kernels/kernels.h"
#include "models/ops/tensor.h"

namespace podsim::testing {

// Computes what is applied, instead of putting it into a graph.
class KernelCalculator final : public GradientBuilder {
 public:
  KernelCalculator(const PodsimKernels& kernels, std::int64_t batch_rows)
      : kernels_(kernels), rows_(batch_rows) {}

  Value Add(Tensor tensor);
  std::vector<Value> ApplyAll(OpCode op, const std::vector<Value>& inputs,
                              const OpAttributes& attributes);

  using GradientBuilder::Apply;
  Value Apply(OpCode op, std::vector<Value> inputs, const std::string& role,
              OpAttributes attributes) override;
  const ValueType& type(Value value) const override { return at(value).type; }
  const Tensor& at(Value value) const {
    return tensors_.at(static_cast<std::size_t>(value.id));
  }

 private:
  const PodsimKernels& kernels_;
  const std::int64_t rows_;
  std::vector<Tensor> tensors_;
};

// Numbers of inputs and variables by value id.
using GivenNumbers = std::map<std::int32_t, Tensor>;

struct Slopes {
  Tensor y;
  Tensor dx;
};

// y, and the gradient by x of the sum of `dy` times it. Fails the test on
// errors.
Slopes SlopesOf(const PodsimKernels& kernels, const Graph& graph,
                const GivenNumbers& given, Value x, Value y, const Tensor& dy);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_CORE_KERNEL_CALCULATOR_H_
