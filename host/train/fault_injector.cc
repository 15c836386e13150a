#include "host/train/fault_injector.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/time/clock.h"
#include "base/random.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr std::string_view kFirstPhase = "input";
constexpr std::string_view kCheckpoint = "checkpoint";
constexpr int kFlippedValues = 3;

bool IsOfValues(const Fault& fault) {
  return fault.kind() == Fault::CORRUPT_GRADIENT ||
         fault.kind() == Fault::CORRUPT_WEIGHTS;
}

// Whether the fault strikes as this phase begins.
bool IsDue(const Fault& fault, std::int64_t step, std::string_view phase) {
  if (IsOfValues(fault)) return false;
  // The first part that is written from the step on.
  if (fault.phase() == kCheckpoint) {
    return phase == kCheckpoint && step >= fault.step();
  }
  return step == fault.step() &&
         phase == (fault.phase().empty() ? kFirstPhase
                                         : std::string_view(fault.phase()));
}

}  // namespace

FaultEffects RealFaultEffects() {
  return {.kill = [] { kill(getpid(), SIGKILL); },
          .freeze = [] { kill(getpid(), SIGSTOP); },
          .stand_still = [](absl::Duration time) { absl::SleepFor(time); }};
}

FaultInjector::FaultInjector(const JobPlan& plan,
                             std::span<const int> local_hosts,
                             Announce announce, FaultEffects effects)
    : announce_(std::move(announce)), effects_(std::move(effects)) {
  for (int index = 0; index < plan.faults_size(); ++index) {
    const Fault& fault = plan.faults(index);
    const bool done = std::ranges::count(plan.spec().faults_done(), index) > 0;
    const bool local = std::ranges::count(local_hosts, fault.host()) > 0;
    if (local && !done) pending_.push_back({.index = index, .fault = fault});
  }
}

absl::Status FaultInjector::Strike(std::int64_t step, std::string_view phase) {
  EndDelays(step);
  for (std::size_t i = 0; i < pending_.size();) {
    if (!IsDue(pending_[i].fault, step, phase)) {
      ++i;
      continue;
    }
    const Planned due = pending_[i];
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    PODSIM_RETURN_IF_ERROR(announce_(due.index, step));
    Perform(due);
  }
  return absl::OkStatus();
}

void FaultInjector::Perform(const Planned& planned) {
  const Fault& fault = planned.fault;
  switch (fault.kind()) {
    case Fault::KILL:
      return effects_.kill();
    case Fault::FREEZE:
      return effects_.freeze();
    case Fault::SLOW:
      return effects_.stand_still(absl::Seconds(fault.seconds()));
    case Fault::CUT:
      return effects_.cut(fault.host(), fault.to());
    case Fault::DELAY:
      delays_.push_back(fault);
      return effects_.delay(fault.host(), fault.to(),
                            absl::Seconds(fault.seconds()));
    case Fault::FLIP:
      return effects_.flip(fault.host(), fault.to());
    case Fault::STORAGE_FAIL:
      return effects_.fail_next_write(
          absl::UnavailableError("the fault plan fails this write"));
    case Fault::STORAGE_FULL:
      return effects_.fail_next_write(absl::ResourceExhaustedError(
          "the fault plan leaves no room for this write"));
    default:  // of values, or of another build
      return;
  }
}

// A delay is of one step's frames.
void FaultInjector::EndDelays(std::int64_t step) {
  std::erase_if(delays_, [&](const Fault& fault) {
    if (step <= fault.step()) return false;
    effects_.delay(fault.host(), fault.to(), absl::ZeroDuration());
    return true;
  });
}

absl::Status FaultInjector::Corrupt(Fault::Kind kind, std::int64_t step,
                                    int host, std::span<float> values) {
  const auto due = std::ranges::find_if(pending_, [&](const Planned& planned) {
    return planned.fault.kind() == kind && planned.fault.step() == step &&
           planned.fault.host() == host;
  });
  if (due == pending_.end()) return absl::OkStatus();
  const int index = due->index;
  pending_.erase(due);
  PODSIM_RETURN_IF_ERROR(announce_(index, step));
  FlipSomeBits(static_cast<std::uint64_t>(index), values);
  return absl::OkStatus();
}

void FlipSomeBits(std::uint64_t seed, std::span<float> values) {
  // Of a float's 23 bits of mantissa bfloat16 keeps 16 to 22.
  constexpr int kLowestKept = 16;
  constexpr int kKept = 7;
  if (values.empty()) return;
  const std::uint64_t key = RandomKey(seed, "corrupt");
  // The same place twice would undo it.
  const Permutation places(key, values.size());
  const auto count = std::min<std::size_t>(kFlippedValues, values.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    float& value = values[places(i)];
    if (!std::isfinite(value)) continue;
    const auto bit =
        kLowestKept + static_cast<int>(Philox(key, i, 1)[0] % kKept);
    // A zero has nothing to flip that would outlast a sum.
    value = value == 0
                ? 1.0F
                : std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^
                                       (std::uint32_t{1} << bit));
  }
}

}  // namespace podsim
