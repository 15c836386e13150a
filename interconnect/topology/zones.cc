#include "interconnect/topology/zones.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/typing_distance.h"
#include "google/protobuf/text_format.h"
#include "interconnect/topology/geography_texts.h"

namespace podsim {
namespace {

// Longer text is no misspelt name, and an error is one line.
constexpr std::size_t kLongestZone = 40;
constexpr std::size_t kMostZones = 4;

// The shipped slices of `slice`'s generation, ascending.
std::vector<std::string> ShippedNames(const Slice& slice) {
  const Generation* generation =
      FindGeneration(ShippedHardware(), slice.generation);
  return generation == nullptr ? std::vector<std::string>()
                               : SliceNamesOf(*generation);
}

// `item` as Offer.slices has them.
bool Covers(const std::string& item, const Slice& slice,
            const std::vector<std::string>& names) {
  if (item == slice.generation || item == slice.name) return true;
  const std::size_t dots = item.find("..");
  if (dots == std::string::npos) return false;
  const auto first =
      std::find(names.begin(), names.end(), item.substr(0, dots));
  const auto last = std::find(first, names.end(), item.substr(dots + 2));
  if (last == names.end()) return false;
  return std::find(first, last + 1, slice.name) != last + 1;
}

// nullptr: the zone does not offer the slice.
const Offer* OfferOf(const Zone& zone, const Slice& slice) {
  const std::vector<std::string> names = ShippedNames(slice);
  if (std::find(names.begin(), names.end(), slice.name) == names.end())
    return nullptr;
  for (const Offer& offer : zone.offers())
    for (const std::string& item : offer.slices())
      if (Covers(item, slice, names)) return &offer;
  return nullptr;
}

}  // namespace

const World& ShippedWorld() {
  static const World* const kWorld = [] {
    auto* world = new World();
    PODSIM_CHECK(
        google::protobuf::TextFormat::ParseFromString(kWorldText, world));
    return world;
  }();
  return *kWorld;
}

std::vector<std::string> ZoneNames() {
  std::vector<std::string> names;
  for (const Zone& zone : ShippedWorld().zones()) names.push_back(zone.name());
  return names;
}

absl::StatusOr<const Zone*> FindZone(std::string_view name) {
  const std::string lower = absl::AsciiStrToLower(std::string(name));
  for (const Zone& zone : ShippedWorld().zones())
    if (lower == zone.name()) return &zone;
  const std::vector<std::string> names = ZoneNames();
  std::vector<std::string> of_region;
  for (const std::string& zone : names)
    if (RegionOfZone(zone) == lower) of_region.push_back(zone);
  if (!of_region.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("'", lower, "' is a region; give one of its zones: ",
                     absl::StrJoin(of_region, ", ")));
  return absl::InvalidArgumentError(absl::StrCat(
      "no zone with TPUs is called '",
      PrintableLine(std::string(name.substr(0, kLongestZone))),
      name.size() > kLongestZone ? "..." : "",
      "'; nearest: ", absl::StrJoin(NearestPlaces(name, names), ", "),
      "; there are ", absl::StrJoin(names, ", ")));
}

bool Offers(const Zone& zone, const Slice& slice) {
  return OfferOf(zone, slice) != nullptr;
}

std::string OfferNote(const Zone& zone, const Slice& slice) {
  const Offer* offer = OfferOf(zone, slice);
  return offer == nullptr ? "" : offer->note();
}

std::vector<std::string> ZonesOffering(const Slice& slice) {
  std::vector<std::string> names;
  for (const Zone& zone : ShippedWorld().zones())
    if (Offers(zone, slice)) names.push_back(zone.name());
  return names;
}

absl::Status CheckOffers(const Zone& zone, const Slice& slice) {
  if (Offers(zone, slice)) return absl::OkStatus();
  const std::vector<std::string> zones = ZonesOffering(slice);
  return absl::InvalidArgumentError(absl::StrCat(
      zone.name(), " does not offer ", slice.name, "; ",
      zones.empty()
          ? "no zone does: it is no type of Cloud TPU; leave the zone out"
          : absl::StrCat("it is offered in ", absl::StrJoin(zones, ", "))));
}

std::string RegionOfZone(std::string_view zone) {
  return std::string(zone.substr(0, zone.rfind('-')));
}

std::vector<std::string> NearestPlaces(std::string_view typed,
                                       const std::vector<std::string>& names) {
  const std::string lower =
      absl::AsciiStrToLower(std::string(typed.substr(0, kLongestZone)));
  std::vector<std::pair<int, std::string>> ranked;
  ranked.reserve(names.size());
  for (const std::string& name : names)
    ranked.emplace_back(!lower.empty() && absl::StartsWith(name, lower)
                            ? 0
                            : TypingDistance(lower, name),
                        name);
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> nearest;
  for (auto& [distance, name] : ranked)
    if (distance == ranked.front().first && nearest.size() < kMostZones)
      nearest.push_back(std::move(name));
  return nearest;
}

}  // namespace podsim
