#include "runtime/ladder/climb_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/text_table.h"
#include "base/units.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/plan/left_out_text.h"

namespace podsim {
namespace {

constexpr char kNoFigure[] = "-";
constexpr char kClocks[] =
    "sim: computed, of the real slice; wall: of this machine, not judged";

// Of the rung's runs that have it.
std::string MeanText(
    const Rung& rung,
    const std::function<std::optional<double>(const RungRun&)>& of,
    const std::function<std::string(double)>& text) {
  double sum = 0;
  int count = 0;
  for (const RungRun& run : rung.runs)
    if (const std::optional<double> value = of(run)) {
      sum += *value;
      ++count;
    }
  return count == 0 ? kNoFigure : text(sum / count);
}

std::string LossText(double loss) { return absl::StrFormat("%.4g", loss); }

// A cell of a rung: with a plan that there is, else the sign for none.
struct Column {
  TableColumn heading;
  std::function<std::string(const Rung&)> cell;
};

std::vector<Column> PlannedColumns() {
  return {
      {{.name = "slice", .left = true},
       [](const Rung& rung) { return rung.plan.slice; }},
      {{.name = "batch", .rank = 2},
       [](const Rung& rung) { return FormatCount(rung.plan.global_batch); }},
      {{.name = "steps", .rank = 1},
       [](const Rung& rung) { return FormatCount(rung.plan.steps); }},
      {{.name = "learning rate", .rank = 3}, [](const Rung& rung) {
         return absl::StrFormat("%.4g", rung.plan.learning_rate);
       }}};
}

std::vector<Column> LossColumns() {
  return {
      {{.name = "train loss", .rank = 4},
       [](const Rung& rung) {
         return MeanText(
             rung, [](const RungRun& run) { return run.last_loss; }, LossText);
       }},
      {{.name = "eval loss"},
       [](const Rung& rung) {
         return MeanText(
             rung, [](const RungRun& run) { return run.eval_loss; }, LossText);
       }},
      {{.name = "accuracy"}, [](const Rung& rung) {
         return MeanText(
             rung, [](const RungRun& run) { return run.eval_accuracy; },
             [](double share) {
               return absl::StrFormat("%.2f%%", 100 * share);
             });
       }}};
}

std::vector<Column> TimeColumns() {
  return {{{.name = "eff"},
           [](const Rung& rung) {
             return absl::StrFormat("%.0f%%", 100 * rung.plan.efficiency);
           }},
          {{.name = "step sim"},
           [](const Rung& rung) { return SpanText(rung.plan.step_seconds); }},
          {{.name = "step wall"}, [](const Rung& rung) {
             return MeanText(
                 rung,
                 [](const RungRun& run) -> std::optional<double> {
                   if (run.wall_step <= 0) return std::nullopt;
                   return run.wall_step;
                 },
                 SpanText);
           }}};
}

TextTable TableOf(const Climb& climb) {
  std::vector<Column> columns;
  for (const std::vector<Column>& part :
       {PlannedColumns(), LossColumns(), TimeColumns()})
    columns.insert(columns.end(), part.begin(), part.end());
  TextTable table;
  for (const Column& column : columns) table.columns.push_back(column.heading);
  table.columns.push_back({.name = "verdict", .left = true});
  for (std::size_t i = 0; i < climb.verdicts.size(); ++i) {
    const Rung& rung = climb.rungs[i];
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const Column& column : columns)
      cells.push_back(!cells.empty() && !rung.plan.refused.empty()
                          ? kNoFigure
                          : column.cell(rung));
    const RungVerdict& verdict = climb.verdicts[i];
    cells.push_back(verdict.passed()
                        ? NameOf(verdict.fault)
                        : absl::StrCat("FAILED: ", NameOf(verdict.fault)));
  }
  return table;
}

std::string AboutText(const Climb& climb) {
  const RungPlan& first = climb.rungs.front().plan;
  return absl::StrCat(
      climb.job, ", trained on ", FormatCount(first.steps * first.global_batch),
      " examples on every slice, ",
      climb.strong ? "the same global batch" : "the same batch per core", "; ",
      first.slice, " with ", climb.seeds.size(),
      " seeds, of which it shows the mean");
}

std::string NotRunText(const Climb& climb) {
  std::vector<std::string> slices;
  for (std::size_t i = climb.verdicts.size(); i < climb.rungs.size(); ++i)
    slices.push_back(climb.rungs[i].plan.slice);
  return slices.empty()
             ? ""
             : absl::StrCat("not run: ", absl::StrJoin(slices, ", "));
}

// REQUIRES: climb.failed().
std::string FailedText(const Climb& climb) {
  const std::size_t last = climb.verdicts.size() - 1;
  return absl::StrCat(climb.rungs[last].plan.slice,
                      " failed: ", climb.verdicts[last].reason);
}

}  // namespace

std::string BandText(const Climb& climb) {
  if (climb.verdicts.empty() || !climb.verdicts.front().passed()) return "";
  const LossBand band = BandOf(climb.rungs.front().runs);
  return absl::StrFormat(
      "%s must be %.4g +- %.4g: the mean of %d seeds on %s, and %s",
      band.of_eval ? "eval loss"
                   : "training loss of the last tenth of the examples",
      band.mean, band.half_width, band.seeds, climb.rungs.front().plan.slice,
      band.by_deviation() ? "3 standard deviations of them" : "5% of it");
}

std::vector<std::string> ClimbNotes(const Climb& climb) {
  std::vector<std::string> notes = {AboutText(climb), kClocks, BandText(climb),
                                    NotRunText(climb)};
  std::erase(notes, "");
  return notes;
}

std::vector<std::vector<std::string>> ClimbRows(const Climb& climb) {
  if (climb.verdicts.empty()) return {};
  const TextTable table = TableOf(climb);
  std::vector<std::vector<std::string>> rows(1);
  for (const TableColumn& column : table.columns)
    rows[0].push_back(column.name);
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  // A phone shows the first columns: the verdict stands beside the slice.
  for (std::vector<std::string>& row : rows)
    std::rotate(row.begin() + 1, row.end() - 1, row.end());
  return rows;
}

std::string FormatClimb(const Climb& climb, int columns) {
  const auto comment = [columns](const std::string& sentence) {
    return sentence.empty() ? "" : CommentText(sentence, columns);
  };
  std::string text = comment(AboutText(climb));
  text += comment(kClocks);
  text += comment(BandText(climb));
  if (!climb.verdicts.empty()) {
    const TableText table = FormatTable(TableOf(climb), columns);
    absl::StrAppend(&text, "#\n", table.text,
                    LeftOutText(table.left_out, columns));
  }
  if (climb.failed()) {
    const RungVerdict& verdict = climb.verdicts.back();
    absl::StrAppend(&text, "#\n", comment(FailedText(climb)));
    if (!verdict.change.empty())
      text += comment(absl::StrCat("change ", verdict.change));
  }
  return text + comment(NotRunText(climb));
}

std::string FirstFailedText(const Climb& climb) {
  if (!climb.failed() || climb.verdicts.size() > 1) return "";
  const std::string& change = climb.verdicts.front().change;
  return absl::StrCat(FailedText(climb),
                      change.empty() ? "" : "; change " + change);
}

}  // namespace podsim
