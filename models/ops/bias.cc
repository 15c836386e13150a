// A bias, added to every row, and its gradient.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred InferAddBias(Types in, const OpAttributes&) {
  if (!IsRows(in[0])) return Bad("the left side must be [B, N] or [M, N]");
  if (in[1] != Plain({Columns(in[0])}))
    return Bad(absl::StrCat("the bias must be [", Columns(in[0]), "]"));
  return std::vector{in[0]};
}

Inferred InferBiasGrad(Types in, const OpAttributes&) {
  if (!IsRows(in[0])) return Bad("needs dy [M, N]");
  return std::vector{Plain({Columns(in[0])})};
}

InputGradients AddBiasGradient(GradientBuilder& builder, const OpUse& /*use*/,
                               std::span<const Value> dy) {
  return std::vector{dy[0],
                     builder.Apply(OpCode::kBiasGrad, {dy[0]}, "grad_bias")};
}

void AddBias(std::span<const Tensor> inputs, const OpAttributes& /*attributes*/,
             std::span<Tensor> outputs) {
  const Tensor& x = inputs[0];
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t column = 0; column < x.columns; ++column)
      outputs[0].at(row, column) = x.at(row, column) + inputs[1].at(0, column);
}

// One sum of two numbers, rounded once.
void AddBiasError(std::span<const Tensor> /*inputs*/,
                  const OpAttributes& /*attributes*/,
                  std::span<const Tensor> outputs, std::span<Tensor> bounds) {
  for (std::size_t i = 0; i < bounds[0].values.size(); ++i)
    bounds[0].values[i] = kRoundoff * std::fabs(outputs[0].values[i]) + kTiny;
}

void BiasGrad(std::span<const Tensor> inputs,
              const OpAttributes& /*attributes*/, std::span<Tensor> outputs) {
  const Tensor& dy = inputs[0];
  for (std::int64_t row = 0; row < dy.rows; ++row)
    for (std::int64_t column = 0; column < dy.columns; ++column)
      outputs[0].at(0, column) += dy.at(row, column);
}

void BiasGradError(std::span<const Tensor> inputs,
                   const OpAttributes& /*attributes*/,
                   std::span<const Tensor> /*outputs*/,
                   std::span<Tensor> bounds) {
  const Tensor& dy = inputs[0];
  const double error = SumError(static_cast<double>(dy.rows));
  for (std::int64_t row = 0; row < dy.rows; ++row)
    for (std::int64_t column = 0; column < dy.columns; ++column)
      bounds[0].at(0, column) += error * std::fabs(dy.at(row, column));
}

std::vector<OpSample> AddBiasSamples() {
  return {
      {.inputs = {Batched({37}), Plain({37})}, .outputs = {Batched({37})}},
      {.inputs = {Plain({3, 4}), Plain({4})}, .outputs = {Plain({3, 4})}},
  };
}

std::vector<OpSample> BiasGradSamples() {
  return {
      {.inputs = {Batched({37})}, .outputs = {Plain({37})}},
      {.inputs = {Plain({3, 4})}, .outputs = {Plain({4})}},
  };
}

constexpr OpEntry kBiasOps[] = {
    // x[M,N], b[N] -> y[M,N]
    {.name = "AddBias",
     .input_count = 2,
     .infer = InferAddBias,
     .gradient = AddBiasGradient,
     .cost = FirstOperandCost<1>,
     .is_row_wise = true,
     .is_element_wise = true,
     .works_in_place = true,
     .reference = AddBias,
     .error = AddBiasError,
     .samples = AddBiasSamples},
    // dy[M,N] -> db[N], column sums
    {.name = "BiasGrad",
     .input_count = 1,
     .infer = InferBiasGrad,
     .cost = FirstOperandCost<1>,
     .sums_batch = true,
     .reference = BiasGrad,
     .error = BiasGradError,
     .samples = BiasGradSamples},
};

}  // namespace

OpFamily BiasOps() { return kBiasOps; }

}  // namespace podsim
