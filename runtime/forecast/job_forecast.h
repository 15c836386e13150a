// What a planned job would take on the real pod. Pure; all of it is simulated.
//
//   PODSIM_ASSIGN_OR_RETURN(
//       const JobForecast forecast,
//       ForecastJob(plan, slice, *FindGeneration(hardware, slice.generation)));
#ifndef PODSIM_RUNTIME_FORECAST_JOB_FORECAST_H_
#define PODSIM_RUNTIME_FORECAST_JOB_FORECAST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/timing/band.h"
#include "interconnect/topology/hardware.h"
#include "proto/job.pb.h"
#include "runtime/forecast/forecast.h"
#include "runtime/forecast/save_forecast.h"

namespace podsim {

struct JobForecast {
  SimStep step;
  Band band;  // around step.total
  std::optional<ChipAlgorithm>
      algorithm;  // of the largest sum, if there is one
  std::int64_t global_batch = 0;
  std::int64_t steps = 0;
  int chips = 0;
  int replicas = 0;
  // Of its computation more than half is HBM traffic's.
  bool is_hbm_bound = false;
  // Of checkpoints that go to a bucket.
  std::optional<SaveForecast> saves;
  // Of the products of one replica's step, as the model says them: without what
  // padding costs and without what podsim recomputes for want of HBM.
  double model_flops = 0;
  double recomputed_flops = 0;  // these
  double peak_flops = 0;        // of a replica, bfloat16, per second
  // Of the whole job: from its start to the first step; all its evaluations.
  SimTime start_up;
  double evaluation_seconds = 0;
  // What doubts may take away from these two and add to them, in seconds.
  std::vector<DoubtShare> start_up_shares = {};
  std::vector<DoubtShare> evaluation_shares = {};

  double examples_per_second() const {
    return step.ExamplesPerSecond(global_batch);
  }
  double examples_per_second_per_replica() const {
    return examples_per_second() / replicas;
  }
  // Of all steps, one after the other, and of `saves`: no start-up, evaluation
  // or other checkpoint.
  double seconds() const {
    return static_cast<double>(steps) * step.total.seconds() +
           (saves ? saves->seconds() : 0);
  }
  double chip_hours() const { return seconds() * chips / 3600; }
  // From start to end: with start-up and evaluations too.
  double run_seconds() const {
    return start_up.seconds() + seconds() + evaluation_seconds;
  }
  double run_chip_hours() const { return run_seconds() * chips / 3600; }
  // Model FLOPs utilization: of what the matrix units could do in a step.
  double mfu() const {
    return model_flops / (peak_flops * step.total.seconds());
  }
};

// What takes most of a step: "the input", "the store", "compute", "the
// all-reduce" or "the fixed cost", of a step.
const char* BoundOf(const SimStep& step);
// The same; "HBM traffic" where that decides the computation.
const char* BoundOf(const JobForecast& forecast);

// `generation`: the slice's. REQUIRES: `slice` is the plan's.
// Errors: those of ProgramOf, ChipStepFor and PriceStep.
absl::StatusOr<JobForecast> ForecastJob(const JobPlan& plan, const Slice& slice,
                                        const Generation& generation);

// What a plan's scaling efficiency compares with: the slice and the batch per
// core of the job's reference, and the examples/s that the plan's step would
// have there for each replica. A reference of another generation says the batch
// alone, and of a job without one it is the plan's own; the slice then is the
// smallest of `generation` that trains, or the plan's if that is smaller still.
struct LadderFoot {
  std::string slice;
  std::int64_t batch_per_core = 0;
  double examples_per_second_per_replica = 0;
  double exposed_seconds = 0;  // of that step's all-reduces
  double fixed_seconds = 0;    // of that step
};
// `generation`: of the plan's slice.
// Errors: those of ProgramOf and ForecastStep; NOT_FOUND (no slice trains).
absl::StatusOr<LadderFoot> FootOf(const JobPlan& plan, const Hardware& hardware,
                                  const std::string& generation);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_JOB_FORECAST_H_
