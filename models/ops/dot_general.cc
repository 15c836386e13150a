// Products of tensors over any of their dimensions: StableHLO's dot_general.
//
// lists: lhs_batching_dimensions with rhs_batching_dimensions and
// lhs_contracting_dimensions with rhs_contracting_dimensions, in pairs. The
// result is [batching, the left's other dimensions, the right's].
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/ops/dot_dimensions.h"
#include "models/ops/families.h"
#include "models/ops/reference.h"
#include "models/ops/rules.h"
#include "models/ops/shape_rules.h"

namespace podsim {
namespace {

constexpr OpCode kDotGeneral("dot_general");
constexpr OpCode kTranspose("transpose");

absl::Status CheckSide(const char* name, const Shape& shape,
                       const DotSide& side) {
  Dims taken = side.batching;
  taken.insert(taken.end(), side.contracting.begin(), side.contracting.end());
  return CheckDimensions(
      absl::StrCat("batching and contracting dimensions of the ", name), taken,
      shape.rank());
}

absl::Status CheckPairs(const char* what, const Shape& left, DimsView of_left,
                        const Shape& right, DimsView of_right) {
  if (of_left.size() != of_right.size())
    return Bad(absl::StrCat("has ", of_left.size(), " ", what,
                            " dimensions on the left and ", of_right.size(),
                            " on the right"));
  for (std::size_t i = 0; i < of_left.size(); ++i)
    if (!SameSize(left, of_left[i], right, of_right[i]))
      return Bad(absl::StrCat(what, " dimension ", of_left[i], " of the left, ",
                              SizeText(left, of_left[i]), ", is not ",
                              of_right[i], " of the right, ",
                              SizeText(right, of_right[i])));
  return absl::OkStatus();
}

Inferred InferDotGeneral(Types in, const OpAttributes& attributes) {
  PODSIM_RETURN_IF_ERROR(NeedFloats(in));
  const Shape& left = in[0].shape;
  const Shape& right = in[1].shape;
  const auto [of_left, of_right] =
      DotDimensionsOf(attributes, left.dims.size(), right.dims.size());
  PODSIM_RETURN_IF_ERROR(CheckSide("left", left, of_left));
  PODSIM_RETURN_IF_ERROR(CheckSide("right", right, of_right));
  PODSIM_RETURN_IF_ERROR(
      CheckPairs("batching", left, of_left.batching, right, of_right.batching));
  PODSIM_RETURN_IF_ERROR(CheckPairs("contracting", left, of_left.contracting,
                                    right, of_right.contracting));
  if (Contains(of_left.free, left.batch_axis) &&
      Contains(of_right.free, right.batch_axis))
    return Bad("both sides bring the batch into the result (B x B)");
  Shape result;
  AppendDims(left, of_left.batching, result);
  AppendDims(left, of_left.free, result);
  AppendDims(right, of_right.free, result);
  return std::vector{ValueType{DType::kFloat32, result}};
}

// Dimensions [begin, begin + count).
Dims Range(std::size_t begin, std::size_t count) {
  Dims range(count);
  for (std::size_t i = 0; i < count; ++i)
    range[i] = static_cast<std::int64_t>(begin + i);
  return range;
}

// `of_other`'s contracting dimensions ascending, as they come out of a product;
// their partners, dimensions of the operand that is differentiated.
Dims PartnersInOrder(const DotSide& side, const DotSide& of_other) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::size_t i = 0; i < side.contracting.size(); ++i)
    pairs.emplace_back(of_other.contracting[i], side.contracting[i]);
  std::sort(pairs.begin(), pairs.end());
  Dims partners;
  for (const auto& [other, own] : pairs) partners.push_back(own);
  return partners;
}

// `value`, whose dimension i is dimension order[i] of an operand, as that
// operand lies.
Value InPlace(GradientBuilder& builder, Value value, DimsView order) {
  if (std::is_sorted(order.begin(), order.end())) return value;
  OpAttributes attributes;
  Dims& permutation = attributes.lists["permutation"];
  permutation.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    permutation[static_cast<std::size_t>(order[i])] =
        static_cast<std::int64_t>(i);
  return builder.Apply(kTranspose, {value}, "grad", std::move(attributes));
}

