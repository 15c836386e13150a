// The collectives and the algorithms that carry them out, as plans.
//
//   PODSIM_ASSIGN_OR_RETURN(RankPlan plan, MakeRankPlan(
//       {.collective = Collective::kAllReduce,
//        .algorithm = Algorithm::kHalvingDoubling,
//        .ring = {0, 1, 3, 2}, .elements = 1 << 20}, rank));
//
// docs/collectives.md draws each. All are pure; the plans of all ranks of one
// request fit together. W world, S bytes of the buffer.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_ALGORITHMS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_ALGORITHMS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/collectives/plan.h"

namespace podsim {

// Segment r of a buffer is SegmentOf(elements, W, r).
enum class Collective : std::uint8_t {
  kAllReduce,      // every rank: the reduction of all buffers
  kReduceScatter,  // rank r: segment r of the reduction; the rest is undefined
  kAllGather,      // every rank: segment r of rank r's buffer, for all r
  kBroadcast,      // every rank: the root's buffer
  kAllToAll,       // rank r's segment s becomes rank s's segment r;
                   // REQUIRES: W divides elements
  // No rank ends before all have begun. `elements` is ignored: the plan is for
  // a buffer of one element, which travels and stays as it is.
  kBarrier,
};

enum class Algorithm : std::uint8_t {
  kRing,             // W-1 steps a phase, each segment once around
  kBidirRing,        // two rings, half of the buffer each way
  kTorus2d,          // rings along the rows, then along the columns, and back
  kHalvingDoubling,  // log2 W steps a phase, partners at distance 1, 2, 4, ...
  kDirect,           // one step a phase, everyone with everyone
};

// "all_reduce", "ring", "bidir_ring", "torus2d", "halving_doubling", "direct".
std::string_view NameOf(Collective collective);
std::string_view NameOf(Algorithm algorithm);
std::optional<Collective> CollectiveNamed(std::string_view name);
std::optional<Algorithm> AlgorithmNamed(std::string_view name);
std::span<const Collective> AllCollectives();
std::span<const Algorithm> AllAlgorithms();

// Halving-doubling: an all-reduce of at most this many elements exchanges the
// whole buffer, in one frame, log2 W times instead of halves 2 log2 W times. 64
// KiB of float32; assumed, to be measured: where the bytes begin to cost more
// than the steps.
inline constexpr std::int64_t kRecursiveDoublingElements = 16384;

struct PlanRequest {
  Collective collective = Collective::kAllReduce;
  Algorithm algorithm = Algorithm::kRing;
  // position -> rank: the order in which rings visit the ranks; its length is
  // W.
  std::vector<int> ring;
  // kTorus2d: rank = row * columns + column. rows x columns = W.
  int rows = 1;
  int columns = 1;
  std::int64_t elements = 0;
  // Longest range that travels in one frame; longer where a buffer would
  // otherwise be cut into more than 65,536.
  std::int64_t chunk_elements = 65536;
  int root = 0;  // kBroadcast
  // kDirect: whom this rank serves first, second, ...; empty: the next rank,
  // the one after it, and so on.
  std::vector<int> peers;
  // Halving-doubling: an all-reduce of at most so many exchanges the whole
  // buffer.
  std::int64_t whole_elements = kRecursiveDoublingElements;
  // Direct: an all-reduce of at most so many takes one step; unset: where W of
  // them are at most kDirectOneStepElements.
  std::optional<std::int64_t> one_step_elements;
  // Halving-doubling: a reduce-scatter leaves a rank its HalvingShare instead
  // of its segment, so that nothing has to be copied.
  bool halving_shares = false;
};

// The share of `rank` as halving leaves it. REQUIRES: W divides elements.
Range HalvingShare(const PlanRequest& request, int rank);

// Direct: an all-reduce in which W buffers are together at most this long takes
// one step, in which all sum everything, instead of two. 256 KiB of float32;
// assumed, to be measured: a rank holds all of them at once, and a core's
// second cache should.
inline constexpr std::int64_t kDirectOneStepElements = 65536;

// The most elements that a plan is made for.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 50;

// What `rank` does. Bits: every rank of an all-reduce ends with the same, and a
// sum is made in an order that depends on the request alone; kHalvingDoubling
// sums the W = 2^k buffers as the balanced tree ((0+1)+(2+3))+..., kDirect in
// rank order ((0+1)+2)+..., kRing round the ring from behind the owner of the
// segment. Reduce-scatter, all-gather, broadcast, all-to-all and barrier exist
// for the algorithms for which Supports is true.
// Errors: INVALID_ARGUMENT (not supported; the ring is no permutation of
//   0..W-1; rows x columns is not W; root or rank out of range; elements that W
//   does not divide, for kAllToAll; elements or chunk_elements out of range).
absl::StatusOr<RankPlan> MakeRankPlan(const PlanRequest& request, int rank);

bool Supports(Collective collective, Algorithm algorithm);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_ALGORITHMS_H_
