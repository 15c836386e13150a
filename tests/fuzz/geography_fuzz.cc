// Any text is a table of links, one of prices, a place of a bucket and a zone,
// or an error in one line; what is a table says something of every way.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "interconnect/topology/bucket_links.h"
#include "interconnect/topology/bucket_location.h"
#include "interconnect/topology/zones.h"
#include "runtime/files/geography_file.h"

namespace {

void CheckError(const absl::Status& status, bool named) {
  PODSIM_CHECK(absl::IsInvalidArgument(status));
  PODSIM_CHECK(status.message().find('\n') == absl::string_view::npos);
  if (named) PODSIM_CHECK(status.message().find("fuzz") == 0);
}

void TryWays(const podsim::BucketLinks& links) {
  for (const char* place : {"us-central1", "eur4", "us", "africa-south1"}) {
    const auto location = podsim::FindLocation(place);
    PODSIM_CHECK(location.ok());
    const podsim::BucketLinkFigures link =
        podsim::LinkBetween(*location, "europe-west4", links);
    PODSIM_CHECK(link.round_trip_seconds.value() > 0);
    PODSIM_CHECK(link.host_bytes_per_second.value() >= 1e6);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto links = podsim::ParseLinks(text, "fuzz");
  if (links.ok())
    TryWays(*links);
  else
    CheckError(links.status(), /*named=*/true);
  const auto prices = podsim::ParsePrices(text, "fuzz");
  if (!prices.ok()) CheckError(prices.status(), /*named=*/true);
  const auto location = podsim::FindLocation(text);
  if (location.ok())
    PODSIM_CHECK(!location->regions.empty());
  else
    CheckError(location.status(), /*named=*/false);
  const auto zone = podsim::FindZone(text);
  if (!zone.ok()) CheckError(zone.status(), /*named=*/false);
  return 0;
}
