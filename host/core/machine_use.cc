#include "host/core/machine_use.h"

#include "base/units.h"
#include "host/core/tree_sum.h"

namespace podsim {
namespace {

// Host buffers, but for inputs: float32.
constexpr std::int64_t kElementBytes = 4;

// What a host process takes before any buffer of the job: code, the RPC
// library, threads' stacks, receive buffers. Assumed, on the generous side.
constexpr std::int64_t kProcessBytes = 64 * kMiB;

// What the emulator lays out for a host's activations.
std::int64_t ArenaBytes(const Program& program, int cores, std::int64_t rows) {
  return kElementBytes *
         (program.scratch_elements + cores * program.per_core_elements +
          rows * (program.batched_elements_per_row +
                  program.output_elements_per_row));
}

}  // namespace

MachineUse EstimateMachine(const Program& program, std::int64_t batch_per_core,
                           int cores_per_host, std::int64_t microbatches) {
  const std::int64_t copies = program.bfloat16_products ? 2 : 1;
  const int levels =
      microbatches == 0 ? 0 : TreeSum::Levels(cores_per_host * microbatches);
  const std::int64_t rows = batch_per_core * cores_per_host;
  return {.per_process = kProcessBytes +
                         kElementBytes * (copies * program.variable_elements +
                                          levels * program.gradient_elements),
          .per_host = program.gradient_elements * kElementBytes +
                      ArenaBytes(program, cores_per_host, rows) +
                      2 * rows * program.input_bytes_per_row()};
}

}  // namespace podsim
