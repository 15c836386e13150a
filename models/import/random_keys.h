// Random numbers of an imported function. The functions that draw bits and
// derive keys from keys are known by their names. What they compute is not
// looked into: draws.h says which bits take its place.
#ifndef PODSIM_MODELS_IMPORT_RANDOM_KEYS_H_
#define PODSIM_MODELS_IMPORT_RANDOM_KEYS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/import/flat_builder.h"

namespace podsim {

// "podsim_random_bits", "podsim_split" or "podsim_fold_in", for a computation
// that is called so, with whatever number behind it; else empty.
std::string KeyFunctionOf(const std::string& computation);

// A draw, or a key that somebody draws with, as an op without an entry.
// `operands`: the key first. Errors: INVALID_ARGUMENT (no key, or bits that are
//   not of 32 bits).
absl::StatusOr<int> EmitKeyFunction(FlatBuilder& builder,
                                    const std::string& name,
                                    const std::vector<int>& operands,
                                    const ValueType& type);

bool IsKeyFunction(const FlatOp& op);
bool IsDraw(const FlatOp& op);
// For people: "jax.random.split". REQUIRES: IsKeyFunction(op).
std::string KeyFunctionText(const FlatOp& op);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_RANDOM_KEYS_H_
