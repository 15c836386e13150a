#include "job/lines.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {

absl::StatusOr<PlanRequest> AllReduceOf(const JobPlan& plan,
                                        const Bucket& bucket) {
  const PlanBits& bits = plan.bits();
  const auto algorithm = AlgorithmNamed(bucket.algorithm());
  if (!algorithm.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no algorithm for an all-reduce is called '", bucket.algorithm(), "'"));
  }
  return PlanRequest{.collective = Collective::kAllReduce,
                     .algorithm = *algorithm,
                     .ring = {bits.ring().begin(), bits.ring().end()},
                     .rows = bits.host_rows(),
                     .columns = bits.host_columns(),
                     .elements = bucket.count(),
                     .chunk_elements = plan.chunk_elements()};
}

absl::StatusOr<std::set<Line>> LinesOf(const JobPlan& plan) {
  std::set<Line> lines;
  for (const Bucket& bucket : plan.bits().buckets()) {
    PODSIM_ASSIGN_OR_RETURN(PlanRequest request, AllReduceOf(plan, bucket));
    // Chunks multiply the frames, not the lines.
    request.chunk_elements = kMostElements;
    for (int host = 0; host < plan.bits().hosts(); ++host) {
      PODSIM_ASSIGN_OR_RETURN(const RankPlan ops, MakeRankPlan(request, host));
      for (const PlanOp& op : ops.ops) {
        if (op.kind == OpKind::kSend) lines.emplace(host, op.peer);
      }
    }
  }
  return lines;
}

}  // namespace podsim
