// Whether a training step fits a core's HBM, by what the chip's program holds
// at its fullest moment (chip/homes.h), and which batch would. Pure.
//
//   const ChipMemory memory(program, slice.chip());
//   PODSIM_RETURN_IF_ERROR(memory.Admit(/*batch_per_core=*/128));
//   memory.At(128).activations   bytes
#ifndef PODSIM_CHIP_HBM_USE_H_
#define PODSIM_CHIP_HBM_USE_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "chip/facts.h"
#include "chip/graph.h"
#include "chip/homes.h"
#include "chip/program.h"
#include "chip/remat.h"
#include "interconnect/topology/chip.h"
#include "models/graph/program.h"

namespace podsim {

// Bytes of one core's HBM while it is fullest, without what stays on chip
// (chip/on_chip.h), each at most 2^60; in tiles but for what waits beside the
// pass, inputs and partial sums of other microbatches.
struct HbmUse {
  std::int64_t parameters = 0;  // with states and constants
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;
  std::int64_t activations = 0;
  std::int64_t input = 0;
  std::int64_t total() const {
    return parameters + gradients + optimizer + activations + input;
  }
};

// What of a core's HBM the pass over `rows` examples may take, one of so many
// microbatches: what the system, their partial sums and the inputs of the
// others leave.
double RoomForPass(const Program& program, std::int64_t rows,
                   std::int64_t microbatches, const ChipFigures& chip);

struct ChipNeed {
  HbmUse use;
  std::vector<Recomputed> recomputed;  // to need no more than there is
};

// With several `microbatches` (a power of two that divides the batch) a core
// holds the activations of one at a time, all of the batch's input, and the
// gradients of one and of the partial sums of their tree
// (host/core/tree_sum.h).
class ChipMemory {
 public:
  // Of the training step of `program`, or of its evaluation. `recomputes`:
  // where HBM is too small for training, products are computed again
  // (chip/remat.h). `program` must outlive it.
  ChipMemory(const Program& program, const ChipFigures& chip,
             bool recomputes = false,
             EntryPoint entry = EntryPoint::kTrainMicrobatch);

  // At most as much as there is, or the least that it can be.
  const ChipNeed& NeedOf(std::int64_t batch_per_core,
                         std::int64_t microbatches = 1) const;
  const HbmUse& At(std::int64_t batch_per_core,
                   std::int64_t microbatches = 1) const {
    return NeedOf(batch_per_core, microbatches).use;
  }

  // A batch per core, a multiple of `microbatches`, that fits without anything
  // recomputed, and beyond which none is known to; 0 if not even one row of
  // each does.
  std::int64_t LargestBatch(std::int64_t microbatches = 1) const;

  // Whether a step with so many rows has kernels of attention
  // (chip/attention_kernels.h).
  bool HasAttentionKernels(std::int64_t rows) const;

  // OK, or RESOURCE_EXHAUSTED with the table of HbmUse, what the core has
  // for programs and LargestBatch; INVALID_ARGUMENT for a batch below 1.
  // `replica`: what the slice's cores are called in messages, "chip" where
  // those of a chip act as one.
  absl::Status Admit(std::int64_t batch_per_core, std::int64_t microbatches = 1,
                     const char* replica = "core") const;

 private:
  // With all values in HBM.
  const ChipProgram& FusedFor(std::int64_t rows) const;
  // Of `rows` examples, without what stays on chip.
  std::vector<ChipHome> HomesFor(const ChipProgram& program,
                                 std::int64_t rows) const;
  ChipHbm Fullest(const ChipProgram& program, std::int64_t rows,
                  std::int64_t microbatches) const;
  bool Fits(const ChipProgram& program, std::int64_t rows,
            std::int64_t microbatches) const;
  std::int64_t FindLargest(std::int64_t microbatches) const;
  std::int64_t MostRows(const ChipProgram& program,
                        std::int64_t microbatches) const;

  const Program& program_;
  const ChipFigures chip_;
  const bool recomputes_;
  const ChipGraph graph_;
  const ChipFacts facts_;
  mutable std::map<std::int64_t, ChipProgram> fused_;  // by rows
  // By rows and microbatches.
  mutable std::map<std::pair<std::int64_t, std::int64_t>, ChipNeed> needs_;
  mutable std::map<std::int64_t, std::int64_t> largest_;  // by microbatches
};

}  // namespace podsim

#endif  // PODSIM_CHIP_HBM_USE_H_
