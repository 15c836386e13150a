#include "runtime/plan/which_slice.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/status.h"

namespace podsim {
namespace {

NamedSlice NamedSliceOf(const Ladder& ladder, std::size_t row,
                        const ChipHourPrices& prices, const Limits& limits) {
  const LadderRow& from = ladder.rows[row];
  NamedSlice named = {.row = row,
                      .seconds = RunSeconds(from),
                      .chip_hours = RunChipHours(from),
                      .holds = 1};
  if (prices.given()) named.cost = RunCost(from, prices);
  const auto keep = [&](const RunBand& band, double limit) {
    named.holds = std::min(named.holds, HoldsUpTo(band, limit));
    named.of_limit = std::max(named.of_limit, band.forecast / limit);
  };
  if (limits.deadline_seconds) keep(named.seconds, *limits.deadline_seconds);
  if (limits.budget) keep(named.cost, *limits.budget);
  return named;
}

// Ascending: the first is the best.
std::pair<double, double> ByCost(const NamedSlice& named, bool priced) {
  return {priced ? named.cost.forecast : named.chip_hours.forecast,
          named.seconds.forecast};
}
std::pair<double, double> ByTime(const NamedSlice& named, bool priced) {
  const auto [cost, seconds] = ByCost(named, priced);
  return {seconds, cost};
}

template <typename Key>
std::optional<NamedSlice> LeastBy(const std::vector<NamedSlice>& slices,
                                  Key key) {
  const auto least =
      std::min_element(slices.begin(), slices.end(),
                       [&key](const NamedSlice& a, const NamedSlice& b) {
                         return key(a) < key(b);
                       });
  if (least == slices.end()) return std::nullopt;
  return *least;
}

// Rows but `least` whose first key is at most kTiedPart above its own.
template <typename Key>
std::vector<std::size_t> TiesWith(const std::optional<NamedSlice>& least,
                                  const std::vector<NamedSlice>& slices,
                                  Key key) {
  std::vector<std::size_t> ties;
  for (const NamedSlice& other : slices)
    if (other.row != least->row &&
        key(other).first <= (1 + kTiedPart) * key(*least).first)
      ties.push_back(other.row);
  return ties;
}

}  // namespace

Standing StandingOf(const RunBand& band, double limit) {
  if (band.high <= limit) return Standing::kMeets;
  return band.low <= limit ? Standing::kMayMiss : Standing::kMisses;
}

const char* StandingText(Standing standing) {
  switch (standing) {
    case Standing::kMeets:
      return "meets";
    case Standing::kMayMiss:
      return "may miss";
    case Standing::kMisses:
      return "misses";
  }
  return "";
}

double HoldsUpTo(const RunBand& band, double limit) {
  if (limit >= band.high) return 1;
  if (limit <= band.low) return 0;
  return (limit - band.low) / (band.high - band.low);
}

WhichSlice ChooseSlices(const Ladder& ladder, const ChipHourPrices& prices,
                        const Limits& limits) {
  PODSIM_CHECK(!limits.budget || prices.given());
  std::vector<NamedSlice> all;
  for (std::size_t i = 0; i < ladder.rows.size(); ++i)
    if (ladder.rows[i].status.ok())
      all.push_back(NamedSliceOf(ladder, i, prices, limits));
  std::vector<NamedSlice> fit;
  std::copy_if(all.begin(), all.end(), std::back_inserter(fit),
               [](const NamedSlice& named) { return named.of_limit <= 1; });
  const bool priced = prices.given();
  const auto cost = [&](const NamedSlice& a) { return ByCost(a, priced); };
  const auto time = [&](const NamedSlice& a) { return ByTime(a, priced); };
  WhichSlice which = {.limits = limits,
                      .cheapest = LeastBy(fit, cost),
                      .fastest = LeastBy(fit, time)};
  if (fit.empty()) {
    which.nearest =
        LeastBy(all, [](const NamedSlice& a) { return a.of_limit; });
    return which;
  }
  which.cheapest_ties = TiesWith(which.cheapest, fit, cost);
  which.fastest_ties = TiesWith(which.fastest, fit, time);
  return which;
}

}  // namespace podsim
