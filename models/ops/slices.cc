// Parts and wholes: slice, pad and concatenate, with StableHLO's names and
// meaning. Gradients are JAX's (jax/_src/lax/slicing.py, lax.py).
//
// Where B is, a list says what leaves the dimension as it is: 0 to its factor
// by 1, padding of 0.
#include <algorithm>
#include <vector>

#include "base/status.h"
#include "models/ops/families.h"
#include "models/ops/moves.h"
#include "models/ops/window_taps.h"

namespace podsim {
namespace {

Inferred InferSlice(Types in, const OpAttributes& attributes) {
  Shape shape = in[0].shape;
  const DimsView start = attributes.List("start_indices");
  const DimsView limit = attributes.List("limit_indices");
  const DimsView stride = attributes.List("strides");
  PODSIM_RETURN_IF_ERROR(CheckLength("start_indices", start, shape.rank()));
  PODSIM_RETURN_IF_ERROR(CheckLength("limit_indices", limit, shape.rank()));
  PODSIM_RETURN_IF_ERROR(CheckLength("strides", stride, shape.rank()));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::size_t i = Sized(axis);
    const std::string part = absl::StrCat(start[i], " to ", limit[i], " by ",
                                          stride[i], " of dimension ", axis);
    if (axis == shape.batch_axis &&
        (start[i] != 0 || limit[i] != shape.dims[i] || stride[i] != 1))
      return Bad(absl::StrCat(kCutsTheBatch, ": ", part));
    if (start[i] < 0 || limit[i] <= start[i] || limit[i] > shape.dims[i] ||
        stride[i] < 1)
      return Bad(absl::StrCat(part, " is no part of ", shape.dims[i]));
    shape.dims[i] = (limit[i] - start[i] + stride[i] - 1) / stride[i];
  }
  return OneResult(in[0].dtype, shape);
}

Value Slice(GradientBuilder& builder, Value x, Dims start, Dims limit,
            Dims stride) {
  OpAttributes attributes;
  attributes.lists["start_indices"] = std::move(start);
  attributes.lists["limit_indices"] = std::move(limit);
  attributes.lists["strides"] = std::move(stride);
  return builder.Apply(OpCode("slice"), {x}, "grad", std::move(attributes));
}

Value PadWithZeros(GradientBuilder& builder, Value x, Dims low, Dims high,
                   Dims interior) {
  OpAttributes attributes;
  attributes.lists["edge_padding_low"] = std::move(low);
  attributes.lists["edge_padding_high"] = std::move(high);
  attributes.lists["interior_padding"] = std::move(interior);
  const Value zero = Splat(builder, builder.type(x).dtype, {}, 0);
  return builder.Apply(OpCode("pad"), {x, zero}, "grad", std::move(attributes));
}

InputGradients SliceGradient(GradientBuilder& builder, const OpUse& use,
                             std::span<const Value> dy) {
  const ValueType x = builder.type(use.inputs[0]);
  if (!HasGradient(x)) return std::vector{kNone};
  const Shape y = builder.type(dy[0]).shape;
  const DimsView start = use.attributes.List("start_indices");
  const DimsView stride = use.attributes.List("strides");
  Dims low(start.begin(), start.end());
  Dims high;
  Dims interior;
  for (std::size_t i = 0; i < low.size(); ++i) {
    const std::int64_t end = start[i] + (y.dims[i] - 1) * stride[i] + 1;
    high.push_back(x.shape.dims[i] - end);
    interior.push_back(stride[i] - 1);
  }
  return std::vector{PadWithZeros(builder, dy[0], std::move(low),
                                  std::move(high), std::move(interior))};
}

void SliceReference(std::span<const Tensor> inputs,
                    const OpAttributes& attributes, std::span<Tensor> outputs) {
  const DimsView start = attributes.List("start_indices");
  const DimsView stride = attributes.List("strides");
  ForIndices(outputs[0].dims, [&](const Dims& index) {
    Dims from = index;
    for (std::size_t i = 0; i < from.size(); ++i)
      from[i] = start[i] + index[i] * stride[i];
    At(outputs[0], index) = At(inputs[0], from);
  });
}

// Between neighbours of so many elements, without more than there may be.
std::int64_t MostHoles(std::int64_t size) {
  return kMostShapeElements / std::max<std::int64_t>(size - 1, 1);
}

Inferred InferPad(Types in, const OpAttributes& attributes) {
  if (in[1] != Plain({}, in[0].dtype))
    return Bad(absl::StrCat("the padding value must be ",
                            ToString(Plain({}, in[0].dtype))));
  Shape shape = in[0].shape;
  const DimsView low = attributes.List("edge_padding_low");
  const DimsView high = attributes.List("edge_padding_high");
  const DimsView interior = attributes.List("interior_padding");
  PODSIM_RETURN_IF_ERROR(CheckLength("edge_padding_low", low, shape.rank()));
  PODSIM_RETURN_IF_ERROR(CheckLength("edge_padding_high", high, shape.rank()));
  PODSIM_RETURN_IF_ERROR(
      CheckLength("interior_padding", interior, shape.rank()));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::size_t i = Sized(axis);
    if (interior[i] < 0)
      return Bad(absl::StrCat("interior_padding ", ListText(interior),
                              " must not be negative"));
    if (axis == shape.batch_axis &&
        (low[i] != 0 || high[i] != 0 || interior[i] != 0))
      return Bad(
          absl::StrCat("the batch dimension cannot be padded: "
                       "dimension ",
                       axis));
    if (interior[i] > MostHoles(shape.dims[i]))
      return Bad(absl::StrCat("interior_padding ", ListText(interior),
                              " makes dimension ", axis,
                              " longer than 2^40 elements"));
    shape.dims[i] += low[i] + high[i] + (shape.dims[i] - 1) * interior[i];
  }
  return OneResult(in[0].dtype, shape);
}

