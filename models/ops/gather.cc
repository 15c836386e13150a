// gather and scatter, with StableHLO's names and meaning, and their gradients,
// JAX's (jax/_src/lax/slicing.py). A window that would leave the operand is
// clamped by gather; scatter drops those elements of it that do.
//
// scatter adds: word is "add". Where windows meet, sums of bfloat16 are made in
// float32 and rounded once.
#include <algorithm>

#include "base/status.h"
#include "models/ops/families.h"
#include "models/ops/gather_reference.h"
#include "models/ops/gather_samples.h"
#include "models/ops/gather_windows.h"
#include "models/ops/moves.h"

namespace podsim {
namespace {

absl::Status CheckDims(const WindowDims& dims, const Shape& operand,
                       const ValueType& indices) {
  const int rank = operand.rank();
  const int index_rank = indices.shape.rank();
  if (!IsIndex(indices.dtype))
    return Bad("the indices must be int32, uint32 or uint8");
  if (dims.vector < 0 || dims.vector > index_rank ||
      (indices.batched() && dims.vector == indices.shape.batch_axis))
    return Bad(absl::StrCat("index_vector_dim ", dims.vector,
                            " is no fixed dimension of the indices"));
  Dims unseen(dims.dropped.begin(), dims.dropped.end());
  unseen.insert(unseen.end(), dims.operand_batch.begin(),
                dims.operand_batch.end());
  Dims indexed(dims.map.begin(), dims.map.end());
  indexed.insert(indexed.end(), dims.operand_batch.begin(),
                 dims.operand_batch.end());
  PODSIM_RETURN_IF_ERROR(CheckDimensions(
      "collapsed, inserted and batching dimensions", unseen, rank));
  PODSIM_RETURN_IF_ERROR(
      CheckDimensions("indexed and batching dimensions", indexed, rank));
  PODSIM_RETURN_IF_ERROR(CheckDimensions("batching dimensions of the indices",
                                         dims.index_batch, index_rank));
  const std::int64_t length =
      dims.vector == index_rank ? 1 : FactorOf(indices.shape, dims.vector);
  if (length != static_cast<std::int64_t>(dims.map.size()))
    return Bad(absl::StrCat("the indices come by ", length, " but ",
                            dims.map.size(), " dimensions are indexed"));
  if (Contains(dims.index_batch, dims.vector) ||
      dims.index_batch.size() != dims.operand_batch.size())
    return Bad("the batching dimensions of operand and indices do not match");
  for (std::size_t i = 0; i < dims.index_batch.size(); ++i)
    if (!SameSize(operand, dims.operand_batch[i], indices.shape,
                  dims.index_batch[i]))
      return Bad("the batching dimensions of operand and indices do not match");
  if (operand.batched() && !Contains(dims.operand_batch, operand.batch_axis) &&
      Contains(indexed, operand.batch_axis))
    return Bad(absl::StrCat(kCutsTheBatch, ": dimension ", operand.batch_axis,
                            " is indexed"));
  return absl::OkStatus();
}

// The windows' shape, where one has `sizes` of the operand.
absl::StatusOr<Shape> WindowsOf(const WindowDims& dims, const Shape& operand,
                                const ValueType& indices, DimsView sizes) {
  PODSIM_RETURN_IF_ERROR(CheckDims(dims, operand, indices));
  PODSIM_RETURN_IF_ERROR(CheckLength("slice_sizes", sizes, operand.rank()));
  const Dims kept = dims.Kept(operand.rank());
  const Dims places = dims.IndexPlaces(indices.shape.rank());
  const auto rank = static_cast<int>(kept.size() + places.size());
  PODSIM_RETURN_IF_ERROR(CheckLength("offset_dims, update_window_dims",
                                     dims.window,
                                     static_cast<int>(kept.size())));
  PODSIM_RETURN_IF_ERROR(
      CheckDimensions("offset_dims, update_window_dims", dims.window, rank));
  if (!std::is_sorted(dims.window.begin(), dims.window.end()))
    return Bad("offset_dims and update_window_dims must be sorted");
  for (int axis = 0; axis < operand.rank(); ++axis) {
    const std::int64_t size = sizes[Sized(axis)];
    const bool keeps = Contains(kept, axis);
    if (size < 1 || size > FactorOf(operand, axis) || (!keeps && size != 1))
      return Bad(absl::StrCat("slice_sizes ", ListText(sizes),
                              " do not fit dimension ", axis, ", ",
                              SizeText(operand, axis)));
    if (axis == operand.batch_axis && !Contains(dims.operand_batch, axis) &&
        (!keeps || size != FactorOf(operand, axis)))
      return Bad(
          absl::StrCat(kCutsTheBatch, ": ", size, " of dimension ", axis));
  }
  Shape part = operand;
  part.dims.assign(sizes.begin(), sizes.end());
  if (part.batched() && Contains(kept, part.batch_axis) && indices.batched())
    return Bad(
        "B x B: operand and indices have the batch, but it is not "
        "among the batching dimensions");
  Shape windows;
  std::size_t next_kept = 0;
  std::size_t next_place = 0;
  for (int axis = 0; axis < rank; ++axis) {
    if (Contains(dims.window, axis))
      AppendDims(part, DimsView(&kept[next_kept++], 1), windows);
    else
      AppendDims(indices.shape, DimsView(&places[next_place++], 1), windows);
  }
  return windows;
}

// What slice_sizes would be for windows of that shape.
Dims SizesOf(const WindowDims& dims, const Shape& operand,
             const Shape& windows) {
  Dims sizes(operand.dims.size(), 1);
  const Dims kept = dims.Kept(operand.rank());
  for (std::size_t i = 0; i < std::min(kept.size(), dims.window.size()); ++i)
    if (dims.window[i] >= 0 && dims.window[i] < windows.rank())
      sizes[Sized(kept[i])] = FactorOf(windows, dims.window[i]);
  return sizes;
}

absl::Status CheckGatherWindows(const WindowDims& dims, const Shape& operand,
                                const ValueType& indices, DimsView sizes,
                                const Shape& windows) {
  PODSIM_ASSIGN_OR_RETURN(const Shape wanted,
                          WindowsOf(dims, operand, indices, sizes));
  if (windows == wanted) return absl::OkStatus();
  return Bad(absl::StrCat("the windows must be ", ToString(wanted), ", not ",
                          ToString(windows)));
}

Inferred InferGather(Types in, const OpAttributes& attributes) {
  PODSIM_ASSIGN_OR_RETURN(const Shape windows,
                          WindowsOf(GatherDims(attributes), in[0].shape, in[1],
                                    attributes.List("slice_sizes")));
  return OneResult(in[0].dtype, windows);
}

Inferred InferGatherGrad(Types in, const OpAttributes& attributes) {
  PODSIM_RETURN_IF_ERROR(NeedFloatsOfOneType(in.first(1)));
  PODSIM_RETURN_IF_ERROR(
      CheckGatherWindows(GatherDims(attributes), attributes.shape, in[1],
                         attributes.List("slice_sizes"), in[0].shape));
  return OneResult(in[0].dtype, attributes.shape);
}

Inferred InferScatter(Types in, const OpAttributes& attributes) {
  if (attributes.word != "add")
    return Bad(absl::StrCat("cannot scatter by '", attributes.word,
                            "', only by 'add'"));
  if (in[0].dtype == DType::kBool)
    return Bad("cannot add bools; convert them to int32 first");
  if (in[2].dtype != in[0].dtype)
    return Bad("the updates must have the operand's type");
  const WindowDims dims = ScatterDims(attributes);
  PODSIM_RETURN_IF_ERROR(CheckDimensions("inserted and batching dimensions",
                                         dims.dropped, in[0].shape.rank()));
  PODSIM_RETURN_IF_ERROR(
      CheckGatherWindows(dims, in[0].shape, in[1],
                         SizesOf(dims, in[0].shape, in[2].shape), in[2].shape));
  return OneResult(in[0].dtype, in[0].shape);
}

Inferred InferScatterGrad(Types in, const OpAttributes& attributes) {
  PODSIM_RETURN_IF_ERROR(NeedFloatsOfOneType(in.first(1)));
  const WindowDims dims = ScatterDims(attributes);
  PODSIM_RETURN_IF_ERROR(CheckGatherWindows(
      dims, in[0].shape, in[1], SizesOf(dims, in[0].shape, attributes.shape),
      attributes.shape));
  return OneResult(in[0].dtype, attributes.shape);
}

InputGradients GatherGradient(GradientBuilder& builder, const OpUse& use,
                              std::span<const Value> dy) {
  const ValueType x = builder.type(use.inputs[0]);
  if (!HasGradient(x)) return std::vector{kNone, kNone};
  OpAttributes attributes = use.attributes;
  attributes.shape = x.shape;
  return std::vector{builder.Apply(OpCode("GatherGrad"), {dy[0], use.inputs[1]},
                                   "grad", std::move(attributes)),
                     kNone};
}

InputGradients ScatterGradient(GradientBuilder& builder, const OpUse& use,
                               std::span<const Value> dy) {
  const ValueType updates = builder.type(use.inputs[2]);
  if (!HasGradient(updates)) return std::vector{kNone, kNone, kNone};
  OpAttributes attributes = use.attributes;
  attributes.shape = updates.shape;
  return std::vector{
      dy[0], kNone,
      builder.Apply(OpCode("ScatterGrad"), {dy[0], use.inputs[1]}, "grad",
                    std::move(attributes))};
}

// The elements that windows show are read, added to and written: no more than
// there are updates, nor than the operand has. The rest stays where it is. (XLA
// counts as many as there are updates, those of one place each time:
// xla/service/hlo_cost_analysis.cc, HandleScatter.)
OpCost ScatterCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost;
  const double shown = std::min(Bytes(signature.inputs.first(1), rows),
                                Bytes(signature.inputs.last(1), rows));
  cost.bytes_read = shown + Bytes(signature.inputs.subspan(1), rows);
  cost.bytes_written = shown;
  cost.vector_flops = Elements(signature.inputs[2], rows);
  return cost;
}

// gather and ScatterGrad read what their windows show, which the indices alone
// decide: PartCost takes them to be different elements, as far as there are so
// many. GatherGrad makes all of its result, zeros too.
constexpr OpEntry kGatherOps[] = {
    // x, indices -> windows of x
    {.name = "gather",
     .input_count = 2,
     .infer = InferGather,
     .gradient = GatherGradient,
     .cost = PartCost,
     .row_wise = IsByRows,
     .reference = Gather,
     .samples = GatherMoveSamples},
    // dy, indices -> dx of attributes.shape
    {.name = "GatherGrad",
     .input_count = 2,
     .infer = InferGatherGrad,
     .cost = FirstOperandCost<1>,
     .row_wise = IsByRows,
     .sums_batch = true,
     .reference = GatherGrad,
     .error = BoundGatherGrad,
     .samples = GatherGradSamples},
    // x, indices, updates -> x with the updates added to its windows
    {.name = "scatter",
     .input_count = 3,
     .infer = InferScatter,
     .gradient = ScatterGradient,
     .cost = ScatterCost,
     .row_wise = IsByRows,
     .works_in_place = true,
     .reference = Scatter,
     .error = BoundScatterAdd,
     .samples = ScatterMoveSamples},
    // dy, indices -> du of attributes.shape; 0 of what was dropped
    {.name = "ScatterGrad",
     .input_count = 2,
     .infer = InferScatterGrad,
     .cost = PartCost,
     .row_wise = IsByRows,
     .reference = ScatterGrad,
     .samples = ScatterGradSamples},
};

}  // namespace

OpFamily GatherOps() { return kGatherOps; }

}  // namespace podsim
