// A job's events as TensorBoard shows them: scalars of both clocks, the plan,
// hyperparameters. One of the readers of a job's events; it learns nothing in
// any other way.
//
//   TensorBoard board(options, NewBoardLog(TensorBoardDir(spec), clock));
//   for (const JobEvent& event : events) board.OnEvent(event);
//   const absl::Status written = board.Close();
//
// A job that goes on after a failure makes steps again. Its events begin with a
// mark (BeginEvent) at the first of them, at which readers drop what earlier
// files have of these steps.
#ifndef PODSIM_RUNTIME_TENSORBOARD_TENSORBOARD_H_
#define PODSIM_RUNTIME_TENSORBOARD_TENSORBOARD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/event.pb.h"
#include "runtime/forecast/job_forecast.h"
#include "runtime/forecast/pod_clock.h"
#include "runtime/report/goodput.h"
#include "runtime/tensorboard/board_log.h"
#include "runtime/tensorboard/scalars.h"
#include "runtime/tensorboard/thinning.h"

namespace podsim {

struct TensorBoardOptions {
  std::string plan_text;     // for people, of several lines
  absl::Time command_start;  // when the user's command began
  // What the job takes on the pod: asked at each event until it is there
  // (nullptr: not yet; an error: there is none). Unset: there is none.
  std::function<const absl::StatusOr<JobForecast>*()> forecast = {};
};

// One thread at a time. Never waits, but in Close.
class TensorBoard {
 public:
  TensorBoard(TensorBoardOptions options, std::unique_ptr<BoardLog> log);

  // In the order in which they happened, of one generation of the pod after the
  // other.
  void OnEvent(const JobEvent& event);
  // Writes what is left, the last step with it. Once, at the end.
  absl::Status Close();
  // Why nothing more is written; OK: it is.
  absl::Status status() const { return log_->status(); }

 private:
  struct LastStep {
    StepDone step;
    double wall_time = 0;
    std::optional<PodTime> pod;
  };

  void AskForForecast();
  void OnFormed(const PodFormed& formed, double wall_time);
  void OnStep(const StepDone& step, double wall_time);
  void OnEval(const EvalDone& eval, double wall_time);
  void OnDone(double wall_time);
  // The last step, if it is not written yet.
  void WriteLastStep();
  void WriteGoodput(double wall_time);
  // The simulated clock's time on TensorBoard's axis.
  double PodAxis(const PodTime& pod) const;

  const TensorBoardOptions options_;
  const std::unique_ptr<BoardLog> log_;
  PodClock clock_;
  GoodputMeter goodput_;
  StepThinning thinning_;
  StepWork work_;
  bool awaits_forecast_;
  bool evaluates_ = false;        // a checkpoint, and makes no step
  double began_ = 0;              // seconds since 1970, of the first generation
  std::int64_t start_step_ = 0;   // of the generation
  std::optional<LastStep> last_;  // if it is not written yet
  std::int64_t last_step_ = 0;    // of this run; 0: it has made none
  std::int64_t goodput_step_ = 0;  // that goodput was written at
  double goodput_at_ = 0;          // and when
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TENSORBOARD_TENSORBOARD_H_
