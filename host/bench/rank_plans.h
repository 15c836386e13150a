// The collectives of a benchmark case as plans for the hosts of a process.
#ifndef PODSIM_HOST_BENCH_RANK_PLANS_H_
#define PODSIM_HOST_BENCH_RANK_PLANS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/collectives/plan.h"
#include "job/bench_buffers.h"
#include "proto/job.pb.h"

namespace podsim {

struct RankPlans {
  std::string algorithm;  // what "auto" chose, or what was asked for
  std::vector<std::shared_ptr<const RankPlan>> of_host;  // as `hosts`
};

// What `hosts` do for `one`. A case whose ranks are cores travels as its
// hosts'. "auto" goes by the choices in its bits.
// Errors: those of MakeRankPlan and ChoiceTable.
absl::StatusOr<RankPlans> RankPlansFor(const JobPlan& plan,
                                       const BenchCase& one,
                                       const BenchShape& shape,
                                       const std::vector<int>& hosts);

// A barrier of all hosts.
absl::StatusOr<RankPlans> BarrierRankPlans(const JobPlan& plan,
                                           const std::vector<int>& hosts);

}  // namespace podsim

#endif  // PODSIM_HOST_BENCH_RANK_PLANS_H_
