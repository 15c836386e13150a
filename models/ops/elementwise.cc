// Element-wise ops, a row each: a function of one number per operand, how dear
// and how exact it is, and its gradient as ops. The kernel of a row is a row of
// models/kernels/elementwise.cc; the rest follows from what stands here.
#include <cmath>

#include "models/ops/families.h"

namespace podsim {
namespace {

using Values = std::span<const Value>;

// d(input) = a function of dy and of the op's own result.
template <const char* kName>
InputGradients ThroughResult(GradientBuilder& builder, const OpUse& use,
                             Values dy) {
  return std::vector{
      builder.Apply(OpCode(kName), {dy[0], use.outputs[0]}, "grad")};
}

InputGradients ToBoth(GradientBuilder& /*builder*/, const OpUse& /*use*/,
                      Values dy) {
  return std::vector{dy[0], dy[0]};
}

constexpr OpEntry Row(const char* name, int operands,
                      const ScalarFunction& function,
                      decltype(OpEntry::gradient) gradient = nullptr) {
  OpEntry entry;
  entry.name = name;
  entry.input_count = operands;
  entry.scalar = function;
  entry.gradient = gradient;
  entry.is_row_wise = true;
  entry.is_element_wise = true;
  entry.works_in_place = true;
  return entry;
}

constexpr char kReluGrad[] = "ReluGrad";
constexpr char kTanhGrad[] = "TanhGrad";

constexpr OpEntry kOps[] = {
    // x -> y = max(x, 0)
    Row("Relu", 1, {[](const double* x) { return x[0] <= 0 ? 0 : x[0]; }},
        ThroughResult<kReluGrad>),
    // dy, y -> dx = y > 0 ? dy : 0
    Row(kReluGrad, 2,
        {.value = [](const double* x) { return x[1] > 0 ? x[0] : 0; },
         .vector_flops = 2}),
    // a, b -> a + b
    Row("Add", 2,
        {.value = [](const double* x) { return x[0] + x[1]; },
         .vector_flops = 2,
         .error_units = 1},
        ToBoth),
    // x -> y = tanh(x)
    Row("Tanh", 1,
        {.value = [](const double* x) { return std::tanh(x[0]); },
         .vector_flops = 0,
         .transcendentals = 1,
         .error_units = 10,
         .low = -12,
         .high = 12},
        ThroughResult<kTanhGrad>),
    // dy, y -> dx = dy * (1 - y^2)
    Row(kTanhGrad, 2,
        {.value = [](const double* x) { return x[0] * (1 - x[1] * x[1]); },
         .vector_flops = 3,
         .error_units = 4.1}),
};

}  // namespace

OpFamily ElementwiseOps() { return kOps; }

}  // namespace podsim
