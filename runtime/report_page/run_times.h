// Where the time of a run went: of each process's step, and of the whole run.
// Pure; all of it is wall time.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_RUN_TIMES_H_
#define PODSIM_RUNTIME_REPORT_PAGE_RUN_TIMES_H_

#include <string>
#include <utility>
#include <vector>

#include "runtime/report/run_records.h"

namespace podsim {

using NamedSeconds = std::vector<std::pair<std::string, double>>;

// The step of one process, as medians over steps, the first of a pod left out.
struct ProcessStep {
  std::string hosts;  // "host 2"
  // In the order in which they come; they add up to about the step.
  NamedSeconds parts;
  double came_last = 0;  // part of the steps; of one process 0
  double behind = 0;     // the median of the others waited so much longer
};

// One per process, in their order. Of several: input, compute, waiting for the
// last host, and the rest, which is the all-reduce, the update and what no
// phase has. Of one: all phases. Empty: no step tells.
std::vector<ProcessStep> ProcessStepsOf(const RunRecords& run);

// Where the run's time went; `parts` add up to `wall`, the productive ones
// first, then what most was lost to.
struct RunTime {
  double wall = 0;
  NamedSeconds parts;
  bool estimated = false;  // the file has no summary: from its other lines
};
RunTime RunTimeOf(const RunRecords& run);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_RUN_TIMES_H_
