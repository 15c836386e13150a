// Draws of an imported function as ops: what the bits of each draw depend on.
#ifndef PODSIM_MODELS_IMPORT_DRAWS_H_
#define PODSIM_MODELS_IMPORT_DRAWS_H_

#include "absl/status/statusor.h"
#include "models/import/flat.h"

namespace podsim {

// Replaces each draw (random_keys.h) of an aligned function. A draw whose shape
// or keys follow the batch becomes random_bits, in which each example has bits
// of its own; all others become shared_random_bits, which all examples of a
// step have in common. The site is a number of the key's derivation. Keys that
// are left over compute nothing.
// Errors: UNIMPLEMENTED (one key for several rows of each example); those of
//   InferTypes.
absl::StatusOr<FlatFunction> WithDraws(const FlatFunction& from);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_DRAWS_H_
