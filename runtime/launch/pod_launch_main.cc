// pod_launch: trains on an emulated TPU slice. The user's program.
#include "base/clock.h"
#include "base/program.h"
#include "runtime/launch/launch.h"
#include "runtime/pod/main_context.h"
#include "runtime/report/console.h"

int main(int argc, char** argv) {
  podsim::BeginProgram();
  const podsim::SystemClock clock;
  podsim::Console console = podsim::Console::Standard();
  return console.ExitCode(
      podsim::Launch(podsim::ContextOfMain(argc, argv, clock), console, clock));
}
