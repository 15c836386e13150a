#include "runtime/job/geography.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/storage/uri_store.h"
#include "interconnect/topology/bucket_links.h"
#include "interconnect/topology/bucket_location.h"
#include "interconnect/topology/zones.h"
#include "job/plan_warning.h"
#include "runtime/job/geography_bytes.h"

namespace podsim {
namespace {

struct NamedPath {
  const char* setting;
  const std::string& path;
};

std::array<NamedPath, 6> PathsOf(const JobSpec& spec) {
  return {{{"data_dir", spec.data_dir()},
           {"model_dir", spec.model_dir()},
           {"restore", spec.restore()},
           {"model_file", spec.model_file()},
           {"metrics_file", spec.metrics_file()},
           {"tensorboard_dir", spec.tensorboard_dir()}}};
}

absl::Status NeedsBucket(const char* setting) {
  return absl::InvalidArgumentError(absl::StrCat(
      setting,
      " is about a bucket, and none of data_dir, model_dir, restore, "
      "model_file, metrics_file and tensorboard_dir names one: a plain path is "
      "on this machine; leave ",
      setting, " out, or give --model_dir=gs://BUCKET/DIR"));
}

// "/data/x" of "/data/x/train-*" and of "/data/x/".
std::string FolderOf(std::string_view path) {
  const std::size_t pattern = path.find_first_of("*?[");
  if (pattern != std::string_view::npos)
    path = path.substr(0, path.rfind('/', pattern) + 1);
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path.empty() ? "." : std::string(path);
}

// What has a place of what is named; empty: nothing. The launcher's lines on
// this machine are nowhere else.
std::string PlaceNameOf(const NamedPath& named, const JobSpec& spec) {
  const std::string& path = named.path;
  if (path.empty()) return "";
  const std::string bucket = BucketOf(path);
  const bool stands_for_one = spec.simulate_geography() &&
                              &path != &spec.metrics_file() &&
                              &path != &spec.tensorboard_dir();
  return bucket.empty() && stands_for_one ? FolderOf(path) : bucket;
}

absl::Status CheckWithoutBucket(const JobSpec& spec) {
  if (spec.simulate_geography())
    return absl::InvalidArgumentError(
        "simulate_geography is about what is read and written, and the job "
        "names none of data_dir, model_dir, restore and model_file; give "
        "--model_dir=DIR, or leave it out");
  if (spec.has_bucket_location()) return NeedsBucket("bucket_location");
  if (spec.require_same_region()) return NeedsBucket("require_same_region");
  if (spec.has_links()) return NeedsBucket("links");
  return spec.has_prices() ? NeedsBucket("prices") : absl::OkStatus();
}

// The zone that was asked for, else the first; neither: the slice is offered
// nowhere.
absl::Status FillZone(const JobSpec& spec, const Slice& slice,
                      JobGeography& geography) {
  if (spec.has_zone()) {
    PODSIM_ASSIGN_OR_RETURN(const Zone* const zone, FindZone(spec.zone()));
    PODSIM_RETURN_IF_ERROR(Annotate(CheckOffers(*zone, slice), "zone"));
    geography.set_zone(zone->name());
    geography.set_zone_asked(true);
  } else if (const auto zones = ZonesOffering(slice); !zones.empty()) {
    geography.set_zone(zones.front());
  }
  if (!geography.zone().empty())
    geography.set_region(RegionOfZone(geography.zone()));
  return absl::OkStatus();
}

void SetLocation(const BucketLocation& location, const char* said_by,
                 BucketPlace& place) {
  place.set_location(location.name);
  place.set_kind(NameOf(location.kind));
  place.set_said_by(said_by);
}

// What is stated must be what the store says, where it says anything.
absl::Status FillLocation(const JobSpec& spec, const std::string* asked,
                          BucketPlace& place, JobPlan& plan) {
  absl::StatusOr<BucketLocation> store = absl::NotFoundError("not asked");
  if (asked != nullptr) {
    store = FindLocation(*asked);
    if (!store.ok())
      plan.add_notes(absl::StrCat(
          "the store says that ", place.bucket(), " is in '",
          PrintableLine(asked->substr(0, 60)),
          "', which the table of places has not: taken as not known"));
  }
  if (!spec.has_bucket_location()) {
    if (store.ok()) SetLocation(*store, "the store", place);
    return absl::OkStatus();
  }
  PODSIM_ASSIGN_OR_RETURN(const BucketLocation stated,
                          FindLocation(spec.bucket_location()));
  if (store.ok() && store->name != stated.name)
    return absl::InvalidArgumentError(absl::StrCat(
        "bucket_location is ", stated.name, ", but the store says that ",
        place.bucket(), " is in ", store->name, ": leave bucket_location out"));
  SetLocation(stated, "bucket_location", place);
  return absl::OkStatus();
}

void FillWay(const JobSpec& spec, const std::string& region,
             BucketPlace& place) {
  const auto location = FindLocation(place.location());
  PODSIM_CHECK(location.ok());
  const bool single = location->kind == LocationKind::kRegion;
  place.set_nearness(!Has(*location, region) ? BucketPlace::ELSEWHERE
                     : single                ? BucketPlace::SAME_REGION
                                             : BucketPlace::AROUND);
  const BucketLinkFigures link = LinkBetween(*location, region, spec.links());
  *place.mutable_round_trip_seconds() = link.round_trip_seconds;
  *place.mutable_host_bytes_per_second() = link.host_bytes_per_second;
  *place.mutable_jitter_seconds() = link.jitter_seconds;
  *place.mutable_bucket_bytes_per_second() =
      location->kind == LocationKind::kMultiRegion
          ? ShippedWorld().multi_region_bytes_per_second()
          : ShippedWorld().region_bytes_per_second();
  const WayPrices prices = PricesBetween(*location, region, spec.prices());
  if (prices.read) place.set_read_price(*prices.read);
  if (prices.write) place.set_write_price(*prices.write);
}

absl::Status FillBuckets(const JobSpec& spec,
                         const std::map<std::string, std::string>& asked,
                         JobGeography& geography, JobPlan& plan) {
  for (const std::string& bucket : BucketsOf(spec)) {
    BucketPlace& place = *geography.add_buckets();
    place.set_bucket(bucket);
    for (const NamedPath& named : PathsOf(spec))
      if (PlaceNameOf(named, spec) == bucket) place.add_settings(named.setting);
    const auto said = asked.find(bucket);
    PODSIM_RETURN_IF_ERROR(FillLocation(
        spec, said == asked.end() ? nullptr : &said->second, place, plan));
    if (!place.location().empty() && !geography.region().empty())
      FillWay(spec, geography.region(), place);
  }
  return absl::OkStatus();
}

// Plain shards that readers cannot keep are read record by record, where an
// epoch is a permutation of all of them. Where each has a file of its own there
// is no other way.
void WarnOfSmallReads(JobPlan& plan) {
  const BucketPlace* const place = PlaceOf(plan.geography(), "data_dir");
  const DatasetConfig& dataset = plan.bits().dataset();
  if (place == nullptr || place->reads_in_flight() == 0 ||
      place->bytes_of_read() != plan.geography().example_bytes() ||
      dataset.shards() == 0)
    return;
  AddWarning(
      absl::StrCat("records are read one by one from ", place->bucket()),
      absl::StrCat("each host reads ",
                   FormatCount(plan.bits().batch_per_core() *
                               plan.bits().cores_per_host()),
                   " records a step one by one from ", place->bucket(), ": ",
                   place->reads_in_flight(),
                   " at a time, as the shards are larger than what readers "
                   "keep and are shuffled as a whole; give a shuffle_window, "
                   "so that they are read from front to back, or raise "
                   "input_memory"),
      plan);
}

void WarnOfBuckets(JobPlan& plan) {
  const JobGeography& geography = plan.geography();
  for (const BucketPlace& place : geography.buckets())
    if (place.nearness() == BucketPlace::ELSEWHERE)
      AddWarning(
          absl::StrCat(place.bucket(), " in ", place.location(),
                       ", outside the pod's region"),
          absl::StrCat(
              place.bucket(), " is in ", place.location(), ", the pod in ",
              geography.region(),
              ": data and checkpoints belong in a bucket of the pod's region"),
          plan);
}

// Why it is not known how far it is to `place`, which `setting` asks for;
// empty: it is.
std::string WhatIsNotKnown(const char* setting, const BucketPlace& place,
                           const JobGeography& geography, const Slice& slice) {
  if (geography.region().empty())
    return absl::StrCat(setting, ": no zone offers ", slice.name,
                        ", so that its region is not known; leave ", setting,
                        " out");
  return place.location().empty()
             ? absl::StrCat(setting, ": it is not known where ", place.bucket(),
                            " is; say so with bucket_location, such as "
                            "--bucket_location=",
                            geography.region())
             : "";
}

absl::Status CheckSameRegion(const JobGeography& geography,
                             const Slice& slice) {
  for (const BucketPlace& place : geography.buckets()) {
    if (place.nearness() == BucketPlace::SAME_REGION ||
        place.nearness() == BucketPlace::AROUND)
      continue;
    std::string why =
        WhatIsNotKnown("require_same_region", place, geography, slice);
    if (why.empty())
      why = absl::StrCat("require_same_region: ", place.bucket(), " is in ",
                         place.location(), ", the pod in ", geography.zone(),
                         "; make a bucket in ", geography.region(),
                         " and copy what it needs");
    return absl::InvalidArgumentError(why);
  }
  return absl::OkStatus();
}

absl::Status CheckDistances(const JobGeography& geography, const Slice& slice) {
  for (const BucketPlace& place : geography.buckets()) {
    const std::string why =
        WhatIsNotKnown("simulate_geography", place, geography, slice);
    if (!why.empty()) return absl::InvalidArgumentError(why);
  }
  return absl::OkStatus();
}

}  // namespace

std::string BucketOf(std::string_view uri) {
  const std::string scheme = SchemeOf(uri);
  if (scheme.empty()) return "";
  std::string_view rest = uri.substr(scheme.size() + 1);  // "//bucket/x"
  rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
  return absl::StrCat(scheme, "://",
                      std::string(rest.substr(0, rest.find('/'))));
}

std::vector<std::string> BucketsOf(const JobSpec& spec) {
  std::vector<std::string> buckets;
  for (const NamedPath& named : PathsOf(spec)) {
    std::string bucket = PlaceNameOf(named, spec);
    if (!bucket.empty() &&
        std::find(buckets.begin(), buckets.end(), bucket) == buckets.end())
      buckets.push_back(std::move(bucket));
  }
  return buckets;
}

absl::Status CheckGeographySettings(const JobSpec& spec) {
  if (spec.has_zone())
    PODSIM_RETURN_IF_ERROR(Annotate(FindZone(spec.zone()).status(), "zone"));
  if (spec.has_bucket_location())
    PODSIM_RETURN_IF_ERROR(Annotate(
        FindLocation(spec.bucket_location()).status(), "bucket_location"));
  if (spec.has_links())
    PODSIM_RETURN_IF_ERROR(Annotate(CheckLinks(spec.links()), "links"));
  return spec.has_prices() ? Annotate(CheckPrices(spec.prices()), "prices")
                           : absl::OkStatus();
}

absl::Status FillGeography(const JobSpec& spec, const Slice& slice,
                           const std::map<std::string, std::string>& asked,
                           JobPlan& plan) {
  const bool has_bucket = !BucketsOf(spec).empty();
  if (!has_bucket) PODSIM_RETURN_IF_ERROR(CheckWithoutBucket(spec));
  if (!has_bucket && !spec.has_zone()) return absl::OkStatus();
  JobGeography geography;
  PODSIM_RETURN_IF_ERROR(FillZone(spec, slice, geography));
  PODSIM_RETURN_IF_ERROR(FillBuckets(spec, asked, geography, plan));
  if (spec.require_same_region())
    PODSIM_RETURN_IF_ERROR(CheckSameRegion(geography, slice));
  if (spec.simulate_geography())
    PODSIM_RETURN_IF_ERROR(CheckDistances(geography, slice));
  FillGeographyBytes(spec, plan, geography);
  if (spec.has_prices()) geography.set_currency(spec.prices().currency());
  *plan.mutable_geography() = std::move(geography);
  WarnOfBuckets(plan);
  WarnOfSmallReads(plan);
  return absl::OkStatus();
}

const BucketPlace* PlaceOf(const JobGeography& geography,
                           std::string_view setting) {
  for (const BucketPlace& place : geography.buckets())
    if (Names(place, setting)) return &place;
  return nullptr;
}

bool Names(const BucketPlace& place, std::string_view setting) {
  return std::find(place.settings().begin(), place.settings().end(), setting) !=
         place.settings().end();
}

BucketPlace PlaceIn(const std::string& location, const std::string& region,
                    const JobSpec& spec) {
  BucketPlace place;
  place.set_location(location);
  FillWay(spec, region, place);
  return place;
}

bool HasLink(const BucketPlace& place) {
  return place.has_host_bytes_per_second();
}

}  // namespace podsim
