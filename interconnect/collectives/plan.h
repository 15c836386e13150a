// A collective as data: who sends which range to whom, in which order.
//
// A plan is a pure function of (algorithm, ranks, elements); algorithms.h makes
// them all, and the ring's generators stand here too. Ranks here are positions
// in a group, 0..W-1; hosts where bytes really travel, chips where the real
// pod's time is simulated. The executor runs a plan, the interpreter in tests
// checks it, the timing model prices it: all read these ops.
//
// Words: W world size; a range is [begin, begin + count) elements of the
// caller's buffer; a segment is the share of one rank; a chunk is the piece of
// a segment that travels in one frame.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_PLAN_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_PLAN_H_

#include <cstdint>
#include <vector>

namespace podsim {

struct Range {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  bool operator==(const Range&) const = default;
};

enum class OpKind : std::uint8_t {
  kSend,           // range of my buffer -> peer
  kReceiveReduce,  // mine = received (+) mine, in this operand order
  kReceiveCopy,    // mine = received
  // Without a frame, within the buffer and its scratch:
  kReduce,  // mine = mine from `source` on (+) mine
  kCopy,    // mine = mine from `source` on
};

constexpr bool IsLocal(OpKind kind) {
  return kind == OpKind::kReduce || kind == OpKind::kCopy;
}

// Consecutive ops of the same rank; empty by default.
struct OpSpan {
  std::int32_t first = 0;
  std::int32_t count = 0;
  bool operator==(const OpSpan&) const = default;
};

// One op of one rank. Frames of a pair (from, to) are matched by `chunk`, which
// is unique for the pair within the plan.
struct PlanOp {
  OpKind kind = OpKind::kSend;
  std::int32_t peer = -1;  // -1 for local ops
  std::uint32_t chunk = 0;
  Range range;
  std::int64_t source = 0;  // of local ops: where the other operand begins
  // The ops that must be done before this one begins. A send is done when its
  // buffer may be changed again.
  OpSpan after;
  OpSpan after_also;
  // kSend over a wire narrower than the buffer: the sender goes on with the
  // rounded values too. Set where both sides must hold the same afterwards.
  bool keep_rounded = false;
};

// Ops of one rank. An op comes after those it waits for; sends to one peer
// begin in this order. Ranges lie in [0, elements + scratch): what is behind
// the caller's buffer belongs to the executor and begins with any values.
struct RankPlan {
  std::int32_t rank = 0;
  std::int32_t world = 1;
  std::int64_t elements = 0;
  std::int64_t scratch = 0;
  const char* name = "collective";  // "all-reduce", for messages
  std::vector<PlanOp> ops;
};

// Segment `index` of `world` equal shares of `elements` (the first
// elements mod world are one longer).
Range SegmentOf(std::int64_t elements, int world, int index);

struct RingOptions {
  // position -> rank: the order in which the ring visits the ranks.
  std::vector<int> order;
  std::int64_t elements = 0;
  // Chunk length; a segment is cut into ceil(segment / chunk) chunks. It grows
  // where the buffer would be cut into more than 65,536.
  std::int64_t chunk_elements = 65536;
  // An all-reduce of longer segments goes in waves of so many of their chunks:
  // a wave goes all the way round before the next begins. What a rank passes on
  // is then still in its cache, and bounded; but a line is idle when all the
  // chunks of a wave are under way. 0: all in one wave.
  std::int64_t wave_chunks = 0;
};

// Unidirectional ring. Reduce-scatter: W-1 steps, each rank sends one segment
// to its successor and adds the one that arrives; rank r ends with segment r,
// summed in ring order starting behind its owner. All-gather: W-1 steps more,
// from where segment r lies at rank r. Bytes sent per rank: 2 (W-1)/W S. The
// chunks of a step are pipelined: chunk c of step s waits only for chunk c of
// step s-1.
// REQUIRES: order is a permutation of 0..W-1, 0 <= rank < W.
RankPlan RingReduceScatter(const RingOptions& options, int rank);
RankPlan RingAllGather(const RingOptions& options, int rank);
// The two one after the other, with the dependencies across; wave by wave.
RankPlan RingAllReduce(const RingOptions& options, int rank);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_PLAN_H_
