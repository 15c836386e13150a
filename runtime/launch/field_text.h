// Fields of a protobuf message from the text of a flag: the field's type says
// how it is read.
#ifndef PODSIM_RUNTIME_LAUNCH_FIELD_TEXT_H_
#define PODSIM_RUNTIME_LAUNCH_FIELD_TEXT_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"

namespace podsim {

// Sets `field` of `message`; a repeated one from "512,512". Fields whose names
// end in "bytes" take 4096, 4K or 64M. `flag` is for messages, without dashes.
// Errors: INVALID_ARGUMENT, one line: "--seed is "x"; give a whole number".
absl::Status SetFieldFromText(const std::string& flag, const std::string& value,
                              const google::protobuf::FieldDescriptor* field,
                              google::protobuf::Message& message);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_FIELD_TEXT_H_
