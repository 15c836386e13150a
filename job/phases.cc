#include "job/phases.h"

#include <algorithm>

namespace podsim {
namespace {

constexpr int kMostPhases = 32;
constexpr std::size_t kLongestName = 32;

bool IsPhaseName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

// In any list of messages with a name; its end if there is none.
template <typename List>
auto Find(List& list, std::string_view name) {
  return std::find_if(list.begin(), list.end(),
                      [&](const auto& each) { return each.name() == name; });
}

void Add(const std::string& name, double seconds, Phases& phases) {
  const auto found = Find(phases, name);
  if (found != phases.end()) {
    found->set_seconds(found->seconds() + seconds);
    return;
  }
  Phase& phase = *phases.Add();
  phase.set_name(name);
  phase.set_seconds(seconds);
}

}  // namespace

bool IsIn(std::span<const KnownPhase> known, std::string_view name) {
  return std::any_of(known.begin(), known.end(),
                     [&](const KnownPhase& each) { return each.name == name; });
}

double SecondsIn(const Phases& phases, const KnownPhase& phase) {
  const auto found = Find(phases, phase.name);
  return found == phases.end() ? 0 : found->seconds();
}

void AddSeconds(const KnownPhase& phase, double seconds, Phases& phases) {
  Add(phase.name, seconds, phases);
}

void AddPhases(const Phases& part, double share, Phases& phases) {
  for (const Phase& each : part)
    if (IsPhaseName(each.name()) && (phases.size() < kMostPhases ||
                                     Find(phases, each.name()) != phases.end()))
      Add(each.name(), share * each.seconds(), phases);
}

std::vector<NamedPhase> PhasesInOrder(const Phases& phases,
                                      std::span<const KnownPhase> known) {
  std::vector<NamedPhase> list;
  for (const KnownPhase& each : known)
    list.push_back({each.name, each.label, SecondsIn(phases, each)});
  for (const Phase& each : phases)
    if (!IsIn(known, each.name()))
      list.push_back({each.name(), each.name(), each.seconds()});
  return list;
}

const google::protobuf::RepeatedField<float>& ByProcess(
    const StepDone& step, const KnownPhase& phase) {
  const auto found = Find(step.process_phases(), phase.name);
  return found == step.process_phases().end()
             ? ProcessPhase::default_instance().seconds()
             : found->seconds();
}

void AddOfProcess(const KnownPhase& phase, float seconds, StepDone& step) {
  auto& phases = *step.mutable_process_phases();
  const auto found = Find(phases, phase.name);
  if (found != phases.end()) {
    found->add_seconds(seconds);
    return;
  }
  ProcessPhase& added = *phases.Add();
  added.set_name(phase.name);
  added.add_seconds(seconds);
}

}  // namespace podsim