Value Product(GradientBuilder& builder, Value left, const DotSide& of_left,
              Value right, const DotSide& of_right, const char* role) {
  OpAttributes attributes;
  attributes.lists["lhs_batching_dimensions"] = of_left.batching;
  attributes.lists["lhs_contracting_dimensions"] = of_left.contracting;
  attributes.lists["rhs_batching_dimensions"] = of_right.batching;
  attributes.lists["rhs_contracting_dimensions"] = of_right.contracting;
  return builder.Apply(kDotGeneral, {left, right}, role, std::move(attributes));
}

Dims Joined(Dims a, const Dims& b, const Dims& c) {
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

// dy is contracted with the other operand over the dimensions that this one
// brought into the result (jax/_src/lax/lax.py, _dot_general_transpose_lhs).
// The right's first, as it is the weight, so that a bucket is complete early.
InputGradients DotGeneralGradient(GradientBuilder& builder, const OpUse& use,
                                  std::span<const Value> dy) {
  const Value x = use.inputs[0];
  const Value y = use.inputs[1];
  const auto [of_x, of_y] =
      DotDimensionsOf(use.attributes, builder.type(x).shape.dims.size(),
                      builder.type(y).shape.dims.size());
  const std::size_t batching = of_x.batching.size();
  const DotSide from_x{
      Range(0, batching), Range(batching, of_x.free.size()), {}};
  const DotSide from_y{Range(0, batching),
                       Range(batching + of_x.free.size(), of_y.free.size()),
                       {}};
  const Value right =
      InPlace(builder,
              Product(builder, x, {of_x.batching, of_x.free, {}}, dy[0], from_x,
                      "grad_right"),
              Joined(of_y.batching, PartnersInOrder(of_y, of_x), of_y.free));
  const Value left =
      InPlace(builder,
              Product(builder, dy[0], from_y, y, {of_y.batching, of_y.free, {}},
                      "grad_left"),
              Joined(of_x.batching, of_x.free, PartnersInOrder(of_x, of_y)));
  return std::vector{left, right};
}

OpCost DotGeneralCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  const Dims left = DimsFor(signature.inputs[0].shape, rows);
  const Dims right = DimsFor(signature.inputs[1].shape, rows);
  const auto [of_left, of_right] =
      DotDimensionsOf(signature.attributes, left.size(), right.size());
  cost.products.push_back(
      {.m = ProductOf(Pick(left, of_left.free)),
       .n = ProductOf(Pick(right, of_right.free)),
       .k = ProductOf(Pick(left, of_left.contracting)),
       .rounded_operands = signature.attributes.rounded_operands,
       .count = ProductOf(Pick(left, of_left.batching))});
  return cost;
}

// Visits every pair of numbers that is multiplied, as it is read:
// visit(element of the result, a, b).
template <typename Visit>
void ForFactors(std::span<const Tensor> inputs, const OpAttributes& attributes,
                const Visit& visit) {
  const Tensor& a = inputs[0];
  const Tensor& b = inputs[1];
  const auto [of_a, of_b] =
      DotDimensionsOf(attributes, a.dims.size(), b.dims.size());
  const auto read = [&](const Tensor& tensor, std::int64_t at) {
    const double x = tensor.values[static_cast<std::size_t>(at)];
    return attributes.rounded_operands ? RoundToBFloat16(x) : x;
  };
  const Dims a_batches = OffsetsOver(a.dims, of_a.batching);
  const Dims b_batches = OffsetsOver(b.dims, of_b.batching);
  const Dims a_terms = OffsetsOver(a.dims, of_a.contracting);
  const Dims b_terms = OffsetsOver(b.dims, of_b.contracting);
  const Dims rows = OffsetsOver(a.dims, of_a.free);
  const Dims columns = OffsetsOver(b.dims, of_b.free);
  std::size_t element = 0;
  for (std::size_t batch = 0; batch < a_batches.size(); ++batch)
    for (const std::int64_t row : rows)
      for (const std::int64_t column : columns) {
        for (std::size_t i = 0; i < a_terms.size(); ++i)
          visit(element, read(a, a_batches[batch] + row + a_terms[i]),
                read(b, b_batches[batch] + column + b_terms[i]));
        ++element;
      }
}

