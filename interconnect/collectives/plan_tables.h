// What is known of a plan before it runs, kept while the plan lives.
//
//   PlanTablesCache cache;
//   PODSIM_ASSIGN_OR_RETURN(auto tables, cache.Of(plan));  // each run
//
// The tables are immutable and may be shared; the cache is one thread's.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_PLAN_TABLES_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_PLAN_TABLES_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/collectives/plan.h"
#include "interconnect/collectives/plan_index.h"
#include "interconnect/collectives/relays.h"

namespace podsim {

struct PlanTables {
  PlanIndex index;
  std::vector<Relay> relays;
};

class PlanTablesCache {
 public:
  // Errors: those of IndexPlan.
  absl::StatusOr<std::shared_ptr<const PlanTables>> Of(
      const std::shared_ptr<const RankPlan>& plan);

 private:
  struct Entry {
    std::weak_ptr<const RankPlan> plan;
    std::shared_ptr<const PlanTables> tables;
  };
  std::unordered_map<const RankPlan*, Entry> entries_;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_PLAN_TABLES_H_
