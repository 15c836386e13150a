#include "runtime/plan/ladder.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/job/spec_check.h"

namespace podsim {
namespace {

// Nothing of such a job is scaled when it is run; here the first slice's
// figures are to grow.
bool IsAsTyped(const JobSpec& spec) {
  return (spec.has_train_steps() || spec.has_epochs()) &&
         (spec.has_learning_rate() || spec.has_base_learning_rate()) &&
         !spec.has_reference_topology() && !spec.has_reference_batch_size() &&
         !spec.has_train_batch_size();
}

absl::StatusOr<LadderRow> RowOf(const JobSpec& spec, const PlanInputs& inputs,
                                const Generation& generation,
                                const Slice& slice) {
  LadderRow row = {.slice = slice};
  JobSpec here = spec;
  here.set_topology(slice.name);
  PODSIM_ASSIGN_OR_RETURN(row.plan, PlanJob(here, inputs));
  PODSIM_ASSIGN_OR_RETURN(row.forecast,
                          ForecastJob(row.plan, slice, generation));
  return row;
}

void FillEfficiency(std::vector<LadderRow>& rows) {
  std::map<std::string, const LadderRow*> feet;
  for (const LadderRow& row : rows) {
    if (!row.status.ok()) continue;
    const LadderRow*& foot = feet[row.slice.generation];
    if (foot == nullptr || row.slice.replicas < foot->slice.replicas)
      foot = &row;
  }
  for (LadderRow& row : rows)
    if (row.status.ok())
      row.efficiency = row.forecast.examples_per_second_per_replica() /
                       feet[row.slice.generation]
                           ->forecast.examples_per_second_per_replica();
}

}  // namespace

absl::StatusOr<Ladder> PlanLadder(const JobSpec& spec, const PlanInputs& inputs,
                                  const std::vector<Slice>& slices) {
  Ladder ladder = {.strong = spec.has_train_batch_size()};
  JobSpec job = spec;
  const Hardware hardware = HardwareOf(spec);
  absl::Status first;
  bool any = false;
  for (const Slice& slice : slices) {
    if (IsAsTyped(job) && CheckTrains(slice).ok()) {
      job.set_reference_topology(slice.name);
      ladder.as_typed_on = slice.name;
    }
    auto row =
        RowOf(job, inputs, *FindGeneration(hardware, slice.generation), slice);
    any = any || row.ok();
    if (first.ok()) first = row.status();
    ladder.rows.push_back(
        row.ok() ? *std::move(row)
                 : LadderRow{.slice = slice, .status = row.status()});
  }
  if (!any) return first;
  FillEfficiency(ladder.rows);
  return ladder;
}

}  // namespace podsim
