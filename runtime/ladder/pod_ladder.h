// pod_ladder as a function: from its arguments to its exit code.
#ifndef PODSIM_RUNTIME_LADDER_POD_LADDER_H_
#define PODSIM_RUNTIME_LADDER_POD_LADDER_H_

#include "base/clock.h"
#include "runtime/pod/main_context.h"
#include "runtime/report/console.h"

namespace podsim {

// 0: every slice passed; 1: one did not, or the ladder could not go on; 2:
// refused as given; 128 + N: stopped by signal N. Runs pod_launch of the
// context's program_dir, one at a time. REQUIRES: this process has one thread.
int RunLadder(const LaunchContext& context, Console& console,
              const Clock& clock);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_POD_LADDER_H_
