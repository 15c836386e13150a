#include "runtime/forecast/yardsticks.h"

#include <cstdint>

#include "interconnect/timing/network.h"
#include "interconnect/timing/pricing.h"

namespace podsim {
namespace {

// Gradients of all buckets, as they travel between chips.
PriceRequest GradientSum(const JobPlan& plan) {
  PriceRequest request;
  request.element_bytes =
      plan.spec().ici_dtype() == words::WireType::bfloat16 ? 2 : 4;
  for (const Bucket& bucket : plan.bits().buckets())
    request.bytes += bucket.count() * request.element_bytes;
  return request;
}

std::optional<SimTime> SoundStep(const JobPlan& plan, Slice slice,
                                 const Generation& generation) {
  slice.link_faults.clear();
  const auto forecast = ForecastJob(plan, slice, generation);
  if (!forecast.ok()) return std::nullopt;
  return forecast->step.total;
}

}  // namespace

Yardsticks YardsticksOf(const JobPlan& plan, const Slice& slice,
                        const Generation& generation,
                        const absl::StatusOr<LadderFoot>& foot) {
  Yardsticks yardsticks;
  if (foot.ok()) yardsticks.foot = *foot;
  for (const LinkFault& fault : slice.link_faults)
    yardsticks.link_faults.push_back(LinkFaultText(fault, slice.grid.z > 1));
  if (!slice.link_faults.empty())
    yardsticks.sound_step = SoundStep(plan, slice, generation);
  yardsticks.reduce_bound = BoundsOf(slice, GradientSum(plan)).most();
  return yardsticks;
}

}  // namespace podsim
