// A bracket, a brace or a quotation mark of a text file that nothing closes:
// protobuf's parser complains of what follows it, lines later. Pure.
#ifndef PODSIM_RUNTIME_FILES_OPEN_MARK_H_
#define PODSIM_RUNTIME_FILES_OPEN_MARK_H_

#include <google/protobuf/descriptor.h>

#include <string>

#include "absl/strings/string_view.h"

namespace podsim {

// "2:9: the list of hidden ... is not closed; ...", counted from 1, for what
// protobuf's parser says at `line` and `column` of `text`, counted from 0, -1:
// no place. `file`: the message that the text stands for. Empty: nothing is
// open there, or that is not what is wrong.
std::string OpenMarkSlip(const std::string& message, absl::string_view text,
                         int line, int column,
                         const google::protobuf::Descriptor& file);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_OPEN_MARK_H_
