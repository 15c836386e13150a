// What the run would have taken on the real pod, for the closing block and for
// the metrics file. Pure; all of it is simulated.
#ifndef PODSIM_RUNTIME_REPORT_POD_RUN_H_
#define PODSIM_RUNTIME_REPORT_POD_RUN_H_

#include <optional>
#include <string>

#include "runtime/report/summary.h"

namespace podsim {

struct PodRun {
  // Seconds. A restart takes a start-up more. Evaluations and checkpoints are
  // the job's, as many parts of them as it made of the job's steps.
  double start_up = 0;
  double steps = 0;  // with what injected faults did to them
  double evaluation = 0;
  double checkpoints = 0;
  double chip_hours = 0;  // of all that
  // Model FLOPs utilization over the steps; nullopt: the forecast has none.
  std::optional<double> mfu;
  double input = 0;  // part of the steps' time that waits for input

  double seconds() const { return start_up + steps + evaluation + checkpoints; }
};

// Nullopt: there is no forecast, or no step was made.
std::optional<PodRun> PodRunOf(const RunSummary& summary);

// "83.2 s sim: start-up 83.1 s, steps 26.6 ms; MFU 0.41%". Parts below 1% of
// the run are left out but for those two, unless `verbose`.
std::string PodRunText(const PodRun& run, const RunSummary& summary,
                       bool verbose);

// "compute 66%, all-reduce 16%, update 5%, fixed 13%": of the steps' time;
// nothing below half a percent. `verbose`: each with its time per step.
std::string PodPhasesText(const RunSummary& summary, bool verbose);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_POD_RUN_H_
