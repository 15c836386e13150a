#include "interconnect/topology/bucket_location.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "interconnect/topology/zones.h"

namespace podsim {
namespace {

constexpr std::size_t kLongestText = 60;

absl::Status Unknown(std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "no bucket can be in '",
      PrintableLine(std::string(text.substr(0, kLongestText))),
      text.size() > kLongestText ? "..." : "",
      "'; nearest: ", absl::StrJoin(NearestPlaces(text, LocationNames()), ", "),
      "; a region (europe-west4), a dual-region (nam4, eur4, asia1, or two "
      "regions: us-central1+us-west1) or a multi-region (us, eu, asia)"));
}

// "us-central1+us-west1".
absl::StatusOr<BucketLocation> PairOf(const std::string& name,
                                      std::size_t plus) {
  BucketLocation pair = {
      .name = name,
      .kind = LocationKind::kDualRegion,
      .regions = {name.substr(0, plus), name.substr(plus + 1)}};
  for (const std::string& region : pair.regions)
    if (ContinentOf(region).empty()) return Unknown(region);
  if (pair.regions[0] == pair.regions[1])
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is one region twice: say ", pair.regions[0]));
  return pair;
}

}  // namespace

std::vector<std::string> LocationNames() {
  std::vector<std::string> names;
  for (const BucketArea& area : ShippedWorld().areas())
    names.push_back(area.name());
  for (const Region& region : ShippedWorld().regions())
    names.push_back(region.name());
  return names;
}

const char* NameOf(LocationKind kind) {
  if (kind == LocationKind::kRegion) return "region";
  return kind == LocationKind::kDualRegion ? "dual-region" : "multi-region";
}

absl::StatusOr<BucketLocation> FindLocation(std::string_view text) {
  const std::string name = absl::AsciiStrToLower(std::string(text));
  if (!ContinentOf(name).empty())
    return BucketLocation{.name = name, .regions = {name}};
  for (const BucketArea& area : ShippedWorld().areas())
    if (name == area.name())
      return BucketLocation{
          .name = name,
          .kind = area.dual() ? LocationKind::kDualRegion
                              : LocationKind::kMultiRegion,
          .regions = {area.regions().begin(), area.regions().end()}};
  const std::size_t plus = name.find('+');
  if (plus != std::string::npos) return PairOf(name, plus);
  return Unknown(text);
}

bool Has(const BucketLocation& location, std::string_view region) {
  return std::find(location.regions.begin(), location.regions.end(), region) !=
         location.regions.end();
}

std::string ContinentOf(std::string_view region) {
  for (const Region& one : ShippedWorld().regions())
    if (one.name() == region) return one.continent();
  return "";
}

}  // namespace podsim
