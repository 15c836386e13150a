// Over which lines between hosts the frames of a training job go: a pure
// reading of its plan.
#ifndef PODSIM_JOB_LINES_H_
#define PODSIM_JOB_LINES_H_

#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "interconnect/collectives/algorithms.h"
#include "proto/job.pb.h"

namespace podsim {

// The all-reduce of a bucket's gradients. Errors: INVALID_ARGUMENT (no
// algorithm has the bucket's name).
absl::StatusOr<PlanRequest> AllReduceOf(const JobPlan& plan,
                                        const Bucket& bucket);

// From which host to which.
using Line = std::pair<int, int>;

// The lines that some bucket's frames take. Errors: those of AllReduceOf and
// MakeRankPlan.
absl::StatusOr<std::set<Line>> LinesOf(const JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_JOB_LINES_H_
