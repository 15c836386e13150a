// Prices of collectives as rows: text in the manner of nccl-tests, or JSON.
// Pure.
#ifndef PODSIM_RUNTIME_PLAN_COLLECTIVE_TABLE_H_
#define PODSIM_RUNTIME_PLAN_COLLECTIVE_TABLE_H_

#include <string>
#include <vector>

#include "interconnect/timing/band.h"
#include "interconnect/timing/pricing.h"

namespace podsim {

struct CollectiveRow {
  Slice slice;
  PriceRequest request;
  Price price;
  Band band;
  Bounds bounds;
};

// Of what bounds it most: "chip links", "bisection" or "distance".
std::string BoundName(const Bounds& bounds);

// With a column for the slice where there are several. Each line of text but
// the rows begins with '#'.
std::string FormatCollectiveTable(const std::vector<CollectiveRow>& rows);
std::string FormatCollectiveJson(const std::vector<CollectiveRow>& rows);

// How busy links are: the grid with the busier direction of each wire in
// percent of the network's time, as far as it is narrow enough, and the busiest
// ones by name.
std::string DrawLinks(const CollectiveRow& row);

// Who waits for a slow or cut link: `sound` is the price without it.
std::string WhoWaits(const CollectiveRow& row, const Price& sound);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_COLLECTIVE_TABLE_H_
