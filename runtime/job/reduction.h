// How the gradients of a batch are summed: "fused" takes the fastest order that
// a slice allows, "tree" an order that all slices share.
#ifndef PODSIM_RUNTIME_JOB_REDUCTION_H_
#define PODSIM_RUNTIME_JOB_REDUCTION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"
#include "runtime/job/resolved_job.h"

namespace podsim {

// The all-reduce that goes on with the hosts' trees where they end: hosts at
// distance 1, 2, 4, ... by rank.
inline constexpr char kTreeAlgorithm[] = "halving_doubling";

bool SumsAsTree(const JobSpec& spec);

// Fills reduction, microbatch size and, for a tree, the order of hosts by rank;
// notes what it costs.
// Errors: INVALID_ARGUMENT: a microbatch size that is missing, or not wanted,
// or
//   of which a core's batch holds no power of two; for a tree, another
//   algorithm or a rounded wire.
absl::Status FillReduction(const ResolvedJob& job, JobPlan& plan);

// 0 if they are not summed as a tree.
// That what needs all examples of a core, or of several, gets them.
// Errors: INVALID_ARGUMENT (microbatches smaller than a core's batch; groups of
//   cores that the slice cannot be cut into; audits of hosts that do not
//   compute alone).
absl::Status CheckExamplesMeet(const ResolvedJob& job, const Program& program);

std::int64_t MicrobatchesPerCore(const PlanBits& bits);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_REDUCTION_H_
