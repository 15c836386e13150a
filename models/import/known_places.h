// Patterns (patterns.h) of gather and scatter whose one place is known: slices
// and padding, as x[:, 0] is lowered by some frameworks.
#ifndef PODSIM_MODELS_IMPORT_KNOWN_PLACES_H_
#define PODSIM_MODELS_IMPORT_KNOWN_PLACES_H_

#include <optional>

#include "absl/status/statusor.h"
#include "models/import/flat_builder.h"

namespace podsim {

std::optional<absl::StatusOr<int>> GatherOfOnePlace(FlatBuilder& builder,
                                                    const FlatOp& op);
std::optional<absl::StatusOr<int>> ScatterToOnePlace(FlatBuilder& builder,
                                                     const FlatOp& op);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_KNOWN_PLACES_H_
