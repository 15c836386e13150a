// pod_bench: measures and verifies collectives among the hosts of an emulated
// TPU slice, in the layout of nccl-tests.
#include "base/clock.h"
#include "base/program.h"
#include "runtime/bench/bench.h"
#include "runtime/pod/main_context.h"
#include "runtime/report/console.h"

int main(int argc, char** argv) {
  podsim::BeginProgram();
  const podsim::SystemClock clock;
  podsim::Console console = podsim::Console::Standard();
  return console.ExitCode(
      podsim::Bench(podsim::ContextOfMain(argc, argv, clock), console, clock));
}
