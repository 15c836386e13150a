// A child process whose output is captured: for tests that run the programs.
#ifndef PODSIM_TESTS_TESTING_SUBPROCESS_H_
#define PODSIM_TESTS_TESTING_SUBPROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace podsim::testing {

class Subprocess {
 public:
  struct Options {
    std::vector<std::string> command;  // command[0] is a path
    std::vector<std::pair<std::string, std::string>> environment;  // added
  };

  explicit Subprocess(const Options& options);
  // Kills the child, if it still runs, and reaps it.
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  pid_t pid() const { return pid_; }
  // Standard output and error, together, as far as read.
  const std::string& output() const { return output_; }
  // All of it was read: the child, and all that inherited it, closed it.
  bool output_ended() const { return output_ended_; }

  // Reads output until `done(output)` holds. False: the output ended or the
  // time passed before.
  bool ReadUntil(const std::function<bool(const std::string&)>& done,
                 std::chrono::milliseconds timeout);
  bool ReadUntilText(const std::string& text,
                     std::chrono::milliseconds timeout);
  // Reads what comes within `time`, or until the output ends.
  void ReadFor(std::chrono::milliseconds time);

  // Reads to the end of the output and reaps the child. Returns its exit code,
  // 128 + the signal that killed it, or -1 when the time passed (then it is
  // killed).
  int Wait(std::chrono::milliseconds timeout);

  void Signal(int signal) const;

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  int exit_code_ = -2;  // -2: not reaped yet
  std::string output_;
  bool output_ended_ = false;
};

// Processes whose parent is `pid`, by command name ("pod_host").
std::vector<std::pair<pid_t, std::string>> ChildrenOf(pid_t pid);

// A process with this id exists and is no zombie.
bool IsAlive(pid_t pid);

// Peak resident bytes of a process, 0 if it is gone.
std::int64_t PeakMemoryOf(pid_t pid);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_SUBPROCESS_H_
