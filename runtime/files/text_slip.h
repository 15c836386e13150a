// What a line of a text file has wrong, in the words of who wrote it. Pure.
#ifndef PODSIM_RUNTIME_FILES_TEXT_SLIP_H_
#define PODSIM_RUNTIME_FILES_TEXT_SLIP_H_

#include <google/protobuf/descriptor.h>

#include <string>

#include "absl/strings/string_view.h"

namespace podsim {

// "why; what to do" for what protobuf's parser of text said. `line`: where it
// is; `file`: the message that the whole text stands for; `written`: how such a
// text is written, where nothing closer is known.
std::string SlipText(const std::string& message, absl::string_view line,
                     const google::protobuf::Descriptor& file,
                     const std::string& written);

// A field of the file, or of a message in it; nullptr: there is none.
const google::protobuf::FieldDescriptor* FieldNamed(
    const std::string& name, const google::protobuf::Descriptor& file);

// "; allowed: ..." for a field that knows words, with a near one to `typed`.
std::string AllowedWords(const google::protobuf::FieldDescriptor* field,
                         const std::string& typed = "");

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_TEXT_SLIP_H_
