// Matrix products: MatMul and its two gradients.
//
// Letters: M rows, K summed, N columns; with a batch M is B. dx, dw, dy: the
// gradient of the loss with respect to x, w, y.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/reference.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred InferMatMul(Types in, const OpAttributes&) {
  if (!IsRows(in[0]))
    return Bad("the left side must be [B, K] or [M, K]; reshape it first");
  if (!IsMatrix(in[1])) return Bad("the right side must be [K, N]");
  if (Columns(in[0]) != in[1].shape.dims[0])
    return Bad(absl::StrCat("the left side's ", Columns(in[0]),
                            " columns are not the right side's ",
                            in[1].shape.dims[0], " rows"));
  return std::vector{WithColumns(in[0], Columns(in[1]))};
}

Inferred InferMatMulGradInput(Types in, const OpAttributes&) {
  if (!IsRows(in[0]) || !IsMatrix(in[1]) || Columns(in[0]) != Columns(in[1]))
    return Bad("needs dy [M, N] and w [K, N]");
  return std::vector{WithColumns(in[0], in[1].shape.dims[0])};
}

Inferred InferMatMulGradWeight(Types in, const OpAttributes&) {
  if (!IsRows(in[0]) || !IsRows(in[1]) || in[0].batched() != in[1].batched() ||
      (!in[0].batched() && in[0].shape.dims[0] != in[1].shape.dims[0]))
    return Bad("needs x [M, K] and dy [M, N]");
  return std::vector{Plain({Columns(in[0]), Columns(in[1])})};
}

// The gradient of the weight first, so that a bucket is complete as early as
// possible.
InputGradients MatMulGradient(GradientBuilder& builder, const OpUse& use,
                              std::span<const Value> dy) {
  const Value x = use.inputs[0];
  const Value w = use.inputs[1];
  const Value dw =
      builder.Apply(OpCode::kMatMulGradWeight, {x, dy[0]}, "grad_weight");
  const Value dx =
      builder.Apply(OpCode::kMatMulGradInput, {dy[0], w}, "grad_input");
  return std::vector{dx, dw};
}

// Of a product with `k` numbers summed into each of its result.
OpCost CostOfProduct(const OpSignature& signature, std::int64_t rows,
                     std::int64_t k) {
  OpCost cost = CopyCost(signature, rows);
  const MatrixView c = AsMatrix(signature.outputs[0], rows);
  cost.products.push_back(
      {c.rows, c.columns, k, signature.attributes.rounded_operands});
  return cost;
}

OpCost ProductCost(const OpSignature& signature, std::int64_t rows) {
  return CostOfProduct(signature, rows,
                       AsMatrix(signature.inputs[0], rows).columns);
}

OpCost WeightGradientCost(const OpSignature& signature, std::int64_t rows) {
  return CostOfProduct(signature, rows,
                       AsMatrix(signature.inputs[0], rows).rows);
}

// Visits every pair of numbers that a product multiplies, as the product reads
// them: visit(row, column of c, a, b).
template <ProductForm kForm, typename Visit>
void ForProductFactors(std::span<const Tensor> inputs,
                       const OpAttributes& attributes, const Visit& visit) {
  constexpr bool kLeft = kForm == ProductForm::kLeftTransposed;
  constexpr bool kRight = kForm == ProductForm::kRightTransposed;
  const Tensor& a = inputs[0];
  const Tensor& b = inputs[1];
  const std::int64_t m = kLeft ? a.columns : a.rows;
  const std::int64_t k = kLeft ? a.rows : a.columns;
  const std::int64_t n = kRight ? b.rows : b.columns;
  const auto read = [&](double x) {
    return attributes.rounded_operands ? RoundToBFloat16(x) : x;
  };
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t column = 0; column < n; ++column)
      for (std::int64_t i = 0; i < k; ++i)
        visit(row, column, read(kLeft ? a.at(i, row) : a.at(row, i)),
              read(kRight ? b.at(column, i) : b.at(i, column)));
}

