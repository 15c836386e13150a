// Folds: reduce, arg_max and windows. Each element that is folded in is an
// operation on what is held, which begins as what changes nothing; padding and
// holes are not folded in.
#include <cstddef>
#include <limits>
#include <string>

#include "tests/models/ops/cost_oracle.h"

namespace podsim::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Bools are 1 and 0.
Counted FoldedBy(const std::string& word, const Counted& held,
                 const Counted& x) {
  if (word == "add") return held + x;
  if (word == "multiply") return held * x;
  const bool larger = word == "maximum" || word == "or";
  return larger ? Maximum(held, x) : Minimum(held, x);
}

double NothingOf(const std::string& word) {
  if (word == "add") return 0;
  if (word == "multiply") return 1;
  return word == "maximum" || word == "or" ? -kInfinity : kInfinity;
}

// fn(element of the result, elements that are folded into it) of a reduction.
template <typename Fn>
void ForLines(const CountedUse& use, const Fn& fn) {
  const Dims& sizes = use.operand(0).dims;
  const DimsView along = use.attributes().List("dimensions");
  const Dims begins = OffsetsOver(
      sizes, OthersOf(static_cast<std::int64_t>(sizes.size()), along));
  const Dims offsets = OffsetsOver(sizes, along);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    Dims line = offsets;
    for (std::int64_t& element : line) element += begins[i];
    fn(static_cast<std::int64_t>(i), line);
  }
}

void Reduce(CountedUse& use) {
  const std::string& word = use.attributes().word;
  ForLines(use, [&](std::int64_t result, const Dims& line) {
    Counted held = NothingOf(word);
    for (const std::int64_t element : line)
      held = FoldedBy(word, held, use.Read(0, element));
    use.Write(result, held);
  });
}

void ArgMax(CountedUse& use) {
  ForLines(use, [&](std::int64_t result, const Dims& line) {
    Counted most = -kInfinity;
    Counted place = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const Counted x = use.Read(0, line[i]);
      const Counted larger = x > most;
      most = Select(larger, x, most);
      place = Select(larger, static_cast<double>(i), place);
    }
    use.Write(result, place);
  });
}

// The product of those before an element, by that of those behind it.
void ReduceMultiplyGrad(CountedUse& use) {
  ForLines(use, [&](std::int64_t result, const Dims& line) {
    Counted before = use.Read(1, result);
    for (const std::int64_t element : line) {
      use.Write(element, before);
      before = before * use.Read(0, element);
    }
    Counted behind = 1;
    for (std::size_t i = line.size(); i-- > 0;) {
      use.Write(line[i], use.Held(line[i]) * behind);
      behind = behind * use.Read(0, line[i]);
    }
  });
}

void BiasGrad(CountedUse& use) {
  const std::int64_t columns = use.operand(0).columns;
  for (std::int64_t i = 0; i < use.operand(0).rows * columns; ++i)
    use.Write(i % columns, use.Held(i % columns) + use.Read(0, i));
}

// Number i of a window's list.
std::int64_t NumberOr(const CountedUse& use, const char* list, std::size_t i,
                      std::int64_t otherwise) {
  const DimsView numbers = use.attributes().List(list);
  return numbers.empty() ? otherwise : numbers[i];
}

// fn(element of x) of each that a window shows where it stands.
template <typename Fn>
void ForShownElements(const CountedUse& use, const Dims& place, const Fn& fn) {
  const Dims& sizes = use.operand(0).dims;
  const Dims strides = StridesOf(sizes);
  Dims taps(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    taps[i] = NumberOr(use, "window_dimensions", i, 1);
  ForIndices(taps, [&](const Dims& tap) {
    std::int64_t element = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::int64_t at = place[i] * NumberOr(use, "window_strides", i, 1) +
                              tap[i] * NumberOr(use, "window_dilations", i, 1) -
                              NumberOr(use, "padding_low", i, 0);
      const std::int64_t apart = NumberOr(use, "base_dilations", i, 1);
      if (at < 0 || at % apart != 0 || at / apart >= sizes[i]) return;
      element += at / apart * strides[i];
    }
    fn(element);
  });
}

void ReduceWindow(CountedUse& use) {
  const std::string& word = use.attributes().word;
  std::int64_t result = 0;
  ForIndices(use.result().dims, [&](const Dims& place) {
    Counted held = NothingOf(word);
    ForShownElements(use, place, [&](std::int64_t element) {
      held = FoldedBy(word, held, use.Read(0, element));
    });
    use.Write(result++, held);
  });
}

// Whether the element that is held stays.
Counted StaysBy(const std::string& word, const Counted& held,
                const Counted& x) {
  if (word == "GE") return held >= x;
  if (word == "LE") return held <= x;
  return word == "GT" ? held > x : held < x;
}

void SelectAndScatter(CountedUse& use) {
  const std::string& word = use.attributes().word;
  const bool wants_largest = word == "GE" || word == "GT";
  std::int64_t source = 0;
  ForIndices(use.operand(1).dims, [&](const Dims& place) {
    Counted held = wants_largest ? -kInfinity : kInfinity;
    Counted selected = -1;
    ForShownElements(use, place, [&](std::int64_t element) {
      const Counted x = use.Read(0, element);
      const Counted stays = StaysBy(word, held, x);
      held = Select(stays, held, x);
      selected = Select(stays, selected, static_cast<double>(element));
    });
    const auto to = static_cast<std::int64_t>(selected.value);
    use.Write(to, use.Held(to) + use.Read(1, source++));
  });
}

constexpr CostOracle kFoldOracles[] = {
    {"reduce", Reduce},
    {"arg_max", ArgMax},
    {"ReduceMultiplyGrad", ReduceMultiplyGrad},
    {"BiasGrad", BiasGrad},
    {"reduce_window", ReduceWindow},
    {"select_and_scatter", SelectAndScatter},
};

}  // namespace

CostOracles FoldOracles() { return kFoldOracles; }

}  // namespace podsim::testing
