#include "runtime/plan/which_text.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/text_table.h"
#include "base/units.h"
#include "job/plan_warning.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/plan/ladder_troubles.h"

namespace podsim {
namespace {

constexpr char kAboutRuns[] =
    "low to high of a run is of its steps, its start-up and its evaluations: "
    "what each figure may take away or add within its range, in squares";

// "4 h and USD 500".
std::string LimitsText(const Limits& limits, const ChipHourPrices& prices) {
  std::vector<std::string> parts;
  if (limits.deadline_seconds)
    parts.push_back(SpanText(*limits.deadline_seconds));
  if (limits.budget) parts.push_back(CostText(prices, *limits.budget));
  return absl::StrJoin(parts, " and ");
}

// "3.2 h (2.9 to 3.8 h), 205 chip-hours, USD 410 (USD 372 to USD 487)".
std::string RunText(const NamedSlice& named, const ChipHourPrices& prices) {
  const RunBand& seconds = named.seconds;
  std::string text =
      absl::StrCat(SpanText(seconds.forecast), " sim (", SpanText(seconds.low),
                   " to ", SpanText(seconds.high), "), ",
                   AmountText(named.chip_hours.forecast), " chip-hours");
  if (prices.given())
    absl::StrAppend(&text, ", ", CostText(prices, named.cost.forecast), " (",
                    CostText(prices, named.cost.low), " to ",
                    CostText(prices, named.cost.high), ")");
  return text;
}

std::string HoldsText(double holds) {
  if (holds >= 1) return "holds in all of low to high";
  // Downwards: nothing is told to be surer than it is.
  const int percent = static_cast<int>(std::floor(100 * holds));
  return percent == 0 ? "holds no further up than low"
                      : absl::StrCat("holds up to ", percent,
                                     "% of the way from low to high (a place "
                                     "in the band, no probability)");
}

// A slice may win or lose by it.
std::string RecomputesText(const JobForecast& forecast) {
  const double share = RecomputedShare(forecast);
  return share > 0
             ? absl::StrFormat(
                   "; it recomputes %.2g%% of the model's FLOP for want of HBM",
                   100 * share)
             : "";
}

// What the answer takes for granted where nobody said how.
std::string AttentionText(const JobPlan& plan) {
  return HasWarning(plan, kAttentionWarning)
             ? "; with a kernel of its own for attention: if your code calls "
               "none, ask again with --attention=plain"
             : "";
}

// What low to high cannot know.
std::string UncomparedText(const Slice& slice) {
  if (!slice.compared_steps.empty()) return "";
  return absl::StrCat("; no step of ", slice.generation,
                      " was compared with a published one of the same program: "
                      "measure one before you rent for long");
}

// "; ties with v4-8 (cost within 0.5%)"; nothing where no row ties.
std::string TiesText(const Ladder& ladder, const std::vector<std::size_t>& rows,
                     const char* what) {
  if (rows.empty()) return "";
  return absl::StrFormat("; ties with %s (%s within %.2g%%)",
                         SliceNamesText(ladder, rows), what, 100 * kTiedPart);
}

// `ties`: what TiesText says of it.
std::string NamedText(const Ladder& ladder, const ChipHourPrices& prices,
                      const NamedSlice& named, const std::string& ties) {
  const LadderRow& row = ladder.rows[named.row];
  return absl::StrCat(row.slice.name, ", ", RunText(named, prices), ": ",
                      HoldsText(named.holds), ties,
                      RecomputesText(row.forecast), AttentionText(row.plan),
                      UncomparedText(row.slice));
}

// "link_share and step_seconds".
std::string FiguresText(const std::vector<std::string>& figures) {
  return absl::StrJoin(figures, " and ");
}

// Which figures make low and high of a run what they are; nothing of a row
// whose figures are all published.
std::string MovedByText(const LadderRow& row) {
  const std::vector<DoubtShare> shares = RunShares(row);
  const std::string low = FiguresText(MostBelow(shares));
  const std::string high = FiguresText(MostAbove(shares));
  if (low.empty() && high.empty()) return "";
  std::vector<std::string> ends;
  if (low == high) {
    ends.push_back(absl::StrCat("low and high by ", low));
  } else {
    if (!low.empty()) ends.push_back(absl::StrCat("low by ", low));
    if (!high.empty()) ends.push_back(absl::StrCat("high by ", high));
  }
  return absl::StrCat("the figures that move a run on ", row.slice.name,
                      " most: ", absl::StrJoin(ends, ", "));
}

// ", 30% over 4 h"; nothing where it is kept.
std::string OverText(double value, std::optional<double> limit,
                     const std::string& text) {
  if (!limit || value <= *limit) return "";
  return absl::StrFormat(", %.3g%% over %s", 100 * (value / *limit - 1), text);
}

std::string NearestText(const Ladder& ladder, const ChipHourPrices& prices,
                        const WhichSlice& which) {
  const NamedSlice& named = *which.nearest;
  const Limits& limits = which.limits;
  const JobForecast& forecast = ladder.rows[named.row].forecast;
  std::string text =
      absl::StrCat("no slice of these keeps ", LimitsText(limits, prices), "; ",
                   ladder.rows[named.row].slice.name,
                   " comes nearest: ", RunText(named, prices),
                   OverText(named.seconds.forecast, limits.deadline_seconds,
                            SpanText(limits.deadline_seconds.value_or(0))),
                   OverText(named.cost.forecast, limits.budget,
                            CostText(prices, limits.budget.value_or(0))));
  if (named.holds > 0) absl::StrAppend(&text, "; it ", HoldsText(named.holds));
  return absl::StrCat(text, RecomputesText(forecast));
}

// Those of the slices that are named.
std::vector<std::string> NamingSentences(const Ladder& ladder,
                                         const ChipHourPrices& prices,
                                         const WhichSlice& which) {
  if (which.nearest) return {NearestText(ladder, prices, which)};
  const std::string within =
      absl::StrCat(" within ", LimitsText(which.limits, prices), ": ");
  const char* const cheapest =
      prices.given() ? "cheapest" : "fewest chip-hours";
  const std::string as_cheap = TiesText(ladder, which.cheapest_ties,
                                        prices.given() ? "cost" : "chip-hours");
  const std::string as_fast = TiesText(ladder, which.fastest_ties, "time");
  const bool both = which.limits.deadline_seconds && which.limits.budget;
  if (both && which.cheapest->row == which.fastest->row)
    return {absl::StrCat(
        cheapest, " and fastest", within,
        NamedText(ladder, prices, *which.cheapest, as_cheap + as_fast))};
  std::vector<std::string> sentences;
  if (which.limits.deadline_seconds)
    sentences.push_back(
        absl::StrCat(cheapest, within,
                     NamedText(ladder, prices, *which.cheapest, as_cheap)));
  if (which.limits.budget)
    sentences.push_back(absl::StrCat(
        "fastest", within, NamedText(ladder, prices, *which.fastest, as_fast)));
  return sentences;
}

// Of the rows that the sentences name, each once.
std::vector<std::size_t> NamedRows(const WhichSlice& which) {
  if (which.nearest) return {which.nearest->row};
  std::vector<std::size_t> rows;
  if (which.limits.deadline_seconds) rows.push_back(which.cheapest->row);
  if (which.limits.budget &&
      (rows.empty() || rows.front() != which.fastest->row))
    rows.push_back(which.fastest->row);
  return rows;
}

}  // namespace

std::vector<std::string> WhichSentences(const Ladder& ladder,
                                        const ChipHourPrices& prices,
                                        const WhichSlice& which) {
  if (!which.limits.given()) return {};
  std::vector<std::string> sentences = NamingSentences(ladder, prices, which);
  for (const std::size_t row : NamedRows(which))
    if (std::string text = MovedByText(ladder.rows[row]); !text.empty())
      sentences.push_back(std::move(text));
  return sentences;
}

std::string FormatWhich(const Ladder& ladder, const ChipHourPrices& prices,
                        const WhichSlice& which, int columns) {
  if (!which.limits.given()) return "";
  std::string text;
  for (const std::string& sentence : WhichSentences(ladder, prices, which))
    text += CommentText(sentence, columns);
  return text + CommentText(kAboutRuns, columns);
}

}  // namespace podsim
