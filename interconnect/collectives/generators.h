// The generators behind MakeRankPlan, each in a file of its own.
// REQUIRES of all: a request that MakeRankPlan accepts, of two ranks or more.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_GENERATORS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_GENERATORS_H_

#include "interconnect/collectives/algorithms.h"
#include "interconnect/collectives/plan_builder.h"

namespace podsim {

inline int WorldOf(const PlanRequest& request) {
  return static_cast<int>(request.ring.size());
}

// As messages call it: "all-reduce".
const char* PlanNameOf(Collective collective);

inline PlanBuilder NewPlan(const PlanRequest& request, int rank) {
  return PlanBuilder(PlanNameOf(request.collective), rank, WorldOf(request),
                     request.elements, request.chunk_elements);
}

RankPlan BidirRingAllReduce(const PlanRequest& request, int rank);
RankPlan Torus2dAllReduce(const PlanRequest& request, int rank);

// Both sum in the same order; RecursiveDoubling for small buffers.
RankPlan HalvingDoublingAllReduce(const PlanRequest& request, int rank);
RankPlan RecursiveDoublingAllReduce(PlanRequest request, int rank);
RankPlan HalvingReduceScatter(const PlanRequest& request, int rank);
RankPlan DoublingAllGather(const PlanRequest& request, int rank);

RankPlan DirectAllReduce(const PlanRequest& request, int rank);
RankPlan DirectReduceScatter(const PlanRequest& request, int rank);
RankPlan DirectAllGather(const PlanRequest& request, int rank);
RankPlan DirectAllToAll(const PlanRequest& request, int rank);

RankPlan RingBroadcast(const PlanRequest& request, int rank);
RankPlan TreeBroadcast(const PlanRequest& request, int rank);

RankPlan DisseminationBarrier(const PlanRequest& request, int rank);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_GENERATORS_H_
