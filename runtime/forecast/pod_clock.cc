#include "runtime/forecast/pod_clock.h"

#include <algorithm>
#include <map>
#include <utility>

namespace podsim {
namespace {

bool IsOfCheckpoint(const Fault& fault) {
  return fault.phase() == "checkpoint";
}

}  // namespace

void PodClock::OnEvent(const JobEvent& event) {
  switch (event.event_case()) {
    case JobEvent::kFault:
      return OnStruck(event.fault());
    case JobEvent::kStep:
      return OnStep(event.step().step());
    case JobEvent::kDone:
      return OnEnd();
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
  const bool is_after = IsOfCheckpoint(struck.fault());
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

// Of the last checkpoint, which no step follows: hosts stand still at the same
// time, each for all that struck it.
void PodClock::OnEnd() {
  std::map<int, SimTime> of_host;
  for (const Struck& struck : struck_)
    if (IsOfCheckpoint(struck.fault) && struck.fault.kind() == Fault::SLOW)
      of_host[struck.fault.host()] += SimTime::Seconds(struck.fault.seconds());
  SimTime longest;
  for (const auto& [host, time] : of_host) longest = std::max(longest, time);
  phases_.checkpoint.Add(longest);
  struck_.clear();
}

void PodClock::SetStep(const SimStep& step) {
  if (step_) return;
  step_ = step;
  if (plain_ > 0) Add(step, plain_);
  for (const std::vector<Fault>& faults : slowed_)
    Add(SlowedStep(step, faults), 1);
  slowed_.clear();
  last_ = SlowedStep(step, last_faults_);
}

void PodClock::Add(const SimStep& step, std::int64_t count) {
  const PodPhases phases = PhasesOf(step);
  phases_.input.Add(phases.input, count);
  phases_.compute.Add(phases.compute, count);
  phases_.reduce.Add(phases.reduce, count);
  phases_.update.Add(phases.update, count);
  phases_.fixed.Add(phases.fixed, count);
  last_ = step;
}

std::optional<PodTime> PodClock::time() const {
  if (!step_ || phases_.total() == SimTime()) return std::nullopt;
  return PodTime{last_.total, phases_.total() + phases_.checkpoint,
                 PhasesOf(last_)};
}

}  // namespace podsim
