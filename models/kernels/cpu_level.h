// What tells the ISA levels apart on the CPU at hand: first what it says of
// itself, then, for the bfloat16 tile unit, leave from the operating system and
// proof. Used by loader.cc and tests alone.
#ifndef PODSIM_MODELS_KERNELS_CPU_LEVEL_H_
#define PODSIM_MODELS_KERNELS_CPU_LEVEL_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace podsim {

// The highest of "v2", "v3", "v4" and "bf16" whose instructions the CPU has and
// the operating system has switched on, "" if it is older than v2. "bf16" only
// where it pays (kernels.h).
std::string VectorLevel();

// How a tile unit is found. Asked in this order, and only while the answer is
// yes: each question is safe to ask only after the one before.
struct TileQuestions {
  std::function<bool()> listed;     // by cpuid
  std::function<bool()> permitted;  // by the operating system; asks for leave
  // A product came out right. Errors: the product could not be tried.
  std::function<absl::StatusOr<bool>()> proven;
};

// "amx" if the CPU is v4 or bf16 and all three answers are yes, else
// `vector_level`. Errors: those of `proven`, as to guess would change the bits
// of whoever reckons here.
absl::StatusOr<std::string> LevelWithTiles(const std::string& vector_level,
                                           const TileQuestions& tiles);

// cpuid lists AMX-TILE, AMX-BF16 and, as a CPU runs the levels below its own,
// AVX512-BF16.
bool TilesListed();

// Linux keeps tiles switched off until a process asks. True if it may use them
// now, in all its threads and in its children.
bool AskForTiles();

// Runs `trial` in a forked child, so that an instruction that is missing after
// all (an emulator that passes cpuid on, say) kills the child alone. A handler
// of SIGILL would be the whole process's, other threads' too. True if the trial
// returned 1. Blocks until the child has ended. The trial may only write the
// stack, as other threads may have held locks when the child was made.
// Errors: UNAVAILABLE (no child could be made, or it ended, killed by somebody
//   else, before it had an answer; three were tried).
absl::StatusOr<bool> SucceedsInChild(std::int32_t (*trial)());

}  // namespace podsim

#endif  // PODSIM_MODELS_KERNELS_CPU_LEVEL_H_
