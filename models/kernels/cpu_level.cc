#include "models/kernels/cpu_level.h"

#include <asm/prctl.h>
#include <cpuid.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

// Component of the extended state that holds the tiles' contents (XTILEDATA).
constexpr unsigned long kTileData = 18;

constexpr int kTries = 3;
constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 50'000'000};

// What an instruction that is missing after all may lead to.
constexpr int kFaults[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP};

bool IsFault(int signal) {
  return std::find(std::begin(kFaults), std::end(kFaults), signal) !=
         std::end(kFaults);
}

constexpr char kYes = 'y';
constexpr char kNo = 'n';

// Where the child answers; the parent's copy is never set.
volatile int answer_fd = -1;

// Safe in a handler of signals.
[[noreturn]] void Answer(char answer) {
  const ssize_t written = write(answer_fd, &answer, 1);
  _exit(written == 1 ? 0 : 1);
}

// A missing instruction is no crash to tell of: no core file, no handler that
// this process may have installed for its own.
[[noreturn]] void RunTrial(std::int32_t (*trial)(), int fd) {
  answer_fd = fd;
  for (const int fault : kFaults) {
    struct sigaction quiet = {};
    quiet.sa_handler = [](int) { Answer(kNo); };
    sigaction(fault, &quiet, nullptr);
  }
  Answer(trial() == 1 ? kYes : kNo);
}

template <typename Call>
auto Uninterrupted(const Call& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

// Through a pipe rather than the exit code, which is nobody's to read where a
// parent ignores SIGCHLD.
absl::StatusOr<bool> TryInChild(std::int32_t (*trial)()) {
  int pipe_fds[2];
  if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
    return absl::UnavailableError(std::string("pipe: ") + strerror(errno));
  }
  const pid_t child = fork();
  const int failure = errno;
  if (child == 0) RunTrial(trial, pipe_fds[1]);
  close(pipe_fds[1]);
  char answer = 0;
  const ssize_t got =
      child < 0 ? 0
                : Uninterrupted([&] { return read(pipe_fds[0], &answer, 1); });
  close(pipe_fds[0]);
  if (child < 0) {
    return absl::UnavailableError(std::string("fork: ") + strerror(failure));
  }
  int status = 0;
  const pid_t reaped =
      Uninterrupted([&] { return waitpid(child, &status, 0); });
  if (got == 1) return answer == kYes;
  const int killer =
      reaped == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  // Not even the handler could run: an answer all the same.
  if (IsFault(killer)) return false;
  return absl::UnavailableError("its process was killed (signal " +
                                std::to_string(killer) + ")");
}

}  // namespace

// Asks for the features that tell the levels apart and that both compilers know
// by name; the check covers what the operating system has switched on.
std::string VectorLevel() {
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") != 0 &&
                  __builtin_cpu_supports("ssse3") != 0 &&
                  __builtin_cpu_supports("popcnt") != 0;
  const bool v3 = v2 && __builtin_cpu_supports("avx2") != 0 &&
                  __builtin_cpu_supports("fma") != 0 &&
                  __builtin_cpu_supports("bmi") != 0 &&
                  __builtin_cpu_supports("bmi2") != 0;
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") != 0 &&
                  __builtin_cpu_supports("avx512bw") != 0 &&
                  __builtin_cpu_supports("avx512cd") != 0 &&
                  __builtin_cpu_supports("avx512dq") != 0 &&
                  __builtin_cpu_supports("avx512vl") != 0;
  const bool bf16 = v4 && __builtin_cpu_supports("avx512bf16") != 0 &&
                    __builtin_cpu_is("amd") != 0;
  return bf16 ? "bf16" : v4 ? "v4" : v3 ? "v3" : v2 ? "v2" : "";
}

absl::StatusOr<std::string> LevelWithTiles(const std::string& vector_level,
                                           const TileQuestions& tiles) {
  const bool v4 = vector_level == "v4" || vector_level == "bf16";
  if (!v4 || !tiles.listed() || !tiles.permitted()) return vector_level;
  PODSIM_ASSIGN_OR_RETURN(const bool proven, tiles.proven());
  return proven ? "amx" : vector_level;
}

// Neither compiler's __builtin_cpu_supports knows the tiles by name.
bool TilesListed() {
  constexpr unsigned kTile = 1u << 24, kBfloat16 = 1u << 22;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  __builtin_cpu_init();
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 &&
         (edx & kTile) != 0 && (edx & kBfloat16) != 0 &&
         __builtin_cpu_supports("avx512bf16") != 0;
}

bool AskForTiles() {
  return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, kTileData) == 0;
}

absl::StatusOr<bool> SucceedsInChild(std::int32_t (*trial)()) {
  absl::StatusOr<bool> succeeds;
  for (int tries = 0; tries < kTries; ++tries) {
    if (tries > 0) nanosleep(&kPause, nullptr);
    succeeds = TryInChild(trial);
    if (succeeds.ok()) return succeeds;
  }
  rlimit processes = {};
  getrlimit(RLIMIT_NPROC, &processes);
  return absl::UnavailableError(absl::StrCat(
      "whether the CPU's tile unit (AMX) works could not be tried: ",
      succeeds.status().message(), "; is the number of processes limited",
      processes.rlim_cur == RLIM_INFINITY
          ? ""
          : absl::StrCat(" (ulimit -u ", processes.rlim_cur, ")"),
      ", or memory short? Raise it"));
}

}  // namespace podsim