// What negative edges cut off is not read. A window of one tap, padded as the
// operand is, shows the rest.
OpCost PadCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  const OpAttributes& attributes = signature.attributes;
  const Dims sizes = DimsFor(signature.inputs[0].shape, rows);
  std::vector<WindowDimension> kept;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    kept.push_back({.base = sizes[i],
                    .base_dilation = attributes.List("interior_padding")[i] + 1,
                    .low = attributes.List("edge_padding_low")[i],
                    .high = attributes.List("edge_padding_high")[i]});
  cost.bytes_read =
      ShownTaps(kept) * static_cast<double>(SizeOf(signature.inputs[0].dtype)) +
      Bytes(signature.inputs.last(1), rows);
  return cost;
}

Value SumOfAll(GradientBuilder& builder, Value x) {
  return SumOver(builder, x, OthersOf(builder.type(x).shape.rank(), {}));
}

// The padding value has what the operand leaves of dy.
InputGradients PadGradient(GradientBuilder& builder, const OpUse& use,
                           std::span<const Value> dy) {
  if (!HasGradient(builder.type(use.inputs[0])))
    return std::vector{kNone, kNone};
  const auto negative = [&](const char* name) {
    Dims list;
    for (const std::int64_t padding : use.attributes.List(name))
      list.push_back(-padding);
    return list;
  };
  Dims stride;
  for (const std::int64_t padding : use.attributes.List("interior_padding"))
    stride.push_back(padding + 1);
  Value dx = PadWithZeros(builder, dy[0], negative("edge_padding_low"),
                          negative("edge_padding_high"), Dims(stride.size()));
  const Dims dims = builder.type(dx).shape.dims;
  if (std::any_of(stride.begin(), stride.end(),
                  [](std::int64_t step) { return step > 1; }))
    dx = Slice(builder, dx, Dims(stride.size()), dims, stride);
  const Value dpadding =
      builder.Apply(OpCode("subtract"),
                    {SumOfAll(builder, dy[0]), SumOfAll(builder, dx)}, "grad");
  return std::vector{
      dx, AsDType(builder, dpadding, builder.type(use.inputs[1]).dtype)};
}

