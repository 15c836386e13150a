// The progress of a run as text: a live line for terminals, a plain line with
// the names that people grep for everything else. Pure: time is passed in.
#ifndef PODSIM_RUNTIME_REPORT_PROGRESS_H_
#define PODSIM_RUNTIME_REPORT_PROGRESS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "proto/event.pb.h"
#include "runtime/forecast/pod_clock.h"

namespace podsim {

struct ProgressSnapshot {
  std::int64_t step = 0;
  std::int64_t train_steps = 0;
  double loss = 0;
  std::optional<double> accuracy;  // of the training batch
  std::string other_metrics = {};  // as FormatOtherMetrics says them
  double steps_per_second = 0;     // wall, since the last shown
  double examples_per_second = 0;  // wall, since the last shown
  absl::Duration left = absl::InfiniteDuration();
  std::optional<PodTime> pod = std::nullopt;  // nothing: there is no forecast
};

// "step 12/100  loss 0.1234  acc 96.35%  261,641 examples/s  sim 53.1 us/step
// ETA 12s". Where `columns` do not hold it all, accuracy goes first, then the
// rate, the loss, the time left and the simulated step, so that both clocks
// stay as long as 40 columns are there. columns <= 0: all of it.
std::string FormatLive(const ProgressSnapshot& snapshot, int columns);
// "step 12/100, loss: 0.1234, accuracy: 0.9635, global_step/sec: 255.509,
// examples/sec: 261641, sim_step: 0.0000531, sim_time: 0.0006372, eta: 12s"
// (one line). Other metrics follow accuracy. Rates and eta are wall time;
// sim_step is what the step takes on the pod and sim_time what all steps of the
// run took there so far, from the beginning of its first, in seconds.
std::string FormatPlain(const ProgressSnapshot& snapshot);

// Thins the steps out to what should be shown: a step is due when `interval`
// has passed since the last shown one (or the first step), and the last step
// always is.
class ProgressMeter {
 public:
  ProgressMeter(std::int64_t train_steps, absl::Duration interval)
      : train_steps_(train_steps), interval_(interval) {}

  std::optional<ProgressSnapshot> OnStep(const StepDone& step, absl::Time now);

 private:
  struct Mark {
    absl::Time time;
    std::int64_t step = 0;
    std::int64_t examples = 0;
  };
  absl::Duration TimeLeft(const StepDone& step, absl::Time now) const;

  const std::int64_t train_steps_;
  const absl::Duration interval_;
  std::optional<Mark> first_;
  Mark shown_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PROGRESS_H_
