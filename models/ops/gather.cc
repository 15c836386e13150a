// gather and scatter, with StableHLO's names and meaning, and their gradients,
// JAX's (jax/_src/lax/slicing.py). A window that would leave the operand is
// clamped by gather; scatter drops those elements of it that do.
//
// scatter adds: word is "add".
#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "models/ops/families.h"
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
  PODSIM_RETURN_IF_ERROR(NeedFloats(in.first(1)));
  PODSIM_RETURN_IF_ERROR(
      CheckGatherWindows(GatherDims(attributes), attributes.shape, in[1],
                         attributes.List("slice_sizes"), in[0].shape));
  return OneResult(in[0].dtype, attributes.shape);
}

Inferred InferScatter(Types in, const OpAttributes& attributes) {
  if (attributes.word != "add")
    return Bad(absl::StrCat("cannot scatter by '", attributes.word,
                            "', only by 'add'"));
  if (in[0].dtype == DType::kBFloat16 || in[0].dtype == DType::kBool)
    return Bad("cannot add bfloat16 or bool; convert it first");
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
  PODSIM_RETURN_IF_ERROR(NeedFloats(in.first(1)));
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

// visit(index in the operand, index in the windows) of all elements of windows
// that lie in the operand, after clamping if they are to be clamped.
template <typename Visit>
void ForWindows(const WindowDims& dims, DimsView operand, const Tensor& indices,
                DimsView windows, bool clamps, const Visit& visit) {
  const auto rank = static_cast<std::int64_t>(operand.size());
  const auto index_rank = static_cast<std::int64_t>(indices.dims.size());
  const Dims kept = dims.Kept(rank);
  const Dims index_places = dims.IndexPlaces(index_rank);
  const Dims places =
      dims.WindowPlaces(static_cast<std::int64_t>(windows.size()));
  Dims sizes(operand.size(), 1);
  for (std::size_t i = 0; i < kept.size(); ++i)
    sizes[Sized(kept[i])] = windows[Sized(dims.window[i])];
  ForIndices(windows, [&](const Dims& window) {
    Dims index(indices.dims.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      index[Sized(index_places[i])] = window[Sized(places[i])];
    Dims at(operand.size());
    for (std::size_t i = 0; i < dims.map.size(); ++i) {
      if (dims.vector < index_rank)
        index[Sized(dims.vector)] = static_cast<std::int64_t>(i);
      const std::size_t axis = Sized(dims.map[i]);
      at[axis] = static_cast<std::int64_t>(At(indices, index));
      if (clamps)
        at[axis] =
            std::clamp<std::int64_t>(at[axis], 0, operand[axis] - sizes[axis]);
    }
    for (std::size_t i = 0; i < dims.operand_batch.size(); ++i)
      at[Sized(dims.operand_batch[i])] = index[Sized(dims.index_batch[i])];
    for (std::size_t i = 0; i < kept.size(); ++i)
      at[Sized(kept[i])] += window[Sized(dims.window[i])];
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i] < 0 || at[i] >= operand[i]) return;
    visit(at, window);
  });
}

void Gather(std::span<const Tensor> inputs, const OpAttributes& attributes,
            std::span<Tensor> outputs) {
  ForWindows(GatherDims(attributes), inputs[0].dims, inputs[1], outputs[0].dims,
             true, [&](const Dims& at, const Dims& window) {
               At(outputs[0], window) = At(inputs[0], at);
             });
}

void GatherGrad(std::span<const Tensor> inputs, const OpAttributes& attributes,
                std::span<Tensor> outputs) {
  ForWindows(GatherDims(attributes), outputs[0].dims, inputs[1], inputs[0].dims,
             true, [&](const Dims& at, const Dims& window) {
               At(outputs[0], at) += At(inputs[0], window);
             });
}

