// The table of TPU generations: figures with their sources, and slices.
//
//   PODSIM_ASSIGN_OR_RETURN(const Hardware hardware,
//                           WithHardware(ShippedHardware(), text, "my.txt"));
//
// One text file for each generation is compiled in; `--hardware=FILE` changes
// figures or adds generations. Pure functions; docs/hardware.md tells the
// sources.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_HARDWARE_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_HARDWARE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/hardware.pb.h"

namespace podsim {

// What ships, oldest first. Read once; stays for ever.
const Hardware& ShippedHardware();

// nullptr: none of that name.
const Generation* FindGeneration(const Hardware& hardware,
                                 std::string_view name);

// `hardware` with what `text` (message Hardware, or one Generation) says
// instead: of a generation with a known name each figure and field that is
// given replaces the known one whole, slices by their names; another name is a
// new generation. `name`: of the file, for messages.
// Errors: INVALID_ARGUMENT, one line (no such text; what CheckGeneration says).
absl::StatusOr<Hardware> WithHardware(const Hardware& hardware,
                                      std::string_view text,
                                      std::string_view name);

// The same in two steps. Errors: INVALID_ARGUMENT (no such text; what
// CheckGeneration says).
absl::StatusOr<Hardware> ParseHardware(std::string_view text,
                                       std::string_view name);
absl::StatusOr<Hardware> WithHardware(const Hardware& hardware,
                                      const Hardware& given);

// As such a file: read again, it changes nothing.
std::string HardwareText(const Generation& generation);

// Errors: INVALID_ARGUMENT (a figure that is missing, not positive or outside
//   its own range; links that are not two for each axis; more HBM reserved than
//   there is; a slice whose name does not say its size, or whose boards do not
//   tile its grid; a rule that is not said; what CheckSliceNames says).
absl::Status CheckGeneration(const Generation& generation);

// Of what a file says, before the second of two would replace the first.
// Errors: INVALID_ARGUMENT (two slices of one name).
absl::Status CheckSliceNames(const Generation& generation);

// Every figure that the generation states, by the name of its field, in their
// order.
struct NamedFigure {
  std::string name;
  const Figure* figure = nullptr;
};
std::vector<NamedFigure> FiguresIn(const Generation& generation);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_HARDWARE_H_
