// The kinds of faults: what each has beside a host and a step, and a fault in
// words. Pure.
#ifndef PODSIM_RUNTIME_JOB_FAULT_RULES_H_
#define PODSIM_RUNTIME_JOB_FAULT_RULES_H_

#include <optional>
#include <span>
#include <string>

#include "proto/faults.pb.h"

namespace podsim {

struct FaultRule {
  Fault::Kind kind;
  bool link = false;     // has `to`
  bool seconds = false;  // has `seconds`
  bool phase = false;    // may have `phase`
  bool storage = false;  // strikes only where checkpoints are written
};

// Nothing for UNSET and for numbers that are no kind.
std::optional<FaultRule> RuleOf(int kind);

// "KILL, FREEZE, ...".
std::string FaultKindNames();

// Those that every step has come first, then "checkpoint".
std::span<const char* const> FaultPhases();
inline constexpr char kCheckpointPhase[] = "checkpoint";

// "KILL host 2 at step 20, all-reduce", "CUT from host 0 to host 1 at step 5".
std::string DescribeFault(const Fault& fault);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_FAULT_RULES_H_
