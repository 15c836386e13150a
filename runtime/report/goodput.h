// Where a job's time went: how much of it made progress that lasted, and what
// the rest was lost to. From the job's own events alone, of one generation of
// the pod or several, one after the other. Pure.
//
//   GoodputMeter meter(command_start);
//   for (const JobEvent& event : events) meter.OnEvent(event);
//   Print(FormatGoodput(meter.Measured()));
//
// Wall time, from the user's command to the last event. Every moment counts
// once; the names are those of ml-goodput-measurement. What is measured how:
//
//   productive           from the end of a step to the end of the next, without
//                        what is named below. The first step of a generation
//                        begins with PodStarted.
//   TPU_INITIALIZATION   from the command to the first PodFormed.
//   TRAINING_PREP        from PodFormed to PodStarted: data set, compilation,
//                        connections. Of a pod that begins with a checkpoint it
//                        is UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME, of one that
//                        was restarted and has none
//                        INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION.
//   PROGRAM_STARTUP      by how much the first step of a generation is longer
//                        than the median of its others.
//   DATA_LOADING_SYNC    the wait for input of the host that came last, step by
//                        step.
//   DATA_LOADING_ASYNC   0: what is read beside a step delays nothing.
//   WAITING_FOR_STRAGGLER
//                        for how long the median host waited for the one that
//                        came last, but for what that one's input took longer
//                        than its own. A name of ours: theirs has none for it.
//   UNPRODUCTIVE_CHECKPOINT_SAVE_TIME
//                        for how long a snapshot held up the step after it (the
//                        slowest process's pause), and after the last step the
//                        wait until the last checkpoint is complete.
//   WASTED_PROGRESS_FROM_DISRUPTION
//                        the time of steps that a restarted pod makes again.
//   INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION
//                        from the last event before a failure to the next
//                        PodFormed: the step that was broken off, the time
//                        until the failure was noticed, the restart.
//   OTHER                the rest: evaluations, the end of the job.
#ifndef PODSIM_RUNTIME_REPORT_GOODPUT_H_
#define PODSIM_RUNTIME_REPORT_GOODPUT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/event.pb.h"

namespace podsim {

enum class LostTo : std::uint8_t {
  kTpuInitialization,
  kTrainingPrep,
  kProgramStartup,
  kDataLoadingSync,
  kDataLoadingAsync,
  kStraggler,
  kCheckpointSave,
  kCheckpointRestore,
  kWastedProgress,
  kInfrastructureRecovery,
  kOther,
};
inline constexpr int kLossCategories = static_cast<int>(LostTo::kOther) + 1;

// "TPU_INITIALIZATION" and so on.
const char* NameOf(LostTo category);

// Seconds of wall time.
struct Goodput {
  double wall = 0;  // the sum of all that follows
  double productive = 0;
  std::array<double, kLossCategories> lost{};
  std::int64_t steps_lost = 0;  // finished, and made again

  double& operator[](LostTo category) {
    return lost[static_cast<std::size_t>(category)];
  }
  double operator[](LostTo category) const {
    return lost[static_cast<std::size_t>(category)];
  }
  // 0 to 1.
  double fraction() const { return wall > 0 ? productive / wall : 0; }
};

// One thread at a time.
class GoodputMeter {
 public:
  // When the user's command began.
  explicit GoodputMeter(absl::Time command_start);

  // In the order in which they happened. An event without a time, or with an
  // earlier one than that before it, counts as at the same moment.
  void OnEvent(const JobEvent& event);

  // Up to the last event.
  Goodput Measured() const;

 private:
  enum class Phase : std::uint8_t { kForming, kPreparing, kTraining, kDown };
  struct Step {
    std::int64_t number = 0;
    double productive = 0;
    double input = 0;
    double straggler = 0;
  };

  void Advance(double wall_time);
  double TakeOpen();
  void OnFormed(const PodFormed& formed);
  void OnStarted();
  void OnStep(const StepDone& step);
  void OnSaved(const CheckpointSaved& saved);
  void OnFailure();
  void OnDone();
  // Of the generation that trains: takes the start from its first step.
  void EndGeneration();
  void TakePause(double& from, double seconds);

  double begin_ = 0;  // seconds since 1970
  double now_ = 0;
  Phase phase_ = Phase::kForming;
  bool restored_ = false;
  bool restarted_ = false;
  // Since the last event that ended something, and of it the part up to the
  // checkpoint of the last step.
  double open_ = 0;
  double saving_ = 0;
  // Of all steps that (so far) last.
  std::vector<Step> steps_;
  std::size_t generation_begin_ = 0;  // in steps_
  // After which step a snapshot paused training, and for how long, as long as
  // no step has followed.
  std::map<std::int64_t, double> pauses_;
  Goodput lost_;  // all that is not computed from steps_
};

// "93.1% of 12.345 s wall in productive steps".
std::string FormatGoodput(const Goodput& goodput);
// "TPU_INITIALIZATION 0.512 s", "PROGRAM_STARTUP 12.3 ms": the most first,
// nothing below a millisecond.
std::vector<std::string> FormatLostTimes(const Goodput& goodput);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_GOODPUT_H_
