// What values a message's settings may have, field by field: bounds, words,
// fields that exclude each other or that a command does not read. Pure.
#ifndef PODSIM_SETTINGS_CHECK_H_
#define PODSIM_SETTINGS_CHECK_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace podsim {

// The message's own fields, not those of messages in it; unset ones pass.
// Errors: INVALID_ARGUMENT, one line: the setting, its value, what is allowed.
absl::Status CheckSettings(const google::protobuf::Message& message);

// A setting that only some of a program's commands read.
struct CommandSetting {
  const char* name;
  std::vector<std::string> commands;
};

// Refuses a setting that is set and that `command` does not read. Errors:
// INVALID_ARGUMENT, one line: the setting, and the commands that it is for.
// REQUIRES: the message has such fields.
absl::Status CheckCommandReads(const std::string& command,
                               const google::protobuf::Message& message,
                               const std::vector<CommandSetting>& settings);

// Clears what a setting of `field` excludes.
void ClearExcluded(const google::protobuf::FieldDescriptor& field,
                   google::protobuf::Message& message);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_CHECK_H_
