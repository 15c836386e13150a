#include "runtime/ladder/train_child.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/topology/accelerator_type.h"
#include "runtime/pod/child.h"
#include "settings/programs.h"

namespace podsim {
namespace {

constexpr char kError[] = "error: ";
// Nothing is waited for longer, so that a signal that got lost costs a second.
constexpr absl::Duration kLook = absl::Seconds(1);

// What ends a job: one that was made for this process alone (a reader that has
// gone) is not the child's.
int PassedOn(int signal) { return signal == SIGINT ? SIGINT : SIGTERM; }

absl::Status WaitFor(const Child& child, const StopSignals& signals,
                     absl::Duration most) {
  std::array<pollfd, 3> files = {
      {{.fd = signals.stop_fd(), .events = POLLIN, .revents = 0},
       {.fd = signals.child_fd(), .events = POLLIN, .revents = 0},
       {.fd = child.process().output_fd(), .events = POLLIN, .revents = 0}}};
  const auto wait = static_cast<int>(
      absl::ToInt64Milliseconds(std::clamp(most, absl::ZeroDuration(), kLook)));
  if (poll(files.data(), files.size(), wait) >= 0 || errno == EINTR)
    return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "cannot wait for pod_launch");
}

}  // namespace

ProcessSpec LaunchCommand(const std::string& program_dir,
                          const std::string& job_file) {
  ProcessSpec spec = {.name = "pod_launch",
                      .argv = {program_dir + "/pod_launch", "--quiet",
                               absl::StrCat("--job=", job_file)}};
  for (const Flag& flag : FlagsOf(PodLaunch()))
    if (HasVariable(flag))
      spec.hidden_environment.push_back(VariableOf(*flag.field));
  spec.hidden_environment.emplace_back(kAcceleratorTypeVariable);
  return spec;
}

absl::Status CheckPrograms(const std::string& program_dir) {
  for (const char* name : {"pod_launch", "pod_coordinator", "pod_host"}) {
    const std::string path = absl::StrCat(program_dir, "/", name);
    if (faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0) continue;
    const int why = errno;
    return absl::Status(absl::ErrnoToStatusCode(why),
                        absl::StrCat("cannot run ", path,
                                     ", which belongs beside this "
                                     "program: ",
                                     std::generic_category().message(why),
                                     "; build or install podsim as a whole"));
  }
  return absl::OkStatus();
}

absl::StatusOr<ChildEnd> RunToItsEnd(const ProcessSpec& spec,
                                     const StopSignals& signals,
                                     Console& console, const Clock& clock) {
  PODSIM_ASSIGN_OR_RETURN(Child child,
                          Child::Start(spec, /*log_dir=*/"", /*append=*/false));
  ChildEnd ended;
  absl::Time deadline = absl::InfiniteFuture();
  for (;;) {
    child.ReadOutput(console, /*show=*/false);
    // Forgotten first: a child that ends after the look is reported again.
    signals.ClearChild();
    if (child.process().Reap()) break;
    if (const int signal = signals.TakeStop(); signal != 0) {
      child.process().Signal(PassedOn(signal));
      if (ended.stop_signal == 0) deadline = clock.Now() + kStopWait;
      if (ended.stop_signal == 0) ended.stop_signal = signal;
    }
    if (clock.Now() >= deadline) child.process().Signal(SIGKILL);
    PODSIM_RETURN_IF_ERROR(
        WaitFor(child, signals,
                std::max(deadline - clock.Now(), absl::Milliseconds(50))));
  }
  child.ReadOutput(console, /*show=*/false);
  ended.end = *child.process().end();
  ended.last_lines = child.last_lines();
  return ended;
}

std::string FailureOf(const ChildEnd& ended) {
  for (auto line = ended.last_lines.rbegin(); line != ended.last_lines.rend();
       ++line)
    if (absl::StartsWith(*line, kError))
      return line->substr(sizeof(kError) - 1);
  if (!ended.last_lines.empty() && !ended.last_lines.back().empty())
    return ended.last_lines.back();
  return absl::StrCat("pod_launch ", DescribeEnd(ended.end));
}

}  // namespace podsim
