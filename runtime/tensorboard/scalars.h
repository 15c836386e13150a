// Figures of steps and evaluations as TensorBoard's scalars. Pure.
//
// There are two runs. `wall` has what was measured on this machine, `sim` what
// the emulated pod would take. Tags that both have mean the same on either
// clock, so that TensorBoard draws them into one chart:
//   loss                            of a step's whole batch
//   perf/step_time_seconds
//   perf/examples_per_second
//   perf/per_device_tflops_per_sec  of the model's products, a core's
//                                   (JobForecast.model_flops)
//   phases/*_seconds                parts that add up to a step: of `wall`
//   those
//                                   of the process that came last (StepDone),
//                                   of `sim` those of PodPhases
//   eval/METRIC                     of the eval split
// In `wall` alone: learning/METRIC of a step's batch, and
// learning/current_learning_rate. Names are MaxText's where it has them.
//
// An event of `wall` has about 390 bytes in its file, one of `sim` 300, and
// each further metric of a model 40.
#ifndef PODSIM_RUNTIME_TENSORBOARD_SCALARS_H_
#define PODSIM_RUNTIME_TENSORBOARD_SCALARS_H_

#include <cstdint>
#include <string>

#include "proto/event.pb.h"
#include "proto/third_party/tensorboard/event.pb.h"
#include "runtime/forecast/pod_clock.h"

namespace podsim {

// Adds a scalar, rounded to float32 as all of TensorBoard's are.
void AddScalar(const std::string& tag, double value, tensorboard::Event& event);

// Without values. `wall_time`: seconds since 1970.
tensorboard::Event EventAt(std::int64_t step, double wall_time);

// What a step computes, on either clock.
struct StepWork {
  std::int64_t examples = 0;  // the global batch
  double model_flops = 0;     // a core's; 0: not known, and left out
};

tensorboard::Event WallStepEvent(const StepDone& step, double wall_time,
                                 const StepWork& work);
// `pod`: the simulated clock at the step. `time`: when the step ends on the
// chart's axis, in seconds since 1970.
tensorboard::Event SimStepEvent(const StepDone& step, const PodTime& pod,
                                double time, const StepWork& work);

// Of either run.
tensorboard::Event EvalEvent(const EvalDone& eval, double time);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TENSORBOARD_SCALARS_H_
