// fork, exec and waitpid; see process.h.
#include "runtime/pod/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/program.h"
#include "base/status.h"
#include "runtime/pod/pipe.h"
#include "runtime/report/failure.h"

namespace podsim {
namespace {

constexpr int kCannotRun = 127;  // as shells have it

// The launcher's environment with `changes` on top, as "NAME=value".
std::vector<std::string> MergedEnvironment(const ProcessSpec& spec) {
  std::map<std::string, std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    merged[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const std::string& name : spec.hidden_environment) merged.erase(name);
  for (const auto& [name, value] : spec.environment) merged[name] = value;
  std::vector<std::string> entries;
  entries.reserve(merged.size());
  for (const auto& [name, value] : merged) {
    entries.push_back(absl::StrCat(name, "=", value));
  }
  return entries;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void Die(const char* what, const char* program) {
  const std::string text = absl::StrCat("E cannot ", what, " ", program, ": ",
                                        strerror(errno), "\n");
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
  _exit(kCannotRun);
}

// In the child, between fork and exec.
[[noreturn]] void BecomeProgram(const ProcessSpec& spec, pid_t parent,
                                int output, char* const* argv,
                                char* const* environment) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (nothing > STDERR_FILENO) close(nothing);

  // The parent may have died before this took effect: then nobody is left.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotRun);
  setpgid(0, 0);

  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // A shell's background job ignores SIGINT, a supervisor's perhaps SIGCHLD;
  // its children must not.
  for (const int usual : {SIGPIPE, SIGINT, SIGTERM, SIGUSR1, SIGCHLD}) {
    signal(usual, SIG_DFL);
  }
  for (const int fd : spec.inherited_fds) {
    if (fcntl(fd, F_SETFD, 0) != 0) Die("pass a descriptor to", argv[0]);
  }
  execve(argv[0], argv, environment);
  Die("run", argv[0]);
}

}  // namespace

std::string DescribeEnd(const ProcessEnd& end) {
  if (end.unknown) return "ended, nobody knows how";
  if (end.signal != 0) {
    return absl::StrCat("was killed by ", DescribeSignal(end.signal));
  }
  return absl::StrCat("exited with code ", end.exit_code);
}

absl::StatusOr<Process> Process::Start(const ProcessSpec& spec) {
  PODSIM_CHECK(!spec.argv.empty());
  std::vector<std::string> argv = spec.argv;
  std::vector<std::string> environment = MergedEnvironment(spec);
  const std::vector<char*> argv_pointers = Pointers(argv);
  const std::vector<char*> environment_pointers = Pointers(environment);
  PODSIM_ASSIGN_OR_RETURN(Pipe output, MakePipe());

  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    const absl::Status failed = absl::ErrnoToStatus(
        errno, absl::StrCat("cannot start ", spec.name, " (fork)"));
    const std::string limit = ExhaustedLimit();
    return limit.empty() ? failed
                         : absl::ResourceExhaustedError(
                               absl::StrCat(failed.message(), ": ", limit));
  }
  if (pid == 0) {
    BecomeProgram(spec, parent, output.write_end.get(), argv_pointers.data(),
                  environment_pointers.data());
  }
  setpgid(pid, pid);  // whoever is first; the other's call changes nothing
  return Process(pid, std::move(output.read_end));
}

bool Process::Reap() {
  if (end_.has_value()) return false;
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  if (ended != pid_ && (ended >= 0 || errno != ECHILD)) return false;
  end_.emplace();
  if (ended != pid_) {
    // Whoever embeds us ignores SIGCHLD, or waits for any child.
    end_->unknown = true;
  } else if (WIFSIGNALED(status)) {
    end_->signal = WTERMSIG(status);
  } else {
    end_->exit_code = WEXITSTATUS(status);
  }
  return true;
}

void Process::Signal(int signal) const {
  if (!end_.has_value()) kill(pid_, signal);
}

bool Process::IsStopped() const {
  if (end_.has_value()) return false;
  // "pid (name) state ...": the name may hold anything, so look from its end.
  std::ifstream file(absl::StrCat("/proc/", pid_, "/stat"));
  std::string line;
  std::getline(file, line);
  const std::size_t close = line.rfind(')');
  if (close == std::string::npos || close + 2 >= line.size()) return false;
  return line[close + 2] == 'T' || line[close + 2] == 't';
}

}  // namespace podsim
