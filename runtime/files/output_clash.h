// Refuses to write a file that the same command reads, or writes twice.
//
//   NamedFiles files = FilesIn({&settings, &spec});
//   PODSIM_RETURN_IF_ERROR(CheckOutputsApart(files));
#ifndef PODSIM_RUNTIME_FILES_OUTPUT_CLASH_H_
#define PODSIM_RUNTIME_FILES_OUTPUT_CLASH_H_

#include <google/protobuf/message.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace podsim {

struct NamedFile {
  std::string name;        // of what names it, as typed: "--output", "path"
  std::string path;        // a plain path or that of an object on a store
  bool is_folder = false;  // where nothing of that name exists
};

struct NamedFiles {
  std::vector<NamedFile> read;  // and folders, which no file can replace
  std::vector<NamedFile> written;
};

// Of the settings that name files: their type begins with FILE or DIR; those
// that say `written` (proto/setting.proto) are written, empty ones left out.
NamedFiles FilesIn(
    std::initializer_list<const google::protobuf::Message*> settings);

// That no file of `written` is one of `read` or another of `written`. Files
// that exist are the same by device and inode, so links count; others by the
// whole path; objects on a store by name. A pattern such as "train-*" stands
// for what it matches. Devices such as /dev/stdout pass.
// Errors: INVALID_ARGUMENT, one line that names both.
absl::Status CheckOutputsApart(const NamedFiles& files);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_OUTPUT_CLASH_H_
