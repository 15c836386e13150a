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
    std::fprintf(stderr, "usage: gcs_server PORT BUCKET=LOCATION ...\n");
    return 2;
  }
  podsim::testing::GcsServer server({}, std::atoi(argv[1]));
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
