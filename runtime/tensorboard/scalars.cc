#include "runtime/tensorboard/scalars.h"

#include "absl/strings/str_cat.h"
#include "job/metrics.h"
#include "job/phases.h"

namespace podsim {
namespace {

constexpr double kTera = 1e12;

// What either clock says of a step of so many seconds.
void AddPerformance(double seconds, double examples_per_second,
                    const StepWork& work, tensorboard::Event& event) {
  AddScalar("perf/step_time_seconds", seconds, event);
  AddScalar("perf/examples_per_second", examples_per_second, event);
  if (work.model_flops > 0 && seconds > 0)
    AddScalar("perf/per_device_tflops_per_sec",
              work.model_flops / seconds / kTera, event);
}

void AddPhase(const std::string& name, double seconds,
              tensorboard::Event& event) {
  AddScalar(absl::StrCat("phases/", name, "_seconds"), seconds, event);
}

void AddMetricScalars(const char* folder, const MetricSums& sums,
                      tensorboard::Event& event) {
  for (const MetricSum& sum : sums)
    AddScalar(absl::StrCat(folder, "/", sum.name()), CombinedValue(sum), event);
}

}  // namespace

void AddScalar(const std::string& tag, double value,
               tensorboard::Event& event) {
  tensorboard::Summary::Value& scalar = *event.mutable_summary()->add_value();
  scalar.set_tag(tag);
  scalar.set_simple_value(static_cast<float>(value));
}

tensorboard::Event EventAt(std::int64_t step, double wall_time) {
  tensorboard::Event event;
  event.set_step(step);
  event.set_wall_time(wall_time);
  return event;
}

tensorboard::Event WallStepEvent(const StepDone& step, double wall_time,
                                 const StepWork& work) {
  tensorboard::Event event = EventAt(step.step(), wall_time);
  AddScalar("loss", MetricValue(step.metrics(), kLossMetric), event);
  AddMetricScalars("learning", step.metrics(), event);
  AddScalar("learning/current_learning_rate", step.learning_rate(), event);
  AddPerformance(step.seconds(), step.examples_per_second(), work, event);
  for (const NamedPhase& phase : PhasesInOrder(step.phases(), kPhaseNames))
    AddPhase(phase.name, phase.seconds, event);
  return event;
}

tensorboard::Event SimStepEvent(const StepDone& step, const PodTime& pod,
                                double time, const StepWork& work) {
  tensorboard::Event event = EventAt(step.step(), time);
  const double seconds = pod.step.seconds();
  const auto examples = static_cast<double>(work.examples);
  AddScalar("loss", MetricValue(step.metrics(), kLossMetric), event);
  AddPerformance(seconds, seconds > 0 ? examples / seconds : 0, work, event);
  AddPhase(kInputPhase.name, pod.parts.input.seconds(), event);
  AddPhase(kComputePhase.name, pod.parts.compute.seconds(), event);
  AddPhase(kReducePhase.name, pod.parts.reduce.seconds(), event);
  AddPhase(kUpdatePhase.name, pod.parts.update.seconds(), event);
  AddPhase("fixed", pod.parts.fixed.seconds(), event);
  return event;
}

tensorboard::Event EvalEvent(const EvalDone& eval, double time) {
  tensorboard::Event event = EventAt(eval.step(), time);
  AddMetricScalars("eval", eval.metrics(), event);
  return event;
}

}  // namespace podsim
