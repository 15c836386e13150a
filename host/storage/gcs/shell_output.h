// What a command of the user's prints.
#ifndef PODSIM_HOST_STORAGE_GCS_SHELL_OUTPUT_H_
#define PODSIM_HOST_STORAGE_GCS_SHELL_OUTPUT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "host/storage/http/http.h"

namespace podsim {

// Standard output of `/bin/sh -c command`, which is killed with all that it
// started when `within` is over, or `watch` says so (with 0 bytes, twice a
// second); its standard error is this process's.
// Errors: UNAUTHENTICATED (it ends with another status than 0, is killed,
//   prints more than `most` bytes): the command is named, its output not.
absl::StatusOr<std::string> ShellOutput(const std::string& command,
                                        absl::Duration within,
                                        std::int64_t most,
                                        const HttpWatch& watch);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_SHELL_OUTPUT_H_
