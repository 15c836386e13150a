// The same function in fewer ops, and in those that have the fastest kernels.
#ifndef PODSIM_MODELS_IMPORT_SIMPLIFY_H_
#define PODSIM_MODELS_IMPORT_SIMPLIFY_H_

#include "absl/status/statusor.h"
#include "models/import/flat.h"

namespace podsim {

// Reads backwards what a framework lowered: shapes that come and go, products
// of matrices with their transposes, a bias, relu and its gradient, sums of one
// number, comparisons whose outcome is known. Equal ops are one, but for what
// barriers (barriers.h) keep apart. `from` is aligned.
// Errors: those of InferTypes, for ops that do not take what they are given.
absl::StatusOr<FlatFunction> Simplified(const FlatFunction& from);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_SIMPLIFY_H_
