// pod_top as a function: from its arguments to its exit code.
#ifndef PODSIM_RUNTIME_TOP_TOP_H_
#define PODSIM_RUNTIME_TOP_TOP_H_

#include <string>
#include <vector>

#include "runtime/report/console.h"

namespace podsim {

// Shows the job until it ends. `args` without the program's name.
// 0: done; 1: the job failed, or could not be watched to its end; 2: refused as
// given, or there is no such job; with --tpu_info what the command ended with.
int RunTop(const std::vector<std::string>& args, Console& console);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TOP_TOP_H_
