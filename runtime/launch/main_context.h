// What a program's main knows of itself.
#ifndef PODSIM_RUNTIME_LAUNCH_MAIN_CONTEXT_H_
#define PODSIM_RUNTIME_LAUNCH_MAIN_CONTEXT_H_

#include "base/clock.h"
#include "runtime/launch/launch.h"

namespace podsim {

// Arguments, the process's environment, where its program lies, and when the
// kernel started it: loading the program is part of what the user waits for.
LaunchContext ContextOfMain(int argc, char** argv, const Clock& clock);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_MAIN_CONTEXT_H_
