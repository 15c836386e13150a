// The schedule of a plan: how many steps, at which learning rate, and in words
// what became of the reference's.
//
// A job has one reference, or none: length, rate and warm-up are all scaled
// from its batch to the job's, or all taken as they stand.
#ifndef PODSIM_RUNTIME_JOB_SCHEDULE_H_
#define PODSIM_RUNTIME_JOB_SCHEDULE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "runtime/job/recipe.h"

namespace podsim {

struct ScheduleInputs {
  std::int64_t batch_per_core = 0;
  std::int64_t dataset_size = 0;  // training examples
  // What the job's values are judged by, and where its warm-up is from if it
  // says none; null: a program of the caller's own. Outlives the call.
  const Recipe* recipe = nullptr;
};

// Fills global_batch, train_steps, total_examples, scaling, the learning rate
// of `plan`'s bits, and adds notes and warnings; adds the warm-up to
// plan.from_recipe, which must hold the rest. `spec` is complete but for a
// reference and a warm-up. Errors: INVALID_ARGUMENT (unknown reference slice;
// more examples than can be counted).
absl::Status FillSchedule(const JobSpec& spec, const Slice& slice,
                          const ScheduleInputs& inputs, JobPlan& plan);

// The largest slice of `generation`, of the spec's hardware, on which
// `examples` make at least `smallest_steps` steps; empty if there is none.
std::string LargestConvergingSlice(const JobSpec& spec,
                                   const std::string& generation,
                                   std::int64_t examples,
                                   std::int64_t batch_per_core,
                                   std::int64_t smallest_steps);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_SCHEDULE_H_
