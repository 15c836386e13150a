// From events to what a run came to; see summary.h.
#include "runtime/report/summary.h"

#include "job/metrics.h"

namespace podsim {

void SummaryCollector::OnEvent(const JobEvent& event, absl::Time now) {
  goodput_.OnEvent(event);
  faults_.OnEvent(event);
  clock_.OnEvent(event);
  summary_.pod = clock_.phases();
  switch (event.event_case()) {
    case JobEvent::kFormed:
      summary_.plan = event.formed().plan();
      break;
    case JobEvent::kStarted:
      if (started_at_ == 0) started_at_ = event.wall_time();
      break;
    case JobEvent::kStep:
      OnStep(event.step(), event.wall_time(), now);
      break;
    case JobEvent::kEval:
      if (event.eval().examples() > 0) summary_.eval = event.eval();
      break;
    case JobEvent::kDone:
      OnDone(event.done());
      break;
    case JobEvent::kSaved:
      summary_.savings.Add(event.saved());
      break;
    case JobEvent::kDeleted:
      summary_.savings.Add(event.deleted());
      break;
    case JobEvent::kSkipped:
      ++summary_.savings.skipped;
      break;
    case JobEvent::kRestarting:
      ++summary_.restarts;
      AccountForFaults();
      break;
    case JobEvent::kFailed:
    case JobEvent::kFault:
      AccountForFaults();
      break;
    case JobEvent::kBench:
    case JobEvent::kJoined:
    case JobEvent::kRefused:
    case JobEvent::kWaiting:
    case JobEvent::kLeft:
    case JobEvent::EVENT_NOT_SET:
      break;
  }
}

void SummaryCollector::set_forecast(const JobForecast& forecast) {
  summary_.forecast = forecast;
  clock_.SetStep(forecast.step);
  summary_.pod = clock_.phases();
}

void SummaryCollector::OnDone(const JobDone& done) {
  summary_.overlap = overlap_.Measured();
  summary_.straggler = stragglers_.Measured();
  summary_.came_last = stragglers_.came_last();
  summary_.goodput = goodput_.Measured();
  summary_.weights_hash = done.weights_hash();
  summary_.steps = done.steps();
  summary_.examples = done.examples();
  summary_.drained = done.drained();
  summary_.stints.assign(done.stints().begin(), done.stints().end());
  AccountForFaults();
}

void SummaryCollector::AccountForFaults() {
  const FaultAccount account = faults_.Account();
  if (account.planned + account.injected > 0) summary_.faults = account;
}

void SummaryCollector::OnStep(const StepDone& step, double wall_time,
                              absl::Time now) {
  if (!summary_.time_to_first_step.has_value()) {
    summary_.time_to_first_step = now - command_start_;
    first_step_at_ = wall_time;
    first_examples_ = step.examples();
    summary_.examples_per_second = step.examples_per_second();
  } else if (wall_time > first_step_at_) {
    // The first step pays for the start, so the rate counts from its end.
    summary_.examples_per_second =
        static_cast<double>(step.examples() - first_examples_) /
        (wall_time - first_step_at_);
  }
  summary_.steps = step.step();
  ++summary_.steps_made;
  summary_.examples = step.examples();
  summary_.loss = MetricValue(step.metrics(), kLossMetric);
  summary_.train_accuracy = AccuracyOf(step.metrics());
  summary_.training = absl::Seconds(wall_time - started_at_);
  summary_.phases.steps += step.seconds();
  AddPhases(step.phases(), /*share=*/1, summary_.phases.of_step);
  AddPhases(step.work(), /*share=*/1, summary_.phases.work);
  AddPhases(step.input(), /*share=*/1, summary_.phases.input);
  overlap_.OnStep(step);
  stragglers_.OnStep(step);
}

}  // namespace podsim
