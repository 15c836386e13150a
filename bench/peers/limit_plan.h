// The all-reduce algorithms of the limit driver as lists of ops. Pure.
//
// W ranks, S elements. Segment j is share j of W.
//
//   ring               W-1 steps round to add, W-1 round to copy
//   halving_doubling   log2 W exchanges of halves to add, log2 W to copy back;
//                      short buffers: log2 W exchanges of the whole buffer
//   direct             one step: everyone sends everyone the whole buffer
//   direct_two_phase   two steps: segment j to rank j, its sum back to all
#ifndef PODSIM_BENCH_PEERS_LIMIT_PLAN_H_
#define PODSIM_BENCH_PEERS_LIMIT_PLAN_H_

#include <cstddef>
#include <string>
#include <vector>

namespace podsim::peers {

enum class OpKind {
  kSend,
  kReceiveSum,   // mine += received
  kReceiveCopy,  // mine = received
  kSum,          // mine += what lies at `source`; no frame
};

// A range of elements that is one frame. Offsets from S on lie in scratch.
struct Op {
  OpKind kind = OpKind::kSend;
  int peer = -1;
  std::size_t begin = 0;
  std::size_t count = 0;
  std::size_t source = 0;
  int after = -1;  // the op that must be done first
};

// Ops are in an order in which they can be run one by one, as long as sockets
// hold what is sent. Frames of a pair are sent and received in this order.
struct Plan {
  std::vector<Op> ops;
  std::size_t scratch = 0;
  // Only that order is right: dependencies are not all told by `after`.
  bool in_sequence = false;
};

struct PlanOptions {
  std::string algorithm;
  int ranks = 0;
  std::size_t elements = 0;
  std::size_t chunk = 65536;  // elements, at most, of a frame
  std::size_t whole = 8192;   // elements up to which halving_doubling
                              // exchanges whole buffers
};

// Dies when the algorithm does not exist or cannot do this: halving_doubling
// needs a power of two of ranks.
Plan MakePlan(const PlanOptions& options, int rank);

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_LIMIT_PLAN_H_
