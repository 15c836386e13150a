// Collectives among the chips of a slice: the plans whose time interconnect/
// timing tells. They are plans like any other, so that what is priced can be
// carried out; docs/timing-model.md draws them.
//
//   ChipRequest request{.collective = Collective::kAllReduce,
//                       .algorithm = ChipAlgorithm::kTorusAll,
//                       .grid = GridOf(slice), .elements = 1 << 20};
//   PODSIM_ASSIGN_OR_RETURN(const RankPlan plan, MakeChipPlan(request, chip));
//
// All pure. Chips are numbered as IndexOf(grid.size, place) says.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_CHIP_PLANS_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_CHIP_PLANS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/collectives/algorithms.h"
#include "interconnect/collectives/plan.h"
#include "interconnect/topology/grid.h"

namespace podsim {

enum class ChipAlgorithm : std::uint8_t {
  kRing,             // one ring through all chips, one way
  kBidirRing,        // the same, half of the buffer each way
  kTorus,            // rings or lines along x, then y, then z, and back
  kTorusAll,         // a part of the buffer begins with each axis
  kHalvingDoubling,  // partners at distance 1, 2, 4, ... by number
  kDirect,           // everyone with everyone, the farthest first
};

// "ring", "bidir_ring", "torus", "torus_all", "halving_doubling", "direct".
std::string_view NameOf(ChipAlgorithm algorithm);
std::optional<ChipAlgorithm> ChipAlgorithmNamed(std::string_view name);
std::span<const ChipAlgorithm> AllChipAlgorithms();

// A broadcast, a barrier and an all-to-all are done by some alone.
bool Supports(Collective collective, ChipAlgorithm algorithm);

// Algorithms have a form for long buffers, which spares bytes, and some another
// for short ones, which spares hops: torus plans without waves, whole buffers
// instead of halves, everyone's buffer to everyone in one step instead of two.
enum class ChipForm : std::uint8_t { kLong, kShort };
struct ChipRequest {
  Collective collective = Collective::kAllReduce;
  ChipAlgorithm algorithm = ChipAlgorithm::kTorusAll;
  ChipForm form = ChipForm::kLong;
  Grid grid;
  // Of the buffer of a chip; see EvenElements.
  std::int64_t elements = 0;
  int root = 0;  // kBroadcast
};

// Whether the other form is another plan, however long the buffer.
bool HasShortForm(const ChipRequest& request);

// `elements` rounded up so that all chips do the same: a multiple of the chips
// for each part of the buffer.
std::int64_t EvenElements(const ChipRequest& request);

// What `chip` does. The torus algorithms leave (or take) another share of the
// buffer at a chip than its own segment, halving leaves one: ChipShare says
// which.
// Errors: INVALID_ARGUMENT (not supported; a chip, root or elements out of
//   range; elements that are not even, for kAllToAll).
absl::StatusOr<RankPlan> MakeChipPlan(const ChipRequest& request, int chip);

// The part of the buffer that is a chip's own after a reduce-scatter and before
// an all-gather.
std::vector<Range> ChipShare(const ChipRequest& request, int chip);

// Peers of a chip in the order in which kDirect serves them: the farthest
// first, else by their relative place, which the halves of a mesh mirror.
std::vector<int> DirectPeers(const Grid& grid, int chip);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_CHIP_PLANS_H_
