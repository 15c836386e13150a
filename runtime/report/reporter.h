// Shows a job while it runs and keeps its figures: events in, lines on the
// console and in the metrics file out. Not thread-safe.
//
// A step's line and record have both clocks. Where the forecast is not there
// yet, the first step and all that comes after it are held back until it is,
// but for troubles, which are shown at once; of a job that ends before, until
// its end.
#ifndef PODSIM_RUNTIME_REPORT_REPORTER_H_
#define PODSIM_RUNTIME_REPORT_REPORTER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/text_layout.h"
#include "proto/event.pb.h"
#include "runtime/forecast/job_forecast.h"
#include "runtime/forecast/pod_clock.h"
#include "runtime/forecast/yardsticks.h"
#include "runtime/report/console.h"
#include "runtime/report/failure.h"
#include "runtime/report/held_events.h"
#include "runtime/report/metrics_file.h"
#include "runtime/report/metrics_lines.h"
#include "runtime/report/progress.h"
#include "runtime/report/summary.h"

namespace podsim {

struct ReporterOptions {
  absl::Time command_start;
  RunContext context;
  // Between two shown steps.
  absl::Duration live_interval = absl::Milliseconds(100);
  absl::Duration plain_interval = absl::Seconds(3);
  // Of all that is said while the job goes well, nothing is shown; troubles
  // and the closing block are.
  bool quiet = false;
  SummaryStyle summary;
  // What the job takes on the pod, for the simulated clock: asked at each event
  // from the first step on, until it is there (nullptr: not yet; an error:
  // there is none), with how long it may wait for it. Unset: there is none.
  std::function<const absl::StatusOr<JobForecast>*(absl::Duration)> forecast =
      {};
  // At the first step, and at the end where something is still held back.
  absl::Duration first_step_wait = absl::ZeroDuration();
  absl::Duration end_wait = absl::Seconds(10);
  // Of what is held back; beyond it the oldest goes out without the simulated
  // clock. A step of four processes is 1 KB.
  std::size_t most_held_bytes = 64 << 20;
  // What it is compared with; asked once, when it is there. Unset: nothing.
  std::function<Yardsticks()> yardsticks = {};
};

class Reporter {
 public:
  // `console` and `clock` outlive the reporter.
  Reporter(ReporterOptions options, Console& console, const Clock& clock);
  // Of a job that was stopped: writes what is held back.
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // Where lines are kept from now on; nowhere before. One that nobody asked
  // for costs the job a warning where it cannot be written, and no more.
  void KeepIn(MetricsFile metrics, bool asked = true) {
    metrics_.emplace(std::move(metrics));
    metrics_asked_ = asked;
  }

  void OnEvent(const JobEvent& event);
  // Before the end.
  void OnTrace(const TraceRecord& trace);
  // Of a run that is not traced; after the pod has formed.
  void OnSimStep(const SimStepPart& sim);
  // Writes the closing block: one of the two, once.
  void Finish();
  void Fail(const FailureReport& failure);

  // The first error of a metrics file that was asked for.
  absl::Status status() const;
  const RunSummary& summary() const { return collector_.summary(); }
  void set_forecast(const JobForecast& forecast) {
    collector_.set_forecast(forecast);
  }

 private:
  void WarnOf(const JobEvent& event);
  bool Holds(const JobEvent& event) const;
  void Hold(const JobEvent& event);
  void Report(const JobEvent& event, absl::Time arrived);
  void ReportHeld();
  void EndHolding();
  void AskForForecast(absl::Duration wait);
  void OnFormed(const PodFormed& formed, double wall_time);
  void ShowStep(const StepDone& step, absl::Time made);
  // What goes as planned.
  void Tell(const std::string& line);
  // What does not.
  void Warn(const std::string& line);
  void Record(const std::string& line);
  void RecordLast(const std::string& line);
  void Complain(const absl::Status& written);

  const ReporterOptions options_;
  Console& console_;
  std::optional<MetricsFile> metrics_;
  bool metrics_asked_ = true;
  const Clock& clock_;
  SummaryCollector collector_;
  std::optional<ProgressMeter> meter_;
  PodClock pod_clock_;  // of what was reported
  HeldEvents held_;
  bool awaits_forecast_;
  bool asked_ = false;     // for the forecast
  double wall_time_ = 0;   // of the last event
  bool skipping_ = false;  // checkpoints, since the last one was saved
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_REPORTER_H_
