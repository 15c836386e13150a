// What a terminal is sent to show text in place of what it shows. Pure.
#ifndef PODSIM_RUNTIME_TOP_SCREEN_H_
#define PODSIM_RUNTIME_TOP_SCREEN_H_

#include <string>

namespace podsim {

// `text`, whole lines, drawn from the top left corner over what is there. Lines
// are cut to `columns`, and so many are drawn that all stand in `rows`; the
// last then says that there are more. 0: not known, nothing is cut.
std::string DrawnOver(const std::string& text, int columns, int rows);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TOP_SCREEN_H_
