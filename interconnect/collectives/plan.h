// A collective as data: who sends which range to whom, in which order.
//
// A plan is a pure function of (algorithm, ranks, elements). Ranks here are
// positions in a group, 0..W-1; hosts where bytes really travel, chips where
// the real pod's time is simulated. The executor runs a plan, the interpreter
// in tests checks it, the timing model prices it: all read these ops.
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
  kReceiveReduce,  // mine = received + mine, in this operand order
  kReceiveCopy,    // mine = received
};

// One op of one rank. Frames of a pair (from, to) are matched by `chunk`, which
// is unique for the pair within the plan.
struct PlanOp {
  OpKind kind = OpKind::kSend;
  std::int32_t peer = 0;
  std::uint32_t chunk = 0;
  Range range;
  // Indices into the same rank's ops that must be done before this one begins;
  // -1 for none. A send is done when its buffer may be changed again.
  std::int32_t after = -1;
  std::int32_t after_also = -1;
};

// Ops of one rank. An op comes after those it waits for; sends to one peer
// begin in this order.
struct RankPlan {
  std::int32_t rank = 0;
  std::int32_t world = 1;
  std::int64_t elements = 0;
  std::vector<PlanOp> ops;
};

// Segment `index` of `world` equal shares of `elements` (the first
// elements mod world are one longer).
Range SegmentOf(std::int64_t elements, int world, int index);

struct RingOptions {
  // position -> rank: the order in which the ring visits the ranks.
  std::vector<int> order;
  std::int64_t elements = 0;
  // Chunk length; a segment is cut into ceil(segment / chunk) chunks.
  std::int64_t chunk_elements = 65536;
};

// Unidirectional ring. Reduce-scatter: W-1 steps, each rank sends one segment
// to its successor and adds the one that arrives; position p ends with segment
// (p + 1) mod W summed in ring order starting behind its owner. All-gather: W-1
// steps more. Bytes sent per rank: 2 (W-1)/W S. The chunks of a step are
// pipelined: chunk c of step s waits only for chunk c of step s-1.
// REQUIRES: order is a permutation of 0..W-1, 0 <= rank < W.
RankPlan RingReduceScatter(const RingOptions& options, int rank);
RankPlan RingAllGather(const RingOptions& options, int rank);
// The two one after the other, with the dependencies across.
RankPlan RingAllReduce(const RingOptions& options, int rank);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_PLAN_H_
