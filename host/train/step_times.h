// What a process did when in a step, and where the step ends: at the moment
// when its last all-reduce is complete. There all hosts are together, which no
// other moment and no clock of theirs tells of machines apart.
//
//   StepTimes times(clock.Now());
//   times.Enter(StepPhase::kInput, clock.Now());
//   times.Enter(StepPhase::kCompute, clock.Now());
//   const PhaseTimes step = times.EndStep(reduced_at);
//
// Pure: time is passed in. One thread at a time.
#ifndef PODSIM_HOST_TRAIN_STEP_TIMES_H_
#define PODSIM_HOST_TRAIN_STEP_TIMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"

namespace podsim {

enum class StepPhase : std::uint8_t {
  kInput,    // until the batch is there
  kCompute,  // forward and backward
  kReduce,   // waiting until gradients are reduced
  kUpdate,   // weights, and packing them for the next step
  kOther,    // between steps: reports, evaluation, checkpoint; audits
};
inline constexpr std::size_t kStepPhases =
    static_cast<std::size_t>(StepPhase::kOther) + 1;

// Wall time of one step; the phases add up to it exactly.
struct PhaseTimes {
  absl::Duration total;
  std::array<absl::Duration, kStepPhases> phases{};
  absl::Duration operator[](StepPhase phase) const {
    return phases[static_cast<std::size_t>(phase)];
  }
};

class StepTimes {
 public:
  // The first step begins at `begin`, with kOther.
  explicit StepTimes(absl::Time begin)
      : begin_(begin), marks_{{.phase = StepPhase::kOther, .begin = begin}} {}

  // When the step that goes on began: the end of the one before.
  absl::Time begin() const { return begin_; }

  // From `at` on. A time before the last call's counts as the same moment.
  void Enter(StepPhase phase, absl::Time at);

  // The step ended at `at`, which may lie before the last Enter: what came
  // since belongs to the next step. A time before begin() counts as begin().
  PhaseTimes EndStep(absl::Time at);

 private:
  struct Mark {
    StepPhase phase = StepPhase::kOther;
    absl::Time begin;
  };

  absl::Time begin_;
  std::vector<Mark> marks_;  // in order, never empty; the first at begin_
};

}  // namespace podsim

#endif  // PODSIM_HOST_TRAIN_STEP_TIMES_H_
