// pod_plan as a function: from its arguments to its text and exit code.
#ifndef PODSIM_RUNTIME_PLAN_POD_PLAN_H_
#define PODSIM_RUNTIME_PLAN_POD_PLAN_H_

#include <string>
#include <vector>

#include "base/text_layout.h"

namespace podsim {

struct PlanResult {
  int exit_code = 0;       // 2: refused as given
  std::string text = {};   // for standard output
  std::string error = {};  // one line for standard error
  // More lines for standard error, each beginning with '#': what fills the HBM
  // of a slice that --explain cannot tell of for want of it.
  std::string details = {};
};

// `args` without the program's name; tables of at most `columns`. Starts
// nothing; reads --hardware's file and --measured's.
PlanResult RunPlan(const std::vector<std::string>& args,
                   int columns = kTextColumns);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_POD_PLAN_H_
