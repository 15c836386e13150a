// What a run came to: gathered from the job's events, written for people and
// (by metrics_lines.h) for programs. Pure: time is passed in.
#ifndef PODSIM_RUNTIME_REPORT_SUMMARY_H_
#define PODSIM_RUNTIME_REPORT_SUMMARY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/text_layout.h"
#include "job/phases.h"
#include "proto/event.pb.h"
#include "runtime/forecast/job_forecast.h"
#include "runtime/forecast/pod_clock.h"
#include "runtime/report/account.h"
#include "runtime/report/fault_account.h"
#include "runtime/report/goodput.h"
#include "runtime/report/overlap.h"
#include "runtime/report/stragglers.h"

namespace podsim {

// Sums over all steps of the wall time of the host that came last, which all
// others waited for. The phases add up to the steps.
struct PhaseSeconds {
  double steps = 0;
  Phases of_step;
  Phases work;   // what computing and updating consist of: means over hosts
  Phases input;  // likewise what making batches took, beside the steps
};

struct RunSummary {
  JobPlan plan;
  std::int64_t steps = 0;
  std::int64_t examples = 0;
  double loss = 0;                       // of the last step
  std::optional<double> train_accuracy;  // of the last step
  std::optional<EvalDone> eval;          // the last one
  std::string weights_hash;
  std::int64_t steps_made = 0;  // by this run; those before it are not
  bool drained = false;         // ended early, as it was told to
  int restarts = 0;
  std::vector<Stint> stints;  // the account of the examples
  Savings savings;
  std::optional<absl::Duration> time_to_first_step;  // wall, from the command
  absl::Duration training;  // wall, from the pod's start to the last step
  double examples_per_second = 0;       // wall, after the first step
  PhaseSeconds phases;                  // wall
  std::optional<Straggler> straggler;   // wall
  std::vector<std::int64_t> came_last;  // in so many steps; by process
  std::optional<Overlap> overlap;       // wall
  std::optional<Goodput> goodput;       // wall, once the job is done
  std::optional<FaultAccount> faults;   // once done or failed, if there are any
  std::optional<JobForecast> forecast;  // once it is known
  // Simulated: sums over the steps that this run made, with what injected
  // faults did to them; 0 without a forecast.
  PodPhases pod;
};

// Whether the eval accuracy can be held against what the plan's recipe
// promises (a job that was evaluated at its end), and whether it keeps that.
bool HasPromise(const RunSummary& summary);
bool KeepsPromise(const RunSummary& summary);

struct SummaryStyle {
  int columns = kTextColumns;
  // All that was measured; else at most 10 lines, if there is no more than that
  // to warn of.
  bool verbose = false;
};

// The block that ends a run, in lines of at most `style.columns`, but for
// hashes. Each time says which clock it is from.
std::string FormatSummary(const RunSummary& summary,
                          const SummaryStyle& style = {});
// Its rows of faults, which a failed run ends with too.
std::string FormatFaultRows(const FaultAccount& account);

// Builds the summary from events in order.
class SummaryCollector {
 public:
  // `command_start`: when the user's command began.
  explicit SummaryCollector(absl::Time command_start)
      : command_start_(command_start), goodput_(command_start) {}

  // `now`: when the event arrived.
  void OnEvent(const JobEvent& event, absl::Time now);
  const RunSummary& summary() const { return summary_; }
  // Whenever it is there: steps before it are not lost.
  void set_forecast(const JobForecast& forecast);

 private:
  void OnStep(const StepDone& step, double wall_time, absl::Time now);
  void OnDone(const JobDone& done);
  void AccountForFaults();

  const absl::Time command_start_;
  double started_at_ = 0;     // wall_time of the first PodStarted
  double first_step_at_ = 0;  // wall_time of the first step's end
  std::int64_t first_examples_ = 0;
  OverlapMeter overlap_;
  StragglerMeter stragglers_;
  GoodputMeter goodput_;
  FaultMeter faults_;
  PodClock clock_;
  RunSummary summary_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_SUMMARY_H_
