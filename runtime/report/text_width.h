// How wide text for people may be.
#ifndef PODSIM_RUNTIME_REPORT_TEXT_WIDTH_H_
#define PODSIM_RUNTIME_REPORT_TEXT_WIDTH_H_

#include <optional>
#include <string>

namespace podsim {

// Columns: those of the variable COLUMNS if it is a number from 20 to 1,000,
// else those of the terminal (0: there is none), else 80. Pure.
int TextWidth(const std::optional<std::string>& columns, int terminal);

// Columns of the terminal behind `fd`; 0: it is none, or does not say.
int TerminalWidth(int fd);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_TEXT_WIDTH_H_
