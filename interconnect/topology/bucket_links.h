// What lies between a bucket and a pod: round trip, bandwidth, price. Pure.
//
//   const BucketLinkFigures link = LinkBetween(location, "europe-west4",
//   spec.links());
//
// A row names a region, a place of several regions (nam4, eu) or a continent at
// each end, or one word for a kind of way; the closer description wins, region
// before continent before word, and a file's rows go before those that ship.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_BUCKET_LINKS_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_BUCKET_LINKS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "interconnect/topology/bucket_location.h"
#include "proto/geography.pb.h"

namespace podsim {

// What ships: assumed figures, each with a range.
const BucketLinks& ShippedLinks();

// Errors: INVALID_ARGUMENT, one line: the row, counted from 1, and what is
// wrong
//   (a place that there is not; two rows of one way; no figure; a figure or a
//   range that cannot be; a price below 0; no row).
absl::Status CheckLinks(const BucketLinks& links);
absl::Status CheckPrices(const BucketPrices& prices);

struct BucketLinkFigures {
  std::string region;            // of the bucket's, the one that is read from
  Figure round_trip_seconds;     // from a request to the first of its bytes
  Figure host_bytes_per_second;  // of one host of the pod
  Figure jitter_seconds;         // by which a round trip varies, either way
};

// Between `bucket` and the pod's `region`. A dual-region with the pod's region
// in it is read there. A multi-region with it is taken to be as far as its
// continent, for an object lies in regions of the store's choosing. A bucket
// elsewhere is read from its region with the shortest round trip.
// REQUIRES: CheckLinks(asked) is OK, or `asked` is empty.
BucketLinkFigures LinkBetween(const BucketLocation& bucket,
                              std::string_view region,
                              const BucketLinks& asked);

// Of a GiB out of the bucket into the pod's region, and the other way; nullopt:
// `prices` does not say. REQUIRES: as above.
struct WayPrices {
  std::optional<double> read;
  std::optional<double> write;
};
WayPrices PricesBetween(const BucketLocation& bucket, std::string_view region,
                        const BucketPrices& prices);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_BUCKET_LINKS_H_
