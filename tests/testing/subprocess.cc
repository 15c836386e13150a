#include "tests/testing/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/status.h"

namespace podsim::testing {
namespace {

using Clock = std::chrono::steady_clock;

// Fields of /proc/PID/stat after the command, which is in parentheses.
bool ReadStat(pid_t pid, std::string& command, char& state, pid_t& parent) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(in, line)) return false;
  const auto open = line.find('(');
  const auto close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return false;
  command = line.substr(open + 1, close - open - 1);
  std::istringstream rest(line.substr(close + 1));
  return static_cast<bool>(rest >> state >> parent);
}

// This process's, but for those that `given` has.
std::vector<std::string> EnvironmentWith(
    const std::vector<std::pair<std::string, std::string>>& given) {
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string variable = *each;
    const std::string name = variable.substr(0, variable.find('='));
    if (std::none_of(given.begin(), given.end(),
                     [&](const auto& other) { return other.first == name; }))
      variables.push_back(variable);
  }
  std::map<std::string, std::string> last;  // of one that is given twice
  for (const auto& [name, value] : given) last[name] = value;
  for (const auto& [name, value] : last)
    variables.push_back(name + "=" + value);
  return variables;
}

// As exec takes them. `texts` outlives it.
std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts)
    pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

// All is made before the fork: in its child another thread of this process,
// such as a server's, may hold the allocator's lock for ever.
Subprocess::Subprocess(const Options& options) {
  std::array<int, 2> ends{};
  PODSIM_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0);
  const std::vector<std::string> variables =
      EnvironmentWith(options.environment);
  const std::vector<char*> environment = Pointers(variables);
  const std::vector<char*> arguments = Pointers(options.command);
  pid_ = fork();
  PODSIM_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    execve(arguments[0], arguments.data(), environment.data());
    _exit(127);
  }
  close(ends[1]);
  fd_ = ends[0];
}

Subprocess::~Subprocess() {
  if (exit_code_ == -2) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (fd_ >= 0) close(fd_);
}

bool Subprocess::ReadUntil(const std::function<bool(const std::string&)>& done,
                           std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  std::array<char, 4096> buffer{};
  while (!done(output_)) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd waited = {fd_, POLLIN, 0};
    if (poll(&waited, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t count = read(fd_, buffer.data(), buffer.size());
    if (count <= 0) {
      output_ended_ = true;
      return done(output_);
    }
    output_.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return true;
}

bool Subprocess::ReadUntilText(const std::string& text,
                               std::chrono::milliseconds timeout) {
  return ReadUntil(
      [&](const std::string& output) {
        return output.find(text) != std::string::npos;
      },
      timeout);
}

void Subprocess::ReadFor(std::chrono::milliseconds time) {
  ReadUntil([](const std::string&) { return false; }, time);
}

int Subprocess::Wait(std::chrono::milliseconds timeout) {
  if (exit_code_ != -2) return exit_code_;
  const auto deadline = Clock::now() + timeout;
  // The output ends when the child, and all that inherited it, have ended.
  ReadFor(timeout);
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (Clock::now() >= deadline) {
      kill(pid_, SIGKILL);
      waitpid(pid_, &status, 0);
      return exit_code_ = -1;
    }
    poll(nullptr, 0, 1);
  }
  return exit_code_ =
             WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Subprocess::Signal(int signal) const { kill(pid_, signal); }

std::vector<std::pair<pid_t, std::string>> ChildrenOf(pid_t pid) {
  std::vector<std::pair<pid_t, std::string>> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t candidate = std::atoi(entry.path().filename().c_str());
    std::string command;
    char state = 0;
    pid_t parent = 0;
    if (candidate > 0 && ReadStat(candidate, command, state, parent) &&
        parent == pid && state != 'Z')
      children.emplace_back(candidate, command);
  }
  return children;
}

bool IsAlive(pid_t pid) {
  std::string command;
  char state = 0;
  pid_t parent = 0;
  return ReadStat(pid, command, state, parent) && state != 'Z' && state != 'X';
}

std::int64_t PeakMemoryOf(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("VmHWM:", 0) == 0)
      return std::atoll(line.c_str() + 6) * 1024;
  return 0;
}

}  // namespace podsim::testing
