// Colour for the words that must not be overlooked, on terminals. Pure.
#ifndef PODSIM_RUNTIME_REPORT_COLOR_H_
#define PODSIM_RUNTIME_REPORT_COLOR_H_

#include <string>

namespace podsim {

// Whether a terminal is to have colour: `term` is the variable TERM, `no_color`
// NO_COLOR (https://no-color.org); nullptr: not set.
bool WantsColor(const char* term, const char* no_color);

// `text` with the word that a line begins with in yellow, if it is WARNING or
// "warning:", in red, if it is "FAILED:" or "error:". Nothing else changes.
std::string Colored(const std::string& text);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_COLOR_H_
