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

// What `host` does in a sum over its group of hosts in the middle of a pass, as
// one of all the pod's ranks; nothing if the group is the host alone. Errors:
// those of AllReduceOf and MakeRankPlan.
absl::StatusOr<RankPlan> ExchangePlan(const JobPlan& plan,
                                      const Exchange& exchange, int host);

// From which host to which.
using Line = std::pair<int, int>;

// The lines that some collective's frames take. Errors: those of AllReduceOf
// and MakeRankPlan.
absl::StatusOr<std::set<Line>> LinesOf(const JobPlan& plan);
// Those of them that begin at `host`. Errors: those of LinesOf.
absl::StatusOr<std::set<Line>> LinesFrom(const JobPlan& plan, int host);

}  // namespace podsim

#endif  // PODSIM_JOB_LINES_H_
