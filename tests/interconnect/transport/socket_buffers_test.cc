#include "interconnect/transport/socket_buffers.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

sockaddr_un At(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

int SendBufferOf(int fd) {
  int bytes = 0;
  socklen_t size = sizeof(bytes);
  EXPECT_EQ(getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, &size), 0);
  return bytes;
}

// A connection through a Unix socket that listens at `path`.
struct Connection {
  explicit Connection(const std::string& path) {
    const sockaddr_un address = At(path);
    const auto* const name = reinterpret_cast<const sockaddr*>(&address);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(bind(listener, name, sizeof(address)), 0);
    EXPECT_EQ(listen(listener, 1), 0);
    caller = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(connect(caller, name, sizeof(address)), 0);
    accepted = accept(listener, nullptr, nullptr);
    EXPECT_GE(accepted, 0);
  }
  ~Connection() {
    for (const int fd : {listener, caller, accepted}) close(fd);
  }
  int listener, caller, accepted;
};

TEST(WidenSendBuffers, FindsBothEndsByPathAndLeavesOthersAlone) {
  const testing::TempDir dir;
  const Connection ours(dir.file("ours"));
  const Connection others(dir.file("others"));
  const int before = SendBufferOf(others.caller);
  // Both ends and the listener, whose buffer is nobody's.
  EXPECT_EQ(WidenSendBuffers({dir.file("ours"), dir.file("nobody")}), 3);
  EXPECT_GE(SendBufferOf(ours.caller), before);
  EXPECT_EQ(SendBufferOf(ours.caller), SendBufferOf(ours.accepted));
  EXPECT_EQ(SendBufferOf(others.caller), before);
  EXPECT_EQ(SendBufferOf(others.accepted), before);
  EXPECT_EQ(WidenSendBuffers({""}), 0);
}

}  // namespace
}  // namespace podsim
