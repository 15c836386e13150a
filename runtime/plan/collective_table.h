// Prices of collectives as rows: text in the manner of nccl-tests, or JSON.
// Pure.
#ifndef PODSIM_RUNTIME_PLAN_COLLECTIVE_TABLE_H_
#define PODSIM_RUNTIME_PLAN_COLLECTIVE_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "interconnect/timing/band.h"
#include "interconnect/timing/pricing.h"

namespace podsim {

struct CollectiveRow {
  Slice slice;
  PriceRequest request;
  Price price;
  std::optional<Price> sound;  // of a row with a fault: without it
  Band band;
  Bounds bounds;
};

// Of what bounds it most: "chip links", "bisection" or "distance".
std::string BoundName(const Bounds& bounds);

// With a column for the slice where there are several. Each line of text but
// the rows begins with '#'. On narrow screens columns are left out, in the
// order of their ranks; kAllColumns: none.
std::string FormatCollectiveTable(const std::vector<CollectiveRow>& rows,
                                  int columns);
// `links`: with the busiest links of each row.
std::string FormatCollectiveJson(const std::vector<CollectiveRow>& rows,
                                 bool links = false);

// How busy links are: the grid with the busier direction of each wire in
// percent of the network's time, in tenths where the grid is wide, and the
// busiest ones by name. Of a deep grid the first plane, that of the busiest
// link and that of the fault.
std::string DrawLinks(const CollectiveRow& row);

// The links that carry something, the busiest first; at most so many.
std::vector<std::int32_t> BusiestLinks(const Price& price, std::size_t most);

// Who waits for a slow or cut link. REQUIRES: row.sound.
struct Waiting {
  double times_as_long = 1;
  int chips = 0;  // that end later
  int last = 0;   // the chip that ends the most later
  SimTime by;     // so much
};
Waiting WaitingFor(const CollectiveRow& row);
std::string WhoWaits(const CollectiveRow& row);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_COLLECTIVE_TABLE_H_
