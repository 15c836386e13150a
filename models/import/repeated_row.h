// Constants that have the same row for each example: as jnp.tile makes them, or
// a mask in a mean over all examples.
#ifndef PODSIM_MODELS_IMPORT_REPEATED_ROW_H_
#define PODSIM_MODELS_IMPORT_REPEATED_ROW_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/import/flat.h"

namespace podsim {

// A row, and the op that makes it the constant again.
struct RepeatedRow {
  std::vector<FlatOp> before;  // stand before `op`
  FlatOp op;                   // operands here and there: places in `before`
};

// `op`: the constant, with its batch axis; `constants`: it with each number of
// `batches`. The rows are alike whatever the number, or follow it: over it, or
// times it. nullopt: they do neither, or an example has a row of its own.
std::optional<RepeatedRow> RepeatedRowOf(
    const FlatOp& op, std::span<const FlatOp* const> constants,
    std::span<const std::int64_t> batches);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_REPEATED_ROW_H_
