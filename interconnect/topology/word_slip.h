// Words of a hardware file that its field does not know, "grade: MEASURED", and
// those that it does. Private to the folder. Pure.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_WORD_SLIP_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_WORD_SLIP_H_

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>

namespace podsim {

// "grade is MEASURED; give one of PRIMARY, SECONDARY, ...", for what protobuf's
// parser said of `text`, a message of the file that holds `file`. `line` and
// `column`, from 0, are moved from what follows the word to the word. Empty:
// the message is of another kind.
std::string WordSlip(const std::string& message, std::string_view text,
                     const google::protobuf::Descriptor& file, int& line,
                     int& column);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_WORD_SLIP_H_
