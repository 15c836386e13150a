// A text file that was given in the place of another. Pure.
#ifndef PODSIM_RUNTIME_FILES_OTHER_KIND_H_
#define PODSIM_RUNTIME_FILES_OTHER_KIND_H_

#include <google/protobuf/descriptor.h>

#include <string>

namespace podsim {

// "it is a fault plan: give it as --faults of pod_launch", if the text is whole
// as a kind of file other than `wanted`; else empty.
std::string OtherKind(const std::string& text,
                      const google::protobuf::Descriptor& wanted);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_OTHER_KIND_H_
