// SHA256SUMS: the hash of every file of a checkpoint, in the format of
// sha256sum, so that `sha256sum -c SHA256SUMS` checks one without this project.
#ifndef PODSIM_HOST_CHECKPOINT_SUMS_H_
#define PODSIM_HOST_CHECKPOINT_SUMS_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace podsim {

// From a file's name to 64 lower-case hex digits.
using Sums = std::map<std::string, std::string>;

// 64 lower-case hex digits.
bool IsSha256(std::string_view text);

// "<hash>  <name>\n" for each, sorted by name.
std::string FormatSums(const Sums& sums);
// Exactly that; any other byte is an error.
// Errors: DATA_LOSS, naming the line.
absl::StatusOr<Sums> ParseSums(std::string_view text);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_SUMS_H_
