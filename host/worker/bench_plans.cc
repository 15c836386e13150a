#include "host/worker/bench_plans.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/collectives/algorithms.h"
#include "interconnect/collectives/choose.h"
#include "interconnect/topology/slice.h"

namespace podsim {
namespace {

constexpr std::int64_t kPlannedElementBytes = 4;  // chunk_elements are floats

// What all requests of a pod have in common.
absl::StatusOr<PlanRequest> RequestFor(const PlanBits& bits) {
  PODSIM_ASSIGN_OR_RETURN(const Slice slice, FindSlice(bits.slice()));
  return PlanRequest{.ring = {bits.ring().begin(), bits.ring().end()},
                     .rows = slice.host_grid.y,
                     .columns = slice.host_grid.x,
                     .chunk_elements = bits.chunk_elements()};
}

absl::StatusOr<Algorithm> AlgorithmFor(const BenchCase& one, std::int64_t bytes,
                                       int hosts) {
  if (one.algorithm == "auto") {
    return ChooseAlgorithm(one.collective, bytes, hosts);
  }
  const auto named = AlgorithmNamed(one.algorithm);
  if (named.has_value()) return *named;
  return absl::InvalidArgumentError(
      absl::StrCat("no algorithm is called ", one.algorithm));
}

absl::StatusOr<BenchPlans> PlansOf(const PlanRequest& request,
                                   const std::vector<int>& hosts) {
  BenchPlans plans = {.algorithm = std::string(NameOf(request.algorithm))};
  for (const int host : hosts) {
    PODSIM_ASSIGN_OR_RETURN(RankPlan plan, MakePlan(request, host));
    plans.of_host.push_back(std::make_shared<const RankPlan>(std::move(plan)));
  }
  return plans;
}

}  // namespace

absl::StatusOr<BenchPlans> PlanCase(const PlanBits& bits, const BenchCase& one,
                                    const BenchShape& shape,
                                    const std::vector<int>& hosts) {
  PODSIM_ASSIGN_OR_RETURN(PlanRequest request, RequestFor(bits));
  request.collective = one.collective;
  request.elements = TravellingElements(one, shape);
  PODSIM_ASSIGN_OR_RETURN(
      request.algorithm,
      AlgorithmFor(
          one, request.elements * static_cast<std::int64_t>(SizeOf(one.type)),
          shape.hosts));
  // Chunks are so many bytes on the way, whatever the type.
  request.chunk_elements = bits.chunk_elements() * kPlannedElementBytes /
                           static_cast<std::int64_t>(SizeOf(shape.wire));
  if (one.root >= 0) request.root = one.root / shape.ranks_per_host;
  return PlansOf(request, hosts);
}

absl::StatusOr<BenchPlans> PlanBarrier(const PlanBits& bits,
                                       const std::vector<int>& hosts) {
  PODSIM_ASSIGN_OR_RETURN(PlanRequest request, RequestFor(bits));
  request.collective = Collective::kBarrier;
  request.algorithm = ChooseAlgorithm(Collective::kBarrier, 0, bits.hosts());
  return PlansOf(request, hosts);
}

}  // namespace podsim
