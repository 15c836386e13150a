// An HLO module whose parts are known to fit together: what each instruction
// refers to is there and was made before.
#ifndef PODSIM_MODELS_IMPORT_HLO_MODULE_H_
#define PODSIM_MODELS_IMPORT_HLO_MODULE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/ops/value_type.h"
#include "proto/hlo.pb.h"

namespace podsim {

struct HloInstruction {
  const hlo::Instruction* proto = nullptr;  // of the module
  std::vector<int> operands;                // places in the computation
  std::vector<int> called;                  // places in the module
};

struct HloComputation {
  std::string name;
  std::vector<HloInstruction> instructions;  // operands before their users
  int root = 0;
  int parameters = 0;  // numbered from 0, none left out
};

class HloModule {
 public:
  // Errors: INVALID_ARGUMENT, one line: damaged, too large, or something that
  //   an instruction refers to is not there or comes later.
  static absl::StatusOr<HloModule> Parse(std::string_view bytes);

  // A computation calls earlier ones alone.
  const std::vector<HloComputation>& computations() const {
    return computations_;
  }
  int entry() const { return entry_; }

  // Where the author wrote it: "add.3, train.py:41", or "add.3" if the module
  // does not say; of a layer "Dense_0/add.3, train.py:41".
  std::string PlaceOf(const hlo::Instruction& instruction) const;
  // What its author called: JAX's name with HLO's, "cumsum (reduce-window)", or
  // HLO's op code alone.
  static std::string NameOf(const hlo::Instruction& instruction);
  // The module of flax that made it, or JAX's named scopes: "Block_1/Dense_0"
  // of "jit(step)/jvp(Net)/Block_1/Dense_0/dot_general", forward and backward
  // alike; empty: none did. Of a path that is long, its end.
  static std::string ScopeOf(const hlo::Instruction& instruction);
  // "train.py:41"; empty if the module does not say.
  std::string SourceOf(const hlo::Instruction& instruction) const;

 private:
  absl::Status Index();
  std::string InnermostSource(const hlo::Metadata& metadata) const;

  std::unique_ptr<hlo::Module> proto_;
  std::vector<HloComputation> computations_;
  int entry_ = 0;
};

// An array's type, int32 for narrower whole numbers (narrow_wholes.h).
// Errors: UNIMPLEMENTED (an element type that podsim has not); INVALID_ARGUMENT
//    (no array; dimensions that no array has).
absl::StatusOr<ValueType> TypeOf(const hlo::Shape& shape);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_HLO_MODULE_H_
