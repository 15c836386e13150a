// reduce_window and select_and_scatter on arrays: windows that stand still
// along the last dimensions show `inner` elements side by side at each tap.
// Sums of bfloat16 are made in float32, and rounded at the end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/core/array_kernels.h"
#include "host/core/boxes.h"
#include "host/core/folds.h"
#include "host/core/op_kernels.h"
#include "host/core/typed_loops.h"
#include "models/ops/window_list.h"

namespace podsim {
namespace {

constexpr std::int64_t kWindowTask = 1 << 15;  // elements that are worth a task

// Windows over all dimensions of an operand but the last ones, `inner`
// elements, along which they stand still.
struct WindowPass {
  std::vector<WindowDimension> moving;
  Dims strides;  // of the operand
  Dims outputs;
  Dims apart;  // elements from a place to the next
  Dims shown;  // offsets of the taps, if each place shows all; else none
  std::int64_t inner = 1;

  std::int64_t places() const { return ProductOf(outputs); }
  std::int64_t taps() const { return ProductOf(TapsOf(moving)); }
  Dims IndexAt(std::int64_t place) const {
    Dims index(outputs.size());
    for (std::size_t i = outputs.size(); i-- > 0; place /= outputs[i])
      index[i] = place % outputs[i];
    return index;
  }

  // fn(offset) for each tap that shows elements, in order.
  template <typename Fn>
  void ForTaps(const Dims& index, const Fn& fn) const {
    if (shown.empty()) return ForTapsFrom(0, 0, index, fn);
    const std::int64_t first = OffsetOf(index, apart);
    for (const std::int64_t offset : shown) fn(first + offset);
  }

