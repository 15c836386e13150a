// What is said of a field that a text file's message does not have. Pure.
#ifndef PODSIM_RUNTIME_FILES_UNKNOWN_FIELD_H_
#define PODSIM_RUNTIME_FILES_UNKNOWN_FIELD_H_

#include <google/protobuf/descriptor.h>

#include <string>

namespace podsim {

// "; did you mean train_steps?" for `name`, which is none of `message`: by the
// names that flags have elsewhere where it is a job, else by near names. Empty:
// nothing like it is known.
std::string UnknownFieldHint(const std::string& name,
                             const google::protobuf::Descriptor& message);

// "; a file of them is given as --faults=FILE", where pod_launch has such a
// flag for a field that is a block; else empty.
std::string FileFlag(const std::string& name);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_UNKNOWN_FIELD_H_
