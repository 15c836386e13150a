#include "runtime/plan/run_cost.h"

#include <algorithm>

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

RunBand Times(const RunBand& band, double factor) {
  return {band.forecast * factor, band.low * factor, band.high * factor};
}

}  // namespace

double ChipHourPrices::Of(const std::string& generation) const {
  if (of_all) return *of_all;
  const auto found = of_generation.find(generation);
  return found == of_generation.end() ? 0 : found->second;
}

RunBand RunSeconds(const LadderRow& row) {
  const double seconds = row.forecast.run_seconds();
  const Band& band = row.forecast.band;
  return {seconds, std::min(seconds, SecondsWith(row, band.low)),
          std::max(seconds, SecondsWith(row, band.high))};
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
