// Which slices of a ladder end in time and cost no more than is to be spent.
// Pure.
#ifndef PODSIM_RUNTIME_PLAN_WHICH_SLICE_H_
#define PODSIM_RUNTIME_PLAN_WHICH_SLICE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/plan/ladder.h"
#include "runtime/plan/run_cost.h"

namespace podsim {

// Of a whole run, each if it is given.
struct Limits {
  std::optional<double> deadline_seconds = {};
  std::optional<double> budget = {};  // in the currency of the prices

  bool given() const { return deadline_seconds || budget; }
};

// What is asked of a ladder beside its rows.
struct LadderQuestion {
  ChipHourPrices prices = {};
  Limits limits = {};
};

// How a figure of a run stands to its limit.
enum class Standing : std::uint8_t {
  kMeets,    // all of low to high is within it
  kMayMiss,  // a part is
  kMisses,   // none is
};
Standing StandingOf(const RunBand& band, double limit);
// "meets", "may miss", "misses".
const char* StandingText(Standing standing);

// A row that is named, and how well it keeps the limits.
struct NamedSlice {
  std::size_t row = 0;  // of the ladder
  RunBand seconds;
  RunBand chip_hours;
  RunBand cost;  // all 0: no prices are given
  // How far from low to high every limit is kept: 1 in all of it, 0.85 up to
  // 85% of the way, 0 nowhere but at low at best.
  double holds = 0;
  // The largest of time over deadline and cost over budget, as forecast: at
  // most 1 where the limits are kept.
  double of_limit = 0;
};

// Rows whose costs (or times) differ by no more than this part tie: the
// forecast is not that fine. podsim's own choice.
inline constexpr double kTiedPart = 0.005;

struct WhichSlice {
  Limits limits;
  // Of the rows that keep all limits as forecast. Where one of two is as good
  // as the other, the faster, the cheaper; then the first.
  std::optional<NamedSlice> cheapest;  // by chip-hours if no prices are given
  std::optional<NamedSlice> fastest;
  // Other rows of the ladder that keep all limits and tie with these, in the
  // ladder's order.
  std::vector<std::size_t> cheapest_ties = {};
  std::vector<std::size_t> fastest_ties = {};
  // Where no row keeps them: the one with the least `of_limit`.
  std::optional<NamedSlice> nearest;
};

// REQUIRES: a row has a plan; a budget comes with prices.
WhichSlice ChooseSlices(const Ladder& ladder, const ChipHourPrices& prices,
                        const Limits& limits);

// How far from low to high a figure stays within `limit`: from 0 to 1.
double HoldsUpTo(const RunBand& band, double limit);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_WHICH_SLICE_H_
