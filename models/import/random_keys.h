// Random numbers of an imported function. The functions that draw bits and
// derive keys from keys are known by their names; what they compute is left to
// random_bits, whose bits depend on the job's seed, on the example, and on how
// the key was derived: equal keys give equal bits, on every slice.
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

// The bits as a random_bits without operand, whose site is a number of the
// key's derivation; or a key that somebody draws with. `operands`: the key
// first. Errors: INVALID_ARGUMENT (no key), UNIMPLEMENTED (bits that are not of
//   32 bits).
absl::StatusOr<int> EmitKeyFunction(FlatBuilder& builder,
                                    const std::string& name,
                                    const std::vector<int>& operands,
                                    const ValueType& type);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_RANDOM_KEYS_H_
