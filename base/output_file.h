// Opens what a user named to be written, in folders that others may write to.
#ifndef PODSIM_BASE_OUTPUT_FILE_H_
#define PODSIM_BASE_OUTPUT_FILE_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/unique_fd.h"

namespace podsim {

enum class OutputStart { kEmpty, kAppend };

// Opens `path`, made if it is not there, and never waits. What it may be:
// - a regular file, emptied with kEmpty;
// - a character device, such as /dev/null or a terminal;
// - a symbolic link of this user or of root that leads to one of these; of
//   anyone else it is refused, who could choose which file is written;
// - anything but a folder below /dev or /proc, such as /dev/stdout and the
//   shell's >(command), which may be pipes; a file behind them is appended to.
// Errors: FAILED_PRECONDITION (a named pipe, a socket, a block device),
//   PERMISSION_DENIED (another user's link), those of open(2); one line with
//   the path and what to give.
absl::StatusOr<UniqueFd> OpenOutput(const std::string& path, OutputStart start);

// Whether `user` follows the symbolic link `path` of `owner`. Errors:
//   PERMISSION_DENIED. Pure.
absl::Status CheckLinkOwner(const std::string& path, uid_t owner, uid_t user);

// Whether `path` is no file to replace or to number, as it is a character
// device or lies below /dev or /proc: write to it as it is, by OpenOutput.
bool IsOutputDevice(const std::string& path);

}  // namespace podsim

#endif  // PODSIM_BASE_OUTPUT_FILE_H_
