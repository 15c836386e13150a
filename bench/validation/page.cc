#include "bench/validation/page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace podsim::validation {
namespace {

constexpr char kUnfitted[] = "Published figures between low and high";
constexpr char kEveryRow[] = "The same, every row of these checks";

std::string Number(double value) {
  const double size = std::abs(value);
  if (size >= 1000) return absl::StrFormat("%.0f", value);
  if (size >= 100) return absl::StrFormat("%.1f", value);
  return absl::StrFormat("%.2f", value);
}

std::string ValueText(const Result& result, double value) {
  return result.percent ? absl::StrFormat("%.1f %%", 100 * value)
                        : absl::StrFormat("%.2f", value);
}

std::string BoundText(const Result& result, const Bound& bound) {
  if (bound.least == 0)
    return absl::StrCat("at most ", ValueText(result, bound.most));
  if ((bound.most == 1 && result.percent) || std::isinf(bound.most))
    return absl::StrCat("at least ", ValueText(result, bound.least));
  return absl::StrCat(ValueText(result, bound.least), " to ",
                      ValueText(result, bound.most));
}

std::string Verdict(const Result& result) {
  if (result.goal.Holds(result.value)) return "goal";
  return result.floor.Holds(result.value) ? "floor" : "**missed**";
}

std::string ResultRow(const std::string& title, const std::string& fitted,
                      const Result& result) {
  return absl::StrFormat("| %s | %s | %s | %s | %s | %s | %s |\n", title,
                         fitted, result.what, ValueText(result, result.value),
                         BoundText(result, result.goal),
                         BoundText(result, result.floor), Verdict(result));
}

std::string Summary(const std::vector<Check>& checks) {
  std::string text =
      "| check | fitted | | sim | goal | floor | reached |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Check& check : checks)
    for (const Result& result : check.results)
      text += ResultRow(check.title, check.fitted, result);
  for (const Result& result : CoverageResults(CoverageOf(checks)))
    text += ResultRow(kUnfitted, "no", result);
  for (const Result& result : CoverageResults(CoverageOfRows(checks)))
    text += ResultRow(kEveryRow, "as each says", result);
  return text;
}

std::string RowText(const Row& row) {
  std::string text = absl::StrFormat(
      "| %s | %s | %s |", row.what, row.published ? Number(*row.published) : "",
      Number(row.sim));
  const bool sure = row.band.low == row.band.high;
  absl::StrAppend(&text,
                  sure ? " | |"
                       : absl::StrFormat(" %s | %s |", Number(row.band.low),
                                         Number(row.band.high)));
  if (!row.published) return text + " | |\n";
  absl::StrAppendFormat(&text, " %+.1f %% |", 100 * row.error());
  return absl::StrCat(text, sure ? "" : row.inside() ? " yes" : " no", " |\n");
}

std::string Section(const Check& check) {
  std::string text =
      absl::StrCat("\n### ", check.title, "\n\nSource: ", check.source,
                   ". Fitted: ", check.fitted, ".",
                   check.note.empty() ? "" : " ", check.note, "\n\n");
  absl::StrAppend(&text, "| | published, ", check.rows.front().unit,
                  " | sim | low | high | error | inside |\n",
                  "|---|---|---|---|---|---|---|\n");
  for (const Row& row : check.rows) text += RowText(row);
  return text;
}

// Checks of which every row is published and has a band, and whose constants
// are not fitted to them.
bool Counts(const Check& check) {
  return !check.is_fitted() &&
         std::all_of(check.rows.begin(), check.rows.end(), [](const Row& row) {
           return row.published && row.band.low < row.band.high;
         });
}

struct Weighted {
  const Row* row = nullptr;
  double weight = 0;

  double half() const {
    return (row->band.high - row->band.low) / 2 / row->sim;
  }
};

Coverage CoverageOf(std::vector<Weighted> rows) {
  Coverage coverage;
  double all = 0;
  for (const Weighted& each : rows) {
    all += each.weight;
    if (each.row->inside()) coverage.inside += each.weight;
  }
  if (rows.empty()) return coverage;
  coverage.inside /= all;
  std::sort(rows.begin(), rows.end(), [](const Weighted& a, const Weighted& b) {
    return a.half() < b.half();
  });
  double below = 0;
  for (const Weighted& each : rows) {
    coverage.median_half = each.half();
    below += each.weight;
    if (2 * below >= all) break;
  }
  return coverage;
}

}  // namespace

Coverage CoverageOf(const std::vector<Check>& checks) {
  std::vector<Weighted> rows;
  for (const Check& check : checks)
    if (Counts(check))
      for (const Row& row : check.rows)
        rows.push_back({&row, 1 / static_cast<double>(check.rows.size())});
  return CoverageOf(std::move(rows));
}

Coverage CoverageOfRows(const std::vector<Check>& checks) {
  std::vector<Weighted> rows;
  for (const Check& check : checks)
    for (const Row& row : check.rows)
      if (row.published && row.band.low < row.band.high)
        rows.push_back({&row, 1});
  return CoverageOf(std::move(rows));
}

std::vector<Result> CoverageResults(const Coverage& coverage) {
  return {{"share of them", true, coverage.inside, {0.9, 1}, {0.8, 1}},
          {"half of high - low, median",
           true,
           coverage.median_half,
           {0, 0.15},
           {0, 0.20}}};
}

std::string PageOf(const std::vector<Check>& held,
                   const std::vector<Check>& others) {
  std::string text =
      "# The timing model beside what was published\n\n"
      "Written by `bench/validate`; a test holds this page, and every goal in "
      "it, to what the code\ncomputes; a row that has reached `floor` is held "
      "to its floor. All times are simulated (`sim`) but\nfor the published "
      "ones, and all are absolute but ratios. The sources' keys stand in\n"
      "[hardware.md](hardware.md), the equations in "
      "[timing-model.md](timing-model.md).\n`low` and `high` move each "
      "constant "
      "that is not published through its range.\n\n## What is held\n\n";
  text += Summary(held);
  text +=
      "\nThe last rows but two are over the checks to which nothing is fitted "
      "and whose figures have a band; each\ncheck weighs the same. The two "
      "last ones are over all figures that have a band; each weighs the "
      "same.\n\n## Row by row\n";
  for (const Check& check : held) text += Section(check);
  text +=
      "\n## Other measurements\n\nThese hold nothing: they show what the model "
      "makes of figures that it was not made for.\n";
  for (const Check& check : others) text += Section(check);
  return text;
}

std::string MissesOf(const std::vector<Check>& held) {
  std::string text;
  const auto look = [&](const std::string& title, const Result& result) {
    if (!result.held().Holds(result.value))
      absl::StrAppend(&text, title, ": ", result.what, " is ",
                      ValueText(result, result.value), ", must be ",
                      BoundText(result, result.held()), "\n");
  };
  for (const Check& check : held)
    for (const Result& result : check.results) look(check.title, result);
  for (const Result& result : CoverageResults(CoverageOf(held)))
    look(kUnfitted, result);
  for (const Result& result : CoverageResults(CoverageOfRows(held)))
    look(kEveryRow, result);
  return text;
}

}  // namespace podsim::validation
