// A training job on slice after slice, as it grows: each planned and forecast.
// Pure but for what the data set's files say. All times are simulated but for
// those of a measured run (measured_rows.h), which others add.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_H_
#define PODSIM_RUNTIME_PLAN_LADDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "runtime/forecast/job_forecast.h"
#include "runtime/job/planner.h"
#include "runtime/plan/measured_run.h"

namespace podsim {

// A share, 0.83 of 1, as forecast, and its lower and upper estimate.
struct ShareBand {
  double forecast = 0;
  double low = 0;
  double high = 0;
};

// What a sharded update does to a step.
struct ShardingGain {
  SimTime whole_step;  // where every core updates all weights
  ShareBand saved;     // of that step
};

struct LadderRow {
  Slice slice;
  absl::Status status;  // why there is no plan; then the rest is empty
  JobPlan plan;
  JobForecast forecast;
  // Examples/s of a replica against those on the smallest slice of the same
  // generation that has a plan.
  double efficiency = 0;
  double efficiency_low = 0;
  double efficiency_high = 0;
  // Of a job with a sharded update.
  std::optional<ShardingGain> sharding = {};
  // A run of this slice and global batch, if one was given.
  std::optional<MeasuredRun> measured = {};
};

// FLOP of products that are computed again for want of HBM, as a share of the
// model's; 0 of a model without products.
double RecomputedShare(const JobForecast& forecast);

struct Ladder {
  std::vector<LadderRow> rows;
  bool strong = false;  // the same global batch everywhere
  // The job has steps and rate of its own and no reference: they are the same
  // on every slice, as in a run there.
  bool is_as_typed = false;
  // The batch per core is what fits each slice.
  bool largest_batch = false;
  std::int64_t tokens_per_example = 0;  // 0: examples are no sequences
  // Of measured runs: a sentence for what no row shows, or shows otherwise.
  std::vector<std::string> measured_notes = {};
};

// Of the first row that has one. REQUIRES: a row.
const JobPlan& FirstPlan(const Ladder& ladder);

// Which batch each slice has.
enum class LadderBatch : std::uint8_t {
  kAsAsked,  // the spec's: the same per core, or the same global batch
  kLargest,  // the largest per core that fits: LargestBatchOn
};

// `spec` but for its topology on each of `slices`; with the same batch per core
// unless it has a global batch. Each row is the plan that a run there has. The
// model is compiled once for all rows, whose settings are the same.
// REQUIRES: a spec with kLargest says no batch.
// Errors: INVALID_ARGUMENT (no slice has a plan: the first one's reason).
absl::StatusOr<Ladder> PlanLadder(const JobSpec& spec, const PlanInputs& inputs,
                                  const std::vector<Slice>& slices,
                                  LadderBatch batch = LadderBatch::kAsAsked);

// A global batch that the cores of none of several slices divide. Errors:
// INVALID_ARGUMENT: the first slice, and the multiples that fit all.
absl::Status CheckBatchOnSome(const JobSpec& spec,
                              const std::vector<Slice>& slices);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_H_
