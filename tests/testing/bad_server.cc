#include "tests/testing/bad_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim::testing {
namespace {

constexpr int kSliceMilliseconds = 50;

bool Readable(int fd) {
  pollfd wait = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&wait, 1, kSliceMilliseconds) > 0;
}

// Up to the blank line; what follows is of no interest.
void ReadHead(int fd, const std::stop_token& stop) {
  std::string head;
  char block[4096];
  while (!stop.stop_requested() && head.find("\r\n\r\n") == head.npos) {
    if (!Readable(fd)) continue;
    const ssize_t count = recv(fd, block, sizeof(block), 0);
    if (count <= 0) return;
    head.append(block, static_cast<std::size_t>(count));
  }
}

void Put(int fd, std::string_view text) {
  // Who has gone needs no answer.
  static_cast<void>(send(fd, text.data(), text.size(), MSG_NOSIGNAL));
}

void Answer(BadServer::Way way, int fd, const std::stop_token& stop) {
  const auto head = [](std::string_view status, std::size_t length) {
    return absl::StrCat("HTTP/1.1 ", std::string(status),
                        "\r\nConnection: close\r\nContent-Length: ", length,
                        "\r\n\r\n");
  };
  if (way == BadServer::Way::kBusy)
    return Put(fd, head("503 Service Unavailable", 0));
  constexpr std::string_view kHtml = "<html>log in first</html>";
  if (way == BadServer::Way::kPage)
    return Put(fd, head("200 OK", kHtml.size()) + std::string(kHtml));
  Put(fd, head("200 OK", 1 << 20));
  while (!stop.stop_requested() && !Readable(fd))
    Put(fd, std::string(102, ' '));
}

}  // namespace

BadServer::BadServer(Way way)
    : way_(way), socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  PODSIM_CHECK(socket_ >= 0 && bind(socket_, any, size) == 0 &&
               getsockname(socket_, any, &size) == 0);
  address_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
  if (way_ == Way::kClosed) return;  // the port is taken, and refuses
  PODSIM_CHECK(listen(socket_, SOMAXCONN) == 0);
  if (way_ == Way::kSilent) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
}

BadServer::~BadServer() {
  thread_ = std::jthread();  // ends it
  close(socket_);
}

void BadServer::Serve(const std::stop_token& stop) {
  std::vector<std::jthread> callers;
  while (!stop.stop_requested()) {
    if (!Readable(socket_)) continue;
    const int fd = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    callers.emplace_back([this, fd](const std::stop_token& end) {
      ReadHead(fd, end);
      Answer(way_, fd, end);
      close(fd);
    });
  }
}

}  // namespace podsim::testing
