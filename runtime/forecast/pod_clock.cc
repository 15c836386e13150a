#include "runtime/forecast/pod_clock.h"

#include <utility>

namespace podsim {
namespace {

SimTime Times(SimTime time, std::int64_t count) {
  return SimTime::Picoseconds(time.picoseconds() * count);
}

}  // namespace

void PodClock::OnEvent(const JobEvent& event) {
  switch (event.event_case()) {
    case JobEvent::kFault:
      return OnStruck(event.fault());
    case JobEvent::kStep:
      return OnStep(event.step().step());
    case JobEvent::kFailed:
    case JobEvent::kRestarting:
      struck_.clear();  // their step was not made, and they strike once
      return;
    default:
      return;
  }
}

// A checkpoint follows its step, and delays the next.
void PodClock::OnStruck(const FaultStruck& struck) {
  const bool is_after = struck.fault().phase() == "checkpoint";
  struck_.push_back(
      {.step = struck.step() + (is_after ? 1 : 0), .fault = struck.fault()});
}

void PodClock::OnStep(std::int64_t step) {
  std::vector<Fault> faults;
  std::erase_if(struck_, [&](const Struck& struck) {
    if (struck.step > step) return false;
    faults.push_back(struck.fault);
    return true;
  });
  if (step_) return Add(SlowedStep(*step_, faults), 1);
  last_faults_ = faults;
  if (faults.empty())
    ++plain_;
  else
    slowed_.push_back(std::move(faults));
}

void PodClock::SetStep(const SimStep& step) {
  if (step_) return;
  step_ = step;
  if (plain_ > 0) Add(step, plain_);
  for (const std::vector<Fault>& faults : slowed_)
    Add(SlowedStep(step, faults), 1);
  slowed_.clear();
  last_ = PhasesOf(SlowedStep(step, last_faults_));
}

void PodClock::Add(const SimStep& step, std::int64_t count) {
  const PodPhases phases = PhasesOf(step);
  phases_.input += Times(phases.input, count);
  phases_.compute += Times(phases.compute, count);
  phases_.reduce += Times(phases.reduce, count);
  phases_.update += Times(phases.update, count);
  phases_.fixed += Times(phases.fixed, count);
  last_ = phases;
}

std::optional<PodTime> PodClock::time() const {
  if (!step_ || phases_.total() == SimTime()) return std::nullopt;
  return PodTime{last_.total(), phases_.total(), last_};
}

}  // namespace podsim
