// The poll loop and its phases; see supervisor.h.
#include "runtime/pod/supervisor.h"

#include <google/protobuf/util/json_util.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/pod/pipe.h"

namespace podsim {
namespace {

constexpr std::size_t kMaxReadyLine = 64 << 10;
// A plan with thousands of buckets is one event.
constexpr std::size_t kMaxEventLine = 64 << 20;
// SIGKILL cannot be refused; only a hung disk or driver holds a process then.
constexpr absl::Duration kKillWait = absl::Seconds(1);

// Whether a job may finish its step and save first.
bool IsNotice(int signal) {
  return signal == SIGTERM || signal == SIGUSR1 || signal == SIGINT;
}

int PollTimeout(absl::Duration left) {
  if (left == absl::InfiniteDuration()) return -1;
  // Rounded up, so that the deadline has passed after it.
  const std::int64_t milliseconds = absl::ToInt64Milliseconds(left) + 1;
  return static_cast<int>(std::clamp<std::int64_t>(milliseconds, 0, 60'000));
}

}  // namespace

Supervisor::Supervisor(SupervisorOptions options, const StopSignals& signals,
                       Console& console, const Clock& clock,
                       EventHandler on_event)
    : options_(std::move(options)),
      signals_(signals),
      console_(console),
      clock_(clock),
      on_event_(std::move(on_event)),
      event_splitter_(kMaxEventLine),
      ready_splitter_(kMaxReadyLine) {}

Supervisor::~Supervisor() {
  if (AllEnded()) return;
  BeginKilling();
  while (!AllEnded() && !DeadlinePassed()) {
    Wait();
    Collect();
  }
}

absl::Status Supervisor::StartCoordinator(const ProcessSpec& spec,
                                          UniqueFd events) {
  PODSIM_CHECK(children_.empty());
  events_ = std::move(events);
  return StartChild(spec);
}

absl::Status Supervisor::StartHost(const ProcessSpec& spec) {
  PODSIM_CHECK(!children_.empty());
  return StartChild(spec);
}

void Supervisor::StartHostsWhenReady(UniqueFd ready, ReadyHandler handler) {
  ready_ = std::move(ready);
  on_ready_ = std::move(handler);
  deadline_ = clock_.Now() + options_.ready_wait;
}

absl::Status Supervisor::StartChild(const ProcessSpec& spec) {
  PODSIM_ASSIGN_OR_RETURN(
      Child child, Child::Start(spec, options_.log_dir, options_.append_logs));
  evidence_.processes.push_back(
      {.name = spec.name, .pid = child.process().pid()});
  children_.push_back(std::move(child));
  return absl::OkStatus();
}

Outcome Supervisor::Run() {
  PODSIM_CHECK(!children_.empty());
  while (phase_ != Phase::kOver) {
    Wait();
    Collect();
    Advance();
  }
  return outcome_;
}

void Supervisor::Wait() {
  std::vector<pollfd> waits = {{signals_.stop_fd(), POLLIN, 0},
                               {signals_.child_fd(), POLLIN, 0},
                               {events_.get(), POLLIN, 0},
                               {ready_.get(), POLLIN, 0}};
  for (const Child& child : children_) {
    waits.push_back({child.process().output_fd(), POLLIN, 0});
  }
  // An error (a signal) only makes the round come early.
  const int ready =
      poll(waits.data(), waits.size(), PollTimeout(deadline_ - clock_.Now()));
  signalled_ = waits.front().revents != 0 || (ready < 0 && errno != EINTR);
}

// Ends before output: whatever a process said is in its pipe when it is gone.
// Signals last, and none that came later than the wait: what happened before
// them has been read then.
void Supervisor::Collect() {
  ReapChildren();
  ReadEvents();
  ReadReady();
  for (Child& child : children_)
    child.ReadOutput(console_, /*show=*/phase_ < Phase::kEnding);
  if (signalled_) TakeSignals();
}

void Supervisor::TakeSignals() {
  while (const int signal = signals_.TakeStop()) {
    if (IsNotice(signal) && options_.drains && formed_ && drain_signal_ == 0 &&
        phase_ == Phase::kRunning && !evidence_.job_done) {
      BeginDrain(signal);
      continue;
    }
    // Whoever stops what is done (compose does, when the first container ends)
    // still wants its result; the end is near in any case.
    if (evidence_.job_done && !std::exchange(late_stop_, true)) continue;
    outcome_.stop_signal = signal;
    ++stops_;
  }
}

void Supervisor::ReapChildren() {
  signals_.ClearChild();
  for (std::size_t i = 0; i < children_.size(); ++i) {
    if (!children_[i].process().Reap()) continue;
    evidence_.processes[i].end = children_[i].process().end();
    evidence_.processes[i].ended_at = clock_.Now();
  }
}

void Supervisor::ReadEvents() {
  for (const std::string& line : event_splitter_.Feed(ReadAvailable(events_))) {
    HandleEvent(line);
  }
}

void Supervisor::HandleEvent(const std::string& line) {
  JobEvent event;
  google::protobuf::util::JsonParseOptions lenient;
  lenient.ignore_unknown_fields = true;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(line, &event, lenient);
  if (!parsed.ok()) {
    console_.Error(absl::StrCat("[coordinator] not an event: ", line));
    return;
  }
  if (event.has_step()) evidence_.last_step = event.step().step();
  if (event.has_formed()) formed_ = true;
  if (event.has_done()) {
    evidence_.job_done = true;
    outcome_.drained = phase_ < Phase::kEnding && event.done().drained();
  }
  if (event.has_failed() && !evidence_.failed.has_value()) {
    evidence_.failed = event.failed();
    evidence_.failed_at = clock_.Now();
  }
  // Who still has news gets on.
  if (phase_ == Phase::kFinishing)
    Enter(Phase::kFinishing, options_.shutdown_wait);
  // Of many that were not read yet the last may say that the job is done.
  if (phase_ == Phase::kJudging && !evidence_.failed.has_value())
    Enter(Phase::kJudging, options_.cause_wait);
  // What comes after the verdict is an echo of our own signals.
  if (phase_ < Phase::kEnding) on_event_(event);
}

void Supervisor::ReadReady() {
  if (on_ready_ == nullptr) return;
  const std::vector<std::string> lines =
      ready_splitter_.Feed(ReadAvailable(ready_));
  if (lines.empty()) return;
  ready_.Reset();
  if (phase_ == Phase::kRunning) deadline_ = absl::InfiniteFuture();
  const ReadyHandler handler = std::exchange(on_ready_, nullptr);
  if (phase_ != Phase::kRunning) return;
  for (const ProcessSpec& spec : handler(lines.front())) {
    start_status_ = StartHost(spec);
    if (!start_status_.ok()) return;
  }
}

void Supervisor::BeginDrain(int signal) {
  drain_signal_ = signal;
  console_.Error(absl::StrCat(signal == SIGINT    ? "Ctrl-C"
                              : signal == SIGTERM ? "SIGTERM"
                                                  : "SIGUSR1",
                              ": the pod finishes its step",
                              options_.saves ? ", saves" : "",
                              " and ends; a second one stops it at once"));
  children_[kCoordinator].process().Signal(SIGTERM);
}

void Supervisor::Advance() {
  if (outcome_.stop_signal != 0 && phase_ < Phase::kEnding) {
    outcome_.exit_code = 128 + outcome_.stop_signal;
    BeginEnding();
  }
  if (phase_ == Phase::kRunning) AdvanceRunning();
  if (phase_ == Phase::kJudging) AdvanceJudging();
  if (phase_ == Phase::kFinishing) AdvanceFinishing();
  if (phase_ >= Phase::kEnding) AdvanceEnding();
}

void Supervisor::AdvanceRunning() {
  if (!start_status_.ok()) {
    console_.Error(absl::StrCat("error: ", start_status_.message()));
    outcome_.exit_code = 1;
    BeginEnding();
    return;
  }
  if (DeadlinePassed()) MarkOverdue(kCoordinator);  // it never became ready
  if (ShowsFailure(evidence_)) {
    Enter(Phase::kJudging, options_.cause_wait);
  } else if (evidence_.job_done) {
    Enter(Phase::kFinishing, options_.shutdown_wait);
  }
}

void Supervisor::AdvanceJudging() {
  // A process may end well before the news that the job is done arrives.
  if (!ShowsFailure(evidence_)) {
    Enter(Phase::kFinishing, options_.shutdown_wait);
    return;
  }
  for (std::size_t i = 0; i < children_.size(); ++i) {
    evidence_.processes[i].stopped = children_[i].process().IsStopped();
  }
  if (IsComplete(evidence_) || DeadlinePassed()) {
    for (std::size_t i = 0; i < children_.size(); ++i) {
      const auto& lines = children_[i].last_lines();
      evidence_.processes[i].last_lines.assign(lines.begin(), lines.end());
    }
    outcome_.failure = Judge(evidence_);
    outcome_.failure->log_dir = options_.log_dir;
    // Who wants the end does not want it anew.
    outcome_.recoverable =
        drain_signal_ == 0 && IsRecoverable(evidence_, options_.restores);
    outcome_.exit_code = outcome_.failure->exit_code;
    BeginEnding();
  }
}

void Supervisor::AdvanceFinishing() {
  if (!AllEnded() && !DeadlinePassed()) return;
  for (std::size_t i = 0; i < children_.size(); ++i) {
    if (!children_[i].process().end().has_value()) MarkOverdue(i);
  }
  if (!ShowsFailure(evidence_)) {
    if (outcome_.drained) outcome_.exit_code = ExitCodeOfDrain();
    phase_ = Phase::kOver;
    return;
  }
  Enter(Phase::kJudging, absl::ZeroDuration());
  AdvanceJudging();
}

int Supervisor::ExitCodeOfDrain() const {
  if (drain_signal_ == SIGINT) return 128 + SIGINT;
  // A notice to us, or to a host. Only what was saved can be gone on with.
  if (options_.saves) return kDrainedExitCode;
  return 128 + (drain_signal_ != 0 ? drain_signal_ : SIGTERM);
}

void Supervisor::AdvanceEnding() {
  if (AllEnded()) {
    phase_ = Phase::kOver;
  } else if (phase_ == Phase::kEnding && (DeadlinePassed() || stops_ > 1)) {
    BeginKilling();
  } else if (DeadlinePassed()) {
    console_.Error("warning: a process does not end even after SIGKILL");
    phase_ = Phase::kOver;
  }
}

void Supervisor::Enter(Phase phase, absl::Duration wait) {
  phase_ = phase;
  deadline_ = clock_.Now() + wait;
}

void Supervisor::BeginEnding() {
  for (const Child& child : children_) {
    child.process().Signal(child.process().IsStopped() ? SIGKILL : SIGINT);
  }
  Enter(Phase::kEnding, options_.term_wait);
}

void Supervisor::BeginKilling() {
  for (const Child& child : children_) child.process().Signal(SIGKILL);
  Enter(Phase::kKilling, kKillWait);
}

void Supervisor::MarkOverdue(std::size_t index) {
  evidence_.processes[index].overdue = true;
  evidence_.processes[index].ended_at = clock_.Now();
}

bool Supervisor::AllEnded() const {
  return std::all_of(
      children_.begin(), children_.end(),
      [](const Child& child) { return child.process().end().has_value(); });
}

}  // namespace podsim
