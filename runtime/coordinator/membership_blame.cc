// Who is to blame for a failure that was reported: see "Root cause" in
// membership.h.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/coordinator/membership.h"

namespace podsim {
namespace {

// How long a failure that blames a peer waits for a stronger cause: the
// peer's own stream breaks, or reports, within milliseconds of its death.
constexpr absl::Duration kSuspicion = absl::Milliseconds(500);
// The same of a peer that hung up and must have had a reason: on a busy machine
// its own word may take longer than that of whom it hung up on.
constexpr absl::Duration kReasonOfAHangUp = absl::Seconds(3);

// Whether a failure may be somebody else's doing.
bool IsConsequence(const Failure& failure, HostRange own) {
  if (failure.blamed_host() >= 0 && !own.contains(failure.blamed_host())) {
    return true;
  }
  switch (static_cast<absl::StatusCode>(failure.code())) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kAborted:
      return true;
    default:
      return false;
  }
}

// Peers send numbers; OK or an unknown one must not read as success.
absl::StatusCode FailureCode(int code) {
  const auto last = static_cast<int>(absl::StatusCode::kUnauthenticated);
  return code > 0 && code <= last ? static_cast<absl::StatusCode>(code)
                                  : absl::StatusCode::kUnknown;
}

}  // namespace

Membership::Root Membership::RootAt(int process, absl::Status status) const {
  const Process& culprit = processes_[process];
  return {.status = std::move(status),
          .process = process,
          .host = HostsOf(plan_, process).first,
          .step = culprit.step,
          .phase = culprit.lease.phase};
}

Membership::Root Membership::RootOf(int process, const Failure& failure) const {
  const absl::StatusCode code = FailureCode(failure.code());
  const int blamed = failure.blamed_host();
  const HostRange own = HostsOf(plan_, process);
  if (blamed >= 0 && blamed < plan_.bits().hosts() && !own.contains(blamed)) {
    const int culprit = ProcessOf(plan_, blamed);
    Root root = RootAt(
        culprit,
        absl::Status(
            code, absl::StrCat(
                      Describe(process), " failed for want of host ", blamed,
                      ", whose process still answers: ", failure.message())));
    root.host = blamed;
    return root;
  }
  Root root = RootAt(process, absl::Status(code, failure.message()));
  if (own.contains(failure.host())) root.host = failure.host();
  root.step = failure.step();
  root.phase = failure.phase();
  return root;
}

void Membership::OnFailure(absl::Time now, int process,
                           const Failure& failure) {
  processes_[process].failed = true;
  const auto code = static_cast<absl::StatusCode>(failure.code());
  // Once told to end, a process that says so has nothing to add.
  if (!active() && (code == absl::StatusCode::kCancelled ||
                    code == absl::StatusCode::kAborted)) {
    return;
  }
  std::string line = Describe(process);
  if (failure.step() > 0) absl::StrAppend(&line, ", step ", failure.step());
  if (!failure.phase().empty()) absl::StrAppend(&line, ", ", failure.phase());
  reported_.push_back(absl::StrCat(line, ": ", failure.message()));
  Tell(absl::StrCat("failed: ", reported_.back()));
  if (!active()) return;
  Root root = RootOf(process, failure);
  root.quoted = static_cast<int>(reported_.size()) - 1;
  if (!IsConsequence(failure, HostsOf(plan_, process))) {
    Fail(now, std::move(root));
  } else {
    const absl::Time until =
        now + (absl::IsCancelled(root.status) ? kReasonOfAHangUp : kSuspicion);
    if (!suspicion_) suspicion_ = {.until = until, .roots = {}};
    suspicion_->until = std::min(suspicion_->until, until);
    suspicion_->roots.push_back(std::move(root));
  }
}

// The first of those that name the host named most often. A peer that hung up
// had its reasons: it counts only where nobody is out of reach.
Membership::Root Membership::MostBlamed() const {
  const std::vector<Root>& roots = suspicion_->roots;
  const int everyone = processes();
  const auto votes = [&](const Root& accused) {
    int sum = 0;
    for (const Root& root : roots) {
      if (root.host != accused.host) continue;
      sum += absl::IsCancelled(root.status) ? 1 : everyone + 1;
    }
    return sum;
  };
  return *std::max_element(
      roots.begin(), roots.end(),
      [&](const Root& a, const Root& b) { return votes(a) < votes(b); });
}

}  // namespace podsim
