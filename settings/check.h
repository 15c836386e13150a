// What values a message's settings may have, field by field: bounds, words,
// fields that exclude each other. Pure.
#ifndef PODSIM_SETTINGS_CHECK_H_
#define PODSIM_SETTINGS_CHECK_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "absl/status/status.h"

namespace podsim {

// The message's own fields, not those of messages in it; unset ones pass.
// Errors: INVALID_ARGUMENT, one line: the setting, its value, what is allowed.
absl::Status CheckSettings(const google::protobuf::Message& message);

// Clears what a setting of `field` excludes.
void ClearExcluded(const google::protobuf::FieldDescriptor& field,
                   google::protobuf::Message& message);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_CHECK_H_
