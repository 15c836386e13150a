// A message as a text file to start from. Pure.
#ifndef PODSIM_SETTINGS_TEMPLATE_H_
#define PODSIM_SETTINGS_TEMPLATE_H_

#include <google/protobuf/message.h>

#include <string>

namespace podsim {

// Every setting of `message` with its help as comment, in groups: what is set
// as "name: value", what is not as a comment "# name: TYPE". In protobuf's text
// format, read back as an equal message.
std::string FormatTemplate(const google::protobuf::Message& message);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_TEMPLATE_H_
