// Whether the members of a zip archive are what they seem, each with a name and
// bytes of its own. Pure.
#ifndef PODSIM_HOST_INPUT_ZIP_CHECK_H_
#define PODSIM_HOST_INPUT_ZIP_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "host/input/zip.h"

namespace podsim {

// `directory`: the offset at which the archive's directory begins. `file` is
// for messages. Errors: DATA_LOSS (file, offset, the two members): they have
//   one name, of which readers differ in the member they take, or they share
//   bytes, so that a small archive would unpack to a huge data set.
absl::Status CheckZipMembers(const std::vector<ZipMember>& members,
                             std::int64_t directory, const std::string& file);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_ZIP_CHECK_H_
