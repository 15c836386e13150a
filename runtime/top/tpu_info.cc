// Namespaces belong to threads: one of its own enters the network's, listens
// there and forks; the child then has a mount namespace to itself, and where it
// may a PID namespace. What is mounted there nobody else sees, and it goes with
// the child.
#include "runtime/top/tpu_info.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "base/write_error.h"
#include "runtime/coordinator/tpu_metric_server.h"
#include "runtime/monitor/chip_view.h"
#include "runtime/monitor/tpu_metrics.h"
#include "runtime/top/made_chips.h"
#include "runtime/top/own_processes.h"

namespace podsim {
namespace {

constexpr char kDevices[] = "/sys/bus/pci/devices";
// Of a shell: no such command.
constexpr int kNotFound = 127;

absl::Status CheckRoot() {
  if (geteuid() == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(
      "--tpu_info gives the command a /sys of its own, which only root may: "
      "run "
      "it with sudo, or leave --tpu_info out and look at pod_top itself");
}

// Loopback, which a new network namespace has switched off.
bool SwitchLoopbackOn() {
  const UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
  if (!fd.valid() || ioctl(fd.get(), SIOCGIFFLAGS, &request) != 0) return false;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  return ioctl(fd.get(), SIOCSIFFLAGS, &request) == 0;
}

int WriteMade(const std::string& path, const std::string& text) {
  const UniqueFd fd(
      open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444));
  return fd.valid() ? WriteFully(fd.get(), text) : errno;
}

// In the child. errno of what could not be made; 0: all is there.
int MakeChips(const MadeChips& chips) {
  const std::string root = std::string(kDevices) + "/";
  // Nothing that is mounted from here on reaches others.
  if (unshare(CLONE_NEWNS) != 0 ||
      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("podsim", kDevices, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
            "mode=755") != 0)
    return errno;
  for (const std::string& folder : chips.folders)
    if (mkdir((root + folder).c_str(), 0755) != 0) return errno;
  for (const MadeEntry& entry : chips.entries) {
    if (!entry.link_target.empty()) {
      if (symlink(entry.link_target.c_str(), (root + entry.path).c_str()) != 0)
        return errno;
    } else if (const int error = WriteMade(root + entry.path, entry.text);
               error != 0) {
      return error;
    }
  }
  return 0;
}

void SayInChild(const std::string& text) {
  const std::string line = absl::StrCat("pod_top: ", text, "\n");
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

const char* WayToRun(const std::string& command, int error) {
  if (error != ENOENT)
    return "behind -- stands a program that may be run (chmod +x)";
  return command == "tpu-info"
             ? "pip install tpu-info"
             : "behind -- stands a program of the PATH, or its whole path";
}

[[noreturn]] void BecomeCommand(const MadeChips& chips,
                                const std::vector<std::string>& command,
                                pid_t parent) {
  EndWithParent(parent);
  if (const int error = MakeChips(chips); error != 0) {
    SayInChild(absl::StrCat("cannot make chips in ", kDevices, ": ",
                            strerror(error),
                            "; a container needs the right to mount for it "
                            "(CAP_SYS_ADMIN)"));
    _exit(kCannotRun);
  }
  EnterOwnProcesses();
  setenv("TPU_RUNTIME_METRICS_PORTS", std::to_string(kTpuMetricsPort).c_str(),
         /*overwrite=*/1);
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  SayInChild(absl::StrCat("cannot run ", command[0], ": ", strerror(error),
                          "; ", WayToRun(command[0], error)));
  _exit(error == ENOENT ? kNotFound : kCannotRun);
}

absl::StatusOr<int> AwaitChild(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return absl::ErrnoToStatus(errno, "waitpid");
  return ExitCodeOf(status);
}

// On a thread of its own, which ends with its namespace.
absl::StatusOr<int> RunInNamespaces(const TpuInfoOptions& options,
                                    const MadeChips& chips) {
  // Where that is not allowed the port may be free on the machine itself.
  if (unshare(CLONE_NEWNET) == 0 && !SwitchLoopbackOn())
    return absl::ErrnoToStatus(errno, "cannot switch loopback on");
  PODSIM_ASSIGN_OR_RETURN(
      const auto server,
      TpuMetricServer::Start(kTpuMetricsPort, options.host, options.state));
  // What the terminal sends goes to the command too, which may go on.
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return absl::ErrnoToStatus(errno, "fork");
  if (child == 0) BecomeCommand(chips, options.command, parent);
  return AwaitChild(child);
}

}  // namespace

absl::StatusOr<int> RunTpuInfo(const TpuInfoOptions& options) {
  PODSIM_RETURN_IF_ERROR(CheckRoot());
  PODSIM_ASSIGN_OR_RETURN(const Slice slice, SliceOf(options.state()));
  if (options.host >= slice.hosts)
    return absl::InvalidArgumentError(absl::StrCat(
        "--host is ", options.host, ", and ", slice.name, " has ", slice.hosts,
        slice.hosts == 1 ? " host" : " hosts", ", counted from 0"));
  PODSIM_ASSIGN_OR_RETURN(const MadeChips chips, ChipsOfHost(slice));
  absl::StatusOr<int> code = absl::UnknownError("");
  std::thread([&] { code = RunInNamespaces(options, chips); }).join();
  return code;
}

}  // namespace podsim
