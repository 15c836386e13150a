// gather, scatter and their gradients on arrays: a box per window.
//
// Windows that add may meet, so they are added in their order: by one thread,
// or, where a window is a row of the operand (an embedding's gradient), by
// several that have rows of the operand of their own. Those of bfloat16 are
// added in float32, and all is rounded at the end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "host/core/array_kernels.h"
#include "host/core/boxes.h"
#include "host/core/op_kernels.h"
#include "host/core/typed_loops.h"
#include "models/ops/gather_windows.h"

namespace podsim {
namespace {

constexpr std::int64_t kGatherTask = 1 << 14;  // elements that are worth a task
constexpr std::int64_t kTasks = 16;  // parts of an operand that is added to

std::size_t Sized(std::int64_t i) { return static_cast<std::size_t>(i); }

// Where windows lie.
class Windows {
 public:
  Windows(const WindowDims& dims, DimsView operand, const Array& indices,
          DimsView windows, bool clamps)
      : operand_(operand.begin(), operand.end()),
        strides_(StridesOf(operand)),
        sizes_(operand.size(), 1),
        window_strides_(operand.size(), 0),
        map_(dims.map.begin(), dims.map.end()),
        indices_(indices),
        clamps_(clamps) {
    const Dims index_strides = StridesOf(indices.dims);
    const Dims strides = StridesOf(windows);
    const auto index_rank = static_cast<std::int64_t>(indices.dims.size());
    const Dims kept = dims.Kept(static_cast<std::int64_t>(operand.size()));
    for (std::size_t i = 0; i < kept.size(); ++i) {
      sizes_[Sized(kept[i])] = windows[Sized(dims.window[i])];
      window_strides_[Sized(kept[i])] = strides[Sized(dims.window[i])];
    }
    const Dims index_places = dims.IndexPlaces(index_rank);
    const Dims places =
        dims.WindowPlaces(static_cast<std::int64_t>(windows.size()));
    counts_ = Pick(windows, places);
    place_strides_ = Pick(strides, places);
    index_strides_ = Pick(index_strides, index_places);
    for (const std::int64_t place : index_places) {
      const auto* found =
          std::find(dims.index_batch.data(),
                    dims.index_batch.data() + dims.index_batch.size(), place);
      const auto i = Sized(found - dims.index_batch.data());
      batch_strides_.push_back(i == dims.index_batch.size()
                                   ? 0
                                   : strides_[Sized(dims.operand_batch[i])]);
    }
    vector_stride_ =
        dims.vector < index_rank ? index_strides[Sized(dims.vector)] : 0;
  }

  struct Place {
    std::int64_t operand = 0;  // where the window's first element lies
    std::int64_t windows = 0;
    bool inside = true;  // all of it
    Dims start;          // along what is indexed or is in the window
  };

  std::int64_t count() const { return ProductOf(counts_); }

  void Find(std::int64_t window, Place& place) const {
    std::int64_t index = 0;
    place.operand = place.windows = 0;
    place.inside = true;
    place.start.assign(operand_.size(), 0);
    for (std::size_t i = counts_.size(); i-- > 0;) {
      const std::int64_t at = window % counts_[i];
      window /= counts_[i];
      index += at * index_strides_[i];
      place.windows += at * place_strides_[i];
      place.operand += at * batch_strides_[i];
    }
    for (std::size_t i = 0; i < map_.size(); ++i) {
      const std::size_t axis = Sized(map_[i]);
      std::int64_t start = IndexAt(
          indices_, index + static_cast<std::int64_t>(i) * vector_stride_);
      const std::int64_t last = operand_[axis] - sizes_[axis];
      if (clamps_) start = std::clamp<std::int64_t>(start, 0, last);
      place.inside = place.inside && start >= 0 && start <= last;
      place.start[axis] = start;
      place.operand += start * strides_[axis];
    }
  }

  // Without what is outside of the operand; moves the place to what is left.
  Box Cut(Place& place) const {
    Box box = Full();
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const std::int64_t skip =
          std::clamp<std::int64_t>(-place.start[i], 0, box.sizes[i]);
      place.operand += skip * strides_[i];
      place.windows += skip * window_strides_[i];
      const std::int64_t room = operand_[i] - (place.start[i] + skip);
      box.sizes[i] = std::clamp<std::int64_t>(room, 0, box.sizes[i] - skip);
    }
    return box;
  }

  // Whether each window begins at a multiple of its size.
  bool StartsAtRuns() const {
    const std::int64_t size = ProductOf(sizes_);
    for (const std::int64_t axis : map_)
      if (strides_[Sized(axis)] % size != 0) return false;
    for (const std::int64_t stride : batch_strides_)
      if (stride % size != 0) return false;
    return true;
  }

  // From the operand to the windows.
  Box Full() const { return {sizes_, strides_, window_strides_}; }

