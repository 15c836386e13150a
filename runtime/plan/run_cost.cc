#include "runtime/plan/run_cost.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "runtime/forecast/save_forecast.h"

namespace podsim {
namespace {

constexpr double kSecondsPerHour = 3600;

// With steps of `step` each.
double SecondsWith(const LadderRow& row, SimTime step) {
  const JobForecast& forecast = row.forecast;
  const std::optional<SaveForecast> saves =
      forecast.saves && step > SimTime()
          ? ForecastSaves(row.plan, row.slice, step)
          : std::nullopt;
  return forecast.start_up.seconds() +
         static_cast<double>(forecast.steps) * step.seconds() +
         (saves ? saves->seconds() : 0) + forecast.evaluation_seconds;
}

// Of all steps, in seconds.
std::vector<DoubtShare> StepsShares(const JobForecast& forecast) {
  const auto steps = static_cast<double>(forecast.steps);
  std::vector<DoubtShare> shares;
  for (const DoubtShare& each : forecast.band.shares)
    shares.push_back({each.figures, steps * each.below, steps * each.above});
  return shares;
}

double SumOfSquares(const std::vector<DoubtShare>& shares,
                    double DoubtShare::*side) {
  double sum = 0;
  for (const DoubtShare& share : shares) sum += share.*side * share.*side;
  return sum;
}

RunBand Times(const RunBand& band, double factor) {
  return {band.forecast * factor, band.low * factor, band.high * factor};
}

}  // namespace

double ChipHourPrices::Of(const std::string& generation) const {
  if (of_all) return *of_all;
  const auto found = of_generation.find(generation);
  return found == of_generation.end() ? 0 : found->second;
}

std::vector<DoubtShare> RunShares(const LadderRow& row) {
  const JobForecast& forecast = row.forecast;
  std::vector<DoubtShare> shares = StepsShares(forecast);
  for (const DoubtShare& each : forecast.evaluation_shares) {
    const auto same = std::find_if(
        shares.begin(), shares.end(),
        [&](const DoubtShare& is) { return is.figures == each.figures; });
    if (same == shares.end()) {
      shares.push_back({each.figures, each.below, each.above});
      continue;
    }
    same->below += each.below;
    same->above += each.above;
  }
  for (const DoubtShare& each : forecast.start_up_shares)
    shares.push_back({each.figures, each.below, each.above});
  return shares;
}

RunBand RunSeconds(const LadderRow& row) {
  const double seconds = row.forecast.run_seconds();
  const Band& band = row.forecast.band;
  const std::vector<DoubtShare> steps = StepsShares(row.forecast);
  const std::vector<DoubtShare> all = RunShares(row);
  // Low and high of the steps have their squares in them already.
  const auto with_others = [&](double of_steps, double DoubtShare::*side) {
    const double others = SumOfSquares(all, side) - SumOfSquares(steps, side);
    return std::sqrt(of_steps * of_steps + std::max(0.0, others));
  };
  const double below = std::max(0.0, seconds - SecondsWith(row, band.low));
  const double above = std::max(0.0, SecondsWith(row, band.high) - seconds);
  return {seconds,
          std::max(0.0, seconds - with_others(below, &DoubtShare::below)),
          seconds + with_others(above, &DoubtShare::above)};
}

RunBand RunChipHours(const LadderRow& row) {
  return Times(RunSeconds(row), row.forecast.chips / kSecondsPerHour);
}

RunBand RunCost(const LadderRow& row, const ChipHourPrices& prices) {
  return Times(RunChipHours(row), prices.Of(row.slice.generation));
}

std::string CostText(const ChipHourPrices& prices, double amount) {
  const std::string number = AmountText(amount);
  return prices.currency.empty() ? number
                                 : absl::StrCat(prices.currency, " ", number);
}

}  // namespace podsim
