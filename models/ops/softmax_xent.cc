// Softmax and cross-entropy of a batch of logits, in one op: the loss of a
// classifier.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

Inferred InferSoftmaxXent(Types in, const OpAttributes& attributes) {
  if (!attributes.word.empty() && attributes.word != kInfinityIsNan)
    return Bad(absl::StrCat("there is no way called '", attributes.word,
                            "'; there is ", kInfinityIsNan));
  if (!in[0].batched() || !IsRows(in[0])) return Bad("logits must be [B, N]");
  if (!IsPerRow(in[1], DType::kInt32)) return Bad("labels must be int32 [B]");
  return std::vector{in[0], Batched({}), Batched({})};
}

Inferred InferSoftmaxXentGrad(Types in, const OpAttributes&) {
  if (!in[0].batched() || !IsRows(in[0]) || !IsPerRow(in[1], DType::kInt32) ||
      !IsPerRow(in[2], DType::kFloat32))
    return Bad("needs prob [B, N], labels int32 [B] and dloss [B]");
  return std::vector{in[0]};
}

InputGradients SoftmaxXentGradient(GradientBuilder& builder, const OpUse& use,
                                   std::span<const Value> dy) {
  if (dy[0].present() || dy[2].present())
    return absl::UnimplementedError(
        "only the loss of SoftmaxXent has a gradient, not the probabilities "
        "or the count of correct rows");
  const Value labels = use.inputs[1];
  return std::vector{builder.Apply(OpCode::kSoftmaxXentGrad,
                                   {use.outputs[0], labels, dy[1]}, "grad"),
                     kNone};
}

// Per logit: a comparison with the largest so far and two choices, of the logit
// and of its place; the difference from the largest, its exponential, the sum,
// the quotient. Per row: the logarithm of the sum, a difference and a sum for
// the loss, a comparison of places and a choice of 1 or 0.
OpCost SoftmaxCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  const double logits = Elements(signature.inputs[0], rows);
  const double losses = Elements(signature.outputs[1], rows);
  cost.vector_flops = 6 * logits + 4 * losses;
  cost.transcendentals = logits + losses;
  return cost;
}

// Per logit: is it the label, 1 or 0, a difference, a product.
constexpr int kGradFlops = 4;

// loss = logsumexp(logits) - logits[label].
void SoftmaxXent(std::span<const Tensor> inputs, const OpAttributes& attributes,
                 std::span<Tensor> outputs) {
  const Tensor& logits = inputs[0];
  for (std::int64_t row = 0; row < logits.rows; ++row) {
    const auto label = static_cast<std::int64_t>(inputs[1].at(row, 0));
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < logits.columns; ++i)
      if (logits.at(row, i) > logits.at(row, best)) best = i;
    const double max = logits.at(row, best);
    double sum = 0;
    bool has_nan = false;
    for (std::int64_t i = 0; i < logits.columns; ++i) {
      sum += std::exp(logits.at(row, i) - max);
      has_nan |= std::isnan(logits.at(row, i));
    }
    // As JAX's logsumexp: an infinite loss, unless the label's logit is
    // infinite, too, or another one NaN.
    if (std::isinf(max) && max > 0 && !has_nan &&
        attributes.word != kInfinityIsNan)
      sum = max;
    for (std::int64_t i = 0; i < logits.columns; ++i)
      outputs[0].at(row, i) = std::exp(logits.at(row, i) - max) / sum;
    outputs[1].at(row, 0) = std::log(sum) + (max - logits.at(row, label));
    outputs[2].at(row, 0) = best == label ? 1 : 0;
  }
}

