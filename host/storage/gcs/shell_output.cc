#include "host/storage/gcs/shell_output.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/status.h"
#include "host/storage/posix_file.h"

namespace podsim {
namespace {

absl::Status Failed(const std::string& command, std::string_view why) {
  return absl::UnauthenticatedError(absl::StrCat("token command '", command,
                                                 "': ", std::string(why),
                                                 "; try it in a shell"));
}

// Starts it as the leader of a group of its own, its output in `out`.
int Spawn(const std::string& command, int out, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string shell = "sh";
  std::string flag = "-c";
  std::string text = command;
  std::array<char*, 4> words = {shell.data(), flag.data(), text.data(),
                                nullptr};
  const int error = posix_spawn(&pid, "/bin/sh", &actions, &attributes,
                                words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

constexpr absl::Duration kSlice = absl::Milliseconds(500);

// Until the other end is closed. False: too late, too much, or told to end.
bool ReadAll(int fd, absl::Duration within, std::int64_t most,
             const HttpWatch& watch, std::string& text) {
  const SystemClock clock;
  const absl::Time end = clock.Now() + within;
  std::array<char, 4096> block{};
  while (static_cast<std::int64_t>(text.size()) <= most) {
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    const absl::Duration left = std::min(kSlice, end - clock.Now());
    const int count = poll(&ready, 1,
                           static_cast<int>(std::max<std::int64_t>(
                               0, absl::ToInt64Milliseconds(left))));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0 && clock.Now() < end && (!watch || watch(0))) continue;
    if (count <= 0) return false;
    const ssize_t bytes = read(fd, block.data(), block.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return bytes == 0;
    text.append(block.data(), static_cast<std::size_t>(bytes));
  }
  return false;
}

}  // namespace

absl::StatusOr<std::string> ShellOutput(const std::string& command,
                                        absl::Duration within,
                                        std::int64_t most,
                                        const HttpWatch& watch) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return ErrnoStatus(errno, "make a pipe for", "the token command");
  const FileDescriptor in(ends[0]);
  FileDescriptor out(ends[1]);
  pid_t pid = 0;
  const int error = Spawn(command, out.get(), pid);
  out.Close();
  if (error != 0) return ErrnoStatus(error, "start", "/bin/sh");
  std::string text;
  const bool whole = ReadAll(in.get(), within, most, watch, text);
  if (!whole) kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole)
    return Failed(command,
                  absl::StrCat("not done within ", absl::FormatDuration(within),
                               ", or more than ", most, " bytes"));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Failed(command, WIFEXITED(status) ? absl::StrCat("exit status ",
                                                            WEXITSTATUS(status))
                                             : "killed");
  return text;
}

}  // namespace podsim