// Integers wrap around.
double Wrapped(DType dtype, double sum) {
  const auto bits = static_cast<std::int64_t>(sum);
  if (dtype == DType::kInt32) return static_cast<std::int32_t>(bits);
  if (dtype == DType::kUint32) return static_cast<std::uint32_t>(bits);
  if (dtype == DType::kUint8) return static_cast<std::uint8_t>(bits);
  return sum;
}

void Scatter(std::span<const Tensor> inputs, const OpAttributes& attributes,
             std::span<Tensor> outputs) {
  Tensor& y = outputs[0];
  y.values = inputs[0].values;
  ForWindows(ScatterDims(attributes), y.dims, inputs[1], inputs[2].dims, false,
             [&](const Dims& at, const Dims& window) {
               At(y, at) =
                   Wrapped(y.type.dtype, At(y, at) + At(inputs[2], window));
             });
}

void ScatterGrad(std::span<const Tensor> inputs, const OpAttributes& attributes,
                 std::span<Tensor> outputs) {
  ForWindows(ScatterDims(attributes), inputs[0].dims, inputs[1],
             outputs[0].dims, false, [&](const Dims& at, const Dims& window) {
               At(outputs[0], window) = At(inputs[0], at);
             });
}

// Sums of at most as many numbers as there are updates.
template <bool kGrad>
void SumsError(std::span<const Tensor> inputs, const OpAttributes& attributes,
               std::span<const Tensor> /*outputs*/, std::span<Tensor> bounds) {
  Tensor& bound = bounds[0];
  if (bound.type.dtype != DType::kFloat32) return;
  const Tensor& windows = inputs[kGrad ? 0 : 2];
  if (!kGrad)
    for (std::size_t i = 0; i < bound.values.size(); ++i)
      bound.values[i] = std::fabs(inputs[0].values[i]);
  ForWindows(kGrad ? GatherDims(attributes) : ScatterDims(attributes),
             bound.dims, inputs[1], windows.dims, kGrad,
             [&](const Dims& at, const Dims& window) {
               At(bound, at) += std::fabs(At(windows, window));
             });
  const double error = SumError(static_cast<double>(windows.values.size()) + 1);
  for (double& each : bound.values) each = error * each + kTiny;
}

// A use of all four, of which the samples are made.
struct Case {
  ValueType operand;
  ValueType indices;
  ValueType windows;
  Dims window, dropped, operand_batch, index_batch, map;
  std::int64_t vector;
  Dims sizes;
};

std::vector<Case> Cases() {
  const DType i = DType::kInt32;
  return {
      // Embeddings.
      {Plain({9, 5}),
       Batched({4}, i),
       Batched({4, 5}),
       {2},
       {0},
       {},
       {},
       {0},
       2,
       {1, 5}},
      {Plain({9, 5}),
       Batched({}, i),
       Batched({5}),
       {1},
       {0},
       {},
       {},
       {0},
       1,
       {1, 5}},
      {Plain({9, 5}),
       Plain({4, 1}, i),
       Plain({4, 5}),
       {1},
       {0},
       {},
       {},
       {0},
       1,
       {1, 5}},
      // Windows of several elements at places of several numbers.
      {Plain({4, 9}),
       Batched({3, 2}, i),
       Batched({3, 2, 3}),
       {2, 3},
       {},
       {},
       {},
       {1, 0},
       2,
       {2, 3}},
      {Plain({4, 9}),
       BatchedAt(1, {2, 1}, i),
       BatchedAt(1, {2, 1}),
       {0},
       {1},
       {},
       {},
       {0, 1},
       0,
       {2, 1}},
      // The operand's batch as a whole.
      {Batched({9}),
       Plain({4}, i),
       Batched({4}),
       {0},
       {1},
       {},
       {},
       {1},
       1,
       {1, 1}},
      {BatchedAt(1, {9, 2}),
       Plain({4, 1}, i),
       BatchedAt(1, {4, 2}),
       {1},
       {0},
       {},
       {},
       {0},
       1,
       {1, 2}},
      // Each example by its own indices.
      {Batched({9}),
       Batched({1}, i),
       Batched({}),
       {},
       {1},
       {0},
       {0},
       {1},
       1,
       {1, 1}},
      {Batched({9, 2, 3}),
       Batched({4}, DType::kUint32),
       Batched({4, 2, 3}),
       {2, 3},
       {1},
       {0},
       {0},
       {1},
       2,
       {1, 1, 2, 3}},
  };
}

