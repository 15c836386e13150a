// Numbers in text files, and what stands in their place by mistake. Pure.
#ifndef PODSIM_RUNTIME_FILES_NUMBER_SLIP_H_
#define PODSIM_RUNTIME_FILES_NUMBER_SLIP_H_

#include <google/protobuf/descriptor.h>

#include <string>

namespace podsim {

// Whether a field holds whole or real numbers.
bool IsNumber(const google::protobuf::FieldDescriptor& field);

// Whether `value` is a number of the type of `field`, which IsNumber.
bool IsWritten(const google::protobuf::FieldDescriptor& field,
               const std::string& value);

// What a field of numbers takes in a file, where BYTES have no unit.
std::string NumberInFile(const google::protobuf::FieldDescriptor& field);

// What is to be written in the place of `typed`, as "; ...". `message`: what
// protobuf's parser says of it.
std::string NumberAdvice(const std::string& message,
                         const google::protobuf::FieldDescriptor& field,
                         const std::string& typed);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_NUMBER_SLIP_H_
