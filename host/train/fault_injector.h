// Makes the planned faults of a process happen: called by the trainer as each
// phase of a step begins.
//
//   FaultInjector faults(plan, transport.local_hosts(), announce, effects);
//   PODSIM_RETURN_IF_ERROR(faults.At(step, "compute"));
//
// A fault strikes once in the life of a job, through all its generations: it is
// announced first, and only what the coordinator has noted strikes.
#ifndef PODSIM_HOST_TRAIN_FAULT_INJECTOR_H_
#define PODSIM_HOST_TRAIN_FAULT_INJECTOR_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "proto/job.pb.h"

namespace podsim {

// What faults do to a process. Tests put their own in.
struct FaultEffects {
  std::function<void()> kill;    // SIGKILL to this process
  std::function<void()> freeze;  // SIGSTOP
  std::function<void(absl::Duration)> stand_still;
  std::function<void(int from, int to)> cut;
  std::function<void(int from, int to, absl::Duration by)> delay;
  std::function<void(int from, int to)> flip;
  std::function<void(const absl::Status&)> fail_next_write;
};

// The real signals and the real sleep; links and storage are the owner's to add
// (LinkFaults, FaultyStore), where the plan has such faults.
FaultEffects RealFaultEffects();

// The training thread's.
class FaultInjector {
 public:
  // Blocks until the coordinator has noted that fault `index` strikes now.
  using Announce = std::function<absl::Status(int index, std::int64_t step)>;

  // The plan's faults of `local_hosts`, but for those that were done before.
  // REQUIRES: there is an effect for each kind among them.
  FaultInjector(const JobPlan& plan, std::span<const int> local_hosts,
                Announce announce, FaultEffects effects);

  // `phase` of `step` begins: "input" (the first of a step), "compute",
  // "all-reduce", "update", "checkpoint".
  // Errors: those of Announce.
  absl::Status At(std::int64_t step, std::string_view phase) {
    return pending_.empty() && delays_.empty() ? absl::OkStatus()
                                               : Strike(step, phase);
  }
  // `gradient`: values of local host `host`, before they are summed with
  // others'. Errors: those of Announce.
  absl::Status CorruptGradient(std::int64_t step, int host,
                               std::span<float> gradient) {
    return pending_.empty()
               ? absl::OkStatus()
               : Corrupt(Fault::CORRUPT_GRADIENT, step, host, gradient);
  }
  // `weights`: those that local host `host` computes with, after the update.
  // Errors: those of Announce.
  absl::Status CorruptWeights(std::int64_t step, int host,
                              std::span<float> weights) {
    return pending_.empty()
               ? absl::OkStatus()
               : Corrupt(Fault::CORRUPT_WEIGHTS, step, host, weights);
  }

 private:
  struct Planned {
    int index = 0;  // in the plan
    Fault fault;
  };
  absl::Status Strike(std::int64_t step, std::string_view phase);
  absl::Status Corrupt(Fault::Kind kind, std::int64_t step, int host,
                       std::span<float> values);
  void Perform(const Planned& planned);
  void EndDelays(std::int64_t step);

  Announce announce_;
  FaultEffects effects_;
  std::vector<Planned> pending_;
  // Links that are slow for this step.
  std::vector<Fault> delays_;
};

// Changes a few of `values`, drawn by `seed`, by a bit that bfloat16 keeps too;
// what is finite stays so. Pure.
void FlipSomeBits(std::uint64_t seed, std::span<float> values);

}  // namespace podsim

#endif  // PODSIM_HOST_TRAIN_FAULT_INJECTOR_H_
