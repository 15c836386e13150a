// A line of a text file as another format has it, or a word processor. Pure.
#ifndef PODSIM_RUNTIME_FILES_FOREIGN_LINE_H_
#define PODSIM_RUNTIME_FILES_FOREIGN_LINE_H_

#include <google/protobuf/descriptor.h>

#include <string>

#include "absl/strings/string_view.h"

namespace podsim {

// What to write instead, for what protobuf's parser of text said of the line of
// a text that stands for a message of `file`; empty: it is none of these.
std::string ForeignLine(const std::string& message, absl::string_view line,
                        const google::protobuf::Descriptor& file);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_FOREIGN_LINE_H_
