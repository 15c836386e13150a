#include "job/slow_link.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/units.h"
#include "interconnect/transport/faults/hold.h"

namespace podsim {
namespace {

constexpr std::size_t kMegabyte = 1'000'000;

std::string HeldText(const SlowLink& slow) {
  const double seconds = absl::ToDoubleSeconds(HoldOf(kMegabyte, slow.rate()));
  return absl::StrCat(": a MB between hosts ", slow.host(), " and ",
                      slow.other(), " takes ", SpanText(seconds),
                      " longer, wall");
}

}  // namespace

bool SlowsRun(const JobPlan& plan) {
  return plan.has_slow_link() && plan.slow_link().unseen().empty();
}

std::string SlowLinkText(const JobPlan& plan) {
  const SlowLink& slow = plan.slow_link();
  if (SlowsRun(plan)) return slow.link() + HeldText(slow);
  return absl::StrCat(
      slow.link(), slow.rate() == 0 ? " is routed around" : " slows",
      slow.rate() == 0 ? " in" : "", " the forecast alone: ", slow.unseen());
}

std::vector<PlanWarning> WarningsOfRun(const JobPlan& plan) {
  std::vector<PlanWarning> warnings(plan.warnings().begin(),
                                    plan.warnings().end());
  if (plan.has_slow_link() && !SlowsRun(plan)) {
    PlanWarning& warning = warnings.emplace_back();
    warning.set_kind("a slow link that the run does not show");
    warning.set_text(SlowLinkText(plan));
  }
  return warnings;
}

}  // namespace podsim
