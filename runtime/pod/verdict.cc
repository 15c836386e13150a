// Choosing the root cause; see verdict.h.
#include "runtime/pod/verdict.h"

#include <csignal>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/pod/last_error.h"

namespace podsim {
namespace {

constexpr int kNobody = -1;
// As of a command line that is refused.
constexpr int kBadUsage = 2;

// Deaths this much after the coordinator's word belong to the same moment: the
// kernel closes a dying process's sockets before it tells its parent.
constexpr absl::Duration kSameMoment = absl::Milliseconds(200);

bool WentWrong(const ProcessEvidence& process, bool job_done) {
  if (process.overdue) return true;
  if (!process.end.has_value()) return false;
  return !process.end->clean() || !job_done;
}

// The process that the coordinator blames, or kNobody.
int Blamed(const Evidence& evidence) {
  if (!evidence.failed.has_value()) return kNobody;
  // A culprit that is no process of its own (host -1) may still carry 0 here.
  if (evidence.failed->host() < 0 && evidence.failed->pid() == 0) {
    return kNobody;
  }
  const int index = evidence.failed->process() + 1;
  const bool ours =
      index > 0 && index < static_cast<int>(evidence.processes.size());
  return ours ? index : kNobody;
}

// The earliest end that `counts`, or kNobody.
template <typename Predicate>
int Earliest(const Evidence& evidence, const Predicate& counts) {
  int earliest = kNobody;
  for (int i = 0; i < static_cast<int>(evidence.processes.size()); ++i) {
    const ProcessEvidence& process = evidence.processes[i];
    if (!WentWrong(process, evidence.job_done) || !counts(process)) continue;
    if (earliest == kNobody ||
        process.ended_at < evidence.processes[earliest].ended_at) {
      earliest = i;
    }
  }
  return earliest;
}

bool KilledBySignal(const ProcessEvidence& process) {
  return process.end.has_value() && process.end->signal != 0;
}

// The process to blame; kNobody when the coordinator blames none of ours.
int RootCause(const Evidence& evidence) {
  const int killed = Earliest(evidence, KilledBySignal);
  if (evidence.failed.has_value()) {
    // A report of the culprit's own stands against deaths well after it.
    const bool killed_later =
        killed != kNobody && !evidence.failed->lost() &&
        evidence.processes[killed].ended_at > evidence.failed_at + kSameMoment;
    if (killed == kNobody || killed_later) return Blamed(evidence);
  }
  if (killed != kNobody) return killed;
  // Hosts that miss a frozen coordinator end by themselves.
  if (!evidence.failed.has_value() && evidence.processes[kCoordinator].stopped)
    return kCoordinator;
  return Earliest(evidence, [](const ProcessEvidence&) { return true; });
}

std::string DescribeHow(const Evidence& evidence,
                        const ProcessEvidence& process) {
  if (process.end.has_value()) {
    const std::string how = DescribeEnd(*process.end);
    if (process.end->clean()) return how + " before the job was done";
    return evidence.job_done ? how + " after the job was done" : how;
  }
  if (process.stopped) return "is stopped (SIGSTOP or a debugger)";
  if (evidence.failed.has_value() && evidence.failed->lost()) {
    return "stopped answering";
  }
  if (process.overdue) {
    return evidence.job_done ? "did not end after the job was done"
                             : "did not come up";
  }
  return "";  // the coordinator's message says it all
}

std::string HintFor(const ProcessEvidence& process) {
  if (!process.end.has_value()) return "";
  switch (process.end->signal) {
    case SIGKILL:
      return "if nobody killed it, memory ran out: look for \"oom\" in dmesg";
    case SIGILL:
      return "this CPU lacks an instruction: try --isa=v2";
    default:
      return "";
  }
}

int ExitCodeFor(const ProcessEvidence& process) {
  if (!process.end.has_value()) return 1;
  if (process.end->signal != 0) return 128 + process.end->signal;
  return process.end->exit_code != 0 ? process.end->exit_code : 1;
}

// Of a process that the coordinator blames: its own last word, where all that
// others saw is that it went.
std::string WhyFailed(const JobFailed& failed, const ProcessEvidence& process) {
  const bool by_itself = process.end.has_value() && process.end->signal == 0;
  const std::string own = failed.lost() && by_itself
                              ? LastError(process.last_lines)
                              : std::string();
  return own.empty() ? failed.message() : own;
}

std::string DescribeBlame(const JobFailed& failed) {
  return absl::StrCat("coordinator: ",
                      failed.host() >= 0
                          ? absl::StrCat("host", failed.host(), ": ")
                          : std::string(),
                      failed.message());
}

// A failure that no process of ours can be blamed for.
FailureReport JudgeWithoutProcess(const Evidence& evidence) {
  const JobFailed& failed = *evidence.failed;
  FailureReport report;
  report.when = evidence.failed_at;
  if (failed.host() >= 0) {
    report.name = absl::StrCat("host", failed.host());
    report.pid = failed.pid();
    if (failed.lost()) report.how = "stopped answering";
  } else {
    report.name = "the job";
  }
  if (failed.refused()) report.exit_code = kBadUsage;
  return report;
}

FailureReport JudgeProcess(const Evidence& evidence, int root) {
  const ProcessEvidence& process = evidence.processes[root];
  FailureReport report;
  report.when = process.end.has_value() || process.overdue ? process.ended_at
                                                           : evidence.failed_at;
  report.name = process.name;
  report.pid = process.pid;
  report.how = DescribeHow(evidence, process);
  report.hint = HintFor(process);
  report.last_lines = process.last_lines;
  report.exit_code = ExitCodeFor(process);
  return report;
}

// Ends other than the root's. Once the coordinator has spoken, everybody was
// told to end, and the coordinator does so itself: only signals are news.
void AddOtherEnds(const Evidence& evidence, int root, FailureReport& report) {
  for (int i = 0; i < static_cast<int>(evidence.processes.size()); ++i) {
    const ProcessEvidence& process = evidence.processes[i];
    if (i == root || !WentWrong(process, evidence.job_done)) continue;
    if (evidence.failed.has_value() && !KilledBySignal(process)) continue;
    report.others.push_back(absl::StrCat(process.name, " (pid ", process.pid,
                                         ") ", DescribeHow(evidence, process)));
  }
}

}  // namespace

bool ShowsFailure(const Evidence& evidence) {
  if (evidence.failed.has_value()) return true;
  for (const ProcessEvidence& process : evidence.processes) {
    if (WentWrong(process, evidence.job_done)) return true;
  }
  return false;
}

bool IsComplete(const Evidence& evidence) {
  // Once the coordinator is gone, what follows are echoes.
  if (!evidence.failed.has_value()) {
    return evidence.processes[kCoordinator].end.has_value();
  }
  const int root = RootCause(evidence);
  if (root == kNobody) return true;
  return evidence.processes[root].end.has_value() ||
         evidence.processes[root].stopped;
}

bool IsRecoverable(const Evidence& evidence, bool restores) {
  const int root = RootCause(evidence);
  const ProcessEvidence* process =
      root == kNobody ? nullptr : &evidence.processes[root];
  if (process != nullptr && process->end.has_value() &&
      process->end->signal != 0)
    return process->end->signal != SIGILL;
  // What the coordinator was told counts for more than a standstill on the way
  // out: a leak checker stops a process that ends by itself.
  if (!evidence.failed.has_value())
    return process != nullptr && (process->stopped || process->overdue);
  if (evidence.failed->refused()) return false;
  if (evidence.failed->lost()) return true;
  switch (static_cast<absl::StatusCode>(evidence.failed->code())) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kCancelled:
      return true;
    case absl::StatusCode::kDataLoss:
      return restores;
    default:
      return false;
  }
}

FailureReport Judge(const Evidence& evidence) {
  const int root = RootCause(evidence);
  PODSIM_CHECK(root != kNobody || evidence.failed.has_value());
  FailureReport report = root == kNobody ? JudgeWithoutProcess(evidence)
                                         : JudgeProcess(evidence, root);
  report.step = evidence.last_step;
  if (evidence.failed.has_value()) {
    const JobFailed& failed = *evidence.failed;
    report.step = failed.step();
    report.phase = failed.phase();
    // What is said of another process is no reason of this one's.
    if (root == Blamed(evidence)) {
      report.message = root == kNobody
                           ? failed.message()
                           : WhyFailed(failed, evidence.processes[root]);
    } else {
      report.others.push_back(DescribeBlame(failed));
    }
    report.others.insert(report.others.end(), failed.others().begin(),
                         failed.others().end());
  }
  AddOtherEnds(evidence, root, report);
  return report;
}

}  // namespace podsim
