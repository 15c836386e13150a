// The network between a slice's chips, as the simulation knows it. Pure.
#ifndef PODSIM_INTERCONNECT_TIMING_NETWORK_H_
#define PODSIM_INTERCONNECT_TIMING_NETWORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/units.h"
#include "interconnect/topology/grid.h"
#include "interconnect/topology/slice.h"

namespace podsim {

// Of sound links.
struct LinkFigures {
  double bytes_per_second = 0;  // of one link, as software reaches it
  SimTime hop;  // from a piece's head leaving a chip to its reaching the next
};

struct Network {
  Grid grid;
  LinkFigures links;
  std::vector<LinkFault> faults;
};

// What a collective's plans came to.
struct NetworkRun {
  SimTime time;                    // until the last chip has the last piece
  std::vector<SimTime> ends;       // of each chip
  std::vector<std::int64_t> sent;  // bytes over each link of the slice
  std::vector<SimTime> busy;       // of each link of the slice
  std::int64_t events = 0;         // pieces that crossed links, one by one
};

// With the figures of the slice's generation, rate x link_share, and its link
// faults.
Network NetworkOf(const Slice& slice);

// Errors: INVALID_ARGUMENT (no rate, no hop; a fault that names no wire, or a
// part outside 0 to 1).
absl::Status CheckNetwork(const Network& network);

// A piece's way: links in order. With cut wires the shortest way round them.
struct Route {
  std::vector<std::int32_t> links;
  Offset steps = {};  // from the sender, wraps counted through
};
// Errors: FAILED_PRECONDITION (cut wires leave no way).
absl::StatusOr<Route> RouteBetween(const Network& network, int from, int to);

// Of one link: 1, or what a fault leaves of it.
double RateOf(const Network& network, std::int32_t link);

// "link (0,0)-(1,0) at 0.25 of its rate", "link (0,0)-(1,0) cut". `three`: with
// z.
std::string LinkFaultText(const LinkFault& fault, bool three);

// Those of the slice's links, after commas; empty: all are sound.
std::string LinkFaultsText(const Slice& slice);

// "(3,1)-(4,1)".
std::string LinkText(const Grid& grid, std::int32_t link);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_NETWORK_H_
