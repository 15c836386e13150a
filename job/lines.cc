#include "job/lines.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {

namespace {

absl::StatusOr<Algorithm> AlgorithmOf(const std::string& name) {
  const auto algorithm = AlgorithmNamed(name);
  if (algorithm.has_value()) return *algorithm;
  return absl::InvalidArgumentError(
      absl::StrCat("no algorithm for an all-reduce is called '", name, "'"));
}

}  // namespace

absl::StatusOr<PlanRequest> AllReduceOf(const JobPlan& plan,
                                        const Bucket& bucket) {
  const PlanBits& bits = plan.bits();
  PODSIM_ASSIGN_OR_RETURN(const Algorithm algorithm,
                          AlgorithmOf(bucket.algorithm()));
  return PlanRequest{.collective = Collective::kAllReduce,
                     .algorithm = algorithm,
                     .ring = {bits.ring().begin(), bits.ring().end()},
                     .rows = bits.host_rows(),
                     .columns = bits.host_columns(),
                     .elements = bucket.count(),
                     .chunk_elements = plan.chunk_elements()};
}

absl::StatusOr<RankPlan> ExchangePlan(const JobPlan& plan,
                                      const Exchange& exchange, int host) {
  const int world = plan.bits().hosts();
  const int group = exchange.group();
  if (group == 1)
    return RankPlan{.rank = host, .world = world, .elements = exchange.count()};
  PODSIM_ASSIGN_OR_RETURN(const Algorithm algorithm,
                          AlgorithmOf(exchange.algorithm()));
  PlanRequest request = {.collective = Collective::kAllReduce,
                         .algorithm = algorithm,
                         .columns = group,
                         .elements = exchange.count(),
                         .chunk_elements = plan.chunk_elements()};
  for (int rank = 0; rank < group; ++rank) request.ring.push_back(rank);
  if (group == world) {
    request.ring.assign(plan.bits().ring().begin(), plan.bits().ring().end());
    request.rows = plan.bits().host_rows();
    request.columns = plan.bits().host_columns();
  }
  PODSIM_ASSIGN_OR_RETURN(RankPlan mine, MakeRankPlan(request, host % group));
  const int first = host - host % group;
  mine.rank = host;
  mine.world = world;
  for (PlanOp& op : mine.ops)
    if (!IsLocal(op.kind)) op.peer += first;
  return mine;
}

namespace {

void AddLines(const RankPlan& ops, int host, std::set<Line>& lines) {
  for (const PlanOp& op : ops.ops)
    if (op.kind == OpKind::kSend) lines.emplace(host, op.peer);
}

}  // namespace

absl::StatusOr<std::set<Line>> LinesFrom(const JobPlan& plan, int host) {
  std::set<Line> lines;
  for (const Bucket& bucket : plan.bits().buckets()) {
    PODSIM_ASSIGN_OR_RETURN(PlanRequest request, AllReduceOf(plan, bucket));
    // Chunks multiply the frames, not the lines.
    request.chunk_elements = kMostElements;
    PODSIM_ASSIGN_OR_RETURN(const RankPlan ops, MakeRankPlan(request, host));
    AddLines(ops, host, lines);
  }
  for (const Exchange& exchange : plan.bits().exchanges()) {
    PODSIM_ASSIGN_OR_RETURN(const RankPlan ops,
                            ExchangePlan(plan, exchange, host));
    AddLines(ops, host, lines);
  }
  return lines;
}

absl::StatusOr<std::set<Line>> LinesOf(const JobPlan& plan) {
  std::set<Line> lines;
  for (int host = 0; host < plan.bits().hosts(); ++host) {
    PODSIM_ASSIGN_OR_RETURN(std::set<Line> from, LinesFrom(plan, host));
    lines.merge(from);
  }
  return lines;
}

}  // namespace podsim
