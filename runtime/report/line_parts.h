// A line of parts of unlike weight, in as many columns as there are. Pure.
#ifndef PODSIM_RUNTIME_REPORT_LINE_PARTS_H_
#define PODSIM_RUNTIME_REPORT_LINE_PARTS_H_

#include <string>
#include <vector>

namespace podsim {

// The parts of a line and how long each is wanted: the one of the least rank
// goes first.
struct LinePart {
  std::string text;
  int rank = 0;
};
// As many of `parts`, two spaces between them, as `width` columns hold; at
// least the one of the highest rank. width <= 0: all.
std::string FitParts(const std::vector<LinePart>& parts, int width);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_LINE_PARTS_H_
