#include "runtime/monitor/job_metrics.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "job/metrics.h"
#include "job/phases.h"
#include "runtime/monitor/chip_view.h"

namespace podsim {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

MetricFamily GaugeOf(const std::string& name, const std::string& help) {
  return {.name = "podsim_" + name, .help = help, .samples = {}};
}

MetricFamily SingleGauge(const std::string& name, const std::string& help,
                         double value, const Labels& labels = {}) {
  MetricFamily family = GaugeOf(name, help);
  family.samples.push_back({.labels = labels, .value = value});
  return family;
}

MetricFamily CounterOf(const std::string& name, const std::string& help,
                       double value) {
  MetricFamily family = SingleGauge(name, help, value);
  family.counter = true;
  return family;
}

// One sample for each metric of the model.
MetricFamily ModelMetrics(const std::string& name, const std::string& help,
                          const MetricSums& sums) {
  MetricFamily family = GaugeOf(name, help);
  for (const MetricSum& sum : sums)
    family.samples.push_back(
        {.labels = {{"metric", sum.name()}}, .value = CombinedValue(sum)});
  return family;
}

MetricFamily PhaseFamily(const JobState& state) {
  MetricFamily family = GaugeOf("phase", "1 for the phase that the job is in");
  for (const JobPhase phase :
       {JobPhase::kForming, JobPhase::kStarting, JobPhase::kTraining,
        JobPhase::kDone, JobPhase::kFailed})
    family.samples.push_back({.labels = {{"phase", PhaseName(phase)}},
                              .value = state.phase == phase ? 1.0 : 0.0});
  return family;
}

MetricFamily StepSecondsFamily(const JobState& state,
                               std::optional<double> sim_step) {
  MetricFamily family = GaugeOf(
      "step_seconds",
      "Seconds of a step: measured, mean of the last steps, and simulated");
  if (!state.steps.empty())
    family.samples.push_back(
        {.labels = {{"clock", "wall"}}, .value = MeanStepSeconds(state)});
  if (sim_step)
    family.samples.push_back(
        {.labels = {{"clock", "sim"}}, .value = *sim_step});
  return family;
}

// Of the process that came last to the all-reduce, which all waited for.
MetricFamily StepPhaseFamily(const StepDone& step) {
  MetricFamily family = GaugeOf(
      "step_phase_seconds",
      "Wall seconds of the phases of the last step, of its last process");
  for (const NamedPhase& phase : PhasesInOrder(step.phases(), kPhaseNames))
    family.samples.push_back(
        {.labels = {{"phase", phase.name}}, .value = phase.seconds});
  return family;
}

MetricFamily HostShares(const JobState& state, int hosts) {
  MetricFamily family = GaugeOf(
      "host_step_share",
      "Parts of the wall time of the last steps: busy (the duty cycle), input, "
      "wait");
  const std::vector<ProcessShares> shares = SharesOf(state);
  for (int host = 0; host < hosts; ++host) {
    const auto process = static_cast<std::size_t>(ProcessOfHost(state, host));
    if (process >= shares.size()) continue;
    const ProcessShares& of = shares[process];
    for (const auto& [part, share] :
         {std::pair("busy", of.busy), std::pair("input", of.input),
          std::pair("wait", of.waited)})
      family.samples.push_back(
          {.labels = {{"host", absl::StrCat(host)}, {"part", part}},
           .value = share});
  }
  return family;
}

// Every device of a data-parallel job holds the same.
MetricFamily HbmFamily(const DeviceView& device) {
  MetricFamily family = GaugeOf(
      "hbm_bytes", "Bytes of a device's HBM, simulated: used, and in all");
  for (const auto& [kind, bytes] : {std::pair("used", device.hbm_used),
                                    std::pair("total", device.hbm_total)})
    family.samples.push_back({.labels = {{"clock", "sim"}, {"kind", kind}},
                              .value = static_cast<double>(bytes)});
  return family;
}

void AddStep(const StepDone& step, const JobState& state,
             std::vector<MetricFamily>& families) {
  families.push_back(SingleGauge("step", "Steps that are done",
                                 static_cast<double>(step.step())));
  families.push_back(SingleGauge("examples", "Examples consumed, of all cores",
                                 static_cast<double>(step.examples())));
  families.push_back(SingleGauge("loss", "Loss of the last step",
                                 MetricValue(step.metrics(), kLossMetric)));
  families.push_back(
      ModelMetrics("train_metric", "Of the last step", step.metrics()));
  families.push_back(
      SingleGauge("learning_rate", "Of the last step", step.learning_rate()));
  families.push_back(
      SingleGauge("examples_per_second", "Wall, mean of the last steps",
                  MeanExamplesPerSecond(state), {{"clock", "wall"}}));
  families.push_back(StepPhaseFamily(step));
}

}  // namespace

std::vector<MetricFamily> JobMetrics(const JobState& state,
                                     std::optional<double> sim_step) {
  std::vector<MetricFamily> families = {PhaseFamily(state)};
  families.push_back(
      CounterOf("restarts_total", "Restarts of the pod",
                state.generation == 0 ? 0 : state.generation - 1.0));
  families.push_back(CounterOf("checkpoints_total",
                               "Checkpoints saved since the last restart",
                               static_cast<double>(state.checkpoints)));
  families.push_back(CounterOf("faults_total",
                               "Injected faults that struck since the last "
                               "restart",
                               static_cast<double>(state.faults)));
  families.push_back(SingleGauge("last_event_timestamp_seconds",
                                 "When the job told something last, since 1970",
                                 state.wall_time));
  families.push_back(StepSecondsFamily(state, sim_step));
  if (!state.plan) return families;
  families.push_back(SingleGauge("info", "What the job is", 1,
                                 {{"slice", state.plan->bits().slice()},
                                  {"model", state.plan->bits().model().name()},
                                  {"plan_hash", state.plan->hash()}}));
  families.push_back(
      SingleGauge("train_steps", "Steps that the job is to make",
                  static_cast<double>(state.plan->train_steps())));
  if (!state.steps.empty()) AddStep(state.steps.back(), state, families);
  if (state.eval)
    families.push_back(ModelMetrics("eval_metric", "Of the last evaluation",
                                    state.eval->metrics()));
  const absl::StatusOr<Slice> slice = SliceOf(state);
  if (!slice.ok()) return families;  // it is planned, so it is known
  families.push_back(HostShares(state, slice->hosts));
  families.push_back(HbmFamily(DevicesOf(state, *slice, 0).front()));
  return families;
}

}  // namespace podsim
