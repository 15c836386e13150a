// What lies where a data set's one file should, by its name. What its bytes are
// says whoever reads them (other_file.h).
#ifndef PODSIM_HOST_INPUT_PLACE_KIND_H_
#define PODSIM_HOST_INPUT_PLACE_KIND_H_

#include <string>

#include "absl/status/status.h"
#include "host/storage/storage.h"

namespace podsim {

// Of data sets csv and tfrecord where `place` is a file; all else passes.
// Errors: INVALID_ARGUMENT: the file is of another kind, and what reads it.
absl::Status CheckPlaceKind(const std::string& dataset,
                            const std::string& place, ObjectStore& store);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_PLACE_KIND_H_
