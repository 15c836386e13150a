#include "runtime/monitor/link_view.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "base/mutex.h"
#include "interconnect/timing/pricing.h"
#include "interconnect/topology/grid.h"
#include "runtime/forecast/job_options.h"

namespace podsim {
namespace {

constexpr std::array<char, kMostAxes> kAxisNames = {'x', 'y', 'z'};

std::int64_t GradientElements(const JobPlan& plan) {
  std::int64_t elements = 0;
  for (const Bucket& bucket : plan.bits().buckets()) elements += bucket.count();
  return elements;
}

void AddAxes(const Price& price, LinkTraffic& traffic) {
  std::array<AxisLinks, kMostAxes> axes;
  for (std::size_t link = 0; link < price.sent.size(); ++link) {
    if (price.sent[link] == 0) continue;
    AxisLinks& axis = axes[link % kDirections / 2];
    ++axis.links;
    axis.bytes = std::max(axis.bytes, price.sent[link]);
    if (link < price.busy.size())
      axis.busy = std::max(axis.busy, price.busy[link]);
  }
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    axes[axis].axis = kAxisNames[axis];
    if (axes[axis].links > 0) traffic.axes.push_back(axes[axis]);
  }
}

LinkTraffic MakeTraffic(const JobPlan& plan, const Slice& slice) {
  LinkTraffic traffic;
  const std::int64_t elements = GradientElements(plan);
  const std::int64_t hosts = plan.bits().hosts();
  const int wire_bytes = plan.bits().wire_dtype() == "bfloat16" ? 2 : 4;
  if (hosts > 1)
    traffic.host_bytes = 2 * (hosts - 1) * elements * wire_bytes / hosts;
  if (slice.chips == 1 || elements == 0) return traffic;
  const int bytes =
      StepOptionsOf(plan, plan.bits().batch_per_core()).gradient_bytes;
  const auto price =
      PriceCollective(slice, {.algorithm = AskedAlgorithm(plan.spec()),
                              .bytes = elements * bytes,
                              .element_bytes = bytes});
  if (!price.ok()) return traffic;
  traffic.all_reduce = price->time;
  AddAxes(*price, traffic);
  return traffic;
}

struct LastTraffic {
  Mutex mutex;
  std::string plan PODSIM_GUARDED_BY(mutex);
  std::shared_ptr<const LinkTraffic> traffic PODSIM_GUARDED_BY(mutex);
};

}  // namespace

std::shared_ptr<const LinkTraffic> LinkTrafficOf(const JobPlan& plan,
                                                 const Slice& slice) {
  static LastTraffic& last = *new LastTraffic;
  MutexLock lock(last.mutex);
  // A plan without a hash is a test's.
  if (last.traffic == nullptr || plan.hash().empty() ||
      last.plan != plan.hash()) {
    last.traffic =
        std::make_shared<const LinkTraffic>(MakeTraffic(plan, slice));
    last.plan = plan.hash();
  }
  return last.traffic;
}

}  // namespace podsim