 private:
  Dims operand_, strides_, sizes_, window_strides_, map_;
  const Array& indices_;
  bool clamps_;
  Dims counts_, place_strides_, index_strides_, batch_strides_;
  std::int64_t vector_stride_ = 0;
};

// The windows of `from`, an operand.
void CopyWindows(const ArrayCall& call, const WindowDims& dims, bool clamps) {
  const WideOperand from(call.in[0]);
  const Array& out = call.out[0];
  const std::int64_t bytes = out.element_bytes;
  const Windows windows(dims, from->dims, call.in[1], out.dims, clamps);
  const Box box = Simplified(windows.Full());
  const std::int64_t step = std::max<std::int64_t>(
      1, kGatherTask / std::max<std::int64_t>(1, ProductOf(box.sizes)));
  ForPanels(call.parallel, windows.count(), step,
            [&](std::int64_t begin, std::int64_t end) {
              Windows::Place place;
              for (std::int64_t i = begin; i < end; ++i) {
                windows.Find(i, place);
                Box cut;
                if (!place.inside) cut = Simplified(windows.Cut(place));
                CopyBox(place.inside ? box : cut, bytes,
                        from->data + place.operand * bytes,
                        out.data + place.windows * bytes);
              }
            });
}

template <typename T>
void AddLine(std::int64_t count, const T* from, std::int64_t from_stride, T* to,
             std::int64_t to_stride) {
  if (from_stride == 1 && to_stride == 1) {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = static_cast<T>(to[i] + from[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      to[i * to_stride] =
          static_cast<T>(to[i * to_stride] + from[i * from_stride]);
  }
}

// A box's windows to its operand.
template <typename T>
void AddBox(const Box& box, std::size_t axis, const T* windows, T* operand) {
  if (axis == box.sizes.size()) {
    *operand = static_cast<T>(*operand + *windows);
  } else if (axis + 1 == box.sizes.size()) {
    AddLine(box.sizes[axis], windows, box.to[axis], operand, box.from[axis]);
  } else {
    for (std::int64_t i = 0; i < box.sizes[axis]; ++i)
      AddBox(box, axis + 1, windows + i * box.to[axis],
             operand + i * box.from[axis]);
  }
}

template <typename T>
void AddAll(const ArrayCall& call, const Windows& windows, const Array& from) {
  T* to = call.out[0].as<T>();
  const T* updates = from.as<const T>();
  const Box box = Simplified(windows.Full());
  const std::int64_t elements = call.out[0].elements();
  // Windows of one run of elements each belong to the part they begin in, if
  // no run lies in two: all begin at multiples of their length.
  const bool runs = box.sizes.size() == 1 && box.from[0] == 1 &&
                    elements % box.sizes[0] == 0 && windows.StartsAtRuns();
  const std::int64_t run = runs ? box.sizes[0] : elements;
  const std::int64_t count = run == 0 ? 0 : elements / run;
  const std::int64_t part = (count + kTasks - 1) / kTasks * run;
  ForPanels(call.parallel, elements, std::max<std::int64_t>(part, 1),
            [&](std::int64_t begin, std::int64_t end) {
              Windows::Place place;
              for (std::int64_t i = 0; i < windows.count(); ++i) {
                windows.Find(i, place);
                Box cut;
                if (!place.inside) cut = Simplified(windows.Cut(place));
                if (!place.inside && ProductOf(cut.sizes) == 0) continue;
                if (place.operand < begin || place.operand >= end) continue;
                AddBox(place.inside ? box : cut, 0, updates + place.windows,
                       to + place.operand);
              }
            });
}

void AddWindows(const ArrayCall& call, const WindowDims& dims,
                const Array& from, bool clamps) {
  const Array& out = call.out[0];
  const Windows windows(dims, out.dims, call.in[1], from.dims, clamps);
  if (out.dtype == DType::kFloat32) {
    AddAll<float>(call, windows, from);
  } else if (out.dtype == DType::kBFloat16) {
    AddAll<float>(call, windows, from);
    RoundInPlace(call, out.as<float>(), out.elements());
  } else if (out.element_bytes == 4) {
    AddAll<std::uint32_t>(call, windows, from);
  } else {
    AddAll<std::uint8_t>(call, windows, from);
  }
}

std::size_t BytesOf(const Array& array) {
  return Sized(array.elements() * array.element_bytes);
}

}  // namespace

void Gather(const ArrayCall& call) {
  CopyWindows(call, GatherDims(call.attributes), true);
}

void ScatterGrad(const ArrayCall& call) {
  std::memset(call.out[0].data, 0, BytesOf(call.out[0]));
  CopyWindows(call, ScatterDims(call.attributes), false);
}

void GatherGrad(const ArrayCall& call) {
  const WideOperand dy(call.in[0]);
  std::memset(call.out[0].data, 0, BytesOf(call.out[0]));
  AddWindows(call, GatherDims(call.attributes), *dy, true);
}

void Scatter(const ArrayCall& call) {
  const WideOperand x(call.in[0]);
  const WideOperand updates(call.in[2]);
  if (call.out[0].data != x->data)
    std::memcpy(call.out[0].data, x->data, BytesOf(call.out[0]));
  AddWindows(call, ScatterDims(call.attributes), *updates, false);
}

}  // namespace podsim
