#include "interconnect/topology/bucket_links.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "google/protobuf/text_format.h"
#include "interconnect/topology/geography_texts.h"

namespace podsim {
namespace {

// How closely a row describes a way: sums of its two ends', and words.
constexpr int kArea = 6;
constexpr int kRegion = 4;
constexpr int kContinent = 2;
constexpr int kSameRegion = 5;
constexpr int kSameContinent = 3;
constexpr int kAnywhere = 1;

// One end of a way, by the names that it goes by.
struct End {
  std::string area;    // of a bucket in several regions
  std::string region;  // empty: anywhere in the area
  std::string continent;
};

int Closeness(const std::string& name, const End& end) {
  if (name.empty()) return 0;
  if (name == end.area) return kArea;
  if (name == end.region) return kRegion;
  return name == end.continent ? kContinent : 0;
}

bool IsOneRegion(const End& from, const End& to) {
  return !from.region.empty() && from.region == to.region;
}

// 0: the row is of another way. A row of continents says nothing of one region.
int Closeness(const std::string& from_name, const std::string& to_name,
              const End& from, const End& to) {
  const bool one_region = IsOneRegion(from, to);
  if (to_name.empty()) {
    if (from_name == "anywhere") return kAnywhere;
    if (from_name == "same-region") return one_region ? kSameRegion : 0;
    return from_name == "same-continent" && from.continent == to.continent
               ? kSameContinent
               : 0;
  }
  const int start = Closeness(from_name, from);
  const int end = Closeness(to_name, to);
  if (start == 0 || end == 0) return 0;
  const int sum = start + end;
  return one_region && sum == 2 * kContinent ? 0 : sum;
}

using FigureOf = const Figure& (BucketLink::*)() const;

// The closest row of `links` that has the figure; nullptr: none fits.
const Figure* Closest(const BucketLinks& links, FigureOf figure,
                      const End& bucket, const End& pod) {
  const Figure* best = nullptr;
  int closest = 0;
  for (const BucketLink& link : links.links()) {
    if ((link.*figure)().value() == 0) continue;
    const int here = std::max(Closeness(link.from(), link.to(), bucket, pod),
                              Closeness(link.from(), link.to(), pod, bucket));
    if (here <= closest) continue;
    closest = here;
    best = &(link.*figure)();
  }
  return best;
}

const Figure& FigureFor(const BucketLinks& asked, FigureOf figure,
                        const End& bucket, const End& pod) {
  if (const Figure* said = Closest(asked, figure, bucket, pod)) return *said;
  const Figure* shipped = Closest(ShippedLinks(), figure, bucket, pod);
  PODSIM_CHECK(shipped != nullptr);  // a row is of anywhere
  return *shipped;
}

End PodEnd(std::string_view region) {
  return {.region = std::string(region), .continent = ContinentOf(region)};
}

// Where in `bucket` the pod may read, each as an end of the way.
std::vector<End> BucketEnds(const BucketLocation& bucket,
                            std::string_view region) {
  const std::string area =
      bucket.kind == LocationKind::kRegion ? "" : bucket.name;
  if (Has(bucket, region)) {
    const bool multi = bucket.kind == LocationKind::kMultiRegion;
    return {{.area = area,
             .region = multi ? "" : std::string(region),
             .continent = ContinentOf(region)}};
  }
  std::vector<End> ends;
  for (const std::string& one : bucket.regions)
    ends.push_back({area, one, ContinentOf(one)});
  return ends;
}

std::optional<double> ClosestPrice(const BucketPrices& prices, const End& from,
                                   const End& to) {
  std::optional<double> best;
  int closest = 0;
  for (const BucketPrice& price : prices.prices()) {
    const int here = Closeness(price.from(), price.to(), from, to);
    if (here <= closest) continue;
    closest = here;
    best = price.per_gib();
  }
  return best;
}

// The end that the pod reads: of the shortest round trip, the first of them.
End NearestEnd(const BucketLocation& bucket, std::string_view region,
               const BucketLinks& asked) {
  const End pod = PodEnd(region);
  const std::vector<End> ends = BucketEnds(bucket, region);
  const auto round_trip = [&](const End& end) {
    return FigureFor(asked, &BucketLink::round_trip_seconds, end, pod).value();
  };
  return *std::min_element(ends.begin(), ends.end(),
                           [&](const End& a, const End& b) {
                             return round_trip(a) < round_trip(b);
                           });
}

}  // namespace

const BucketLinks& ShippedLinks() {
  static const BucketLinks* const kLinks = [] {
    auto* links = new BucketLinks();
    PODSIM_CHECK(
        google::protobuf::TextFormat::ParseFromString(kLinksText, links));
    PODSIM_CHECK(CheckLinks(*links).ok());
    return links;
  }();
  return *kLinks;
}

BucketLinkFigures LinkBetween(const BucketLocation& bucket,
                              std::string_view region,
                              const BucketLinks& asked) {
  const End pod = PodEnd(region);
  const End end = NearestEnd(bucket, region, asked);
  return {.region = end.region.empty() ? std::string(region) : end.region,
          .round_trip_seconds =
              FigureFor(asked, &BucketLink::round_trip_seconds, end, pod),
          .host_bytes_per_second =
              FigureFor(asked, &BucketLink::host_bytes_per_second, end, pod),
          .jitter_seconds =
              FigureFor(asked, &BucketLink::jitter_seconds, end, pod)};
}

WayPrices PricesBetween(const BucketLocation& bucket, std::string_view region,
                        const BucketPrices& prices) {
  const End pod = PodEnd(region);
  const End end = NearestEnd(bucket, region, {});
  return {.read = ClosestPrice(prices, end, pod),
          .write = ClosestPrice(prices, pod, end)};
}

}  // namespace podsim
