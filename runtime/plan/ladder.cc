#include "runtime/plan/ladder.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "job/plan_program.h"
#include "runtime/forecast/tokens.h"
#include "runtime/job/spec_check.h"
#include "runtime/plan/efficiency.h"
#include "runtime/plan/largest_batch.h"

namespace podsim {
namespace {

// Such a job runs as typed on every slice, and is planned so.
bool IsAsTyped(const JobSpec& spec) {
  return (spec.has_train_steps() || spec.has_epochs()) &&
         spec.has_learning_rate() && !spec.has_reference_topology() &&
         !spec.has_reference_batch_size();
}

// What is the same for all rows.
struct Job {
  const JobSpec& spec;
  const PlanInputs& inputs;
  LadderBatch batch = LadderBatch::kAsAsked;
};

// Against the same plan with every core's update in full.
absl::StatusOr<ShardingGain> GainOf(const LadderRow& row,
                                    const Generation& generation) {
  JobPlan whole = row.plan;
  whole.mutable_spec()->set_sim_sharded_update(false);
  PODSIM_ASSIGN_OR_RETURN(const JobForecast forecast,
                          ForecastJob(whole, row.slice, generation));
  return ShardingGainOf(forecast, row.forecast);
}

absl::StatusOr<LadderRow> RowOf(const Job& job, const Generation& generation,
                                const Slice& slice) {
  LadderRow row = {.slice = slice};
  JobSpec here = job.spec;
  here.set_topology(slice.name);
  if (job.batch == LadderBatch::kLargest) {
    PODSIM_ASSIGN_OR_RETURN(const std::int64_t largest,
                            LargestBatchOn(here, job.inputs));
    here.set_batch_per_core(largest);
  }
  PODSIM_ASSIGN_OR_RETURN(row.plan, PlanJob(here, job.inputs));
  PODSIM_ASSIGN_OR_RETURN(row.forecast,
                          ForecastJob(row.plan, slice, generation));
  if (row.plan.spec().sim_sharded_update()) {
    PODSIM_ASSIGN_OR_RETURN(row.sharding, GainOf(row, generation));
  }
  return row;
}

// The rows know nothing of each other: as many at once as there are CPUs, but
// for what they take of memory. The last ones, mostly the largest, come first.
std::vector<LadderRow> PlanRows(const Job& job,
                                const std::vector<Slice>& slices) {
  constexpr std::size_t kMostAtOnce = 4;
  const Hardware hardware = HardwareOf(job.spec);
  std::vector<LadderRow> rows(slices.size());
  std::atomic<std::size_t> taken = 0;
  const auto fill = [&] {
    for (std::size_t i = ++taken; i <= rows.size(); i = ++taken) {
      const Slice& slice = slices[slices.size() - i];
      auto row = RowOf(job, *FindGeneration(hardware, slice.generation), slice);
      rows[slices.size() - i] =
          row.ok() ? *std::move(row)
                   : LadderRow{.slice = slice, .status = row.status()};
    }
  };
  std::vector<std::jthread> others;
  const std::size_t threads = std::min<std::size_t>(
      {std::thread::hardware_concurrency(), slices.size(), kMostAtOnce});
  while (others.size() + 1 < threads) others.emplace_back(fill);
  fill();
  others.clear();
  return rows;
}

// The examples are the same on every slice.
absl::StatusOr<std::int64_t> TokensIn(const Ladder& ladder) {
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(FirstPlan(ladder)));
  return TokensPerExample(program);
}

}  // namespace

double RecomputedShare(const JobForecast& forecast) {
  return forecast.model_flops > 0
             ? forecast.recomputed_flops / forecast.model_flops
             : 0;
}

const JobPlan& FirstPlan(const Ladder& ladder) {
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok()) return row.plan;
  return ladder.rows.front().plan;
}

absl::Status CheckBatchOnSome(const JobSpec& spec,
                              const std::vector<Slice>& slices) {
  const std::int64_t batch = spec.train_batch_size();
  std::int64_t all = 1;
  for (const Slice& slice : slices) {
    if (batch % slice.replicas == 0) return absl::OkStatus();
    all = std::lcm(all, std::int64_t{slice.replicas});
  }
  // The plan of one slice says the same of it alone.
  if (!spec.has_train_batch_size() || slices.size() == 1)
    return absl::OkStatus();
  const Slice& first = slices.front();
  const std::int64_t below = batch / all * all;
  return absl::InvalidArgumentError(absl::StrCat(
      "train_batch_size ", FormatCount(batch), " does not divide by the ",
      FormatCounted(first.replicas, first.replica_name()), " of ", first.name,
      ", nor by those of the other slices; a multiple of ", FormatCount(all),
      " fits all of them, such as ",
      below > 0 ? absl::StrCat(FormatCount(below), " or ") : "",
      FormatCount(below + all)));
}

absl::StatusOr<Ladder> PlanLadder(const JobSpec& spec, const PlanInputs& inputs,
                                  const std::vector<Slice>& slices,
                                  LadderBatch batch) {
  Ladder ladder = {.strong = spec.has_train_batch_size(),
                   .is_as_typed = IsAsTyped(spec),
                   .largest_batch = batch == LadderBatch::kLargest};
  PODSIM_RETURN_IF_ERROR(CheckBatchOnSome(spec, slices));
  PlanInputs sharing = inputs;
  if (sharing.compiled == nullptr)
    sharing.compiled = std::make_shared<CompiledModels>();
  ladder.rows = PlanRows({spec, sharing, batch}, slices);
  const auto planned = [](const LadderRow& row) { return row.status.ok(); };
  if (std::none_of(ladder.rows.begin(), ladder.rows.end(), planned))
    return ladder.rows.front().status;
  FillEfficiency(ladder.rows);
  PODSIM_ASSIGN_OR_RETURN(ladder.tokens_per_example, TokensIn(ladder));
  return ladder;
}

}  // namespace podsim
