#include "runtime/pod/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/status/status.h"

namespace podsim {

absl::StatusOr<Pipe> MakePipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a pipe");
  }
  Pipe pipe = {UniqueFd(fds[0]), UniqueFd(fds[1])};
  if (fcntl(fds[0], F_SETFL, O_NONBLOCK) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a pipe non-blocking");
  }
  return pipe;
}

std::string ReadAvailable(UniqueFd& fd) {
  std::string bytes;
  char buffer[1 << 14];
  while (fd.valid()) {
    const ssize_t count = read(fd.get(), buffer, sizeof(buffer));
    if (count > 0) {
      bytes.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      fd.Reset();
    } else if (errno == EAGAIN) {
      break;
    }
  }
  return bytes;
}

}  // namespace podsim
