#include "base/write_error.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace podsim {

int WriteFully(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written == 0) return EIO;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::string WriteErrorText(int error) {
  rlimit limit = {};
  if (error != EFBIG || getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
      limit.rlim_cur == RLIM_INFINITY)
    return std::generic_category().message(error);
  return absl::StrCat("larger than this process may write (ulimit -f ",
                      limit.rlim_cur >> 10,
                      ", in KiB); raise the limit, or write less");
}

}  // namespace podsim
