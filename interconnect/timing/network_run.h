// What the chip plans of a collective take on the links of a network: made
// once, run with any rate and hop. Pure.
//
//   PODSIM_ASSIGN_OR_RETURN(const NetworkPlan plan,
//                           NetworkPlan::Make(request, network, 4));
//   PODSIM_ASSIGN_OR_RETURN(const NetworkRun run, plan.Run({57e9, hop}));
#ifndef PODSIM_INTERCONNECT_TIMING_NETWORK_RUN_H_
#define PODSIM_INTERCONNECT_TIMING_NETWORK_RUN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "interconnect/collectives/chip_plans.h"
#include "interconnect/timing/fold.h"
#include "interconnect/timing/network.h"
#include "interconnect/timing/ring_run.h"

namespace podsim {

// A piece of a collective on a link of the slice.
struct LinkMessage {
  std::int32_t link = 0;
  int from = 0;  // the chip that sent it first
  std::int64_t bytes = 0;
  SimTime begin;  // from the collective's first moment on the network
  SimTime end;
};

// Of larger slices messages are not told one by one.
inline constexpr int kMostMessageChips = 256;

class NetworkPlan {
 public:
  // `whole`: every chip is simulated by itself, however alike they are; the
  // times are the same, to the picosecond.
  // REQUIRES: elements are even (EvenElements).
  // Errors: those of MakeChipPlan and RouteBetween; RESOURCE_EXHAUSTED (more
  //   SimulatedMessages than are within reach).
  static absl::StatusOr<NetworkPlan> Make(const ChipRequest& request,
                                          const Network& network,
                                          int element_bytes,
                                          bool whole = false);

  // Errors: INTERNAL (plans that wait for each other for ever).
  absl::StatusOr<NetworkRun> Run(const LinkFigures& links) const;

  // Every piece on every link of that run, those of a link in order: every chip
  // is simulated by itself, which takes longer.
  // Errors: as of Run; RESOURCE_EXHAUSTED (more than kMostMessageChips chips).
  absl::StatusOr<std::vector<LinkMessage>> Messages(
      const LinkFigures& links) const;

 private:
  ChipRequest request_;
  Network network_;
  int element_bytes_ = 0;
  // One of the two.
  std::shared_ptr<const RingPlan> ring_;
  std::shared_ptr<const FoldedRun> fold_;
};

// How many messages of everyone with everyone, or of a ring, are simulated one
// by one, where chips do not stand for each other; 0: few.
std::int64_t SimulatedMessages(const ChipRequest& request,
                               const Network& network);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_NETWORK_RUN_H_
