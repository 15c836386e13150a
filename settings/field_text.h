// Fields of a message from text, as flags and environment give it, and back.
// Pure.
#ifndef PODSIM_SETTINGS_FIELD_TEXT_H_
#define PODSIM_SETTINGS_FIELD_TEXT_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"

namespace podsim {

// Sets `field` of `message`; a repeated one from "512,512". A setting of type
// BYTES takes 4096, 4K or 64M, whole numbers also 1e4. `flag` is for messages,
// without dashes. Bounds and words are CheckSettings' to judge.
// Errors: INVALID_ARGUMENT, one line: "--keep is "x"; give a whole number from
// 0 up", with what "30s", "10k" or "1MB" mean.
absl::Status SetFieldFromText(const std::string& flag, const std::string& value,
                              const google::protobuf::FieldDescriptor& field,
                              google::protobuf::Message& message);

// Adds one value to a list as it is, commas and all. Errors: as above.
absl::Status AddFieldText(const std::string& flag, const std::string& value,
                          const google::protobuf::FieldDescriptor& field,
                          google::protobuf::Message& message);

// What a text that is none of the field's numbers stands for, in digits: "30"
// of "30s" for seconds, "10000" of "10k", "1048576" of "1MB" for bytes. Empty:
// that is not known, or not allowed.
std::string NumberMeant(const std::string& text,
                        const google::protobuf::FieldDescriptor& field);

// What a field of numbers takes: "a whole number of steps from 0 up", "a
// number, at least 0 and less than 1", "a number of bytes such as 4096 or 4M",
// "whole numbers with commas, such as 512,512".
std::string NumberWanted(const google::protobuf::FieldDescriptor& field);

// The value of a set field as a flag takes it: "512,512", "ring", "0.1"; of a
// message its text format.
std::string FieldText(const google::protobuf::Message& message,
                      const google::protobuf::FieldDescriptor& field);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_FIELD_TEXT_H_
