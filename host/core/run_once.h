// One step of a Program on numbers that the caller has, on this thread: what a
// pass computes, to look at it.
#ifndef PODSIM_HOST_CORE_RUN_ONCE_H_
#define PODSIM_HOST_CORE_RUN_ONCE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "host/core/core.h"
#include "models/graph/program.h"

namespace podsim {

struct OnceValues {
  // By name, row-major; all but slots and all inputs but "weights", which are
  // equal shares of 1.
  std::map<std::string, std::vector<float>> variables;
  std::map<std::string, InputRows> inputs;
  std::int64_t rows = 0;          // B: the examples of the one core
  std::int64_t memory_bytes = 0;  // that the pass may take
};

struct OnceResults {
  // Of each variable that is trained, of the mean of the loss; of a state, what
  // it becomes.
  std::map<std::string, std::vector<float>> gradients;
  // [B] each, of the training's pass and of an evaluation's.
  std::map<std::string, std::vector<float>> metrics;
  std::map<std::string, std::vector<float>> evaluation;
};

// Errors: INVALID_ARGUMENT (a variable or an input that is missing or of
//   another size), RESOURCE_EXHAUSTED (more memory than it may take; nothing is
//   allocated then), UNIMPLEMENTED (a pass that waits for other cores).
absl::StatusOr<OnceResults> RunOnce(const Program& program,
                                    const PodsimKernels& kernels,
                                    const OnceValues& values);

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_RUN_ONCE_H_
