// How generators write plans: a range is cut into chunks with one op each, and
// an op waits for those ops of earlier cuts that touch the same elements.
//
//   PlanBuilder builder("all-gather", rank, world, elements, chunk_elements);
//   builder.SendShared(peer, mine);
//   const Cut came = builder.ReceiveCopy(peer, theirs);
//   builder.SendShared(other_peer, theirs, {{came}});
//   return std::move(builder).Build();
//
// Frames of a pair are numbered in the order of the sender's plan, so the
// receiver's plan must name them in the same order and in the same chunks.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_PLAN_BUILDER_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_PLAN_BUILDER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "interconnect/collectives/plan.h"

namespace podsim {

// A buffer is cut into at most this many chunks: chunks of huge buffers are
// longer than was asked for, and no plan has more ops than memory can hold.
inline constexpr std::int64_t kMostChunks = 65536;

// Consecutive ops of one kind, ascending in the elements that they write or
// send.
struct Cut {
  std::int32_t first = 0;
  std::int32_t count = 0;
};

// What an op waits for: of all these cuts the ops that read or write what it
// reads or writes, and those between them. Each list becomes one span, so the
// cuts of a list should stand together in the plan.
struct Waits {
  std::vector<Cut> after;
  std::vector<Cut> after_also;
  // Of that list all ops, whatever elements they touch: where a phase as a
  // whole must be over, so that a plan looks the same from every place.
  bool whole = false;
  bool whole_also = false;
};

class PlanBuilder {
 public:
  // REQUIRES: 0 <= rank < world, elements >= 0, chunk_elements >= 1.
  PlanBuilder(const char* name, int rank, int world, std::int64_t elements,
              std::int64_t chunk_elements);

  // Scratch of this many elements; returns where it begins.
  std::int64_t AddScratch(std::int64_t elements);

  // The most elements of a chunk: as asked, or more, see kMostChunks.
  std::int64_t chunk_elements() const { return chunk_; }
  // For the ops that follow.
  void set_chunk_elements(std::int64_t asked);

  // The pieces that ops on `range` are cut into.
  std::vector<Range> ChunksOf(const Range& range) const;

  // Each appends one op per chunk of the range; none for an empty range.
  Cut Send(int peer, const Range& range, const Waits& waits = {});
  // The sender goes on with what the receiver gets; see keep_rounded.
  Cut SendShared(int peer, const Range& range, const Waits& waits = {});
  Cut ReceiveReduce(int peer, const Range& range, const Waits& waits = {});
  Cut ReceiveCopy(int peer, const Range& range, const Waits& waits = {});
  // ReceiveReduce into a sum that may not be ready yet: the frame does not wait
  // for that, with its credit, but lies in scratch. Returns what reduces.
  // `whole`: all of `ready` is waited for.
  Cut Accumulate(int peer, const Range& range, const Cut& ready,
                 bool whole = false);
  Cut Reduce(const Range& range, std::int64_t source, const Waits& waits = {});
  Cut Copy(const Range& range, std::int64_t source, const Waits& waits = {});

  RankPlan Build() && { return std::move(plan_); }

 private:
  Cut Append(PlanOp op, const Waits& waits);
  OpSpan Touching(const std::vector<Cut>& cuts, const PlanOp& op) const;
  static OpSpan Whole(const std::vector<Cut>& cuts);

  RankPlan plan_;
  std::int64_t chunk_;
  // Frames to and from each rank so far.
  std::vector<std::uint32_t> sent_;
  std::vector<std::uint32_t> received_;
};

// The two as one. REQUIRES: `second` begins where `first` ends, or one is
// empty.
Cut Joined(const Cut& first, const Cut& second);

// SegmentOf within a range.
Range SegmentIn(const Range& whole, int world, int index);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_PLAN_BUILDER_H_
