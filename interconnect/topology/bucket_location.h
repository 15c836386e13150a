// Where a bucket can be: one region, or several. Pure functions over the table
// of zones.h.
//
//   PODSIM_ASSIGN_OR_RETURN(const BucketLocation at, FindLocation("EUR4"));
//   Has(at, "europe-west4");  // true
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_BUCKET_LOCATION_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_BUCKET_LOCATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim {

enum class LocationKind : std::uint8_t { kRegion, kDualRegion, kMultiRegion };

// "region", "dual-region", "multi-region".
const char* NameOf(LocationKind kind);

struct BucketLocation {
  std::string name;  // in lower case: "europe-west4", "nam4", "us"
  LocationKind kind = LocationKind::kRegion;
  std::vector<std::string> regions;
};

// A region, a dual-region of a name ("nam4") or of two regions
// ("us-central1+us-west1"), or a multi-region, as Cloud Storage names them;
// case does not count. Source: GCS-loc (docs/hardware.md), like the table's.
// Errors: INVALID_ARGUMENT (naming the nearest places).
absl::StatusOr<BucketLocation> FindLocation(std::string_view text);

// Every name that FindLocation knows, places of several regions first.
std::vector<std::string> LocationNames();

bool Has(const BucketLocation& location, std::string_view region);

// "europe"; empty: no region of that name.
std::string ContinentOf(std::string_view region);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_BUCKET_LOCATION_H_
