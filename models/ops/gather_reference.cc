#include "models/ops/gather_reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "models/ops/gather_windows.h"
#include "models/ops/moves.h"
#include "models/ops/reference.h"

namespace podsim {
namespace {

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

// Integers wrap around.
double Wrapped(DType dtype, double sum) {
  const auto bits = static_cast<std::int64_t>(sum);
  if (dtype == DType::kInt32) return static_cast<std::int32_t>(bits);
  if (dtype == DType::kUint32) return static_cast<std::uint32_t>(bits);
  if (dtype == DType::kUint8) return static_cast<std::uint8_t>(bits);
  return sum;
}

// Sums of at most as many numbers as there are updates.
template <bool kGrad>
void SumsError(std::span<const Tensor> inputs, const OpAttributes& attributes,
               std::span<const Tensor> outputs, std::span<Tensor> bounds) {
  Tensor& bound = bounds[0];
  if (!IsFloat(bound.type.dtype)) return;
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
  AddRounding(outputs[0], bound);
}

}  // namespace

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
  RoundSums(outputs[0]);
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
  RoundSums(y);
}

void ScatterGrad(std::span<const Tensor> inputs, const OpAttributes& attributes,
                 std::span<Tensor> outputs) {
  ForWindows(ScatterDims(attributes), inputs[0].dims, inputs[1],
             outputs[0].dims, false, [&](const Dims& at, const Dims& window) {
               At(outputs[0], window) = At(inputs[0], at);
             });
}

void BoundGatherGrad(std::span<const Tensor> inputs,
                     const OpAttributes& attributes,
                     std::span<const Tensor> outputs,
                     std::span<Tensor> bounds) {
  SumsError<true>(inputs, attributes, outputs, bounds);
}

void BoundScatterAdd(std::span<const Tensor> inputs,
                     const OpAttributes& attributes,
                     std::span<const Tensor> outputs,
                     std::span<Tensor> bounds) {
  SumsError<false>(inputs, attributes, outputs, bounds);
}

}  // namespace podsim