 private:
  template <typename Fn>
  void ForTapsFrom(std::size_t dim, std::int64_t offset, const Dims& index,
                   const Fn& fn) const {
    if (dim == moving.size()) return fn(offset);
    for (std::int64_t tap = 0; tap < moving[dim].taps; ++tap) {
      const std::int64_t at = moving[dim].At(index[dim], tap);
      if (at >= 0) ForTapsFrom(dim + 1, offset + at * strides[dim], index, fn);
    }
  }
};

// Of the taps of windows without padding or holes.
Dims OffsetsOfTaps(const std::vector<WindowDimension>& moving,
                   const Dims& strides) {
  Dims apart;
  for (std::size_t i = 0; i < moving.size(); ++i)
    apart.push_back(moving[i].dilation * strides[i]);
  Dims offsets;
  ForIndices(TapsOf(moving), [&](const Dims& index) {
    offsets.push_back(OffsetOf(index, apart));
  });
  return offsets;
}

WindowPass WindowsOf(const OpAttributes& attributes, DimsView sizes) {
  WindowPass windows;
  windows.moving = WindowList(attributes, sizes);
  windows.strides = StridesOf(sizes);
  while (!windows.moving.empty() && windows.moving.back().is_trivial()) {
    windows.inner *= windows.moving.back().base;
    windows.moving.pop_back();
  }
  windows.outputs = OutputsOf(windows.moving);
  bool show_all = true;
  for (std::size_t i = 0; i < windows.moving.size(); ++i) {
    const WindowDimension& window = windows.moving[i];
    windows.apart.push_back(window.stride * windows.strides[i]);
    show_all = show_all && window.base_dilation == 1 && window.low == 0 &&
               window.high <= 0;
  }
  if (show_all) windows.shown = OffsetsOfTaps(windows.moving, windows.strides);
  return windows;
}

template <typename T, typename Fold>
void FoldWindows(const ArrayCall& call, const WindowPass& windows, const T* x) {
  T* out = call.out[0].as<T>();
  const std::int64_t n = windows.inner;
  ForPanels(call.parallel, windows.places(),
            std::max<std::int64_t>(kWindowTask / (windows.taps() * n + 1), 1),
            [&](std::int64_t begin, std::int64_t end) {
              Dims index = windows.IndexAt(begin);
              for (std::int64_t i = begin; i < end; ++i) {
                T* into = out + i * n;
                std::fill_n(into, n, Fold::template kNeutral<T>);
                windows.ForTaps(index, [&](std::int64_t offset) {
                  for (std::int64_t j = 0; j < n; ++j)
                    into[j] = Fold::template Of<T>(into[j], x[offset + j]);
                });
                NextIndex(windows.outputs, index);
              }
            });
}

// Whether the element that was selected stays so.
struct AtLeast {
  static bool Stays(float selected, float other) { return selected >= other; }
};
struct AtMost {
  static bool Stays(float selected, float other) { return selected <= other; }
};
struct Above {
  static bool Stays(float selected, float other) { return selected > other; }
};
struct Below {
  static bool Stays(float selected, float other) { return selected < other; }
};

// Of one array among those that windows do not mix. The windows' numbers are
// added in the order of their places.
template <typename Select>
void ScatterWindows(const WindowPass& windows, const float* x,
                    const float* source, float* out) {
  Dims shown;
  Dims index(windows.outputs.size());
  for (std::int64_t i = 0; i < windows.places(); ++i) {
    shown.clear();
    windows.ForTaps(index,
                    [&](std::int64_t offset) { shown.push_back(offset); });
    for (std::int64_t j = 0; j < windows.inner && !shown.empty(); ++j) {
      std::int64_t selected = shown[0];
      for (const std::int64_t other : shown)
        if (other != shown[0] && !Select::Stays(x[selected + j], x[other + j]))
          selected = other;
      out[selected + j] += source[i * windows.inner + j];
    }
    NextIndex(windows.outputs, index);
  }
}

template <typename Select>
void ScatterAll(const ArrayCall& call, const Array& x, const Array& source) {
  WindowPass windows = WindowsOf(call.attributes, x.dims);
  std::int64_t apart = 1;  // arrays
  while (!windows.moving.empty() && windows.moving.front().is_trivial()) {
    apart *= windows.moving.front().base;
    windows.moving.erase(windows.moving.begin());
    windows.outputs.erase(windows.outputs.begin());
    windows.strides.erase(windows.strides.begin());
    windows.apart.erase(windows.apart.begin());
  }
  if (x.elements() == 0) return;
  const std::int64_t size = x.elements() / apart;
  const std::int64_t places = source.elements() / apart;
  call.parallel.Run(apart, [&](std::int64_t i) {
    float* out = call.out[0].as<float>() + i * size;
    std::fill_n(out, size, 0.0F);
    ScatterWindows<Select>(windows, x.as<const float>() + i * size,
                           source.as<const float>() + i * places, out);
  });
  if (call.out[0].dtype == DType::kBFloat16)
    RoundInPlace(call, call.out[0].as<float>(), x.elements());
}

}  // namespace

void ReduceWindow(const ArrayCall& call) {
  const WideOperand x(call.in[0]);
  const Array& out = call.out[0];
  const WindowPass windows = WindowsOf(call.attributes, x->dims);
  WithFold(call.attributes.word, x->dtype, [&]<typename T, typename Fold>() {
    FoldWindows<T, Fold>(call, windows, x->as<const T>());
  });
  if (out.dtype == DType::kBFloat16 && call.attributes.word == "add")
    RoundInPlace(call, out.as<float>(), out.elements());
}

void SelectAndScatter(const ArrayCall& call) {
  const WideOperand x(call.in[0]);
  const WideOperand source(call.in[1]);
  const std::string& word = call.attributes.word;
  if (word == "GE") return ScatterAll<AtLeast>(call, *x, *source);
  if (word == "LE") return ScatterAll<AtMost>(call, *x, *source);
  if (word == "GT") return ScatterAll<Above>(call, *x, *source);
  ScatterAll<Below>(call, *x, *source);
}

}  // namespace podsim
