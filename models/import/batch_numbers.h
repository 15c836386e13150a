// Constants that follow the batch: a multiple of the number of examples, or of
// 1 over it.
#ifndef PODSIM_MODELS_IMPORT_BATCH_NUMBERS_H_
#define PODSIM_MODELS_IMPORT_BATCH_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "models/import/flat.h"

namespace podsim {

// "19, 23, 29 examples".
std::string ExamplesText(std::span<const std::int64_t> batches);

// The float32 number whose product with each of `batches` (power 1) or quotient
// (power -1) rounds to its value, or to a neighbour of it; nullopt: none does.
std::optional<double> NumberFor(std::span<const std::int64_t> batches,
                                const std::vector<double>& values,
                                std::int64_t power);

// Gives the constant `op` the number that is `values` with `batches` examples,
// and the batch_power and what else tells how it follows them.
// Errors: UNIMPLEMENTED (it follows them in no way that is known).
absl::Status FollowBatch(std::span<const std::int64_t> batches,
                         const std::vector<double>& values, FlatOp& op);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_BATCH_NUMBERS_H_
