// Patterns (patterns.h) of functions that count their examples.
#ifndef PODSIM_MODELS_IMPORT_OWN_ROWS_H_
#define PODSIM_MODELS_IMPORT_OWN_ROWS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "models/import/flat_builder.h"

namespace podsim {

// 0, 1, 2, ... along the batch: no op of podsim's, whose examples have no
// numbers. It is kept until a pattern makes it unnecessary.
bool IsBatchIota(const FlatOp& op);

std::optional<absl::StatusOr<int>> PlaceIsNotNegative(FlatBuilder& builder,
                                                      const FlatOp& op);
std::optional<absl::StatusOr<int>> GatherOfOwnRows(FlatBuilder& builder,
                                                   const FlatOp& op);
std::optional<absl::StatusOr<int>> ScatterToOwnRows(FlatBuilder& builder,
                                                    const FlatOp& op);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_OWN_ROWS_H_
