// The same elements in other places: broadcast_in_dim, transpose and
// reverse, and the numbers of places, iota. Names and meaning are
// StableHLO's; gradients are the transposed maps, as JAX has them
// (jax/_src/lax/lax.py).
#include <algorithm>

#include "base/status.h"
#include "models/ops/families.h"
#include "models/ops/moves.h"
#include "models/ops/reference.h"

namespace podsim {
namespace {

Inferred InferIota(Types /*in*/, const OpAttributes& attributes) {
  const Shape& shape = attributes.shape;
  const std::int64_t axis = attributes.Int("iota_dimension", -1);
  if (axis < 0 || axis >= shape.rank())
    return Bad(absl::StrCat("iota_dimension ", axis, " is no dimension of ",
                            ToString(shape)));
  if (axis == shape.batch_axis)
    return Bad(absl::StrCat("iota_dimension ", axis, " of ", ToString(shape),
                            " is the batch, whose examples have no numbers"));
  if (attributes.dtype == DType::kBool) return Bad("cannot count in bool");
  return OneResult(attributes.dtype, shape);
}

InputGradients NoIotaOperand(GradientBuilder& /*builder*/, const OpUse& /*use*/,
                             std::span<const Value> /*dy*/) {
  return std::vector<Value>{};
}

// A byte holds a number modulo 256, bfloat16 the nearest that it has.
void Iota(std::span<const Tensor> /*inputs*/, const OpAttributes& attributes,
          std::span<Tensor> outputs) {
  const std::size_t axis = Sized(attributes.Int("iota_dimension", 0));
  ForIndices(outputs[0].dims, [&](const Dims& index) {
    const std::int64_t i = index[axis];
    const auto number = static_cast<double>(i);
    At(outputs[0], index) =
        attributes.dtype == DType::kUint8      ? static_cast<double>(i % 256)
        : attributes.dtype == DType::kBFloat16 ? RoundToBFloat16(number)
                                               : number;
  });
}

Inferred InferBroadcast(Types in, const OpAttributes& attributes) {
  const Shape& from = in[0].shape;
  const Shape& to = attributes.shape;
  const DimsView dims = attributes.List("broadcast_dimensions");
  PODSIM_RETURN_IF_ERROR(
      CheckLength("broadcast_dimensions", dims, from.rank()));
  PODSIM_RETURN_IF_ERROR(
      CheckDimensions("broadcast_dimensions", dims, to.rank()));
  for (int i = 0; i < from.rank(); ++i) {
    const std::int64_t axis = dims[Sized(i)];
    const bool stretches = FactorOf(from, i) == 1 && i != from.batch_axis;
    if (!stretches && !SameSize(from, i, to, axis))
      return Bad(absl::StrCat("dimension ", i, ", ", SizeText(from, i),
                              ", cannot become dimension ", axis, " of ",
                              ToString(to)));
  }
  return OneResult(in[0].dtype, to);
}

// Sums over what is new or stretched; what is left comes in the order of the
// result's dimensions, without those of size 1 that were stretched.
InputGradients BroadcastGradient(GradientBuilder& builder, const OpUse& use,
                                 std::span<const Value> dy) {
  const ValueType x = builder.type(use.inputs[0]);
  if (!HasGradient(x)) return std::vector{kNone};
  const Shape y = builder.type(dy[0]).shape;
  const DimsView dims = use.attributes.List("broadcast_dimensions");
  Dims kept;
  for (int i = 0; i < x.shape.rank(); ++i)
    if (SameSize(x.shape, i, y, dims[Sized(i)])) kept.push_back(dims[Sized(i)]);
  Value dx = dy[0];
  const Dims summed = OthersOf(y.rank(), kept);
  if (!summed.empty())
    dx = AsDType(builder, SumOver(builder, dx, summed), x.dtype);
  Dims permutation;
  for (const std::int64_t axis : kept)
    permutation.push_back(
        std::count_if(kept.begin(), kept.end(),
                      [&](std::int64_t other) { return other < axis; }));
  if (!std::is_sorted(kept.begin(), kept.end()))
    dx = builder.Apply(OpCode("transpose"), {dx}, "grad",
                       WithList("permutation", std::move(permutation)));
  if (builder.type(dx).shape == x.shape) return std::vector{dx};
  OpAttributes reshape;
  reshape.shape = x.shape;
  return std::vector{
      builder.Apply(OpCode::kReshape, {dx}, "grad", std::move(reshape))};
}

void Broadcast(std::span<const Tensor> inputs, const OpAttributes& attributes,
               std::span<Tensor> outputs) {
  const DimsView dims = attributes.List("broadcast_dimensions");
  const Tensor& x = inputs[0];
  ForIndices(outputs[0].dims, [&](const Dims& index) {
    Dims from = Pick(index, dims);
    for (std::size_t i = 0; i < from.size(); ++i)
      if (x.dims[i] == 1) from[i] = 0;
    At(outputs[0], index) = At(x, from);
  });
}

Inferred InferTranspose(Types in, const OpAttributes& attributes) {
  const DimsView permutation = attributes.List("permutation");
  const int rank = in[0].shape.rank();
  PODSIM_RETURN_IF_ERROR(CheckLength("permutation", permutation, rank));
  PODSIM_RETURN_IF_ERROR(CheckDimensions("permutation", permutation, rank));
  Shape shape;
  AppendDims(in[0].shape, permutation, shape);
  return OneResult(in[0].dtype, shape);
}

InputGradients TransposeGradient(GradientBuilder& builder, const OpUse& use,
                                 std::span<const Value> dy) {
  if (!HasGradient(builder.type(use.inputs[0]))) return std::vector{kNone};
  const DimsView permutation = use.attributes.List("permutation");
  Dims inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    inverse[Sized(permutation[i])] = static_cast<std::int64_t>(i);
  return std::vector{
      builder.Apply(OpCode("transpose"), {dy[0]}, "grad",
                    WithList("permutation", std::move(inverse)))};
}

void Transpose(std::span<const Tensor> inputs, const OpAttributes& attributes,
               std::span<Tensor> outputs) {
  const DimsView permutation = attributes.List("permutation");
  ForIndices(inputs[0].dims, [&](const Dims& index) {
    At(outputs[0], Pick(index, permutation)) = At(inputs[0], index);
  });
}

Inferred InferReverse(Types in, const OpAttributes& attributes) {
  const Shape& shape = in[0].shape;
  const DimsView dims = attributes.List("dimensions");
  PODSIM_RETURN_IF_ERROR(CheckDimensions("dimensions", dims, shape.rank()));
  if (shape.batched() && Contains(dims, shape.batch_axis))
    return Bad(absl::StrCat("dimensions ", ListText(dims),
                            " have the batch among them, which cannot be "
                            "reversed"));
  return std::vector{in[0]};
}

InputGradients ReverseGradient(GradientBuilder& builder, const OpUse& use,
                               std::span<const Value> dy) {
  if (!HasGradient(builder.type(use.inputs[0]))) return std::vector{kNone};
  return std::vector{
      builder.Apply(OpCode("reverse"), {dy[0]}, "grad", use.attributes)};
}

void Reverse(std::span<const Tensor> inputs, const OpAttributes& attributes,
             std::span<Tensor> outputs) {
  ForIndices(inputs[0].dims, [&](const Dims& index) {
    Dims to = index;
    for (const std::int64_t axis : attributes.List("dimensions"))
      to[Sized(axis)] = inputs[0].dims[Sized(axis)] - 1 - to[Sized(axis)];
    At(outputs[0], to) = At(inputs[0], index);
  });
}

// An op of one operand.
OpSample MovementSample(ValueType in, ValueType out, const char* list,
                        Dims numbers) {
  OpSample sample{.inputs = {std::move(in)},
                  .outputs = {std::move(out)},
                  .attributes = WithList(list, std::move(numbers)),
                  .classes = 2};
  sample.attributes.shape = sample.outputs[0].shape;
  sample.attributes.dtype = sample.outputs[0].dtype;
  return sample;
}

std::vector<OpSample> IotaSamples() {
  std::vector<OpSample> samples;
  const auto add = [&](ValueType type, std::int64_t axis) {
    OpSample sample =
        MovementSample({}, std::move(type), "iota_dimension", {axis});
    sample.inputs.clear();
    samples.push_back(std::move(sample));
  };
  add(Plain({3, 5}), 0);
  add(Plain({300}, DType::kUint8), 0);
  add(Plain({2, 300}, DType::kBFloat16), 1);
  add(Batched({5}, DType::kInt32), 1);
  add(BatchedAt(1, {4, 2, 3}, DType::kUint32), 0);
  add(BatchedAt(2, {4, 2, 3}), 1);
  return samples;
}

std::vector<OpSample> BroadcastSamples() {
  const char* const list = "broadcast_dimensions";
  return {
      MovementSample(Plain({}), Batched({3}), list, {}),
      MovementSample(Plain({3}), Plain({2, 3}), list, {1}),
      MovementSample(Plain({2, 3}), Plain({3, 4, 2}), list, {2, 0}),
      MovementSample(Plain({3, 1}), Batched({3, 4}), list, {1, 2}),
      MovementSample(Plain({1, 3}), Batched({3}), list, {0, 1}),
      MovementSample(Batched({}), Batched({3}), list, {0}),
      MovementSample(Batched({3}), BatchedAt(1, {4, 1, 3}), list, {1, 2}),
      MovementSample(BatchedAt(1, {3, 2}), BatchedAt(0, {2, 3}), list, {1, 0}),
      MovementSample(Batched({}, DType::kInt32),
                     BatchedAt(1, {3, 1}, DType::kInt32), list, {1}),
      MovementSample(Plain({3}, DType::kBool), Plain({3, 2}, DType::kBool),
                     list, {0}),
  };
}

std::vector<OpSample> TransposeSamples() {
  const char* const list = "permutation";
  return {
      MovementSample(Plain({37, 19}), Plain({19, 37}), list, {1, 0}),
      MovementSample(Plain({2, 3, 4, 5}), Plain({4, 2, 5, 3}), list,
                     {2, 0, 3, 1}),
      MovementSample(Batched({3}), BatchedAt(1, {3, 1}), list, {1, 0}),
      MovementSample(BatchedAt(1, {3, 1}), Batched({3}), list, {1, 0}),
      MovementSample(Batched({2, 3, 4}), Batched({3, 2, 4}), list,
                     {0, 2, 1, 3}),
      MovementSample(Batched({2, 3, 4}), BatchedAt(2, {4, 3, 1, 2}), list,
                     {3, 2, 0, 1}),
      MovementSample(BatchedAt(0, {4, 3}), BatchedAt(1, {3, 4}), list, {1, 0}),
      MovementSample(Batched({3}, DType::kUint8),
                     BatchedAt(1, {3, 1}, DType::kUint8), list, {1, 0}),
      MovementSample(Plain({3, 2}, DType::kUint32),
                     Plain({2, 3}, DType::kUint32), list, {1, 0}),
  };
}

std::vector<OpSample> ReverseSamples() {
  const auto same = [](const ValueType& type, Dims dims) {
    return MovementSample(type, type, "dimensions", std::move(dims));
  };
  return {
      same(Plain({5}), {0}),
      same(Plain({3, 4}), {0, 1}),
      same(Batched({5}), {1}),
      same(BatchedAt(1, {3, 2}), {0}),
      same(Batched({2, 3, 4}, DType::kInt32), {1, 3}),
      same(Plain({2, 5}, DType::kBool), {1}),
  };
}

constexpr OpEntry kMovementOps[] = {
    // attributes -> each element's place along iota_dimension
    {.name = "iota",
     .input_count = 0,
     .infer = InferIota,
     .gradient = NoIotaOperand,
     .cost = CopyCost,
     .row_wise = IsByRows,
     .reference = Iota,
     .samples = IotaSamples},
    // x -> x in broadcast_dimensions of attributes.shape, repeated over others
    {.name = "broadcast_in_dim",
     .input_count = 1,
     .infer = InferBroadcast,
     .gradient = BroadcastGradient,
     .cost = CopyCost,
     .row_wise = IsByRows,
     .reference = Broadcast,
     .samples = BroadcastSamples},
    // x -> y, whose dimension i is x's dimension permutation[i]
    {.name = "transpose",
     .input_count = 1,
     .infer = InferTranspose,
     .gradient = TransposeGradient,
     .cost = CopyCost,
     .row_wise = IsByRows,
     .reference = Transpose,
     .samples = TransposeSamples},
    // x -> x from behind along dimensions
    {.name = "reverse",
     .input_count = 1,
     .infer = InferReverse,
     .gradient = ReverseGradient,
     .cost = CopyCost,
     .row_wise = IsByRows,
     .reference = Reverse,
     .samples = ReverseSamples},
};

}  // namespace

OpFamily MovementOps() { return kMovementOps; }

}  // namespace podsim
