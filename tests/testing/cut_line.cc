#include "tests/testing/cut_line.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/status.h"

namespace podsim::testing {
namespace {

// How soon a cut or the end is noticed.
constexpr int kLookMs = 20;

int Dial(const std::string& path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  PODSIM_CHECK(path.size() < sizeof(to.sun_path));
  std::memcpy(to.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  PODSIM_CHECK(fd >= 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0)
    return fd;
  close(fd);
  return -1;
}

// Moves what is there; -1: this way has ended.
long Move(int from, int to) {
  std::array<char, 65536> bytes{};
  const ssize_t got = read(from, bytes.data(), bytes.size());
  if (got <= 0) return -1;
  for (ssize_t done = 0; done < got;) {
    const ssize_t n = send(to, bytes.data() + done,
                           static_cast<std::size_t>(got - done), MSG_NOSIGNAL);
    if (n < 0) return -1;
    done += n;
  }
  return got;
}

}  // namespace

CutLine::CutLine(std::string target) : target_(std::move(target)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(here);
  auto* const name = reinterpret_cast<sockaddr*>(&here);
  PODSIM_CHECK(bind(listener_, name, size) == 0);
  PODSIM_CHECK(listen(listener_, 64) == 0);
  PODSIM_CHECK(getsockname(listener_, name, &size) == 0);
  address_ = "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
  thread_ = std::jthread([this](const std::stop_token& stop) { Relay(stop); });
}

CutLine::~CutLine() {
  thread_.request_stop();
  thread_.join();
  close(listener_);
}

void CutLine::Relay(const std::stop_token& stop) {
  // Two ends of a call stand side by side: 1 and 2, 3 and 4, ...
  std::vector<pollfd> ends = {{listener_, POLLIN, 0}};
  const auto hang_up = [&ends](std::size_t i) {
    for (const std::size_t end : {i, i % 2 == 1 ? i + 1 : i - 1}) {
      if (ends[end].fd >= 0) close(ends[end].fd);
      ends[end].fd = -1;  // poll passes it over
    }
  };
  while (!stop.stop_requested()) {
    if (cut_) {
      poll(nullptr, 0, kLookMs);
      continue;
    }
    if (poll(ends.data(), ends.size(), kLookMs) <= 0) continue;
    for (std::size_t i = 1; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const long moved = Move(ends[i].fd, ends[i % 2 == 1 ? i + 1 : i - 1].fd);
      if (moved < 0) {
        hang_up(i);
      } else {
        carried_ += moved;
      }
    }
    if ((ends[0].revents & POLLIN) == 0) continue;
    const int caller = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int callee = Dial(target_);
    if (caller >= 0 && callee >= 0) {
      ends.push_back({caller, POLLIN, 0});
      ends.push_back({callee, POLLIN, 0});
    } else {
      if (caller >= 0) close(caller);
      if (callee >= 0) close(callee);
    }
  }
  for (std::size_t i = 1; i < ends.size(); i += 2) hang_up(i);
}

}  // namespace podsim::testing
