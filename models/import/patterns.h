// The rules of simplify.h, one function each.
#ifndef PODSIM_MODELS_IMPORT_PATTERNS_H_
#define PODSIM_MODELS_IMPORT_PATTERNS_H_

#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "models/import/flat_builder.h"

namespace podsim {

// What stands for `op`, whose operands are in `builder`: a place there. Nothing
// if the rule does not apply.
using Pattern = std::optional<absl::StatusOr<int>> (*)(FlatBuilder& builder,
                                                       const FlatOp& op);

// In the order in which they are tried; the first that applies is taken.
std::span<const Pattern> Patterns();

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_PATTERNS_H_
