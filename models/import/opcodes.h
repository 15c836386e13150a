// HLO's op codes, one line each, in the op table's words. A test holds the
// table of docs/jax.md against it.
#ifndef PODSIM_MODELS_IMPORT_OPCODES_H_
#define PODSIM_MODELS_IMPORT_OPCODES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/import/flat_builder.h"
#include "proto/hlo.pb.h"

namespace podsim {

struct HloUse {
  const hlo::Instruction& from;
  std::vector<int> operands;  // arrays
  // What each computation that it calls does with its two numbers ("add",
  // "GE"); empty: more than one thing.
  std::vector<std::string> words;
  ValueType type;  // of the result

  std::string word() const { return words.empty() ? "" : words[0]; }
};

struct HloOpCode {
  std::string_view name;  // HLO's: "reduce-window"
  std::string_view op;    // of the op table
  // Sets what the op reads beside its operands. Null: nothing.
  void (*attributes)(const HloUse& use, OpAttributes& to) = nullptr;
  // Where one op is not enough: the place of the result. Null: `op`.
  absl::StatusOr<int> (*emit)(FlatBuilder& builder,
                              const HloUse& use) = nullptr;
};

// Sorted by nothing; each name once.
std::span<const HloOpCode> HloOpCodes();

// Null: not imported.
const HloOpCode* FindHloOpCode(std::string_view name);

// What to write in place of an op code that is not imported; every name has
// something.
std::string InsteadOfOpCode(std::string_view name);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_OPCODES_H_
