// Files of data/ that are kept compressed.
#ifndef PODSIM_BENCH_VALIDATION_UNPACKED_H_
#define PODSIM_BENCH_VALIDATION_UNPACKED_H_

#include <string>

#include "absl/status/statusor.h"

namespace podsim::validation {

// What the gzip file `path` holds.
// Errors: NOT_FOUND, DATA_LOSS, both with the path.
absl::StatusOr<std::string> Unpacked(const std::string& path);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_UNPACKED_H_
