#include "models/kernels/cpu_level.h"

#include <asm/prctl.h>
#include <cpuid.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace podsim {
namespace {

// Component of the extended state that holds the tiles' contents (XTILEDATA).
constexpr unsigned long kTileData = 18;

// A missing instruction is no crash to tell of: no core file, no handler that
// this process may have installed for its own.
[[noreturn]] void RunTrial(std::int32_t (*trial)()) {
  for (const int fault : {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP}) {
    struct sigaction quiet = {};
    quiet.sa_handler = [](int) { _exit(1); };
    sigaction(fault, &quiet, nullptr);
  }
  _exit(trial() == 1 ? 0 : 1);
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

std::string LevelWithTiles(const std::string& vector_level,
                           const TileQuestions& tiles) {
  const bool v4 = vector_level == "v4" || vector_level == "bf16";
  const bool usable =
      v4 && tiles.listed() && tiles.permitted() && tiles.proven();
  return usable ? "amx" : vector_level;
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

bool SucceedsInChild(std::int32_t (*trial)()) {
  const pid_t child = fork();
  if (child == 0) RunTrial(trial);
  if (child < 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace podsim
