// Synthetic examples of any inputs, by a line of schema (schema.h):
//
//   tokens=int32[128]<30522,weights=float32[20],labels=int32<2
//
// Whole numbers are uniform in [0, NUMBER), in {0, 1} without a bound, bools
// too; real ones, and what /NUMBER makes real, in [0, 1). Each is a function of
// (seed, field, split, index, place) alone, so nothing is stored. There is
// nothing to learn in them: they are for plans, and for trying a model.
#ifndef PODSIM_HOST_INPUT_SYNTHETIC_FIELDS_H_
#define PODSIM_HOST_INPUT_SYNTHETIC_FIELDS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"

namespace podsim {

// As many examples as of OpenSynthetic (synthetic.h).
// Errors: INVALID_ARGUMENT (those of ParseSchema; images; examples out of
//   range).
absl::StatusOr<std::shared_ptr<const Dataset>> OpenSyntheticFields(
    const DatasetRequest& request);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SYNTHETIC_FIELDS_H_
