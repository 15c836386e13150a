// Numbers of a hardware file with units or in quotes, "70 GB/s", and what to
// write. Private to the folder. Pure.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_FIGURE_SLIP_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_FIGURE_SLIP_H_

#include <string>
#include <string_view>

namespace podsim {

// "link_bytes_per_second is \"70 GB/s\"; a number in a file has no unit and no
// quotes: value: 70e9", for what protobuf's parser said of `text` at a line and
// a column that are counted from 0. Empty: the message is of another kind.
std::string FigureSlip(const std::string& message, std::string_view text,
                       int line, int column);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_FIGURE_SLIP_H_