// In roundoffs: those of x - max (R, the range of the row's logits), of the
// exponentials and the logarithm (a vectorised one errs by less than 8), of the
// sum (N) and of the quotient; the loss in parts of the largest logit too.
void SoftmaxXentError(std::span<const Tensor> inputs,
                      const OpAttributes& /*attributes*/,
                      std::span<const Tensor> outputs,
                      std::span<Tensor> bounds) {
  constexpr double kExpUnits = 8;
  const Tensor& logits = inputs[0];
  for (std::int64_t row = 0; row < logits.rows; ++row) {
    double max = logits.at(row, 0);
    double min = max;
    for (std::int64_t i = 0; i < logits.columns; ++i) {
      max = std::max(max, logits.at(row, i));
      min = std::min(min, logits.at(row, i));
    }
    const double units =
        2 * (max - min) + static_cast<double>(logits.columns) + 3 * kExpUnits;
    for (std::int64_t i = 0; i < logits.columns; ++i)
      bounds[0].at(row, i) = units * kRoundoff * outputs[0].at(row, i) + kTiny;
    bounds[1].at(row, 0) =
        kRoundoff * (units + kExpUnits * outputs[1].at(row, 0) +
                     2 * std::max(std::fabs(max), std::fabs(min)));
  }
}

void SoftmaxXentGrad(std::span<const Tensor> inputs,
                     const OpAttributes& /*attributes*/,
                     std::span<Tensor> outputs) {
  const Tensor& prob = inputs[0];
  for (std::int64_t row = 0; row < prob.rows; ++row)
    for (std::int64_t i = 0; i < prob.columns; ++i) {
      const double onehot = static_cast<double>(i) == inputs[1].at(row, 0);
      outputs[0].at(row, i) = (prob.at(row, i) - onehot) * inputs[2].at(row, 0);
    }
}

// A difference and a product, rounded once each; and a little for the product
// of the two errors.
void SoftmaxXentGradError(std::span<const Tensor> /*inputs*/,
                          const OpAttributes& /*attributes*/,
                          std::span<const Tensor> outputs,
                          std::span<Tensor> bounds) {
  for (std::size_t i = 0; i < bounds[0].values.size(); ++i)
    bounds[0].values[i] =
        2.1 * kRoundoff * std::fabs(outputs[0].values[i]) + kTiny;
}

std::vector<OpSample> SoftmaxXentSamples() {
  const ValueType labels = Batched({}, DType::kInt32);
  OpSample sample = {.inputs = {Batched({37}), labels},
                     .outputs = {Batched({37}), Batched({}), Batched({})},
                     .low = -3,
                     .high = 3,
                     .classes = 37};
  OpSample other = sample;
  other.attributes.word = kInfinityIsNan;
  return {std::move(sample), std::move(other)};
}

std::vector<OpSample> SoftmaxXentGradSamples() {
  const ValueType labels = Batched({}, DType::kInt32);
  return {{.inputs = {Batched({37}), labels, Batched({})},
           .outputs = {Batched({37})},
           .low = 0,
           .classes = 37}};
}

constexpr OpEntry kSoftmaxXentOps[] = {
    // logits[B,N], labels[B] -> prob[B,N], loss[B], correct[B]; by the word
    // kInfinityIsNan all of prob and loss is NaN in a row that has +infinity
    {.name = "SoftmaxXent",
     .input_count = 2,
     .infer = InferSoftmaxXent,
     .gradient = SoftmaxXentGradient,
     .cost = SoftmaxCost,
     .is_row_wise = true,
     .reference = SoftmaxXent,
     .error = SoftmaxXentError,
     .samples = SoftmaxXentSamples},
    // prob[B,N], labels[B], dloss[B] -> dlogits[B,N]
    {.name = "SoftmaxXentGrad",
     .input_count = 3,
     .infer = InferSoftmaxXentGrad,
     .cost = FirstOperandCost<kGradFlops>,
     .is_row_wise = true,
     .works_in_place = true,
     .reference = SoftmaxXentGrad,
     .error = SoftmaxXentGradError,
     .samples = SoftmaxXentGradSamples},
};

}  // namespace

OpFamily SoftmaxXentOps() { return kSoftmaxXentOps; }

}  // namespace podsim
