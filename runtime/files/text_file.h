// Messages from files in protobuf's text format ('#' begins a comment), or, if
// the first character is '{', as protobuf JSON; errors are one line and name
// the place.
//
//   PODSIM_ASSIGN_OR_RETURN(const std::string text, ReadText(path, kJobText));
//   PODSIM_RETURN_IF_ERROR(ParseText(text, path, kJobText, spec));
#ifndef PODSIM_RUNTIME_FILES_TEXT_FILE_H_
#define PODSIM_RUNTIME_FILES_TEXT_FILE_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "settings/origins.h"

namespace podsim {

// How messages speak of a kind of file.
struct TextKind {
  const char* name;     // "job"
  const char* example;  // "\"train_steps: 100\", a field a line"
};

// Errors: NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT (larger than such a
//   file can be).
absl::StatusOr<std::string> ReadText(const std::string& path,
                                     const TextKind& kind);

// `name` stands for the text in messages.
// Errors: INVALID_ARGUMENT: "NAME:3:7: why; how it is written", counted from 1;
//   without the place for what is wrong in an inner object of JSON.
absl::Status ParseText(const std::string& text, const std::string& name,
                       const TextKind& kind,
                       google::protobuf::Message& message);

// The same; in `origins` the line of each field of the message that the text
// sets: "job.txt line 3".
absl::Status ParseText(const std::string& text, const std::string& name,
                       const TextKind& kind, google::protobuf::Message& message,
                       Origins& origins);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_TEXT_FILE_H_
