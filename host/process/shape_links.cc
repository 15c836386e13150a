#include "host/process/shape_links.h"

#include "absl/time/time.h"
#include "job/slow_link.h"

namespace podsim {

Transport& ShapeLinks(const JobPlan& plan, Transport& transport,
                      const Clock& clock, std::optional<LinkFaults>& faults,
                      std::optional<ShapedLinks>& links) {
  if (plan.faults().empty() && plan.spec().link_latency() <= 0 &&
      !SlowsRun(plan))
    return transport;
  faults.emplace(
      LinkFaults::Options{.latency = absl::Seconds(plan.spec().link_latency()),
                          .seed = plan.bits().seed()});
  if (SlowsRun(plan))
    faults->Slow(plan.slow_link().host(), plan.slow_link().other(),
                 plan.slow_link().rate());
  return links.emplace(transport, *faults, clock);
}

}  // namespace podsim
