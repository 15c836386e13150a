// The JSON of a safetensors header as it is written there: names, types, shapes
// and offsets, not yet compared with the file.
#ifndef PODSIM_HOST_CHECKPOINT_SAFETENSORS_JSON_H_
#define PODSIM_HOST_CHECKPOINT_SAFETENSORS_JSON_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "host/checkpoint/safetensors.h"

namespace podsim {

// Entries in the order of the text; begin and end count from the data's
// beginning. Refuses every name that comes twice, every field that is unknown
// or missing, and whatever is nested deeper than the format is, as it reads:
// memory is bounded by the text's length.
// Errors: DATA_LOSS, naming the tensor or the byte.
absl::StatusOr<SafetensorsHeader> ParseHeaderJson(std::string_view json);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_SAFETENSORS_JSON_H_