OpAttributes GatherAttributes(const Case& use) {
  OpAttributes attributes;
  attributes.lists = {{"offset_dims", use.window},
                      {"collapsed_slice_dims", use.dropped},
                      {"operand_batching_dims", use.operand_batch},
                      {"start_indices_batching_dims", use.index_batch},
                      {"start_index_map", use.map},
                      {"index_vector_dim", {use.vector}},
                      {"slice_sizes", use.sizes}};
  return attributes;
}

OpAttributes ScatterAttributes(const Case& use) {
  OpAttributes attributes;
  attributes.word = "add";
  attributes.lists = {{"update_window_dims", use.window},
                      {"inserted_window_dims", use.dropped},
                      {"input_batching_dims", use.operand_batch},
                      {"scatter_indices_batching_dims", use.index_batch},
                      {"scatter_dims_to_operand_dims", use.map},
                      {"index_vector_dim", {use.vector}}};
  return attributes;
}

constexpr std::int32_t kPlaces = 11;  // beyond the last of most operands

template <bool kScatter>
std::vector<OpSample> MoveSamples() {
  std::vector<OpSample> samples;
  for (const Case& use : Cases())
    samples.push_back(
        kScatter ? OpSample{.inputs = {use.operand, use.indices, use.windows},
                            .outputs = {use.operand},
                            .attributes = ScatterAttributes(use),
                            .classes = kPlaces}
                 : OpSample{.inputs = {use.operand, use.indices},
                            .outputs = {use.windows},
                            .attributes = GatherAttributes(use),
                            .classes = kPlaces});
  return samples;
}

template <bool kScatter>
std::vector<OpSample> GradSamples() {
  std::vector<OpSample> samples;
  for (const Case& use : Cases()) {
    const ValueType& dy = kScatter ? use.operand : use.windows;
    const ValueType& dx = kScatter ? use.windows : use.operand;
    OpSample& sample = samples.emplace_back(OpSample{
        .inputs = {dy, use.indices}, .outputs = {dx}, .classes = kPlaces});
    sample.attributes =
        kScatter ? ScatterAttributes(use) : GatherAttributes(use);
    sample.attributes.shape = dx.shape;
  }
  return samples;
}

constexpr OpEntry kGatherOps[] = {
    // x, indices -> windows of x
    {.name = "gather",
     .input_count = 2,
     .infer = InferGather,
     .gradient = GatherGradient,
     .cost = CopyCost,
     .row_wise = IsByRows,
     .reference = Gather,
     .samples = MoveSamples<false>},
    // dy, indices -> dx of attributes.shape
    {.name = "GatherGrad",
     .input_count = 2,
     .infer = InferGatherGrad,
     .cost = OperandCost,
     .row_wise = IsByRows,
     .sums_batch = true,
     .reference = GatherGrad,
     .error = SumsError<true>,
     .samples = GradSamples<false>},
    // x, indices, updates -> x with the updates added to its windows
    {.name = "scatter",
     .input_count = 3,
     .infer = InferScatter,
     .gradient = ScatterGradient,
     .cost = OperandCost,
     .row_wise = IsByRows,
     .works_in_place = true,
     .reference = Scatter,
     .error = SumsError<false>,
     .samples = MoveSamples<true>},
    // dy, indices -> du of attributes.shape; 0 of what was dropped
    {.name = "ScatterGrad",
     .input_count = 2,
     .infer = InferScatterGrad,
     .cost = CopyCost,
     .row_wise = IsByRows,
     .reference = ScatterGrad,
     .samples = GradSamples<true>},
};

}  // namespace

OpFamily GatherOps() { return kGatherOps; }

}  // namespace podsim
