// A training job on a pod: its lines, metrics file, TensorBoard's event files
// and closing block around RunPodJob.
#ifndef PODSIM_RUNTIME_LAUNCH_TRAIN_JOB_H_
#define PODSIM_RUNTIME_LAUNCH_TRAIN_JOB_H_

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "runtime/launch/flags.h"
#include "runtime/launch/pending_forecast.h"
#include "runtime/pod/job_runner.h"
#include "runtime/report/console.h"

namespace podsim {

// `forecast`: of the job; its lines are shown when they are there.
// The exit code of pod_launch. Errors: what is refused before any process
// starts (those of RunPodJob; a metrics file that cannot be written).
absl::StatusOr<int> RunTraining(const LaunchContext& context,
                                const ParsedFlags& flags, const PlannedJob& job,
                                PendingForecast& forecast, Console& console,
                                const Clock& clock);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_TRAIN_JOB_H_
