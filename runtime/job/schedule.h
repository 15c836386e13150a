// The schedule of a plan: how many steps, at which learning rate, and in words
// what became of the reference's.
#ifndef PODSIM_RUNTIME_JOB_SCHEDULE_H_
#define PODSIM_RUNTIME_JOB_SCHEDULE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

struct ScheduleInputs {
  std::int64_t batch_per_core = 0;
  std::int64_t dataset_size = 0;  // training examples
  // What a learning rate is for when the spec names no reference.
  std::int64_t recipe_batch = 0;
  // The recipe's; 0: no promise.
  std::int64_t smallest_converging_steps = 0;
};

// Fills global_batch, train_steps, total_examples, scaling, the learning rate
// of `plan`'s bits, and adds notes and warnings. `spec` is complete but for a
// reference. Errors: INVALID_ARGUMENT (unknown reference slice; more examples
// than can be counted).
absl::Status FillSchedule(const JobSpec& spec, const Slice& slice,
                          const ScheduleInputs& inputs, JobPlan& plan);

// The largest slice of `generation` on which `examples` make at least
// `smallest_steps` steps; empty if there is none.
std::string LargestConvergingSlice(const std::string& generation,
                                   std::int64_t examples,
                                   std::int64_t batch_per_core,
                                   std::int64_t smallest_steps);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_SCHEDULE_H_
