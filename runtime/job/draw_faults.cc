// The random faults, drawn by counters; see draw_faults.h.
#include "runtime/job/draw_faults.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/random.h"
#include "base/status.h"
#include "runtime/job/fault_rules.h"

namespace podsim {
namespace {

// Random delays: long beside a step, short beside --stall_timeout.
constexpr double kLeastDrawnSeconds = 0.01;
constexpr double kMostDrawnSeconds = 0.5;

// What can happen in step `step` of a job.
class Dice {
 public:
  Dice(const RandomFaults& random, const FaultScope& scope)
      : random_(random),
        scope_(scope),
        senders_(SendersOf(scope)),
        key_(RandomKey(random.seed(), "faults")) {}

  bool Strikes(std::int64_t step) const {
    return Draw(step, kStrikes) < random_.per_step();
  }
  Fault FaultOf(std::int64_t step) const {
    Fault fault;
    fault.set_kind(static_cast<Fault::Kind>(
        random_.kinds(Below(step, kKind, random_.kinds_size()))));
    fault.set_step(step);
    const FaultRule rule = *RuleOf(fault.kind());
    if (!rule.link) {
      fault.set_host(Below(step, kHost, scope_.hosts));
    } else {
      fault.set_host(
          senders_[Below(step, kHost, static_cast<int>(senders_.size()))]);
      const std::vector<int> peers = PeersOf(scope_, fault.host());
      fault.set_to(peers[Below(step, kTo, static_cast<int>(peers.size()))]);
    }
    if (rule.phase) fault.set_phase(PhaseOf(step));
    if (rule.seconds) {
      fault.set_seconds(kLeastDrawnSeconds +
                        Draw(step, kSeconds) *
                            (kMostDrawnSeconds - kLeastDrawnSeconds));
    }
    return fault;
  }

 private:
  enum Quantity : std::uint64_t {
    kStrikes,
    kKind,
    kHost,
    kTo,
    kPhase,
    kSeconds
  };

  // In [0, 1), a function of seed, step and quantity: 53 bits.
  double Draw(std::int64_t step, Quantity quantity) const {
    const auto words = Philox(key_, static_cast<std::uint64_t>(step), quantity);
    const std::uint64_t bits = (std::uint64_t{words[0]} << 32) | words[1];
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }
  int Below(std::int64_t step, Quantity quantity, int limit) const {
    return static_cast<int>(Draw(step, quantity) * limit);
  }
  // As the step begins, or in any phase that every step has.
  std::string PhaseOf(std::int64_t step) const {
    const int phases = static_cast<int>(FaultPhases().size()) - 1;
    const int phase = Below(step, kPhase, phases + 1);
    return phase == phases ? "" : FaultPhases()[phase];
  }

  const RandomFaults& random_;
  const FaultScope& scope_;
  const std::vector<int> senders_;
  const std::uint64_t key_;
};

}  // namespace

absl::StatusOr<std::vector<Fault>> DrawFaults(const FaultPlan& asked,
                                              const FaultScope& scope) {
  PODSIM_RETURN_IF_ERROR(CheckFaults(asked, scope));
  std::vector<Fault> faults(asked.faults().begin(), asked.faults().end());
  const Dice dice(asked.random(), scope);
  for (std::int64_t step = 1; asked.has_random() && step <= scope.steps;
       ++step) {
    if (static_cast<int>(faults.size()) > kMostFaults) break;
    if (dice.Strikes(step)) faults.push_back(dice.FaultOf(step));
  }
  if (static_cast<int>(faults.size()) > kMostFaults) {
    return absl::InvalidArgumentError(
        absl::StrCat("the fault plan has more than ", kMostFaults, " faults; ",
                     asked.has_random() ? "lower per_step or --train_steps"
                                        : "leave some of them out"));
  }
  std::stable_sort(
      faults.begin(), faults.end(),
      [](const Fault& a, const Fault& b) { return a.step() < b.step(); });
  return faults;
}

}  // namespace podsim
