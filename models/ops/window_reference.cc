#include "models/ops/window_reference.h"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "models/ops/fold.h"
#include "models/ops/index_loops.h"
#include "models/ops/reference.h"
#include "models/ops/rules.h"
#include "models/ops/window_list.h"

namespace podsim {
namespace {

// fn(place of the window, element that it shows) for all of both, in order.
template <typename Fn>
void ForReferenceWindows(const Tensor& x, const OpAttributes& attributes,
                         const Fn& fn) {
  const std::vector<WindowDimension> windows = WindowList(attributes, x.dims);
  const Dims strides = StridesOf(x.dims);
  std::size_t place = 0;
  ForIndices(OutputsOf(windows), [&](const Dims& output) {
    ForIndices(TapsOf(windows), [&](const Dims& tap) {
      std::int64_t element = 0;
      for (std::size_t i = 0; i < windows.size(); ++i) {
        const std::int64_t at = windows[i].At(output[i], tap[i]);
        if (at < 0) return;
        element += at * strides[i];
      }
      fn(place, static_cast<std::size_t>(element));
    });
    ++place;
  });
}

bool Stays(const std::string& word, double selected, double other) {
  if (word == "GE") return selected >= other;
  if (word == "LE") return selected <= other;
  return word == "GT" ? selected > other : selected < other;
}

// The element that each window selects; -1 where it shows none.
Dims Selected(const Tensor& x, std::size_t places,
              const OpAttributes& attributes) {
  Dims selected(places, -1);
  ForReferenceWindows(
      x, attributes, [&](std::size_t place, std::size_t element) {
        std::int64_t& held = selected[place];
        if (held < 0 ||
            !Stays(attributes.word, x.values[static_cast<std::size_t>(held)],
                   x.values[element]))
          held = static_cast<std::int64_t>(element);
      });
  return selected;
}

}  // namespace

void EvaluateWindows(std::span<const Tensor> inputs,
                     const OpAttributes& attributes,
                     std::span<Tensor> outputs) {
  const Tensor& x = inputs[0];
  for (double& result : outputs[0].values)
    result = NeutralOf(attributes.word, x.type.dtype);
  ForReferenceWindows(
      x, attributes, [&](std::size_t place, std::size_t element) {
        double& result = outputs[0].values[place];
        result =
            Folded(attributes.word, x.type.dtype, result, x.values[element]);
      });
  if (attributes.word == "add") RoundSums(outputs[0]);
}

void BoundWindows(std::span<const Tensor> inputs,
                  const OpAttributes& attributes,
                  std::span<const Tensor> outputs, std::span<Tensor> bounds) {
  const Tensor& x = inputs[0];
  if (attributes.word != "add" || !IsFloat(x.type.dtype)) return;
  const double taps =
      static_cast<double>(ProductOf(TapsOf(WindowList(attributes, x.dims))));
  ForReferenceWindows(x, attributes,
                      [&](std::size_t place, std::size_t element) {
                        bounds[0].values[place] +=
                            SumError(taps) * std::fabs(x.values[element]);
                      });
  AddRounding(outputs[0], bounds[0]);
}

void EvaluateScatter(std::span<const Tensor> inputs,
                     const OpAttributes& attributes,
                     std::span<Tensor> outputs) {
  const std::vector<double>& source = inputs[1].values;
  const Dims selected = Selected(inputs[0], source.size(), attributes);
  for (std::size_t place = 0; place < source.size(); ++place)
    if (selected[place] >= 0)
      outputs[0].values[static_cast<std::size_t>(selected[place])] +=
          source[place];
  RoundSums(outputs[0]);
}

// No more windows show an element than have taps.
void BoundScatter(std::span<const Tensor> inputs,
                  const OpAttributes& attributes,
                  std::span<const Tensor> outputs, std::span<Tensor> bounds) {
  const std::vector<double>& source = inputs[1].values;
  const double error = SumError(static_cast<double>(
      ProductOf(TapsOf(WindowList(attributes, inputs[0].dims)))));
  const Dims selected = Selected(inputs[0], source.size(), attributes);
  for (std::size_t place = 0; place < source.size(); ++place)
    if (selected[place] >= 0)
      bounds[0].values[static_cast<std::size_t>(selected[place])] +=
          error * std::fabs(source[place]);
  AddRounding(outputs[0], bounds[0]);
}

}  // namespace podsim
