// Whether the files that a program is to write can be made, looked at before
// anything is computed.
//
//   PODSIM_RETURN_IF_ERROR(CheckOutputFiles(settings));
#ifndef PODSIM_RUNTIME_FILES_OUTPUT_FILES_H_
#define PODSIM_RUNTIME_FILES_OUTPUT_FILES_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"

namespace podsim {

// Of this machine's files: one that exists passes unless it is a folder, a
// named pipe or the like; of another its folder must exist, as none is made.
// `flag` is for messages. Errors: INVALID_ARGUMENT, one line that names the
// flag and the folder.
absl::Status CheckOutputFile(const std::string& flag, const std::string& path);

// Of a page of HTML: a name that says another format ("page.pdf") is refused.
// Errors: INVALID_ARGUMENT, one line.
absl::Status CheckPageName(const std::string& flag, const std::string& path);

// Of a folder that is made if need be; a path on a store and an empty one pass.
// Errors: INVALID_ARGUMENT, one line: it is a file, or lies below one, or this
//   process may not write there.
absl::Status CheckOutputFolder(const std::string& flag,
                               const std::string& path);
// The same of a folder that is only read: nobody need be allowed to write.
absl::Status CheckFolder(const std::string& flag, const std::string& path);

// The same of each setting that says `written` (proto/setting.proto), and that
// its name ends as its type says (FILE.svg); a path on a store passes where the
// setting says `stored`.
absl::Status CheckOutputFiles(const google::protobuf::Message& settings);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_OUTPUT_FILES_H_
