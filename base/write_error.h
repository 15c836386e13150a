// Writes to a file descriptor, and says what kept it from being written.
#ifndef PODSIM_BASE_WRITE_ERROR_H_
#define PODSIM_BASE_WRITE_ERROR_H_

#include <string>
#include <string_view>

namespace podsim {

// Writes all of it; blocks where `fd` does. Returns 0 or errno, by then a part
// may be written.
int WriteFully(int fd, std::string_view bytes);

// The system's words for `error`; of EFBIG that this process may write no
// larger file and its limit, if it has one. REQUIRES: SIGXFSZ is ignored
// (BeginProgram), or the process is killed instead of told.
std::string WriteErrorText(int error);

}  // namespace podsim

#endif  // PODSIM_BASE_WRITE_ERROR_H_
