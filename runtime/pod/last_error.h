// What a process said last of what went wrong. Pure.
#ifndef PODSIM_RUNTIME_POD_LAST_ERROR_H_
#define PODSIM_RUNTIME_POD_LAST_ERROR_H_

#include <string>
#include <vector>

namespace podsim {

// "message" of the last line "E 12:03:04.567 message" (base/log.h), or of one
// without a time, as a signal's handler writes it. Empty: there is none.
std::string LastError(const std::vector<std::string>& lines);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_LAST_ERROR_H_
