// Which host the others wait for, and how long: from the steps of one job. A
// step's figures are of its processes, as all hosts of a process share its
// time. Pure.
//
//   StragglerMeter meter;
//   for (const StepDone& step : steps) meter.OnStep(step);
//   Print(FormatStraggler(*meter.Measured(), plan));
#ifndef PODSIM_RUNTIME_REPORT_STRAGGLERS_H_
#define PODSIM_RUNTIME_REPORT_STRAGGLERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/event.pb.h"
#include "proto/job.pb.h"

namespace podsim {

// One step, as the process that came last spread it. Seconds of wall time;
// each is at most `behind`.
struct Lateness {
  int process = 0;
  // Between the median of the other processes and this one (of two in the
  // middle the later): what the step would have been shorter, had it come with
  // them.
  double behind = 0;
  double by_input = 0;    // of it, because its input took longer
  double by_compute = 0;  // likewise
};

// Nothing where nobody can be told to have come last (see StepDone).
std::optional<Lateness> LatenessOf(const StepDone& step);

// The process that cost the job most time.
struct Straggler {
  int process = 0;
  std::int64_t came_last = 0;  // in so many
  std::int64_t steps = 0;      // of so many that tell
  // Means over the steps in which it came last.
  double behind = 0;
  double by_input = 0;
  double by_compute = 0;
  double of_time = 0;  // all of it, as a part of those steps' time
};

class StragglerMeter {
 public:
  void OnStep(const StepDone& step);
  // Nothing without steps that tell.
  std::optional<Straggler> Measured() const;
  // In how many steps each process came last.
  std::vector<std::int64_t> came_last() const;

 private:
  struct Total {
    std::int64_t count = 0;
    double behind = 0;
    double by_input = 0;
    double by_compute = 0;
  };
  std::vector<Total> of_process_;
  std::int64_t steps_ = 0;
  double seconds_ = 0;
};

// "host 2 came last in 61% of steps, 1.9 ms behind the median, most of it
// input: 12.3% of their time".
// REQUIRES: the plan of those steps.
std::string FormatStraggler(const Straggler& straggler, const JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_STRAGGLERS_H_
