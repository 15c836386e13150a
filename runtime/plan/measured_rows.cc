#include "runtime/plan/measured_rows.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"

namespace podsim {
namespace {

// Both are whole picoseconds; the file has the nearest doubles.
bool IsSameStep(double one, double other) {
  constexpr double kHalfPicosecond = 0.5e-12;
  return std::abs(one - other) < kHalfPicosecond;
}

LadderRow* FindRow(Ladder& ladder, const std::string& slice) {
  const auto found = std::find_if(
      ladder.rows.begin(), ladder.rows.end(),
      [&](const LadderRow& row) { return row.slice.name == slice; });
  return found == ladder.rows.end() ? nullptr : &*found;
}

// The flag that plans the run's batch.
std::string BatchFlag(const MeasuredRun& run, const Ladder& ladder,
                      const LadderRow& row) {
  if (ladder.strong || run.global_batch % row.slice.replicas != 0)
    return absl::StrCat("--train_batch_size=", run.global_batch);
  return absl::StrCat("--batch_per_core=",
                      run.global_batch / row.slice.replicas);
}

// Why the run is not in `row`; null: its slice has none. Empty: it is.
std::string WhyNot(const MeasuredRun& run, const Ladder& ladder,
                   const LadderRow* row) {
  const PlanBits& bits = FirstPlan(ladder).bits();
  if (run.model != bits.model().name() || run.dataset != bits.dataset().name())
    return absl::StrCat("it trained ", run.model, " on ", run.dataset,
                        ", the table is of ", bits.model().name(), " on ",
                        bits.dataset().name());
  if (row == nullptr)
    return absl::StrCat("it ran on ", run.slice,
                        ", which is none of the table's slices: add it to "
                        "--topology");
  if (!row->status.ok()) return absl::StrCat(run.slice, " has no plan here");
  if (run.global_batch != row->plan.global_batch())
    return absl::StrCat("its global batch on ", run.slice, " is ",
                        FormatCount(run.global_batch), ", the row's is ",
                        FormatCount(row->plan.global_batch()), ": ",
                        BatchFlag(run, ladder, *row), " plans the run's");
  if (run.steps == 0) return "it finished no step";
  return "";
}

// Two spans that differ, with as many digits as tell them apart.
std::string StepsText(const std::string& slice, double run, double row) {
  std::string of_run = SpanText(run);
  std::string of_row = SpanText(row);
  if (of_run == of_row) {
    of_run = absl::StrFormat("%.12g s", run);
    of_row = absl::StrFormat("%.12g s", row);
  }
  return absl::StrCat("its simulated step on ", slice, " is ", of_run,
                      ", the row's is ", of_row,
                      ": settings or hardware figures differ");
}

// What is said of a run that is in `row`.
void NoteStep(const MeasuredRun& run, const LadderRow& row,
              std::vector<std::string>& notes) {
  const double planned = row.forecast.step.total.seconds();
  if (!run.sim_step_seconds)
    notes.push_back(
        absl::StrCat(run.path, ": it ended before its step was simulated"));
  else if (!IsSameStep(*run.sim_step_seconds, planned))
    notes.push_back(absl::StrCat(
        run.path, ": ", StepsText(run.slice, *run.sim_step_seconds, planned)));
}

void NoteBadLines(const MeasuredRun& run, std::vector<std::string>& notes) {
  if (run.bad_lines == 0) return;
  notes.push_back(absl::StrCat(
      run.path, ": ", FormatCounted(run.bad_lines, "line"),
      " left out, no record of a run; the first is line ", run.first_bad_line));
}

}  // namespace

Ladder WithMeasured(Ladder ladder, const std::vector<MeasuredRun>& runs) {
  std::vector<std::string>& notes = ladder.measured_notes;
  for (const MeasuredRun& run : runs) {
    LadderRow* const row = FindRow(ladder, run.slice);
    if (const std::string why = WhyNot(run, ladder, row); !why.empty()) {
      notes.push_back(absl::StrCat(run.path, " is not in the table: ", why));
      continue;
    }
    if (row->measured)
      notes.push_back(absl::StrCat(row->measured->path,
                                   " is not in the table: ", run.path,
                                   ", given after it, is of the same row"));
    row->measured = run;
    NoteStep(run, *row, notes);
    NoteBadLines(run, notes);
  }
  return ladder;
}

bool HasMeasured(const Ladder& ladder) {
  return std::any_of(
      ladder.rows.begin(), ladder.rows.end(),
      [](const LadderRow& row) { return row.measured.has_value(); });
}

std::optional<double> MeasuredRunSeconds(const LadderRow& row) {
  if (!row.measured || !row.measured->sim_step_seconds) return std::nullopt;
  const double longer =
      *row.measured->sim_step_seconds - row.forecast.step.total.seconds();
  return row.forecast.run_seconds() +
         static_cast<double>(row.forecast.steps) * longer;
}

}  // namespace podsim
