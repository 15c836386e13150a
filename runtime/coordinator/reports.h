// Merges what the hosts report into what the job did: one StepDone per step,
// one EvalDone per evaluation, summed in host order, so that the figures do not
// depend on who reported first. Compares hashes (corruption.h), and says who
// came last (merge_times.h).
// Pure; one thread at a time.
#ifndef PODSIM_RUNTIME_COORDINATOR_REPORTS_H_
#define PODSIM_RUNTIME_COORDINATOR_REPORTS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "proto/coordinator.pb.h"
#include "proto/event.pb.h"
#include "proto/job.pb.h"
#include "runtime/coordinator/job_reports.h"

namespace podsim {

class ReportMerger {
 public:
  // `plan` must outlive the merger. Steps from start.step + 1 to
  // start.last_step.
  ReportMerger(const JobPlan& plan, const StartPoint& start);

  // REQUIRES: 0 <= report.host() < hosts. Errors: INTERNAL (a step left out or
  // sent twice), DATA_LOSS (corruption.h).
  Merged<StepDone> AddStep(const StepReport& report);
  // Errors: INTERNAL (an evaluation of a step not made, or sent twice).
  Merged<EvalDone> AddEval(const EvalReport& report);

  // Of one host: its last reported step, start.step before the first.
  std::int64_t last_step(int host) const { return last_step_[host]; }
  std::int64_t steps_done() const { return steps_done_; }
  std::int64_t examples() const { return examples_; }

 private:
  StepDone MergeStep(const std::map<int, StepReport>& reports);

  const JobPlan& plan_;
  const std::int64_t end_step_;
  std::int64_t steps_done_;
  std::int64_t examples_;
  std::vector<std::int64_t> last_step_;  // per host
  std::vector<std::int64_t> last_eval_;
  // What some hosts have yet to report, by host. Every host reports its steps
  // in order, so steps complete in order.
  std::map<std::int64_t, std::map<int, StepReport>> steps_;
  std::map<std::int64_t, std::map<int, EvalReport>> evals_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_REPORTS_H_
