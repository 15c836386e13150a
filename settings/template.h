// A message as a text file to start from. Pure.
#ifndef PODSIM_SETTINGS_TEMPLATE_H_
#define PODSIM_SETTINGS_TEMPLATE_H_

#include <google/protobuf/message.h>

#include <string>

namespace podsim {

// Every setting with its help as comment, in groups: what `asked` sets as
// "name: value"; what only `whole`, made of it with every default, sets as the
// comment "# name: value"; others as "# name: TYPE". In protobuf's text format,
// read back as a message equal to `asked`. REQUIRES: both are of one type.
std::string FormatTemplate(const google::protobuf::Message& whole,
                           const google::protobuf::Message& asked);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_TEMPLATE_H_
