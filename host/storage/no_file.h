// What stands where a caller expects a file or a folder, in the caller's words.
#ifndef PODSIM_HOST_STORAGE_NO_FILE_H_
#define PODSIM_HOST_STORAGE_NO_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "host/storage/storage.h"

namespace podsim {

// NOT_FOUND for a `path` that cannot be read as a file: "job file runs/a is a
// folder; give a file", "there is no job file none.txt; give the path of one
// that exists", and what lies beside it (beside.h). A device or a pipe of this
// machine is none either.
// REQUIRES: reading `path` failed with NOT_FOUND.
absl::Status NoFile(ObjectStore& store, const std::string& path,
                    std::string_view what);

// NOT_FOUND for a `path` that cannot be listed: "runs/a.txt is a file; give "
// and `such_as`, or "there is no folder none; give ...".
// REQUIRES: listing `path` failed with NOT_FOUND.
absl::Status NoFolder(ObjectStore& store, const std::string& path,
                      std::string_view such_as);

// ", "x " with a blank at its end: leave it out" of a path that begins or ends
// with one; empty: it does not.
std::string BlankText(std::string_view path);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_NO_FILE_H_
