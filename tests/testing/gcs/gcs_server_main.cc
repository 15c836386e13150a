// The double as a program, for tests of programs and for Google's clients:
//
//   gcs_server PORT BUCKET=LOCATION ...
//
// Serves until standard input ends.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "host/storage/gcs/name.h"
#include "tests/testing/gcs/gcs_server.h"

namespace {

// Whether nobody listens there.
bool IsFree(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound =
      bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof(at)) == 0;
  close(fd);
  return bound;
}

// Of "bucket=us" nothing.
std::string WhyNoBucket(const std::string& pair) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string::npos || equals + 1 == pair.size())
    return "\"" + pair +
           "\" has no location; give BUCKET=LOCATION, as in bucket=us";
  const auto name = podsim::ParseGcsName("gs://" + pair.substr(0, equals));
  if (name.ok() && name->bucket == pair.substr(0, equals)) return "";
  return "\"" + pair +
         "\" names no bucket: give 3 to 222 of a-z, 0-9, '-', '_', '.' in "
         "front of the =, as in bucket=us";
}

int Refused(const std::string& why) {
  std::fprintf(stderr, "gcs_server: %s\n", why.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: gcs_server PORT BUCKET=LOCATION ..., given: %s\n",
                 argc == 2 ? argv[1] : "nothing");
    return 2;
  }
  char* end = nullptr;
  const std::string typed = argv[1];
  const long port = std::strtol(argv[1], &end, 10);
  if (end == argv[1] || *end != '\0' || port < 0 || port > 65535)
    return Refused("the port is \"" + typed +
                   "\"; give a number from 0 (any free one) to 65535, as in "
                   "gcs_server 8080 bucket=us");
  for (int i = 2; i < argc; ++i)
    if (const std::string why = WhyNoBucket(argv[i]); !why.empty())
      return Refused(why);
  if (port != 0 && !IsFree(static_cast<std::uint16_t>(port)))
    return Refused("port " + typed +
                   " of 127.0.0.1 is in use; give another, or 0 for any free "
                   "one");
  podsim::testing::GcsServer server({}, static_cast<int>(port));
  for (int i = 2; i < argc; ++i) {
    const std::string pair = argv[i];
    const std::size_t equals = pair.find('=');
    server.objects().MakeBucket(pair.substr(0, equals),
                                pair.substr(equals + 1));
  }
  std::printf("%s\n", server.endpoint().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
