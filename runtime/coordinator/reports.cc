// Sums in host order and the comparison of hashes.
#include "runtime/coordinator/reports.h"

#include "absl/strings/str_cat.h"
#include "job/metrics.h"
#include "job/phases.h"
#include "models/optimizer/learning_rate.h"
#include "runtime/coordinator/corruption.h"
#include "runtime/coordinator/merge_times.h"

namespace podsim {
namespace {

template <typename Event>
Merged<Event> Fail(int host, const absl::Status& status) {
  return {.event = std::nullopt, .status = status, .host = host};
}

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

ReportMerger::ReportMerger(const JobPlan& plan, const StartPoint& start)
    : plan_(plan),
      end_step_(start.last_step()),
      steps_done_(start.step()),
      examples_(start.examples_consumed()),
      last_step_(plan.bits().hosts(), start.step()),
      last_eval_(plan.bits().hosts(), -1) {}

Merged<StepDone> ReportMerger::AddStep(const StepReport& report) {
  const int host = report.host();
  const std::int64_t step = report.step();
  if (step != last_step_[host] + 1 || step > end_step_) {
    return Fail<StepDone>(
        host, absl::InternalError(
                  absl::StrCat("host ", host, " reported step ", step, " of ",
                               end_step_, " after step ", last_step_[host])));
  }
  last_step_[host] = step;
  auto& reports = steps_[step];
  reports.emplace(host, report);
  if (static_cast<int>(reports.size()) < plan_.bits().hosts()) return {};

  for (const Corruption& found :
       {CheckReplicas(plan_.bits(), reports), CheckAudit(reports)}) {
    if (!found.status.ok()) return Fail<StepDone>(found.host, found.status);
  }
  StepDone done = MergeStep(reports);
  steps_.erase(step);
  return {.event = std::move(done)};
}

StepDone ReportMerger::MergeStep(const std::map<int, StepReport>& reports) {
  StepDone done;
  done.set_serial(reports.begin()->second.serial());
  std::int64_t examples = 0;
  const double share = 1.0 / static_cast<double>(reports.size());
  for (const auto& [rank, part] : reports) {
    AddMetrics(part.metrics(), *done.mutable_metrics());
    AddPhases(part.work(), share, *done.mutable_work());
    AddPhases(part.input(), share, *done.mutable_input());
    examples += part.examples();
  }
  MergeTimes(plan_, reports, done);
  done.set_step(++steps_done_);
  done.set_learning_rate(
      RateAt(plan_.bits().learning_rate(), examples_, plan_.global_batch()));
  examples_ += examples;
  done.set_examples(examples_);
  done.set_examples_per_second(
      Ratio(static_cast<double>(examples), done.seconds()));
  return done;
}

Merged<EvalDone> ReportMerger::AddEval(const EvalReport& report) {
  const int host = report.host();
  const std::int64_t step = report.step();
  if (step != last_step_[host] || step == last_eval_[host]) {
    return Fail<EvalDone>(
        host, absl::InternalError(absl::StrCat(
                  "host ", host, " reported an evaluation of step ", step,
                  ", its last step is ", last_step_[host],
                  " and its last evaluation that of ", last_eval_[host])));
  }
  last_eval_[host] = step;
  auto& reports = evals_[step];
  reports.emplace(host, report);
  if (static_cast<int>(reports.size()) < plan_.bits().hosts()) return {};

  EvalDone done;
  for (const auto& [rank, part] : reports) {
    AddMetrics(part.metrics(), *done.mutable_metrics());
    done.set_examples(done.examples() + part.examples());
  }
  done.set_step(step);
  evals_.erase(step);
  return {.event = std::move(done)};
}

}  // namespace podsim
