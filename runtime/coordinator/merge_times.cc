#include "runtime/coordinator/merge_times.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "job/phases.h"

namespace podsim {
namespace {

// As events keep it, in whole microseconds, as metrics files have it; what a
// host claims beyond that means nothing.
float Kept(double seconds) {
  constexpr double kMost = 1e9;
  if (!(seconds > 0)) return 0;
  return static_cast<float>(1e-6 * std::round(1e6 * std::min(seconds, kMost)));
}

// The first host of each process speaks for it: its hosts share its time.
std::vector<const StepReport*> OfProcesses(
    const JobPlan& plan, const std::map<int, StepReport>& reports) {
  std::vector<const StepReport*> of_process;
  of_process.reserve(static_cast<std::size_t>(plan.spec().processes()));
  for (const int host : plan.first_host())
    of_process.push_back(&reports.at(host));
  return of_process;
}

// When a process began its last all-reduce, by a moment that all share: the
// begin of the step, or of the first, which each begins on a message, its end.
double CameAt(const StepReport& report) {
  const double until = report.seconds_until_reduce();
  return until > 0 ? until : -report.seconds_last_reduce();
}

// How long a process waited for the last one to begin, if not longer than its
// own all-reduce took: the moments at which processes leave an all-reduce
// differ a little.
double Waited(const StepReport& report, double last) {
  return std::clamp(last - CameAt(report), 0.0,
                    std::max(0.0, report.seconds_last_reduce()));
}

}  // namespace

void MergeTimes(const JobPlan& plan, const std::map<int, StepReport>& reports,
                StepDone& done) {
  const std::vector<const StepReport*> of_process = OfProcesses(plan, reports);
  auto last = std::max_element(of_process.begin(), of_process.end(),
                               [](const StepReport* a, const StepReport* b) {
                                 return CameAt(*a) < CameAt(*b);
                               });
  const double came = CameAt(**last);
  const bool known = of_process.size() > 1 && came != 0;
  if (!known) {
    last = std::max_element(of_process.begin(), of_process.end(),
                            [](const StepReport* a, const StepReport* b) {
                              return a->seconds() < b->seconds();
                            });
  }
  for (const StepReport* report : of_process) {
    for (const KnownPhase& phase : {kInputPhase, kComputePhase})
      AddOfProcess(phase, Kept(SecondsIn(report->phases(), phase)), done);
    if (known) done.add_process_seconds_waited(Kept(Waited(*report, came)));
  }
  if (known) done.set_last_process(static_cast<int>(last - of_process.begin()));
  done.set_seconds((*last)->seconds());
  AddPhases((*last)->phases(), /*share=*/1, *done.mutable_phases());
}

}  // namespace podsim
