// What the wall time of a step consists of: the names of its phases, and lists
// of (name, seconds) as reports and events have them. Pure.
//
// Writers name a phase by these constants alone. Readers loop over a list: a
// phase that another build has added appears by its name.
#ifndef PODSIM_JOB_PHASES_H_
#define PODSIM_JOB_PHASES_H_

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/repeated_field.h"
#include "proto/coordinator.pb.h"
#include "proto/event.pb.h"

namespace podsim {

struct KnownPhase {
  const char* name;   // in events, metrics files, tags and labels
  const char* label;  // in text for people
};

// Phases of a step, which add up to it.
inline constexpr KnownPhase kInputPhase = {"input", "input"};
inline constexpr KnownPhase kComputePhase = {"compute", "compute"};
inline constexpr KnownPhase kReducePhase = {"reduce", "all-reduce"};
inline constexpr KnownPhase kUpdatePhase = {"update", "update"};
inline constexpr KnownPhase kOtherPhase = {"other", "other"};
// In the order of StepPhase (host/train/step_times.h).
inline constexpr std::array kPhaseNames = {
    kInputPhase, kComputePhase, kReducePhase, kUpdatePhase, kOtherPhase};

// What computing and updating consist of, threads side by side. In the order
// of Work (host/core/op_times.h).
inline constexpr KnownPhase kProductsWork = {"products", "products"};
inline constexpr KnownPhase kPackingWork = {"packing", "packing"};
inline constexpr KnownPhase kElementwiseWork = {"elementwise", "element-wise"};
inline constexpr KnownPhase kSumsWork = {"sums", "sums over microbatches"};
inline constexpr std::array kWorkNames = {kProductsWork, kPackingWork,
                                          kElementwiseWork, kSumsWork};

// What making a batch ahead of the steps consists of, threads side by side. In
// the order of InputPart (host/input/input_times.h).
inline constexpr KnownPhase kInputRead = {"input_read", "read"};
inline constexpr KnownPhase kInputDecode = {"input_decode", "decode"};
inline constexpr KnownPhase kInputAugment = {"input_augment", "augment"};
inline constexpr KnownPhase kInputCopy = {"input_copy", "copy"};
inline constexpr std::array kInputNames = {kInputRead, kInputDecode,
                                           kInputAugment, kInputCopy};

bool IsIn(std::span<const KnownPhase> known, std::string_view name);

using Phases = google::protobuf::RepeatedPtrField<Phase>;

// 0 if there is none of that name.
double SecondsIn(const Phases& phases, const KnownPhase& phase);

// Adds to the phase of that name, or makes it.
void AddSeconds(const KnownPhase& phase, double seconds, Phases& phases);

// Adds `share` of each phase of `part`, which a host has sent: at most 32 names
// of at most 32 of [a-z0-9_] are kept, as they become keys, labels and tags.
void AddPhases(const Phases& part, double share, Phases& phases);

// A phase as a reader shows it.
struct NamedPhase {
  std::string name;
  std::string label;
  double seconds = 0;
};
// Those of `known` in their order, 0 if missing, then others in the order in
// which they stand in `phases`.
std::vector<NamedPhase> PhasesInOrder(const Phases& phases,
                                      std::span<const KnownPhase> known);

// Seconds of a phase by process; empty if the step does not tell.
const google::protobuf::RepeatedField<float>& ByProcess(
    const StepDone& step, const KnownPhase& phase);
// Of the next process.
void AddOfProcess(const KnownPhase& phase, float seconds, StepDone& step);

}  // namespace podsim

#endif  // PODSIM_JOB_PHASES_H_
