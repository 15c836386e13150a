#include "interconnect/collectives/plan_tables.h"

#include <cstddef>
#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

// Tables of plans that died are swept when this many are held.
constexpr std::size_t kSweepTablesAt = 64;

}  // namespace

absl::StatusOr<std::shared_ptr<const PlanTables>> PlanTablesCache::Of(
    const std::shared_ptr<const RankPlan>& plan) {
  // An address may be used again after its plan died: the weak pointer tells.
  Entry& cached = entries_[plan.get()];
  if (cached.plan.lock() == plan) return cached.tables;
  PODSIM_ASSIGN_OR_RETURN(PlanIndex index, IndexPlan(*plan));
  cached = {plan, std::make_shared<const PlanTables>(
                      PlanTables{std::move(index), FindRelays(*plan)})};
  std::shared_ptr<const PlanTables> result = cached.tables;
  if (entries_.size() >= kSweepTablesAt) {
    std::erase_if(entries_, [](const auto& entry) {
      return entry.second.plan.expired();
    });
  }
  return result;
}

}  // namespace podsim
