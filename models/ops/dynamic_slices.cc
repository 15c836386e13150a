// Parts whose place is computed: dynamic_slice and dynamic_update_slice, with
// StableHLO's names and meaning. A start that would leave the operand is
// clamped to the last that does not. Gradients are JAX's
// (jax/_src/lax/slicing.py).
#include <algorithm>

#include "base/status.h"
#include "models/ops/families.h"
#include "models/ops/moves.h"

namespace podsim {
namespace {

absl::Status CheckStarts(Types starts, int rank) {
  if (static_cast<int>(starts.size()) != rank)
    return Bad(absl::StrCat("needs a start for each of ", rank, " dimensions"));
  for (const ValueType& type : starts)
    if (!IsIndex(type.dtype) || type != Plain({}, type.dtype))
      return Bad("a start must be a number of int32, uint32 or uint8, []");
  return absl::OkStatus();
}

// Whether a part of that shape fits in, and has all of the batch.
absl::Status CheckPart(const Shape& whole, const Shape& part) {
  for (int axis = 0; axis < whole.rank(); ++axis) {
    const std::int64_t size = FactorOf(part, axis);
    if (axis == whole.batch_axis && !SameSize(whole, axis, part, axis))
      return Bad(absl::StrCat(kCutsTheBatch, ": ", SizeText(part, axis),
                              " of dimension ", axis));
    if (size < 1 || size > FactorOf(whole, axis))
      return Bad(absl::StrCat(size, " elements are no part of dimension ", axis,
                              ", ", SizeText(whole, axis)));
  }
  return absl::OkStatus();
}

Inferred InferDynamicSlice(Types in, const OpAttributes& attributes) {
  const Shape& whole = in[0].shape;
  const DimsView sizes = attributes.List("slice_sizes");
  PODSIM_RETURN_IF_ERROR(CheckStarts(in.subspan(1), whole.rank()));
  PODSIM_RETURN_IF_ERROR(CheckLength("slice_sizes", sizes, whole.rank()));
  const Shape part{{sizes.begin(), sizes.end()}, whole.batch_axis};
  PODSIM_RETURN_IF_ERROR(CheckPart(whole, part));
  return OneResult(in[0].dtype, part);
}

Inferred InferDynamicUpdateSlice(Types in, const OpAttributes&) {
  const Shape& whole = in[0].shape;
  PODSIM_RETURN_IF_ERROR(CheckStarts(in.subspan(2), whole.rank()));
  if (in[1].dtype != in[0].dtype || in[1].shape.rank() != whole.rank())
    return Bad("the update must be a part of the operand, of its type");
  if (in[1].shape.batch_axis != whole.batch_axis)
    return Bad(
        "the operand and the update must have the batch in the same "
        "dimension; broadcast the one without it first");
  PODSIM_RETURN_IF_ERROR(CheckPart(whole, in[1].shape));
  return OneResult(in[0].dtype, whole);
}

// An op on `first` and on the starts, which follow operand `skip` - 1.
Value WithStarts(GradientBuilder& builder, const char* op,
                 std::vector<Value> first, const OpUse& use, std::size_t skip,
                 OpAttributes attributes = {}) {
  for (const Value start : use.inputs.subspan(skip)) first.push_back(start);
  return builder.Apply(OpCode(op), std::move(first), "grad",
                       std::move(attributes));
}

InputGradients DynamicSliceGradient(GradientBuilder& builder, const OpUse& use,
                                    std::span<const Value> dy) {
  std::vector<Value> gradients(use.inputs.size(), kNone);
  const ValueType x = builder.type(use.inputs[0]);
  if (!HasGradient(x)) return gradients;
  const Value zeros = Splat(builder, x.dtype, x.shape, 0);
  gradients[0] =
      WithStarts(builder, "dynamic_update_slice", {zeros, dy[0]}, use, 1);
  return gradients;
}

InputGradients DynamicUpdateSliceGradient(GradientBuilder& builder,
                                          const OpUse& use,
                                          std::span<const Value> dy) {
  std::vector<Value> gradients(use.inputs.size(), kNone);
  const ValueType part = builder.type(use.inputs[1]);
  if (!HasGradient(part)) return gradients;
  const Value zeros = Splat(builder, part.dtype, part.shape, 0);
  gradients[0] =
      WithStarts(builder, "dynamic_update_slice", {dy[0], zeros}, use, 2);
  gradients[1] = WithStarts(builder, "dynamic_slice", {dy[0]}, use, 2,
                            WithList("slice_sizes", part.shape.dims));
  return gradients;
}

// visit(index in the part, index in the whole).
template <typename Visit>
void ForPart(const Tensor& whole, DimsView part, std::span<const Tensor> starts,
             const Visit& visit) {
  ForIndices(part, [&](const Dims& index) {
    Dims at = index;
    for (std::size_t i = 0; i < at.size(); ++i)
      at[i] += std::clamp<std::int64_t>(
          static_cast<std::int64_t>(starts[i].values[0]), 0,
          whole.dims[i] - part[i]);
    visit(index, at);
  });
}

void DynamicSlice(std::span<const Tensor> inputs,
                  const OpAttributes& /*attributes*/,
                  std::span<Tensor> outputs) {
  ForPart(inputs[0], outputs[0].dims, inputs.subspan(1),
          [&](const Dims& part, const Dims& whole) {
            At(outputs[0], part) = At(inputs[0], whole);
          });
}

void DynamicUpdateSlice(std::span<const Tensor> inputs,
                        const OpAttributes& /*attributes*/,
                        std::span<Tensor> outputs) {
  outputs[0].values = inputs[0].values;
  ForPart(inputs[0], inputs[1].dims, inputs.subspan(2),
          [&](const Dims& part, const Dims& whole) {
            At(outputs[0], whole) = At(inputs[1], part);
          });
}

// The part is read and written, and the starts are read; the rest of the
// operand stays where it is (XLA's cost analysis counts the same:
// xla/service/hlo_cost_analysis.cc, HandleDynamicUpdateSlice).
OpCost DynamicUpdateSliceCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost;
  cost.bytes_read = Bytes(signature.inputs.subspan(1), rows);
  cost.bytes_written = Bytes(signature.inputs.subspan(1, 1), rows);
  return cost;
}

// With starts below `classes`, beyond the last that fits.
OpSample PlacedSample(std::vector<ValueType> first, const ValueType& out,
                      DType starts = DType::kInt32) {
  OpSample sample{
      .inputs = std::move(first), .outputs = {out}, .classes = 7, .seed = 3};
  for (int axis = 0; axis < out.shape.rank(); ++axis)
    sample.inputs.push_back(Plain({}, starts));
  sample.attributes = WithList("slice_sizes", out.shape.dims);
  return sample;
}

std::vector<OpSample> DynamicSliceSamples() {
  return {
      PlacedSample({Plain({9})}, Plain({4})),
      PlacedSample({Plain({5, 9})}, Plain({2, 9})),
      PlacedSample({Batched({9})}, Batched({4})),
      PlacedSample({BatchedAt(1, {9, 2})}, BatchedAt(1, {4, 2})),
      PlacedSample({Batched({6, 5, 4})}, Batched({1, 2, 3})),
      PlacedSample({Plain({9}, DType::kInt32)}, Plain({4}, DType::kInt32),
                   DType::kUint32),
  };
}

std::vector<OpSample> DynamicUpdateSliceSamples() {
  return {
      PlacedSample({Plain({9}), Plain({4})}, Plain({9})),
      PlacedSample({Plain({5, 9}), Plain({2, 9})}, Plain({5, 9})),
      PlacedSample({Batched({9}), Batched({4})}, Batched({9})),
      PlacedSample({BatchedAt(1, {9, 2}), BatchedAt(1, {4, 2})},
                   BatchedAt(1, {9, 2})),
      PlacedSample({Batched({6, 5, 4}), Batched({1, 2, 3})},
                   Batched({6, 5, 4})),
      PlacedSample({Plain({9}, DType::kBool), Plain({4}, DType::kBool)},
                   Plain({9}, DType::kBool)),
  };
}

constexpr OpEntry kDynamicSliceOps[] = {
    // x, starts[]... -> slice_sizes elements of x from there
    {.name = "dynamic_slice",
     .input_count = 1,
     .takes_more = true,
     .infer = InferDynamicSlice,
     .gradient = DynamicSliceGradient,
     .cost = PartCost,
     .row_wise = IsByRows,
     .reference = DynamicSlice,
     .samples = DynamicSliceSamples},
    // x, u, starts[]... -> x with u from there
    {.name = "dynamic_update_slice",
     .input_count = 2,
     .takes_more = true,
     .infer = InferDynamicUpdateSlice,
     .gradient = DynamicUpdateSliceGradient,
     .cost = DynamicUpdateSliceCost,
     .row_wise = IsByRows,
     .works_in_place = true,
     .reference = DynamicUpdateSlice,
     .samples = DynamicUpdateSliceSamples},
};

}  // namespace

OpFamily DynamicSliceOps() { return kDynamicSliceOps; }

}  // namespace podsim
