// The simulated step that a metrics file keeps of a run that is not traced: of
// a model of a file nothing else there could draw it. Made on a thread of its
// own, behind the forecast, while the job trains.
#ifndef PODSIM_RUNTIME_LAUNCH_PENDING_SIM_STEP_H_
#define PODSIM_RUNTIME_LAUNCH_PENDING_SIM_STEP_H_

#include <atomic>
#include <future>
#include <optional>

#include "absl/time/time.h"
#include "proto/trace.pb.h"
#include "runtime/launch/pending_forecast.h"
#include "runtime/pod/job_runner.h"

namespace podsim {

class PendingSimStep {
 public:
  // `job` and `forecast` outlive this.
  PendingSimStep(const PlannedJob& job, PendingForecast& forecast)
      : job_(job), forecast_(forecast) {}
  // What has not begun is not made; what has begun is waited for.
  ~PendingSimStep() { wanted_ = false; }
  PendingSimStep(const PendingSimStep&) = delete;
  PendingSimStep& operator=(const PendingSimStep&) = delete;

  // Once. Nothing is made of a traced run, which draws its step at its end, nor
  // of one that keeps no metrics or whose model can be compiled again. The
  // thread takes no signals.
  void Start();
  // Waits for it that long. nullopt: not yet, taken before, or there is none.
  std::optional<SimStepPart> Take(absl::Duration wait);

 private:
  std::optional<SimStepPart> Make();

  const PlannedJob& job_;
  PendingForecast& forecast_;
  std::atomic<bool> wanted_ = true;
  std::future<std::optional<SimStepPart>> step_;  // not valid: nothing to take
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_PENDING_SIM_STEP_H_
