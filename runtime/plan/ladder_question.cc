#include "runtime/plan/ladder_question.h"

#include <cmath>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/files/chip_prices_file.h"
#include "settings/meant_number.h"

namespace podsim {
namespace {

absl::Status CheckEachHasAPrice(const ChipHourPrices& prices,
                                const std::string& file,
                                const std::vector<Slice>& slices) {
  for (const Slice& slice : slices)
    if (prices.Of(slice.generation) <= 0)
      return absl::InvalidArgumentError(absl::StrCat(
          "chip_prices file ", file, " has no price of ", slice.generation,
          ", which ", slice.name, " is of: add chip { generation: \"",
          slice.generation, "\" per_hour: X }"));
  return absl::OkStatus();
}

absl::StatusOr<ChipHourPrices> PricesOf(const PlanSettings& settings,
                                        const Hardware& hardware,
                                        const std::vector<Slice>& slices) {
  ChipHourPrices prices;
  if (settings.has_price_per_chip_hour())
    prices.of_all = settings.price_per_chip_hour();
  if (!settings.has_chip_prices()) return prices;
  PODSIM_ASSIGN_OR_RETURN(const ChipPrices file,
                          ReadChipPrices(settings.chip_prices(), hardware));
  prices.currency = file.currency();
  for (const ChipPrice& chip : file.chip())
    prices.of_generation[chip.generation()] = chip.per_hour();
  PODSIM_RETURN_IF_ERROR(
      CheckEachHasAPrice(prices, settings.chip_prices(), slices));
  return prices;
}

// "12": of seconds or of hours, which nobody but the asker knows.
bool IsBareNumber(const std::string& text) {
  double number = 0;
  return absl::SimpleAtod(text, &number) && number > 0 && std::isfinite(number);
}

}  // namespace

absl::StatusOr<double> DeadlineSeconds(const std::string& text) {
  if (IsBareNumber(text))
    return absl::InvalidArgumentError(absl::StrCat(
        "--deadline is \"", text, "\", a number without a unit: give ", text,
        "s for seconds, ", text, "h for hours"));
  const std::optional<double> seconds = SecondsMeant(text);
  if (!seconds || *seconds <= 0 || !std::isfinite(*seconds))
    return absl::InvalidArgumentError(
        absl::StrCat("--deadline is \"", text,
                     "\"; give a time above 0 with its unit, such as 90m, 4h, "
                     "1.5h or 2d"));
  return *seconds;
}

absl::StatusOr<LadderQuestion> QuestionOf(const PlanSettings& settings,
                                          const Hardware& hardware,
                                          const std::vector<Slice>& slices) {
  LadderQuestion asked;
  if (settings.has_deadline()) {
    PODSIM_ASSIGN_OR_RETURN(asked.limits.deadline_seconds,
                            DeadlineSeconds(settings.deadline()));
  }
  if (settings.has_budget()) asked.limits.budget = settings.budget();
  PODSIM_ASSIGN_OR_RETURN(asked.prices, PricesOf(settings, hardware, slices));
  if (asked.limits.budget && !asked.prices.given())
    return absl::InvalidArgumentError(
        "--budget needs the price of a chip for an hour: give "
        "--chip_prices=FILE, a price for each generation, or "
        "--price_per_chip_hour=X");
  return asked;
}

absl::Status CheckQuestionIsShown(const PlanSettings& settings) {
  if (!settings.explain() || settings.json()) return absl::OkStatus();
  std::string added;
  if (settings.has_budget()) added = "--budget adds an answer";
  if (settings.has_deadline()) added = "--deadline adds an answer";
  if (settings.has_chip_prices()) added = "--chip_prices adds a column";
  if (settings.has_price_per_chip_hour())
    added = "--price_per_chip_hour adds a column";
  if (settings.measured_size() > 0) added = "--measured adds columns";
  if (added.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      added,
      " to the table of slices, which --explain does not print: leave out one "
      "of the two, or add --json"));
}

}  // namespace podsim
