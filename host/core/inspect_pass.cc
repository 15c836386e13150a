#include "host/core/inspect_pass.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/status.h"
#include "host/core/op_kernels.h"

namespace podsim {
namespace {

float ElementAt(const Array& array, std::int64_t i) {
  if (array.element_bytes == 2)  // bfloat16 as the infeed brings it
    return std::bit_cast<float>(
        std::uint32_t{array.as<const std::uint16_t>()[i]} << 16);
  return array.as<const float>()[i];
}

// The example of element `i`; -1: there is none, or the dimension holds several
// of each, in an order that its shape does not say.
std::int64_t RowOf(const Array& array, std::int64_t i, int batch_axis,
                   std::int64_t rows) {
  if (batch_axis < 0) return -1;
  const auto axis = static_cast<std::size_t>(batch_axis);
  if (array.dims[axis] != rows) return -1;
  std::int64_t inner = 1;
  for (std::size_t dim = axis + 1; dim < array.dims.size(); ++dim)
    inner *= array.dims[dim];
  return i / inner % rows;
}

class Inspector {
 public:
  Inspector(const Inspection& inspection, TensorId until)
      : inspection_(inspection),
        program_(inspection.program),
        until_(program_.root(until)),
        seen_(program_.tensors.size()),
        is_seen_(program_.tensors.size()),
        buffers_(inspection.buffers) {
    buffers_.fusions = nullptr;
  }

  absl::StatusOr<SeenTensors> Run() {
    std::size_t joined = 0;
    for (const Segment& segment :
         program_.entries.at(EntryPoint::kTrainMicrobatch)) {
      for (const Instruction& instruction : segment.instructions) {
        PODSIM_RETURN_IF_ERROR(RunOne(instruction));
        if (is_seen_[Place(until_)] && !Joins(instruction))
          return std::move(seen_);
      }
      if (!segment.joins_tensor()) continue;
      if (inspection_.join != nullptr) inspection_.join(joined++);
      See(segment.tensor);
      if (is_seen_[Place(until_)]) break;
    }
    return std::move(seen_);
  }

 private:
  static std::size_t Place(TensorId id) { return static_cast<std::size_t>(id); }

  // Its result is this core's own until the segment behind it joins cores.
  static bool Joins(const Instruction& instruction) {
    return EntryOf(instruction.op).joins_cores;
  }

  absl::Status RunOne(const Instruction& instruction) {
    for (const TensorId id : instruction.inputs)
      if (!is_seen_[Place(program_.root(id))]) See(id);
    Segment alone;
    alone.instructions = {instruction};
    PODSIM_RETURN_IF_ERROR(RunSegment(
        program_, alone, inspection_.rows, inspection_.panels, kNoUpdate,
        inspection_.kernels, inspection_.parallel, buffers_));
    for (const TensorId id : instruction.outputs) See(id);
    return absl::OkStatus();
  }

  void See(TensorId id) {
    const TensorId root = program_.root(id);
    const Instruction any;
    const OpCall call{program_,
                      any,
                      inspection_.rows,
                      inspection_.panels,
                      kNoUpdate,
                      inspection_.kernels,
                      inspection_.parallel,
                      buffers_};
    seen_[Place(root)] =
        LookAt(call.ArrayAt(root), program_.tensor(root).shape.batch_axis,
               inspection_.rows);
    is_seen_[Place(root)] = true;
  }

  static constexpr StepScalars kNoUpdate = {};

  const Inspection& inspection_;
  const Program& program_;
  const TensorId until_;
  SeenTensors seen_;
  std::vector<bool> is_seen_;
  CoreBuffers buffers_;
};

}  // namespace

SeenTensor LookAt(const Array& array, int batch_axis, std::int64_t rows) {
  SeenTensor seen;
  if (array.dtype != DType::kFloat32 && array.dtype != DType::kBFloat16)
    return seen;
  for (std::int64_t i = 0; i < array.elements(); ++i) {
    const float value = ElementAt(array, i);
    if (std::isfinite(value)) {
      seen.least = std::min(seen.least, value);
      seen.greatest = std::max(seen.greatest, value);
      continue;
    }
    const std::int64_t row = RowOf(array, i, batch_axis, rows);
    if (seen.is_finite()) {
      seen.bad = value;
      seen.bad_row = row;
    }
    if (std::isnan(value) && !seen.has_nan) seen.nan_row = row;
    (std::isnan(value) ? seen.has_nan : seen.has_inf) = true;
  }
  return seen;
}

absl::StatusOr<SeenTensors> InspectPass(const Inspection& inspection,
                                        TensorId until) {
  return Inspector(inspection, until).Run();
}

}  // namespace podsim