void DotGeneral(std::span<const Tensor> inputs, const OpAttributes& attributes,
                std::span<Tensor> outputs) {
  ForFactors(inputs, attributes, [&](std::size_t element, double a, double b) {
    outputs[0].values[element] += a * b;
  });
}

// As of MatMul (products.cc).
void DotGeneralError(std::span<const Tensor> inputs,
                     const OpAttributes& attributes,
                     std::span<const Tensor> /*outputs*/,
                     std::span<Tensor> bounds) {
  double terms = 0;  // of all elements
  ForFactors(inputs, attributes, [&](std::size_t element, double a, double b) {
    bounds[0].values[element] += std::fabs(a * b);
    ++terms;
  });
  const double k = terms / static_cast<double>(bounds[0].values.size());
  for (double& bound : bounds[0].values)
    bound = SumError(k + 1) * bound + kTiny;
}

OpSample DotSample(const ValueType& left, DimsView left_batching,
                   DimsView left_contracting, const ValueType& right,
                   DimsView right_batching, DimsView right_contracting,
                   const ValueType& result) {
  OpSample sample{.inputs = {left, right}, .outputs = {result}};
  const auto set = [&](const char* name, DimsView dims) {
    sample.attributes.lists[name] = {dims.begin(), dims.end()};
  };
  set("lhs_batching_dimensions", left_batching);
  set("lhs_contracting_dimensions", left_contracting);
  set("rhs_batching_dimensions", right_batching);
  set("rhs_contracting_dimensions", right_contracting);
  return sample;
}

// B as a row, in pairs, contracted, and as a column; operands that lie as
// products read them and such as do not.
std::vector<OpSample> DotGeneralSamples() {
  const Dims none;
  std::vector<OpSample> samples = {
      DotSample(Batched({19}), none, Dims{1}, Plain({19, 37}), none, Dims{0},
                Batched({37})),
      DotSample(Batched({3, 5, 4}), none, Dims{2, 3}, Plain({7, 5, 4}), none,
                Dims{1, 2}, Batched({3, 7})),
      DotSample(Batched({3, 2, 5}), Dims{0, 2}, Dims{3}, Batched({4, 2, 5}),
                Dims{0, 2}, Dims{3}, Batched({2, 3, 4})),
      DotSample(Batched({3, 5}), none, Dims{0, 1}, Batched({3, 37}), none,
                Dims{0, 1}, Plain({5, 37})),
      DotSample(Plain({4, 3}), none, Dims{1}, Batched({3, 2}), none, Dims{1},
                BatchedAt(1, {4, 1, 2})),
      DotSample(Plain({3}), none, Dims{0}, BatchedAt(1, {3, 1}), none, Dims{0},
                Batched({})),
      DotSample(Plain({2, 3, 4, 5}), Dims{2}, Dims{3, 1}, Plain({3, 5, 6, 4}),
                Dims{3}, Dims{1, 0}, Plain({4, 2, 6})),
  };
  const std::size_t count = samples.size();
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(samples[i]);
    samples.back().attributes.rounded_operands = true;
  }
  return samples;
}

constexpr OpEntry kDotGeneralOps[] = {
    // a, b -> products over pairs of dimensions; attributes.lists
    {.name = "dot_general",
     .input_count = 2,
     .infer = InferDotGeneral,
     .gradient = DotGeneralGradient,
     .cost = DotGeneralCost,
     .product = ProductForm::kGeneral,
     .row_wise = IsByRows,
     .sums_batch = true,
     .reference = DotGeneral,
     .error = DotGeneralError,
     .samples = DotGeneralSamples},
};

}  // namespace

OpFamily DotGeneralOps() { return kDotGeneralOps; }

}  // namespace podsim
