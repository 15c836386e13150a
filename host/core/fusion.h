// Which neighbouring ops run as one: softmax, layer norm, GELU, a batch norm's
// normalisation, bias and activation, masks, forward and backward, in whatever
// ops a model spells them.
//
// A fusion takes a tile of some lines (1,024 numbers or so) through all of its
// ops before the next tile, so that what one makes and only others of the
// fusion read never leaves the first-level cache. A line are the neighbouring
// elements that a fold (a softmax's maximum, a mean over the last dimension)
// makes one number of, and that such a number is spread over again.
//
// The ops, and the order of each sum, are those of the ops alone: bits do not
// depend on what is fused.
#ifndef PODSIM_HOST_CORE_FUSION_H_
#define PODSIM_HOST_CORE_FUSION_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "models/graph/program.h"
#include "models/kernels/kernels.h"

namespace podsim {

// Something that steps read or write, part by part.
struct FusedValue {
  TensorId tensor = kNoTensor;  // the root
  DType dtype = DType::kFloat32;
  std::int64_t element_bytes = 4;
  bool per_line = false;  // one element a line; else all of the line's
  // Where a tile of it lies: in this slot, or, if none, in memory.
  int slot = -1;
};

struct FusedStep {
  enum class Kind : std::uint8_t {
    kMap,     // out = map(in...)
    kRound,   // to bfloat16
    kBias,    // out = in + operand 1, a row of `period`
    kArrays,  // by the op's own kernel
    kFold,    // a line into a number
    kSpread,  // a number over its line
    kRepeat,  // `period` neighbouring elements of operand 0 again and again
    kFill,    // with a constant's number
  };
  Kind kind = Kind::kMap;
  const Instruction* instruction = nullptr;
  std::vector<int> in;  // values
  int out = -1;
  // The result is the same in each tile, in a slot of its own: made once.
  bool once = false;
  const PodsimElementwise* map = nullptr;
  bool rounds = false;  // a map's result, to bfloat16
  decltype(PodsimKernels::sum_lines) fold = nullptr;
  std::int64_t period = 1;  // kRepeat, kBias
};

struct Fusion {
  std::span<const Instruction> instructions;
  std::vector<FusedValue> values;
  std::vector<FusedStep> steps;
  int slots = 0;
  std::int64_t row = 0;   // elements of one row of the batch
  std::int64_t line = 1;  // elements of one line, a divisor of `row`
  std::int64_t tile = 0;  // elements at a time, a multiple of `line`
  // An op reads what each core has of its own: core by core.
  bool per_core = false;
  // That of its row-wise ops; kNoRowGroup if they are of several: it runs alone
  // then, as memory is used again from group to group.
  std::int32_t row_group = kNoRowGroup;
};

class Fusions {
 public:
  // Borrows both.
  Fusions(const Program& program, const PodsimKernels& kernels);

  // The one that begins with this very instruction of the Program; null: none.
  const Fusion* At(const Instruction& first) const;

  std::size_t size() const { return by_first_.size(); }

 private:
  std::map<const Instruction*, Fusion> by_first_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_CORE_FUSION_H_
