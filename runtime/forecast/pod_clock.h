// The simulated clock of a run: what the real pod would take for the steps that
// the run has made, with what injected faults do to them. Pure.
//
//   PodClock clock;
//   for (const JobEvent& event : events) clock.OnEvent(event);
//   clock.SetStep(forecast.step);  // as soon as it is known: no step is lost
//   Print(clock.time()->sum);
#ifndef PODSIM_RUNTIME_FORECAST_POD_CLOCK_H_
#define PODSIM_RUNTIME_FORECAST_POD_CLOCK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "proto/event.pb.h"
#include "runtime/forecast/overlap_step.h"
#include "runtime/forecast/slowed_step.h"

namespace podsim {

struct PodTime {
  SimTime step;          // of the last one
  SimSum sum;            // of all, from the beginning of the first
  PodPhases parts = {};  // of the last one; they add up to `step`
};

// One thread at a time.
class PodClock {
 public:
  // In the order in which they happened. Steps that are made again after a
  // restart count again, as on the wall clock.
  void OnEvent(const JobEvent& event);

  // A step without faults. Only the first call counts.
  void SetStep(const SimStep& step);

  // Nothing without a step and SetStep.
  std::optional<PodTime> time() const;
  // Sums over all steps; 0 before SetStep, but for `checkpoint`.
  const PodPhases& phases() const { return phases_; }

 private:
  struct Struck {
    std::int64_t step = 0;  // that it slows down
    Fault fault;
  };
  void OnStruck(const FaultStruck& struck);
  void OnStep(std::int64_t step);
  void OnEnd();
  void Add(const SimStep& step, std::int64_t count);

  std::optional<SimStep> step_;
  std::vector<Struck> struck_;  // in steps to come
  // Steps before SetStep: without faults, and the faults of each other one.
  std::int64_t plain_ = 0;
  std::vector<std::vector<Fault>> slowed_;
  std::vector<Fault> last_faults_;  // of the last of them
  PodPhases phases_;
  SimStep last_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_POD_CLOCK_H_
