// pod_ladder: trains a job on slice after slice, and stops where it breaks.
#include "base/clock.h"
#include "base/program.h"
#include "runtime/ladder/pod_ladder.h"
#include "runtime/pod/main_context.h"
#include "runtime/report/console.h"

int main(int argc, char** argv) {
  podsim::BeginProgram();
  const podsim::SystemClock clock;
  podsim::Console console = podsim::Console::Standard();
  return console.ExitCode(podsim::RunLadder(
      podsim::ContextOfMain(argc, argv, clock), console, clock));
}
