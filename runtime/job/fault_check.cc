// Which faults fit a job; see draw_faults.h.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "runtime/job/draw_faults.h"
#include "runtime/job/fault_rules.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

// A job stands still no longer than this at a time.
constexpr double kMostSeconds = 3600;
// Each of them is looked at, in some 0.2 s.
constexpr std::int64_t kMostStepsToDraw = 10'000'000;
constexpr char kFault[] = "podsim.fault";  // the payload that says which it is

// "is in the way" as an error of the fault that `who` names.
absl::Status Bad(const std::string& who, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(who, ": ", what));
}

absl::Status CheckKind(const std::string& who, int kind,
                       const FaultScope& scope) {
  const auto rule = RuleOf(kind);
  if (!rule) {
    return Bad(
        who,
        absl::StrCat(kind == Fault::UNSET ? std::string("has no kind")
                                          : absl::StrCat("no kind is ", kind),
                     "; there are ", FaultKindNames(), ", as in kind: KILL"));
  }
  if (rule->storage && !scope.checkpoints) {
    return Bad(who,
               "nothing is written without checkpoints; add --model_dir=DIR");
  }
  if (rule->link && ProcessOfHost(scope, 0).end == scope.hosts) {
    return Bad(who, absl::StrCat("there is no link in a job of one process; ",
                                 scope.hosts > 1
                                     ? "give --processes=2 or more"
                                     : "give a --topology of several hosts, "
                                       "such as v3-32"));
  }
  if (rule->link && SendersOf(scope).empty()) {
    return Bad(who,
               "no frames go from one process to another in this job: leave "
               "it out");
  }
  return absl::OkStatus();
}

// "0 to 3 (the job has 4 hosts); give one of them".
std::string Allowed(std::int64_t first, std::int64_t last,
                    const std::string& why) {
  return absl::StrCat(
      first == last ? absl::StrCat(first)
                    : absl::StrCat(first, " to ", FormatCount(last)),
      " (", why, "); give ", first == last ? "that" : "one of them");
}

absl::Status CheckHost(const std::string& who, const char* field, int host,
                       const FaultScope& scope) {
  if (host >= 0 && host < scope.hosts) return absl::OkStatus();
  const std::string why =
      absl::StrCat("the job has ", FormatCounted(scope.hosts, "host"));
  return Bad(who, absl::StrCat(field, " is ", host, "; allowed: ",
                               Allowed(0, scope.hosts - 1, why)));
}

// What is not said would be host 0, and no step.
absl::Status CheckSaysAll(const std::string& who, const FaultRule& rule,
                          const Fault& fault) {
  if (!fault.has_host())
    return Bad(who, "it has no host; say which, as in host: 0");
  if (rule.link && !fault.has_to())
    return Bad(who,
               "it has no other end of the link; say which host it leads to, "
               "as in to: 1");
  if (!fault.has_step())
    return Bad(who, "it has no step; say when, as in step: 20");
  return absl::OkStatus();
}

absl::Status CheckStep(const std::string& who, std::int64_t step,
                       const FaultScope& scope) {
  if (step >= 1 && step <= scope.steps) return absl::OkStatus();
  const std::string why =
      scope.steps_are.empty()
          ? absl::StrCat("the job has ", FormatCounted(scope.steps, "step"))
          : scope.steps_are;
  const std::string is = absl::StrCat("step is ", step);
  if (scope.steps < 1)
    return Bad(who, absl::StrCat(is, ", but ", why, ": give more ",
                                 scope.more_steps, ", or leave it out"));
  return Bad(who,
             absl::StrCat(
                 is, "; allowed: ", Allowed(1, scope.steps, why),
                 step < 1 ? "" : absl::StrCat(", or more ", scope.more_steps)));
}

absl::Status CheckSeconds(const std::string& who, const FaultRule& rule,
                          double seconds) {
  if (!rule.seconds) {
    if (seconds == 0) return absl::OkStatus();
    return Bad(who, absl::StrCat("seconds is ", seconds,
                                 ", but they are for SLOW and DELAY: leave "
                                 "them out"));
  }
  if (seconds > 0 && seconds <= kMostSeconds) return absl::OkStatus();
  const std::string allowed =
      absl::StrCat("above 0 and up to ", kMostSeconds, ", as in seconds: 2");
  return Bad(who,
             seconds == 0
                 ? absl::StrCat("it has no seconds; give ", allowed)
                 : absl::StrCat("seconds is ", seconds, "; give ", allowed));
}

absl::Status CheckPhase(const std::string& who, const FaultRule& rule,
                        const std::string& phase, const FaultScope& scope) {
  if (phase.empty()) return absl::OkStatus();
  const std::vector<std::string> phases(FaultPhases().begin(),
                                        FaultPhases().end());
  if (!rule.phase) {
    return Bad(who, absl::StrCat("phase is '", PrintableLine(phase),
                                 "', but a phase is for KILL, FREEZE and SLOW: "
                                 "leave it out"));
  }
  if (std::ranges::find(phases, phase) == phases.end()) {
    return Bad(who, absl::StrCat("no phase is called '", PrintableLine(phase),
                                 "'", DidYouMean(phase, phases), "; there are ",
                                 absl::StrJoin(phases, ", ")));
  }
  if (phase == kCheckpointPhase && !scope.checkpoints) {
    return Bad(who,
               "there is no phase checkpoint without --model_dir=DIR: add "
               "that, or give another phase");
  }
  return absl::OkStatus();
}

