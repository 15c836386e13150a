// Sums, extremes and other folds over dimensions: StableHLO's reduce, without
// its initial value, which is the fold's neutral one here; and arg_max.
//
// word: "add", "multiply", "maximum", "minimum", "and" or "or"; lists:
// dimensions.
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/ops/families.h"
#include "models/ops/fold.h"
#include "models/ops/moves.h"
#include "models/ops/rules.h"
#include "models/ops/shape_rules.h"

namespace podsim {
namespace {

Dims KeptOf(const Shape& shape, const OpAttributes& attributes) {
  return OthersOf(shape.rank(), attributes.List("dimensions"));
}

Inferred WithoutDimensions(const ValueType& from, DType dtype,
                           const OpAttributes& attributes) {
  PODSIM_RETURN_IF_ERROR(CheckDimensions(
      "dimensions", attributes.List("dimensions"), from.shape.rank()));
  ValueType result{dtype, {}};
  AppendDims(from.shape, KeptOf(from.shape, attributes), result.shape);
  return std::vector{result};
}

Inferred InferReduce(Types in, const OpAttributes& attributes) {
  PODSIM_RETURN_IF_ERROR(CheckFold(attributes.word, in[0].dtype));
  return WithoutDimensions(in[0], in[0].dtype, attributes);
}

Inferred InferArgMax(Types in, const OpAttributes& attributes) {
  if (attributes.List("dimensions").size() != 1)
    return Bad(absl::StrCat("is taken over one dimension, not over ",
                            attributes.List("dimensions").size()));
  return WithoutDimensions(in[0], DType::kInt32, attributes);
}

Inferred InferProductGrad(Types in, const OpAttributes& attributes) {
  PODSIM_RETURN_IF_ERROR(NeedFloats(in));
  PODSIM_ASSIGN_OR_RETURN(
      const std::vector<ValueType> result,
      WithoutDimensions(in[0], DType::kFloat32, attributes));
  if (in[1].shape != result[0].shape)
    return Bad(absl::StrCat("needs x and a dy ", ToString(result[0])));
  return std::vector{in[0]};
}

// As of operands whose rows are not folded into one another.
bool FoldsNoRows(const OpSignature& use) {
  return IsByRows(use) && !Contains(use.attributes.List("dimensions"),
                                    use.inputs[0].shape.batch_axis);
}

// `value`, which lacks the dimensions, repeated over them.
Value Spread(GradientBuilder& builder, Value value, const Shape& over,
             const OpAttributes& attributes) {
  OpAttributes spread;
  spread.shape = over;
  spread.lists["broadcast_dimensions"] = KeptOf(over, attributes);
  return builder.Apply(OpCode("broadcast_in_dim"), {value}, "grad",
                       std::move(spread));
}

// The same share for all that are as extreme as the result
// (jax/_src/lax/lax.py, _reduce_chooser_jvp_rule).
Value ExtremeGradient(GradientBuilder& builder, const OpUse& use, Value dy) {
  const Value x = use.inputs[0];
  const Shape shape = builder.type(x).shape;
  const DType dtype = builder.type(x).dtype;
  const auto apply = [&](const char* op, std::vector<Value> inputs,
                         OpAttributes attributes = {}) {
    return builder.Apply(OpCode(op), std::move(inputs), "grad",
                         std::move(attributes));
  };
  const Value known = Spread(builder, use.outputs[0], shape, use.attributes);
  const Value ties = apply("compare", {x, known}, {.word = "EQ"});
  const DimsView dims = use.attributes.List("dimensions");
  const Value count = AsDType(
      builder, SumOver(builder, ties, Dims(dims.begin(), dims.end())), dtype);
  const Value share =
      Spread(builder, apply("divide", {dy, count}), shape, use.attributes);
  return apply("select", {ties, share, Splat(builder, dtype, shape, 0)});
}

InputGradients ReduceGradient(GradientBuilder& builder, const OpUse& use,
                              std::span<const Value> dy) {
  const Value x = use.inputs[0];
  const std::string& word = use.attributes.word;
  if (!HasGradient(builder.type(x))) return std::vector{kNone};
  if (word == "add")
    return std::vector{
        Spread(builder, dy[0], builder.type(x).shape, use.attributes)};
  if (word != "multiply")
    return std::vector{ExtremeGradient(builder, use, dy[0])};
  return std::vector{builder.Apply(OpCode("ReduceMultiplyGrad"), {x, dy[0]},
                                   "grad", use.attributes)};
}

// fn(element of the result, elements of operand 0 that are folded into it).
template <typename Fn>
void ForFolds(const Tensor& x, const OpAttributes& attributes, const Fn& fn) {
  const DimsView dims = attributes.List("dimensions");
  const Dims kept = OffsetsOver(
      x.dims, OthersOf(static_cast<std::int64_t>(x.dims.size()), dims));
  const Dims folded = OffsetsOver(x.dims, dims);
  Dims elements(folded.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t j = 0; j < folded.size(); ++j)
      elements[j] = kept[i] + folded[j];
    fn(i, elements);
  }
}

void Reduce(std::span<const Tensor> inputs, const OpAttributes& attributes,
            std::span<Tensor> outputs) {
  const Tensor& x = inputs[0];
  ForFolds(x, attributes, [&](std::size_t i, const Dims& elements) {
    double result = NeutralOf(attributes.word, x.type.dtype);
    for (const std::int64_t element : elements)
      result = Folded(attributes.word, x.type.dtype, result,
                      x.values[static_cast<std::size_t>(element)]);
    outputs[0].values[i] = result;
  });
}

// Integers and extremes are exact; a product's relative error is bounded as a
// sum's is (Higham, Accuracy and Stability of Numerical Algorithms, 3.1).
void ReduceError(std::span<const Tensor> inputs, const OpAttributes& attributes,
                 std::span<const Tensor> outputs, std::span<Tensor> bounds) {
  const Tensor& x = inputs[0];
  const bool adds = attributes.word == "add";
  if (x.type.dtype != DType::kFloat32 ||
      (!adds && attributes.word != "multiply"))
    return;
  ForFolds(x, attributes, [&](std::size_t i, const Dims& elements) {
    double size = adds ? 0 : std::fabs(outputs[0].values[i]);
    for (const std::int64_t element : elements)
      if (adds) size += std::fabs(x.values[static_cast<std::size_t>(element)]);
    bounds[0].values[i] =
        SumError(static_cast<double>(elements.size())) * size + kTiny;
  });
}

void ArgMax(std::span<const Tensor> inputs, const OpAttributes& attributes,
            std::span<Tensor> outputs) {
  const Tensor& x = inputs[0];
  ForFolds(x, attributes, [&](std::size_t i, const Dims& elements) {
    std::size_t best = 0;
    const auto at = [&](std::size_t j) {
      return x.values[static_cast<std::size_t>(elements[j])];
    };
    for (std::size_t j = 1; j < elements.size(); ++j)
      if (at(j) > at(best) || (std::isnan(at(j)) && !std::isnan(at(best))))
        best = j;
    outputs[0].values[i] = static_cast<double>(best);
  });
}

void ProductGrad(std::span<const Tensor> inputs, const OpAttributes& attributes,
                 std::span<Tensor> outputs) {
  const Tensor& x = inputs[0];
  ForFolds(x, attributes, [&](std::size_t i, const Dims& elements) {
    for (const std::int64_t element : elements) {
      double gradient = inputs[1].values[i];
      for (const std::int64_t other : elements)
        if (other != element)
          gradient *= x.values[static_cast<std::size_t>(other)];
      outputs[0].values[static_cast<std::size_t>(element)] = gradient;
    }
  });
}

void ProductGradError(std::span<const Tensor> inputs,
                      const OpAttributes& attributes,
                      std::span<const Tensor> outputs,
                      std::span<Tensor> bounds) {
  ForFolds(inputs[0], attributes, [&](std::size_t, const Dims& elements) {
    const double error = SumError(static_cast<double>(elements.size()) + 1);
    for (const std::int64_t element : elements) {
      const auto at = static_cast<std::size_t>(element);
      bounds[0].values[at] = error * std::fabs(outputs[0].values[at]) + kTiny;
    }
  });
}

ValueType OfType(ValueType type, DType dtype) {
  type.dtype = dtype;
  return type;
}

OpSample ReduceSample(const char* word, const ValueType& x,
                      const Dims& dimensions, const ValueType& result) {
  OpSample sample{.inputs = {x}, .outputs = {result}, .classes = 7};
  sample.attributes.word = word;
  sample.attributes.lists["dimensions"] = dimensions;
  return sample;
}

// Inner, outer and middle dimensions, B among them, in one type or more.
std::vector<OpSample> ReduceSamples() {
  std::vector<OpSample> samples;
  for (const char* word : {"add", "maximum", "minimum", "multiply"}) {
    samples.push_back(ReduceSample(word, Batched({37}), {1}, Batched({})));
    samples.push_back(ReduceSample(word, Batched({3, 5}), {1}, Batched({5})));
    samples.push_back(ReduceSample(word, Batched({37}), {0}, Plain({37})));
    samples.push_back(
        ReduceSample(word, BatchedAt(1, {4, 2, 3}), {2, 0}, BatchedAt(0, {2})));
    samples.push_back(
        ReduceSample(word, BatchedAt(1, {4, 1, 3}), {0}, BatchedAt(0, {1, 3})));
    samples.push_back(
        ReduceSample(word, Plain({3, 5, 2, 4}), {0, 2}, Plain({5, 4})));
    samples.push_back(ReduceSample(word, Plain({3, 19}), {0, 1}, Plain({})));
  }
  // So that products of many numbers do not vanish.
  for (OpSample& sample : samples)
    if (sample.attributes.word == "multiply") {
      sample.low = 0.8;
      sample.high = 1.25;
    }
  for (const char* word : {"add", "maximum", "minimum"})
    samples.push_back(ReduceSample(word, Batched({37}, DType::kInt32), {1},
                                   Batched({}, DType::kInt32)));
  for (const char* word : {"and", "or"})
    samples.push_back(ReduceSample(word, Batched({3, 5}, DType::kBool), {2},
                                   Batched({3}, DType::kBool)));
  return samples;
}

std::vector<OpSample> ArgMaxSamples() {
  return {
      ReduceSample("", Batched({37}), {1}, Batched({}, DType::kInt32)),
      ReduceSample("", Batched({3, 5}), {1}, Batched({5}, DType::kInt32)),
      ReduceSample("", Plain({3, 4}), {0}, OfType(Plain({4}), DType::kInt32)),
      ReduceSample("", Batched({3}), {0}, OfType(Plain({3}), DType::kInt32)),
      ReduceSample("", Batched({37}, DType::kInt32), {1},
                   Batched({}, DType::kInt32)),
      ReduceSample("", Batched({3, 5}, DType::kBool), {2},
                   Batched({3}, DType::kInt32)),
      ReduceSample("", Batched({19}, DType::kUint8), {0},
                   OfType(Plain({19}), DType::kInt32)),
      ReduceSample("", Batched({37}, DType::kUint32), {1},
                   Batched({}, DType::kInt32)),
      ReduceSample("", Batched({5, 3}, DType::kBFloat16), {1},
                   Batched({3}, DType::kInt32))};
}

std::vector<OpSample> ProductGradSamples() {
  std::vector<OpSample> samples = {
      ReduceSample("", Batched({3, 5}), {1}, Batched({3, 5})),
      ReduceSample("", Plain({3, 4}), {0, 1}, Plain({3, 4})),
      ReduceSample("", Batched({3}), {0}, Batched({3}))};
  samples[0].inputs.push_back(Batched({5}));
  samples[1].inputs.push_back(Plain({}));
  samples[2].inputs.push_back(Plain({3}));
  return samples;
}

// arg_max: a comparison with the element that is held, and two choices, of the
// element and of its place.
constexpr int kHeldFlops = 3;

// ReduceMultiplyGrad: a product with what was multiplied before an element, one
// with what comes behind it, and one of the two. (The reference multiplies all
// others for each element.)
constexpr int kOthersFlops = 3;

constexpr OpEntry kReduceOps[] = {
    // x -> folded over attributes' dimensions
    {.name = "reduce",
     .input_count = 1,
     .infer = InferReduce,
     .gradient = ReduceGradient,
     .cost = FirstOperandCost<1>,
     .row_wise = IsByRows,
     .sums_batch = true,
     .reference = Reduce,
     .error = ReduceError,
     .samples = ReduceSamples},
    // x -> where it is largest along a dimension, int32: the first of equals,
    // or the first NaN
    {.name = "arg_max",
     .input_count = 1,
     .infer = InferArgMax,
     .cost = FirstOperandCost<kHeldFlops>,
     .row_wise = IsByRows,
     .reference = ArgMax,
     .samples = ArgMaxSamples},
    // x, dy -> dx, by the product of the others that x was multiplied with
    {.name = "ReduceMultiplyGrad",
     .input_count = 2,
     .infer = InferProductGrad,
     .cost = FirstOperandCost<kOthersFlops>,
     .row_wise = FoldsNoRows,
     .reference = ProductGrad,
     .error = ProductGradError,
     .samples = ProductGradSamples},
};

}  // namespace

OpFamily ReduceOps() { return kReduceOps; }

}  // namespace podsim
