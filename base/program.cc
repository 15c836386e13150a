#include "base/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <latch>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/write_error.h"

namespace podsim {
namespace {

// A thread's stack, or an arena of malloc's.
constexpr long kRoomNeeded = 64L << 20;

// Everything below runs where memory may be short and locks may be held: no
// allocation, no stdio.
using Text = std::array<char, 256>;

long ReadNumber(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  std::array<char, 64> text{};
  const ssize_t count = read(fd, text.data(), text.size() - 1);
  close(fd);
  // "max" where there is no limit.
  return count > 0 && text[0] >= '0' && text[0] <= '9'
             ? std::strtol(text.data(), nullptr, 10)
             : -1;
}

bool AddressSpaceIsFull(long limit) {
  const long pages = ReadNumber("/proc/self/statm");
  return pages >= 0 && pages * sysconf(_SC_PAGESIZE) + kRoomNeeded > limit;
}

bool CannotFork() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child < 0) return errno == EAGAIN;
  waitpid(child, nullptr, 0);
  return false;
}

// False: none is known.
bool DescribeLimit(Text& text) {
  rlimit space = {};
  getrlimit(RLIMIT_AS, &space);
  if (space.rlim_cur != RLIM_INFINITY &&
      AddressSpaceIsFull(static_cast<long>(space.rlim_cur))) {
    std::snprintf(text.data(), text.size(),
                  "ulimit -v %ld (KiB of address space for a process) is "
                  "reached; raise it, or use fewer --threads",
                  static_cast<long>(space.rlim_cur >> 10));
    return true;
  }
  if (!CannotFork()) return false;
  const long most = ReadNumber("/sys/fs/cgroup/pids.max");
  if (most >= 0 && ReadNumber("/sys/fs/cgroup/pids.current") >= most) {
    std::snprintf(text.data(), text.size(),
                  "this container's %ld processes and threads (--pids-limit) "
                  "are reached; raise it, or use fewer --threads or "
                  "--processes",
                  most);
    return true;
  }
  rlimit processes = {};
  getrlimit(RLIMIT_NPROC, &processes);
  std::snprintf(text.data(), text.size(),
                "ulimit -u %ld (processes and threads of this user) or the "
                "machine's own limit is reached; raise it, or use fewer "
                "--threads or --processes",
                processes.rlim_cur == RLIM_INFINITY
                    ? -1L
                    : static_cast<long>(processes.rlim_cur));
  return true;
}

void Say(std::string_view what, std::string_view limit) {
  std::array<char, 512> line{};
  const int length = std::snprintf(
      line.data(), line.size(), "E %.*s: %.*s\n", static_cast<int>(what.size()),
      what.data(), static_cast<int>(limit.size()), limit.data());
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, line.data(),
            std::min(static_cast<std::size_t>(length), line.size() - 1));
}

[[noreturn]] void EndFor(std::string_view what, const char* otherwise) {
  Text limit{};
  Say(what, DescribeLimit(limit) ? limit.data() : otherwise);
  _exit(1);
}

// An exception that nobody caught: ours throw none, so it is the library's.
[[noreturn]] void OnTerminate() {
  try {
    if (const std::exception_ptr error = std::current_exception()) {
      std::rethrow_exception(error);
    }
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) {
      EndFor("cannot start another thread", "the system refuses it");
    }
    Say("a bug in podsim", error.what());
  } catch (const std::bad_alloc&) {
    EndFor("out of memory", "the system has no more");
  } catch (const std::exception& error) {
    Say("a bug in podsim", error.what());
  }
  std::abort();
}

// Libraries abort where a thread cannot be started.
void OnAbort(int /*signal*/) {
  Text limit{};
  if (DescribeLimit(limit)) {
    Say("cannot go on", limit.data());
    _exit(1);
  }
  std::signal(SIGABRT, SIG_DFL);
  raise(SIGABRT);
}

void OpenStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number: all below are open.
    if (open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) != fd) {
      _exit(1);  // there is nowhere to say why
    }
  }
}

}  // namespace

std::string ExhaustedLimit() {
  Text text{};
  return DescribeLimit(text) ? text.data() : "";
}

void BeginProgram() {
  OpenStandardStreams();
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(OnTerminate);
  std::signal(SIGABRT, OnAbort);
}

absl::Status CheckOpenFiles(int needed) {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 ||
      files.rlim_cur >= static_cast<rlim_t>(needed)) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "ulimit -n ", files.rlim_cur, " (open files of a process) is too few, ",
      needed, " may be needed; raise it, ulimit -n ", needed,
      ", or use fewer --processes"));
}

absl::Status CheckThreads(int needed) {
  std::latch done(1);
  std::vector<std::jthread> threads;
  absl::Status status;
  try {
    for (int i = 0; i < needed; ++i) {
      threads.emplace_back([&done] { done.wait(); });
    }
  } catch (const std::system_error& error) {
    const std::string limit = ExhaustedLimit();
    status = absl::ResourceExhaustedError(
        absl::StrCat("cannot start another thread: ",
                     limit.empty() ? error.what() : limit.c_str()));
  }
  done.count_down();
  return status;
}

int EndProgram(int code) {
  errno = 0;
  const bool flushed = static_cast<bool>(std::cout.flush());
  if (std::fflush(stdout) == 0 && flushed) return code;
  const int why = errno;
  if (why == EPIPE) return code == 0 ? kReaderGone : code;
  Say("standard output could not be written",
      why != 0 ? WriteErrorText(why) : "what was printed is lost");
  return code == 0 ? 1 : code;
}

}  // namespace podsim
