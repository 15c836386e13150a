// One function of what several lowerings, each with another number of examples,
// have in common.
#ifndef PODSIM_MODELS_IMPORT_ALIGN_H_
#define PODSIM_MODELS_IMPORT_ALIGN_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "models/import/flat.h"

namespace podsim {

// A constant that is a whole number: `value` times B (batch_power is 1) and so
// much more.
inline constexpr char kBatchOffset[] = "batch_offset";

// Of a float32 constant with a batch_power: rounded to bfloat16.
inline constexpr char kBatchRounded[] = "batch_rounded";

// `functions`: lowered with so many examples, `batches`; at least three of
// different ones. In the result B stands where the dimensions follow the batch,
// and constants that follow it have a batch_power (models/ops/constant.cc),
// whether they have B in their shape or not.
// Errors: UNIMPLEMENTED (something that is neither fixed nor follows the batch
//   in one of these ways, with its place); INVALID_ARGUMENT (functions that
//   compute other things).
absl::StatusOr<FlatFunction> Align(std::span<const FlatFunction> functions,
                                   std::span<const std::int64_t> batches);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_ALIGN_H_
