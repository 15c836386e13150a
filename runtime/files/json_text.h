// Messages from protobuf JSON, whose errors name a place as those of text do.
#ifndef PODSIM_RUNTIME_FILES_JSON_TEXT_H_
#define PODSIM_RUNTIME_FILES_JSON_TEXT_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"
#include "runtime/files/text_file.h"
#include "settings/origins.h"

namespace podsim {

// No message in text format begins with a brace.
bool IsJson(const std::string& text);

// `text` is JSON; `name` stands for it in messages. In `origins` the line of
// each field of the outermost object: "job.json line 3".
// Errors: INVALID_ARGUMENT: "NAME:3:7: why", counted from 1; without the place
//   for what is wrong in an inner object, and for bytes that are no UTF-8.
absl::Status ParseJson(const std::string& text, const std::string& name,
                       const TextKind& kind, google::protobuf::Message& message,
                       Origins& origins);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_JSON_TEXT_H_
