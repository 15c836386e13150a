// Log lines on standard error, one write each, so that lines of several
// threads and processes never tear: "W 12:03:04.567 message".
#ifndef PODSIM_BASE_LOG_H_
#define PODSIM_BASE_LOG_H_

#include <string_view>

namespace podsim {

enum class LogLevel { kInfo, kWarning, kError };

// Thread-safe. Adds the newline and escapes what controls a terminal. Standard
// error is often a pipe: while its reader stands still (a stopped launcher, a
// paused terminal) lines are lost and counted, after a second of waiting,
// rather than that the program stands still too.
void Log(LogLevel level, std::string_view message);

}  // namespace podsim

#endif  // PODSIM_BASE_LOG_H_
