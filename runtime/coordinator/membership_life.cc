// Where the job is, for the coordinator's log: of hosts elsewhere there is no
// other on this machine.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/coordinator/membership.h"

namespace podsim {
namespace {

// Between two lines, as in a host's log.
constexpr absl::Duration kLifeInterval = absl::Seconds(5);

// Whose last word is older does not answer now: hosts beat every 250 ms
// (host/process/coordinator_link.h).
constexpr absl::Duration kAnswers = absl::Seconds(1);

}  // namespace

void Membership::TellLife(absl::Time now) {
  if (now - last_life_ < kLifeInterval) return;
  last_life_ = now;
  Tell(state_ == PodState::kForming ? FormingLife() : RunningLife(now));
}

std::string Membership::FormingLife() const {
  std::vector<int> awaited;
  for (int p = 0; p < processes(); ++p) {
    const bool here = assigned_ ? processes_[p].ready : processes_[p].open;
    if (!here) awaited.push_back(p);
  }
  return absl::StrCat(
      "forming: ", processes() - static_cast<int>(awaited.size()), " of ",
      processes(), " processes ", assigned_ ? "are ready" : "have joined",
      awaited.empty() ? "" : "; waiting for process ",
      absl::StrJoin(awaited, ", "),
      looking() ? absl::StrCat("; looks for ", options_.looking) : "");
}

std::string Membership::RunningLife(absl::Time now) const {
  int answering = 0;
  std::vector<std::string> silent;
  for (int p = 0; p < processes(); ++p) {
    const HostRange hosts = HostsOf(plan_, p);
    const absl::Duration since = now - processes_[p].lease.last_beat;
    if (processes_[p].open && since < kAnswers) {
      answering += hosts.end - hosts.first;
    } else {
      silent.push_back(absl::StrCat(
          DescribeHosts(hosts), " silent for ",
          absl::FormatDuration(absl::Trunc(since, absl::Milliseconds(100)))));
    }
  }
  std::string text =
      absl::StrCat(reports_->Progress(end_step_), ", ", answering, " of ",
                   plan_.bits().hosts(), " hosts answering");
  if (!silent.empty()) {
    absl::StrAppend(&text, " (", absl::StrJoin(silent, ", "), ")");
  }
  if (last_reporter_ >= 0) {
    absl::StrAppend(&text, ", last to report host ", last_reporter_);
  }
  return text;
}

}  // namespace podsim