absl::Status CheckFault(const std::string& who, const Fault& fault,
                        const FaultScope& scope) {
  PODSIM_RETURN_IF_ERROR(CheckKind(who, fault.kind(), scope));
  const FaultRule rule = *RuleOf(fault.kind());
  PODSIM_RETURN_IF_ERROR(CheckSaysAll(who, rule, fault));
  PODSIM_RETURN_IF_ERROR(CheckHost(who, "host", fault.host(), scope));
  if (rule.link) {
    PODSIM_RETURN_IF_ERROR(CheckHost(who, "to", fault.to(), scope));
    const FaultyProcess own = ProcessOfHost(scope, fault.host());
    if (fault.to() >= own.first && fault.to() < own.end) {
      return Bad(who,
                 absl::StrCat("no link from host ", fault.host(), " to host ",
                              fault.to(), ": both are of one process; give to ",
                              "a host of another, or more --processes"));
    }
    const std::vector<int> peers = PeersOf(scope, fault.host());
    if (std::ranges::find(peers, fault.to()) == peers.end()) {
      const std::string others =
          peers.empty() ? "hosts of its own process: give another host"
                        : absl::StrCat(absl::StrJoin(peers, ", "),
                                       ": give to: ", peers.front());
      return Bad(who, absl::StrCat("no frames go from host ", fault.host(),
                                   " to host ", fault.to(),
                                   " in this job, only to ", others));
    }
  } else if (fault.has_to()) {
    return Bad(who, absl::StrCat("to is ", fault.to(),
                                 ", but it is for CUT, DELAY and FLIP: leave "
                                 "it out"));
  }
  PODSIM_RETURN_IF_ERROR(CheckStep(who, fault.step(), scope));
  PODSIM_RETURN_IF_ERROR(CheckPhase(who, rule, fault.phase(), scope));
  return CheckSeconds(who, rule, fault.seconds());
}

absl::Status CheckRandom(const RandomFaults& random, const FaultScope& scope) {
  const std::string who = "random faults";
  if (!(random.per_step() > 0 && random.per_step() <= 1)) {
    return Bad(who, absl::StrCat("per_step is ", random.per_step(),
                                 "; give above 0 and up to 1, as in per_step: "
                                 "0.02"));
  }
  if (random.kinds().empty()) {
    return Bad(who, absl::StrCat("have no kinds; there are ", FaultKindNames(),
                                 ", as in kinds: KILL"));
  }
  for (const int kind : random.kinds()) {
    const std::string name = RuleOf(kind) ? Fault::Kind_Name(RuleOf(kind)->kind)
                                          : std::string("a kind");
    PODSIM_RETURN_IF_ERROR(
        CheckKind(absl::StrCat(who, ", ", name), kind, scope));
  }
  if (scope.steps > kMostStepsToDraw) {
    return Bad(who, absl::StrCat("are for jobs of up to ", kMostStepsToDraw,
                                 " steps, not of ", scope.steps,
                                 "; list faults { ... } instead, or lower "
                                 "--train_steps"));
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<int> FaultOf(const absl::Status& refused) {
  const auto payload = refused.GetPayload(kFault);
  int fault = 0;
  if (!payload || !absl::SimpleAtoi(std::string(*payload), &fault))
    return std::nullopt;
  return fault;
}

FaultyProcess ProcessOfHost(const FaultScope& scope, int host) {
  if (scope.first_host.empty()) return {.first = host, .end = host + 1};
  const auto next =
      std::upper_bound(scope.first_host.begin(), scope.first_host.end(), host);
  return {.first = *std::prev(next),
          .end = next == scope.first_host.end() ? scope.hosts : *next};
}

std::vector<int> PeersOf(const FaultScope& scope, int host) {
  const FaultyProcess own = ProcessOfHost(scope, host);
  std::vector<int> peers;
  for (int to = 0; to < scope.hosts; ++to) {
    const bool outside = to < own.first || to >= own.end;
    if (outside && (!scope.lines || scope.lines->contains({host, to}))) {
      peers.push_back(to);
    }
  }
  return peers;
}

std::vector<int> SendersOf(const FaultScope& scope) {
  std::vector<int> senders;
  for (int host = 0; host < scope.hosts; ++host) {
    if (!PeersOf(scope, host).empty()) senders.push_back(host);
  }
  return senders;
}

absl::Status CheckFaults(const FaultPlan& asked, const FaultScope& scope) {
  if (asked.faults().empty() && !asked.has_random()) {
    return absl::InvalidArgumentError(
        "the fault plan has no fault; give one, as in faults { kind: KILL "
        "host: 0 step: 20 }");
  }
  for (int i = 0; i < asked.faults_size(); ++i) {
    const Fault& fault = asked.faults(i);
    std::string who = absl::StrCat("fault ", i + 1);
    if (RuleOf(fault.kind())) {
      absl::StrAppend(&who, " (", Fault::Kind_Name(fault.kind()), ")");
    }
    if (absl::Status status = CheckFault(who, fault, scope); !status.ok()) {
      status.SetPayload(kFault, absl::Cord(absl::StrCat(i)));
      return status;
    }
  }
  return asked.has_random() ? CheckRandom(asked.random(), scope)
                            : absl::OkStatus();
}

}  // namespace podsim
