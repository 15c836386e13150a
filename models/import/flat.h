// A function at one batch, flat: what it computes, in order, in the op table's
// words. No calls, no loops, no tuples.
#ifndef PODSIM_MODELS_IMPORT_FLAT_H_
#define PODSIM_MODELS_IMPORT_FLAT_H_

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/import/hlo_module.h"
#include "models/ops/op_table.h"

namespace podsim {

struct FlatOp {
  // Null: a parameter, or a key or a draw that was made of one (random_keys.h).
  const OpEntry* entry = nullptr;
  std::vector<int> operands;  // places in FlatFunction::ops
  ValueType type;             // with a number for the batch
  OpAttributes attributes;
  int output = 0;     // which of the op's results
  std::string place;  // for people: HloModule::PlaceOf
  std::string words;  // for errors: "train.py:41: cumsum (reduce-window)"

  bool Is(std::string_view op) const {
    return entry != nullptr && entry->name == op;
  }
  bool IsAnyOf(std::initializer_list<std::string_view> ops) const {
    return std::any_of(ops.begin(), ops.end(),
                       [&](std::string_view op) { return Is(op); });
  }
};

struct FlatFunction {
  std::vector<FlatOp> ops;
  std::vector<int> parameters;  // by number
  std::vector<int> results;     // of the result's tuple, or the one result
};

// Of all that is called, with loops taken apart.
inline constexpr int kMostFlatOps = 1 << 20;

// Calls are put where they are called, loops whose length follows from
// constants taken apart, small whole numbers that follow from constants known.
// An opt-barrier becomes barriers (barriers.h).
// Errors: UNIMPLEMENTED (an instruction that is not imported, by its name and
//   the line that made it), INVALID_ARGUMENT (one whose operands do not fit).
absl::StatusOr<FlatFunction> Flatten(const HloModule& module,
                                     int most_ops = kMostFlatOps);

// Where an error is: an op's words, or its name and place.
std::string WhereOf(const FlatOp& op);

// Of an op and its operands, by whatever numbers: equal uses have equal keys.
std::string KeyOf(std::string_view op, const std::vector<int>& operands,
                  const OpAttributes& attributes);

// Without what no result needs.
FlatFunction Pruned(const FlatFunction& from);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_FLAT_H_