template <ProductForm kForm>
void Multiply(std::span<const Tensor> inputs, const OpAttributes& attributes,
              std::span<Tensor> outputs) {
  ForProductFactors<kForm>(
      inputs, attributes,
      [&](std::int64_t row, std::int64_t column, double a, double b) {
        outputs[0].at(row, column) += a * b;
      });
}

// Products of bfloat16 are exact in float32, others are rounded once: K terms
// and K roundings of them and their sum. A matrix unit may take a number too
// small for float32's normal ones for zero.
template <ProductForm kForm>
void ProductError(std::span<const Tensor> inputs,
                  const OpAttributes& attributes,
                  std::span<const Tensor> /*outputs*/,
                  std::span<Tensor> bounds) {
  const std::int64_t k = kForm == ProductForm::kLeftTransposed
                             ? inputs[0].rows
                             : inputs[0].columns;
  ForProductFactors<kForm>(
      inputs, attributes,
      [&](std::int64_t row, std::int64_t column, double a, double b) {
        bounds[0].at(row, column) += std::fabs(a * b);
      });
  for (double& bound : bounds[0].values)
    bound = SumError(static_cast<double>(k) + 1) * bound + kTiny;
}

// Each with rounded operands too.
std::vector<OpSample> BothPrecisions(std::vector<OpSample> samples) {
  const std::size_t count = samples.size();
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(samples[i]);
    samples.back().attributes.rounded_operands = true;
  }
  return samples;
}

std::vector<OpSample> MatMulSamples() {
  return BothPrecisions(
      {{.inputs = {Batched({19}), Plain({19, 37})}, .outputs = {Batched({37})}},
       {.inputs = {Plain({2, 3}), Plain({3, 5})}, .outputs = {Plain({2, 5})}}});
}

std::vector<OpSample> MatMulGradInputSamples() {
  return BothPrecisions(
      {{.inputs = {Batched({37}), Plain({19, 37})}, .outputs = {Batched({19})}},
       {.inputs = {Plain({2, 5}), Plain({3, 5})}, .outputs = {Plain({2, 3})}}});
}

std::vector<OpSample> MatMulGradWeightSamples() {
  return BothPrecisions(
      {{.inputs = {Batched({19}), Batched({37})}, .outputs = {Plain({19, 37})}},
       {.inputs = {Plain({2, 3}), Plain({2, 5})}, .outputs = {Plain({3, 5})}}});
}

constexpr OpEntry kProductOps[] = {
    // x[M,K], w[K,N] -> y[M,N]
    {.name = "MatMul",
     .input_count = 2,
     .infer = InferMatMul,
     .gradient = MatMulGradient,
     .cost = ProductCost,
     .product = ProductForm::kPlain,
     .is_row_wise = true,
     .reference = Multiply<ProductForm::kPlain>,
     .error = ProductError<ProductForm::kPlain>,
     .samples = MatMulSamples},
    // dy[M,N], w[K,N] -> dx[M,K] = dy * w^T
    {.name = "MatMulGradInput",
     .input_count = 2,
     .infer = InferMatMulGradInput,
     .cost = ProductCost,
     .product = ProductForm::kRightTransposed,
     .is_row_wise = true,
     .reference = Multiply<ProductForm::kRightTransposed>,
     .error = ProductError<ProductForm::kRightTransposed>,
     .samples = MatMulGradInputSamples},
    // x[M,K], dy[M,N] -> dw[K,N] = x^T * dy
    {.name = "MatMulGradWeight",
     .input_count = 2,
     .infer = InferMatMulGradWeight,
     .cost = WeightGradientCost,
     .product = ProductForm::kLeftTransposed,
     .sums_batch = true,
     .reference = Multiply<ProductForm::kLeftTransposed>,
     .error = ProductError<ProductForm::kLeftTransposed>,
     .samples = MatMulGradWeightSamples},
};

}  // namespace

OpFamily ProductOps() { return kProductOps; }

}  // namespace podsim
