#include "interconnect/transport/socket_buffers.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/units.h"

namespace podsim {
namespace {

// Room for all that may be in flight: what does not fit, gRPC writes from
// another thread (docs/performance.md). The kernel counts more than the
// payload.
constexpr int kSendBufferBytes = static_cast<int>(4 * kMiB);

using NameOf = int (*)(int, sockaddr*, socklen_t*);

// The path of one end of a Unix socket; empty if it has none or is none.
std::string PathOf(int fd, NameOf name_of) {
  sockaddr_un name{};
  socklen_t size = sizeof(name);
  if (name_of(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0 ||
      name.sun_family != AF_UNIX || size <= offsetof(sockaddr_un, sun_path)) {
    return "";
  }
  return {name.sun_path,
          strnlen(name.sun_path, size - offsetof(sockaddr_un, sun_path))};
}

std::vector<int> OpenFiles() {
  std::vector<int> fds;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const std::string name = entry.path().filename().string();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (fd >= 0) fds.push_back(fd);
  }
  return fds;
}

}  // namespace

int WidenSendBuffers(const std::vector<std::string>& paths) {
  const auto ours = [&paths](const std::string& path) {
    return !path.empty() &&
           std::find(paths.begin(), paths.end(), path) != paths.end();
  };
  int found = 0;
  for (const int fd : OpenFiles()) {
    if (!ours(PathOf(fd, &getpeername)) && !ours(PathOf(fd, &getsockname))) {
      continue;
    }
    ++found;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &kSendBufferBytes,
                   sizeof(kSendBufferBytes)) != 0) {
      setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes,
                 sizeof(kSendBufferBytes));
    }
  }
  return found;
}

}  // namespace podsim
