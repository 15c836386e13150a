// What a program's main knows of itself.
#ifndef PODSIM_RUNTIME_POD_MAIN_CONTEXT_H_
#define PODSIM_RUNTIME_POD_MAIN_CONTEXT_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
#include "settings/environment.h"

namespace podsim {

struct LaunchContext {
  std::vector<std::string> arguments;  // without the program's name
  Variables variables;                 // the environment
  std::string program_dir;             // pod_coordinator and pod_host are there
  absl::Time command_start;            // when the user's command began
};

// Arguments, the process's environment, where its program lies, and that the
// user's command begins now: main calls this first. (When the kernel started
// the process says less: a script may have done its own work in it before it
// became this program, as ./run builds.)
LaunchContext ContextOfMain(int argc, char** argv, const Clock& clock);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_MAIN_CONTEXT_H_
