#include "host/core/admission.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "host/core/chip_activations.h"
#include "host/core/tree_sum.h"

namespace podsim {
namespace {

// Host buffers and HBM, but for inputs: float32.
constexpr std::int64_t kElementBytes = 4;

// What a host process takes before any buffer of the job: code, the RPC
// library, threads' stacks, receive buffers. Assumed, on the generous side.
constexpr std::int64_t kProcessBytes = 64 * kMiB;

std::int64_t VariableBytes(const Program& program, bool slots) {
  std::int64_t elements = 0;
  for (const ProgramVariable& variable : program.variables)
    if (variable.is_slot == slots)
      elements += program.tensor(variable.tensor).shape.elements();
  return elements * kElementBytes;
}

// What the emulator lays out for a host's activations.
std::int64_t ArenaBytes(const Program& program, int cores, std::int64_t rows) {
  return kElementBytes *
         (program.scratch_elements + cores * program.per_core_elements +
          rows * (program.batched_elements_per_row +
                  program.output_elements_per_row));
}

std::string PartsText(const HbmUse& use) {
  return absl::StrCat("parameters ", FormatBytes(use.parameters),
                      ", gradients ", FormatBytes(use.gradients),
                      ", optimizer ", FormatBytes(use.optimizer),
                      ", activations ", FormatBytes(use.activations),
                      ", input ", FormatBytes(use.input));
}

}  // namespace

HbmUse EstimateHbm(const Program& program, std::int64_t batch_per_core,
                   std::int64_t microbatches) {
  HbmUse use;
  use.parameters = VariableBytes(program, /*slots=*/false);
  use.optimizer = VariableBytes(program, /*slots=*/true);
  use.gradients = (1 + TreeSum::Levels(microbatches)) *
                  program.gradient_elements * kElementBytes;
  const ChipActivations activations = ActivationsOf(program);
  use.activations =
      kElementBytes * (activations.elements + batch_per_core / microbatches *
                                                  activations.elements_per_row);
  use.input = 2 * batch_per_core * program.input_bytes_per_row();
  return use;
}

std::int64_t LargestBatch(const Program& program, std::int64_t hbm_bytes,
                          std::int64_t microbatches) {
  const std::int64_t fixed = EstimateHbm(program, 0, microbatches).total();
  const std::int64_t per_row_of_each =
      EstimateHbm(program, microbatches, microbatches).total() - fixed;
  if (hbm_bytes < fixed || per_row_of_each == 0) return 0;
  return (hbm_bytes - fixed) / per_row_of_each * microbatches;
}

absl::Status AdmitToCore(const Program& program, std::int64_t batch_per_core,
                         std::int64_t hbm_bytes, std::int64_t microbatches,
                         const char* replica) {
  // Compares batches, not bytes: a product of the two could overflow.
  const std::int64_t largest = LargestBatch(program, hbm_bytes, microbatches);
  if (batch_per_core >= 1 && batch_per_core <= largest) return absl::OkStatus();
  if (batch_per_core < 1)
    return absl::InvalidArgumentError(absl::StrCat("the batch per ", replica,
                                                   " is ", batch_per_core,
                                                   " but must be at least 1"));
  const std::int64_t fixed = EstimateHbm(program, 0, microbatches).total();
  const std::string remedy =
      largest >= 1
          ? absl::StrCat("the largest batch per ", replica, " that fits is ",
                         FormatCount(largest))
          : absl::StrCat("not even one example per ", replica, " fits, ",
                         FormatBytes(fixed),
                         " are needed without any; make the model smaller, or "
                         "take a slice of chips with more HBM");
  const HbmUse use = EstimateHbm(program, batch_per_core, microbatches);
  return absl::ResourceExhaustedError(absl::StrCat(
      "model ", program.name, " with ", FormatCount(batch_per_core),
      " examples per ", replica, " needs ", FormatBytes(use.total()),
      " of HBM per ", replica, " (", PartsText(use), "), a ", replica, " has ",
      FormatBytes(hbm_bytes), ": ", remedy));
}

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
