// pod_top: shows a job while it runs.
#include <cstdlib>
#include <string>
#include <vector>

#include "base/program.h"
#include "runtime/report/console.h"
#include "runtime/top/top.h"

int main(int argc, char** argv) {
  podsim::BeginProgram();
  // Our own messages say what gRPC's would, in one line.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  podsim::Console console = podsim::Console::Standard();
  return console.ExitCode(
      podsim::RunTop(std::vector<std::string>(argv + 1, argv + argc), console));
}
