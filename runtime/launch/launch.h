// pod_launch as a function: from its arguments to its exit code. Everything
// that can be refused is refused before the first process starts.
#ifndef PODSIM_RUNTIME_LAUNCH_LAUNCH_H_
#define PODSIM_RUNTIME_LAUNCH_LAUNCH_H_

#include "base/clock.h"
#include "runtime/pod/main_context.h"
#include "runtime/report/console.h"

namespace podsim {

// 0: done. Otherwise that of the first process that failed (128 + N for signal
// N), 128 + N when stopped by signal N, 2 for what is refused as given, 1 for
// all else.
// REQUIRES: this process has one thread.
int Launch(const LaunchContext& context, Console& console, const Clock& clock);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_LAUNCH_H_
