#include "runtime/coordinator/merge_times.h"

#include <algorithm>
#include <vector>

namespace podsim {
namespace {

// As events keep it; what a host claims beyond that means nothing.
float Kept(double seconds) {
  constexpr double kMost = 1e9;
  return seconds > 0 ? static_cast<float>(std::min(seconds, kMost)) : 0;
}

// The first host of each process speaks for it: its hosts share its time.
std::vector<const StepReport*> ByProcess(
    const JobPlan& plan, const std::map<int, StepReport>& reports) {
  std::vector<const StepReport*> of_process;
  of_process.reserve(static_cast<std::size_t>(plan.spec().processes()));
  for (const int host : plan.first_host())
    of_process.push_back(&reports.at(host));
  return of_process;
}

// How long a process that began its last all-reduce after `own` seconds waited
// for the last one to begin, if not longer than that all-reduce took it: the
// moments at which processes leave an all-reduce differ a little.
double Waited(const StepReport& report, double last) {
  const double own = report.seconds_until_reduce();
  return std::clamp(last - own, 0.0, std::max(0.0, report.seconds() - own));
}

}  // namespace

void MergeTimes(const JobPlan& plan, const std::map<int, StepReport>& reports,
                StepDone& done) {
  const std::vector<const StepReport*> of_process = ByProcess(plan, reports);
  const auto longest = [&](double (StepReport::*seconds)() const) {
    return std::max_element(of_process.begin(), of_process.end(),
                            [&](const StepReport* a, const StepReport* b) {
                              return (a->*seconds)() < (b->*seconds)();
                            });
  };
  auto last = longest(&StepReport::seconds_until_reduce);
  const double until = (*last)->seconds_until_reduce();
  const bool known = of_process.size() > 1 && until > 0;
  if (!known) last = longest(&StepReport::seconds);
  for (const StepReport* report : of_process) {
    done.add_process_seconds_input(Kept(report->seconds_input()));
    done.add_process_seconds_compute(Kept(report->seconds_compute()));
    if (known) done.add_process_seconds_waited(Kept(Waited(*report, until)));
  }
  if (known) done.set_last_process(static_cast<int>(last - of_process.begin()));
  done.set_seconds((*last)->seconds());
  done.set_seconds_input((*last)->seconds_input());
  done.set_seconds_compute((*last)->seconds_compute());
  done.set_seconds_reduce((*last)->seconds_reduce());
  done.set_seconds_update((*last)->seconds_update());
  done.set_seconds_other((*last)->seconds_other());
}

}  // namespace podsim
