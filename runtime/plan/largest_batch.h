// --batch_per_core=max: the batch that each slice has room for.
#ifndef PODSIM_RUNTIME_PLAN_LARGEST_BATCH_H_
#define PODSIM_RUNTIME_PLAN_LARGEST_BATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/job.pb.h"
#include "runtime/job/planner.h"

namespace podsim {

// A command line, and whether it asked for the largest batch per core: then
// what said so is not among `args` any more.
struct AskedBatch {
  std::vector<std::string> args;
  bool largest = false;
};

// Takes "--batch_per_core=max" and "--batch_per_core max" out of `args`; '-'
// and '_' in the flag's name are equal. Other values are the flag's to judge.
AskedBatch TakeLargestBatch(const std::vector<std::string>& args);

// Errors: INVALID_ARGUMENT, one line: flags that set the batch too, or a job
// that adds up microbatches, which has no largest batch.
absl::Status CheckLargestBatch(const JobSpec& flags);

// Of up to `most` examples those that are taken: the largest multiple of 8,
// which is how many rows the chip's tiles have; below 8 all of them, and 1
// where not even one fits with nothing recomputed.
std::int64_t RoundedBatch(std::int64_t most);

// Examples per core of `spec` on its topology: RoundedBatch of what fits HBM
// with nothing recomputed. REQUIRES: the spec says no batch.
// Errors: those of PlanJob for a batch of 1.
absl::StatusOr<std::int64_t> LargestBatchOn(const JobSpec& spec,
                                            const PlanInputs& inputs);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LARGEST_BATCH_H_