void Pad(std::span<const Tensor> inputs, const OpAttributes& attributes,
         std::span<Tensor> outputs) {
  const DimsView low = attributes.List("edge_padding_low");
  const DimsView interior = attributes.List("interior_padding");
  Tensor& y = outputs[0];
  std::fill(y.values.begin(), y.values.end(), inputs[1].values[0]);
  ForIndices(inputs[0].dims, [&](const Dims& index) {
    Dims to = index;
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = low[i] + index[i] * (interior[i] + 1);
      if (to[i] < 0 || to[i] >= y.dims[i]) return;
    }
    At(y, to) = At(inputs[0], index);
  });
}

Inferred InferConcatenate(Types in, const OpAttributes& attributes) {
  Shape shape = in[0].shape;
  const std::int64_t axis = attributes.Int("dimension", -1);
  if (axis < 0 || axis >= shape.rank())
    return Bad(absl::StrCat("dimension ", axis, " is none of the operands'"));
  if (axis == shape.batch_axis)
    return Bad(absl::StrCat("dimension ", axis,
                            " is the batch, which cannot be concatenated"));
  std::int64_t size = 0;
  for (const ValueType& type : in) {
    ValueType same = type;
    if (same.shape.rank() == shape.rank() && type.shape.batch_axis != axis)
      same.shape.dims[Sized(axis)] = shape.dims[Sized(axis)];
    if (same != in[0])
      return Bad(absl::StrCat("all operands must be ", ToString(in[0]),
                              " but for the size of dimension ", axis));
    size += type.shape.dims[Sized(axis)];
  }
  shape.dims[Sized(axis)] = size;
  return OneResult(in[0].dtype, shape);
}

InputGradients ConcatenateGradient(GradientBuilder& builder, const OpUse& use,
                                   std::span<const Value> dy) {
  const std::size_t axis = Sized(use.attributes.Int("dimension", 0));
  std::vector<Value> gradients;
  std::int64_t begin = 0;
  for (const Value input : use.inputs) {
    const ValueType x = builder.type(input);
    Dims start(x.shape.dims.size());
    Dims limit = x.shape.dims;
    start[axis] = begin;
    begin += limit[axis];
    limit[axis] = begin;
    const Dims stride(start.size(), 1);
    gradients.push_back(
        HasGradient(x) ? Slice(builder, dy[0], start, limit, stride) : kNone);
  }
  return gradients;
}

void Concatenate(std::span<const Tensor> inputs, const OpAttributes& attributes,
                 std::span<Tensor> outputs) {
  const std::size_t axis = Sized(attributes.Int("dimension", 0));
  std::int64_t begin = 0;
  for (const Tensor& x : inputs) {
    ForIndices(x.dims, [&](const Dims& index) {
      Dims to = index;
      to[axis] += begin;
      At(outputs[0], to) = At(x, index);
    });
    begin += x.dims[axis];
  }
}

OpSample SliceSample(ValueType in, ValueType out, Dims start, Dims limit,
                     Dims stride) {
  OpSample sample{
      .inputs = {std::move(in)}, .outputs = {std::move(out)}, .classes = 2};
  sample.attributes.lists = {{"start_indices", std::move(start)},
                             {"limit_indices", std::move(limit)},
                             {"strides", std::move(stride)}};
  return sample;
}

std::vector<OpSample> SliceSamples() {
  return {
      SliceSample(Plain({9}), Plain({3}), {1}, {8}, {3}),
      SliceSample(Plain({4, 9}), Plain({2, 5}), {2, 3}, {4, 8}, {1, 1}),
      SliceSample(Batched({9}), Batched({4}), {0, 2}, {1, 9}, {1, 2}),
      SliceSample(BatchedAt(0, {4, 9}), BatchedAt(0, {4, 2}), {0, 7}, {4, 9},
                  {1, 1}),
      SliceSample(BatchedAt(1, {9, 2, 3, 4}), BatchedAt(1, {3, 2, 3, 1}),
                  {0, 0, 0, 2}, {9, 2, 3, 3}, {4, 1, 1, 1}),
      SliceSample(Batched({9}, DType::kUint8), Batched({2}, DType::kUint8),
                  {0, 7}, {1, 9}, {1, 1}),
      SliceSample(Plain({9}, DType::kInt32), Plain({9}, DType::kInt32), {0},
                  {9}, {1}),
  };
}

