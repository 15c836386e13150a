// Synthetic data of any shape: class centres plus noise, learnable, made on the
// fly from (seed, split, index), so that nothing but a few tapes is stored.
//
// A tape is a run of random numbers. Class c's centre is the sum of two windows
// of the class tape, at places that depend on c; an example adds two windows of
// the noise tape, at places that depend on it. That costs three additions a
// feature, no random number, and no class or example is a shifted copy of
// another.
#ifndef PODSIM_HOST_INPUT_SYNTHETIC_H_
#define PODSIM_HOST_INPUT_SYNTHETIC_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"

namespace podsim {

inline constexpr std::int64_t kSyntheticDefaultExamples = 60'000;

// Features lie in [0, 1]; a request with a line of schema has its fields
// (synthetic_fields.h) instead. On top of `examples` training ones there are
// max(1, examples / 6) held-out ones.
// Errors: INVALID_ARGUMENT (shape, classes or examples out of range).
absl::StatusOr<std::shared_ptr<const Dataset>> OpenSynthetic(
    const DatasetRequest& request);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SYNTHETIC_H_
