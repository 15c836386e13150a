// gather, scatter and their gradients: the elements that windows show, wherever
// the indices put them. The indices here put them next to each other, so that
// as many different elements are touched as there can be.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "models/ops/gather_windows.h"
#include "tests/models/ops/cost_oracle.h"
#include "tests/models/ops/sample_operands.h"

namespace podsim::testing {
namespace {

std::size_t Place(std::int64_t i) { return static_cast<std::size_t>(i); }

// The arrays of a use of any of the four.
struct Windowed {
  WindowDims dims;
  Dims operand;
  Dims windows;

  // How much of the operand a window has of each dimension.
  Dims Sizes() const {
    Dims sizes(operand.size(), 1);
    const Dims kept = dims.Kept(static_cast<std::int64_t>(operand.size()));
    for (std::size_t i = 0; i < kept.size(); ++i)
      sizes[Place(kept[i])] = windows[Place(dims.window[i])];
    return sizes;
  }
};

bool IsScatter(const OpAttributes& attributes) {
  return attributes.lists.contains("update_window_dims");
}

// `windows`, `operand`: the sizes of these arrays, with a number for B.
Windowed WindowedBy(const OpAttributes& attributes, const Dims& operand,
                    const Dims& windows) {
  return {
      IsScatter(attributes) ? ScatterDims(attributes) : GatherDims(attributes),
      operand, windows};
}

// fn(index in the operand, index in the windows) for all that windows show.
template <typename Fn>
void ForWindowElements(const Windowed& use, const Tensor& indices,
                       const Fn& fn) {
  const auto index_rank = static_cast<std::int64_t>(indices.dims.size());
  const Dims kept =
      use.dims.Kept(static_cast<std::int64_t>(use.operand.size()));
  const Dims index_places = use.dims.IndexPlaces(index_rank);
  const Dims places =
      use.dims.WindowPlaces(static_cast<std::int64_t>(use.windows.size()));
  const Dims strides = StridesOf(indices.dims);
  ForIndices(use.windows, [&](const Dims& window) {
    Dims of_window(indices.dims.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      of_window[Place(index_places[i])] = window[Place(places[i])];
    Dims at(use.operand.size());
    for (std::size_t i = 0; i < use.dims.map.size(); ++i) {
      if (use.dims.vector < index_rank)
        of_window[Place(use.dims.vector)] = static_cast<std::int64_t>(i);
      at[Place(use.dims.map[i])] = static_cast<std::int64_t>(
          indices.values[Place(OffsetOf(of_window, strides))]);
    }
    for (std::size_t i = 0; i < use.dims.operand_batch.size(); ++i)
      at[Place(use.dims.operand_batch[i])] =
          of_window[Place(use.dims.index_batch[i])];
    for (std::size_t i = 0; i < kept.size(); ++i)
      at[Place(kept[i])] += window[Place(use.dims.window[i])];
    fn(at, window);
  });
}

// Window after window takes the next place along the indexed dimensions, and
// the first again after the last.
void SpreadWindows(const Windowed& use, Tensor& indices) {
  const Dims sizes = use.Sizes();
  const auto index_rank = static_cast<std::int64_t>(indices.dims.size());
  const Dims strides = StridesOf(indices.dims);
  const Dims index_places = use.dims.IndexPlaces(index_rank);
  std::int64_t number = 0;
  ForIndices(Pick(indices.dims, index_places), [&](const Dims& place) {
    Dims index(indices.dims.size());
    for (std::size_t i = 0; i < place.size(); ++i)
      index[Place(index_places[i])] = place[i];
    std::int64_t rest = number++;
    for (std::size_t i = 0; i < use.dims.map.size(); ++i) {
      if (use.dims.vector < index_rank)
        index[Place(use.dims.vector)] = static_cast<std::int64_t>(i);
      const std::size_t dim = Place(use.dims.map[i]);
      const std::int64_t room = use.operand[dim] / sizes[dim];
      indices.values[Place(OffsetOf(index, strides))] =
          static_cast<double>(rest % room * sizes[dim]);
      rest /= room;
    }
  });
}

Windowed OfOperands(const CountedUse& use, const Tensor& operand,
                    const Tensor& windows) {
  return WindowedBy(use.attributes(), operand.dims, windows.dims);
}

// gather, and ScatterGrad, which gathers dy.
void ReadWindows(CountedUse& use) {
  use.TakesPartOf(0);
  ForWindowElements(OfOperands(use, use.operand(0), use.result()),
                    use.operand(1), [&](const Dims& at, const Dims& window) {
                      use.Write(window, use.Read(0, at));
                    });
}

// Adds into zeros.
void GatherGrad(CountedUse& use) {
  const Dims strides = StridesOf(use.result().dims);
  ForWindowElements(OfOperands(use, use.result(), use.operand(0)),
                    use.operand(1), [&](const Dims& at, const Dims& window) {
                      const std::int64_t to = OffsetOf(at, strides);
                      use.Write(to, use.Held(to) + use.Read(0, window));
                    });
}

// Adds where the operand lies, whose other elements stay.
void ScatterAdd(CountedUse& use) {
  use.WorksInPlace();
  const Dims strides = StridesOf(use.result().dims);
  ForWindowElements(OfOperands(use, use.operand(0), use.operand(2)),
                    use.operand(1), [&](const Dims& at, const Dims& window) {
                      const std::int64_t to = OffsetOf(at, strides);
                      use.Read(0, to);
                      use.Write(to, use.Held(to) + use.Read(2, window));
                    });
}

constexpr CostOracle kGatherOracles[] = {
    {"gather", ReadWindows},
    {"GatherGrad", GatherGrad},
    {"scatter", ScatterAdd},
    {"ScatterGrad", ReadWindows},
};

}  // namespace

CostOracles GatherOracles() { return kGatherOracles; }

std::vector<Tensor> OperandsToCount(const OpEntry& entry,
                                    const OpSample& sample, std::int64_t rows) {
  std::vector<Tensor> operands = DrawOperands(sample, rows);
  const bool is_windowed =
      std::any_of(std::begin(kGatherOracles), std::end(kGatherOracles),
                  [&](const CostOracle& oracle) {
                    return std::string_view(entry.name) == oracle.op;
                  });
  if (!is_windowed) return operands;
  const Dims result = DimsFor(sample.outputs[0].shape, rows);
  const std::string_view name = entry.name;
  const Dims& operand = name == "GatherGrad" ? result : operands[0].dims;
  const Dims& windows = name == "GatherGrad" ? operands[0].dims
                        : name == "scatter"  ? operands[2].dims
                                             : result;
  SpreadWindows(WindowedBy(sample.attributes, operand, windows), operands[1]);
  return operands;
}

}  // namespace podsim::testing
