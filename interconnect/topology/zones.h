// Zones: which offer a slice, and which region they are of. Pure functions over
// a table that is compiled in; docs/storage.md has it with its sources.
//
//   PODSIM_ASSIGN_OR_RETURN(const Zone* zone, FindZone("europe-west4-a"));
//   RegionOfZone(zone->name());  // "europe-west4"
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_ZONES_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_ZONES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "proto/geography.pb.h"

namespace podsim {

// Regions, the places that a bucket can have, zones. Read once; stays for ever.
const World& ShippedWorld();

std::vector<std::string> ZoneNames();

// Lives for ever. Case does not count.
// Errors: INVALID_ARGUMENT (naming the nearest zones, and all).
absl::StatusOr<const Zone*> FindZone(std::string_view name);

// A slice that ships: one of a file of the user's is offered nowhere.
bool Offers(const Zone& zone, const Slice& slice);

// What the table says of that offer: "single tenant"; mostly nothing.
std::string OfferNote(const Zone& zone, const Slice& slice);

// In the order of the table: the first is where a slice is if nobody says.
std::vector<std::string> ZonesOffering(const Slice& slice);

// Errors: INVALID_ARGUMENT (naming the zones that offer the slice).
absl::Status CheckOffers(const Zone& zone, const Slice& slice);

// "europe-west4-a" -> "europe-west4": all but the last part.
std::string RegionOfZone(std::string_view zone);

// Those of `names` that need the fewest changes to be `typed`, or begin with
// it; up to four.
std::vector<std::string> NearestPlaces(std::string_view typed,
                                       const std::vector<std::string>& names);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_ZONES_H_
