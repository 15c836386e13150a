#include "host/bench/rank_plans.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/collectives/algorithms.h"
#include "interconnect/collectives/choice_table.h"
#include "interconnect/collectives/choose.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr std::int64_t kPlannedElementBytes = 4;  // chunk_elements are floats

// What all requests of a pod have in common.
PlanRequest RequestFor(const JobPlan& plan) {
  const PlanBits& bits = plan.bits();
  return {.ring = {bits.ring().begin(), bits.ring().end()},
          .rows = bits.host_rows(),
          .columns = bits.host_columns(),
          .chunk_elements = plan.chunk_elements()};
}

absl::StatusOr<Algorithm> Choose(const JobPlan& plan, Collective collective,
                                 std::int64_t bytes) {
  PODSIM_ASSIGN_OR_RETURN(
      const std::vector<ChoiceRow> table,
      ChoiceTable(plan.bits().choices(),
                  MediumOf(WordOf(plan.spec().transport()))));
  return ChooseAlgorithm(collective, bytes, plan.bits().hosts(), table);
}

absl::StatusOr<Algorithm> AlgorithmFor(const JobPlan& plan,
                                       const BenchCase& one,
                                       std::int64_t bytes) {
  if (one.algorithm == "auto") return Choose(plan, one.collective, bytes);
  const auto named = AlgorithmNamed(one.algorithm);
  if (named.has_value()) return *named;
  return absl::InvalidArgumentError(
      absl::StrCat("no algorithm is called ", one.algorithm));
}

absl::StatusOr<RankPlans> RankPlansOf(const PlanRequest& request,
                                      const std::vector<int>& hosts) {
  RankPlans plans = {.algorithm = std::string(NameOf(request.algorithm))};
  for (const int host : hosts) {
    PODSIM_ASSIGN_OR_RETURN(RankPlan one, MakeRankPlan(request, host));
    plans.of_host.push_back(std::make_shared<const RankPlan>(std::move(one)));
  }
  return plans;
}

}  // namespace

absl::StatusOr<RankPlans> RankPlansFor(const JobPlan& plan,
                                       const BenchCase& one,
                                       const BenchShape& shape,
                                       const std::vector<int>& hosts) {
  PlanRequest request = RequestFor(plan);
  request.collective = one.collective;
  request.elements = TravellingElements(one, shape);
  PODSIM_ASSIGN_OR_RETURN(
      request.algorithm,
      AlgorithmFor(
          plan, one,
          request.elements * static_cast<std::int64_t>(SizeOf(shape.wire))));
  // Chunks are so many bytes of the buffer, whatever the type.
  request.chunk_elements = plan.chunk_elements() * kPlannedElementBytes /
                           static_cast<std::int64_t>(SizeOf(one.type));
  if (one.root >= 0) request.root = one.root / shape.ranks_per_host;
  return RankPlansOf(request, hosts);
}

absl::StatusOr<RankPlans> BarrierRankPlans(const JobPlan& plan,
                                           const std::vector<int>& hosts) {
  PlanRequest request = RequestFor(plan);
  request.collective = Collective::kBarrier;
  PODSIM_ASSIGN_OR_RETURN(request.algorithm,
                          Choose(plan, Collective::kBarrier, 0));
  return RankPlansOf(request, hosts);
}

}  // namespace podsim
