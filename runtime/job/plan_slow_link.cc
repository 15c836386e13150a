#include "runtime/job/plan_slow_link.h"

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "base/units.h"
#include "interconnect/timing/network.h"
#include "interconnect/transport/faults/hold.h"
#include "job/lines.h"
#include "runtime/job/ici_fault.h"

namespace podsim {
namespace {

constexpr std::int64_t kBytesOfElement = 4;  // they are floats
// Of stall_timeout, what a chunk may be held for: while it is, nothing else may
// move.
constexpr double kMostOfStall = 0.5;

// Whether frames of some collective pass between the two, either way.
absl::StatusOr<bool> Meet(const JobPlan& plan, int host, int other) {
  PODSIM_ASSIGN_OR_RETURN(const auto there, LinesFrom(plan, host));
  PODSIM_ASSIGN_OR_RETURN(const auto back, LinesFrom(plan, other));
  return there.contains({host, other}) || back.contains({other, host});
}

// Empty: a chunk is held for no longer than the run bears.
std::string TooSlow(const SlowLink& slow, const JobPlan& plan) {
  const std::int64_t bytes = plan.chunk_elements() * kBytesOfElement;
  const double seconds = absl::ToDoubleSeconds(
      HoldOf(static_cast<std::size_t>(bytes), slow.rate()));
  const double stall = plan.spec().stall_timeout();
  if (seconds <= kMostOfStall * stall) return "";
  return absl::StrCat(
      "a chunk of ", FormatBytes(bytes), " between hosts ", slow.host(),
      " and ", slow.other(), " would take ", SpanText(seconds),
      " longer, more than half of the ", stall,
      " s of --stall_timeout; a smaller --chunk_bytes takes less");
}

// Why frames of the run pass as ever; empty: they are held.
absl::StatusOr<std::string> WhyUnseen(const SlowLink& slow,
                                      const JobPlan& plan) {
  if (slow.host() == slow.other())
    return absl::StrCat("both chips are of host ", slow.host(),
                        ", and the run has links between hosts alone");
  if (slow.rate() == 0)
    return absl::StrCat("in the run, hosts ", slow.host(), " and ",
                        slow.other(), " exchange frames as ever");
  PODSIM_ASSIGN_OR_RETURN(const bool meet,
                          Meet(plan, slow.host(), slow.other()));
  if (!meet)
    return absl::StrCat("no all-reduce of the run has frames between hosts ",
                        slow.host(), " and ", slow.other());
  return TooSlow(slow, plan);
}

}  // namespace

absl::Status FillSlowLink(const ResolvedJob& job, JobPlan& plan) {
  if (!job.spec.has_ici_fault()) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const LinkFault fault,
                          ParseIciFault(job.spec.ici_fault()));
  // Of several slices some may have no such link.
  const absl::StatusOr<Slice> faulty = WithIciFault(job.slice, job.spec);
  if (fault.rate == 1 || !faulty.ok()) return absl::OkStatus();
  SlowLink slow;
  slow.set_link(LinkFaultsText(*faulty));
  slow.set_rate(fault.rate);
  slow.set_host(HostOfChip(job.slice, fault.from));
  slow.set_other(HostOfChip(job.slice, fault.to));
  PODSIM_ASSIGN_OR_RETURN(const std::string unseen, WhyUnseen(slow, plan));
  slow.set_unseen(unseen);
  *plan.mutable_slow_link() = slow;
  return absl::OkStatus();
}

}  // namespace podsim