OpSample PadSample(ValueType in, ValueType out, Dims low, Dims high,
                   Dims interior) {
  const ValueType padding = Plain({}, in.dtype);
  OpSample sample{.inputs = {std::move(in), padding},
                  .outputs = {std::move(out)},
                  .classes = 2};
  sample.attributes.lists = {{"edge_padding_low", std::move(low)},
                             {"edge_padding_high", std::move(high)},
                             {"interior_padding", std::move(interior)}};
  return sample;
}

std::vector<OpSample> PadSamples() {
  return {
      PadSample(Plain({4}), Plain({9}), {2}, {3}, {0}),
      PadSample(Plain({3, 5}), Plain({8, 3}), {1, -1}, {2, -1}, {1, 0}),
      PadSample(Plain({4}), Plain({7}), {-1}, {-2}, {2}),
      PadSample(Batched({5}), Batched({7}), {0, 1}, {0, 1}, {0, 0}),
      PadSample(BatchedAt(1, {2, 3}), BatchedAt(1, {5, 3}), {0, 0}, {2, 0},
                {1, 0}),
      PadSample(Batched({2, 3, 4}), Batched({4, 5, 4}), {0, 1, 1, 0},
                {0, 1, 1, 0}, {0, 0, 0, 0}),
      PadSample(Batched({3}, DType::kBool), Batched({4}, DType::kBool), {0, 0},
                {0, 1}, {0, 0}),
  };
}

OpSample ConcatenateSample(std::vector<ValueType> in, ValueType out,
                           std::int64_t axis) {
  return {.inputs = std::move(in),
          .outputs = {std::move(out)},
          .attributes = WithList("dimension", {axis}),
          .classes = 2};
}

std::vector<OpSample> ConcatenateSamples() {
  return {
      ConcatenateSample({Plain({2, 3}), Plain({4, 3})}, Plain({6, 3}), 0),
      ConcatenateSample({Batched({3}), Batched({1}), Batched({5})},
                        Batched({9}), 1),
      ConcatenateSample({BatchedAt(1, {2, 4}), BatchedAt(1, {3, 4})},
                        BatchedAt(1, {5, 4}), 0),
      ConcatenateSample({Batched({2, 3}), Batched({2, 4})}, Batched({2, 7}), 2),
      ConcatenateSample(
          {Plain({3}, DType::kUint32), Plain({2}, DType::kUint32)},
          Plain({5}, DType::kUint32), 0),
  };
}

constexpr OpEntry kSliceOps[] = {
    // x -> its elements from start_indices below limit_indices by strides
    {.name = "slice",
     .input_count = 1,
     .infer = InferSlice,
     .gradient = SliceGradient,
     .cost = PartCost,
     .row_wise = IsByRows,
     .reference = SliceReference,
     .samples = SliceSamples},
    // x, p[] -> x with p before, behind and between its elements; negative
    // edges cut
    {.name = "pad",
     .input_count = 2,
     .infer = InferPad,
     .gradient = PadGradient,
     .cost = PadCost,
     .row_wise = IsByRows,
     .reference = Pad,
     .samples = PadSamples},
    // x, ... -> all of them in a row along dimension
    {.name = "concatenate",
     .input_count = 1,
     .takes_more = true,
     .infer = InferConcatenate,
     .gradient = ConcatenateGradient,
     .cost = CopyCost,
     .row_wise = IsByRows,
     .reference = Concatenate,
     .samples = ConcatenateSamples},
};

}  // namespace

OpFamily SliceOps() { return kSliceOps; }

}  // namespace podsim
