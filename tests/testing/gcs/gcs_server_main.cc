// The double as a program, for tests of programs and for Google's clients:
//
//   gcs_server PORT BUCKET=LOCATION ...
//
// Serves until standard input ends.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/testing/gcs/gcs_server.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: gcs_server PORT BUCKET=LOCATION ..., given: %s\n",
                 argc == 2 ? argv[1] : "nothing");
    return 2;
  }
  char* end = nullptr;
  const long port = std::strtol(argv[1], &end, 10);
  if (end == argv[1] || *end != '\0' || port < 0 || port > 65535) {
    std::fprintf(stderr,
                 "gcs_server: the port is \"%s\"; give a number from 0 (any "
                 "free one) to 65535, as in gcs_server 8080 bucket=us\n",
                 argv[1]);
    return 2;
  }
  podsim::testing::GcsServer server({}, static_cast<int>(port));
  for (int i = 2; i < argc; ++i) {
    const std::string pair = argv[i];
    const std::size_t equals = pair.find('=');
    server.objects().MakeBucket(
        pair.substr(0, equals),
        equals == std::string::npos ? "US" : pair.substr(equals + 1));
  }
  std::printf("%s\n", server.endpoint().c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
