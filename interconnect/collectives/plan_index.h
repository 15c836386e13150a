// What every reader of a plan needs to follow it quickly: the executor, the
// timing model and the tests' interpreter all keep score with these.
//
//   PODSIM_ASSIGN_OR_RETURN(PlanIndex index, IndexPlan(plan));  // once
//   PlanProgress progress(index);                               // each run
//   progress.Finish(op, [&](int ready) { ... });
//
// A PlanIndex is immutable and may be shared; it holds no pointer to the plan.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_PLAN_INDEX_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_PLAN_INDEX_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/collectives/plan.h"

namespace podsim {

struct PlanIndex {
  struct Peer {
    std::int32_t rank = 0;
    std::int32_t ops = 0;             // ops that need this peer
    std::vector<std::int32_t> sends;  // ops that send to it, in order
  };
  struct Receive {
    std::uint64_t key = 0;  // peer, chunk
    std::int32_t op = 0;
    bool operator<(const Receive& other) const { return key < other.key; }
  };

  const char* name = "";              // the plan's, for messages
  std::vector<Peer> peers;            // ascending by rank
  std::vector<std::int32_t> peer_of;  // op -> index into peers; -1: local
  std::vector<Receive> receives;      // ascending
  std::vector<std::int32_t> waits;    // op -> number of ops it waits for
  // Local ops that wait for nothing: they may be done when a run begins.
  std::vector<std::int32_t> first_local;
  // Ops that wait for op i: dependents[first_dependent[i]] up to
  // dependents[first_dependent[i + 1]], exclusive.
  std::vector<std::int32_t> first_dependent;
  std::vector<std::int32_t> dependents;

  // The op that receives `chunk` from `peer`; -1: none.
  std::int32_t FindReceive(std::int32_t peer, std::uint32_t chunk) const;
};

// Errors: INVALID_ARGUMENT (a peer or range outside the plan, an op that waits
//   for a later one, two receives of one chunk from one peer).
absl::StatusOr<PlanIndex> IndexPlan(const RankPlan& plan);

// Which ops of one run are done, and which may begin. The index must outlive
// it. Each call is O(1), or O(dependents) for Finish.
class PlanProgress {
 public:
  explicit PlanProgress(const PlanIndex& index)
      : index_(&index),
        waits_(index.waits),
        done_(index.waits.size(), 0),
        cursor_(index.peers.size(), 0),
        open_(static_cast<std::int32_t>(index.waits.size())) {}

  bool ready(std::int32_t op) const { return waits_[op] == 0; }
  bool done(std::int32_t op) const { return done_[op] != 0; }
  bool complete() const { return open_ == 0; }

  // The send to `peer` (an index into PlanIndex::peers) whose turn it is, if it
  // may begin; else -1. Sends to one peer begin in the plan's order.
  std::int32_t NextSend(std::int32_t peer) const {
    const std::vector<std::int32_t>& sends = index_->peers[peer].sends;
    if (cursor_[peer] == sends.size()) return -1;
    const std::int32_t op = sends[cursor_[peer]];
    return ready(op) ? op : -1;
  }
  // `send` will be NextSend(peer) once `op` is done.
  bool IsNextAfter(std::int32_t op, std::int32_t send,
                   std::int32_t peer) const {
    const std::vector<std::int32_t>& sends = index_->peers[peer].sends;
    return waits_[send] == 1 && !done(op) && cursor_[peer] < sends.size() &&
           sends[cursor_[peer]] == send;
  }
  // NextSend(peer) has begun.
  void BeginSend(std::int32_t peer) { ++cursor_[peer]; }

  // Marks `op` done and calls on_ready(op) for each op that may begin by that.
  template <typename OnReady>
  void Finish(std::int32_t op, OnReady&& on_ready) {
    done_[op] = 1;
    --open_;
    for (std::int32_t i = index_->first_dependent[op];
         i < index_->first_dependent[op + 1]; ++i) {
      const std::int32_t dependent = index_->dependents[i];
      if (--waits_[dependent] == 0) on_ready(dependent);
    }
  }

  // The first op that is not done: all that it waits for is done. -1: none.
  std::int32_t FirstOpen() const {
    while (first_open_ < done_.size() && done_[first_open_]) ++first_open_;
    return first_open_ < done_.size() ? static_cast<std::int32_t>(first_open_)
                                      : -1;
  }

 private:
  const PlanIndex* index_;
  std::vector<std::int32_t> waits_;
  std::vector<std::uint8_t> done_;
  std::vector<std::uint32_t> cursor_;  // per peer, into its sends
  std::int32_t open_;
  mutable std::size_t first_open_ = 0;  // only ever moves on
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_PLAN_INDEX_H_
