#include "runtime/job/geography_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/units.h"
#include "host/storage/gcs/reading.h"
#include "interconnect/topology/bucket_location.h"
#include "interconnect/topology/zones.h"
#include "runtime/job/bucket_traffic_text.h"
#include "runtime/job/geography.h"
#include "runtime/job/geography_bytes.h"
#include "runtime/job/plan_placement.h"

namespace podsim {
namespace {

// "130 ms (90 ms to 250 ms, assumed)".
std::string FigureText(const Figure& figure, std::string (*text)(double)) {
  const char* grade = figure.grade() == ASSUMED    ? "assumed"
                      : figure.grade() == UNGRADED ? "as links says"
                                                   : "published";
  return figure.low() == 0
             ? absl::StrCat(text(figure.value()), " (", grade, ")")
             : absl::StrCat(text(figure.value()), " (", text(figure.low()),
                            " to ", text(figure.high()), ", ", grade, ")");
}

std::string ZoneText(const JobGeography& geography, const Slice& slice) {
  if (geography.zone().empty())
    return absl::StrCat("no zone of the table offers ", slice.name,
                        ": where the pod is, is not known");
  const auto zone = FindZone(geography.zone());
  const std::string note = zone.ok() ? OfferNote(**zone, slice) : "";
  return absl::StrCat(
      geography.zone(),
      geography.zone_asked()
          ? ""
          : absl::StrCat(", the first that offers ", slice.name),
      note.empty() ? "" : absl::StrCat(" (", note, ")"));
}

// Zones of the bucket's regions where the slice is offered too.
std::string ZonesThere(const BucketPlace& place, const Slice& slice) {
  const auto location = FindLocation(place.location());
  if (!location.ok()) return "";
  std::vector<std::string> there;
  for (const std::string& zone : ZonesOffering(slice))
    if (Has(*location, RegionOfZone(zone))) there.push_back(zone);
  if (there.empty()) return absl::StrCat("; no zone there offers ", slice.name);
  return absl::StrCat("; ", slice.name, " is offered there too: zone=",
                      absl::StrJoin(there, ", "));
}

std::string NearnessText(const BucketPlace& place,
                         const JobGeography& geography, const Slice& slice) {
  switch (place.nearness()) {
    case BucketPlace::SAME_REGION:
      return "the pod's region";
    case BucketPlace::AROUND:
      return absl::StrCat("a ", place.kind(), " that has the pod's ",
                          geography.region(), " in it",
                          place.kind() == "multi-region"
                              ? "; objects may lie in other regions "
                                "of it"
                              : "");
    case BucketPlace::ELSEWHERE:
      return absl::StrCat("elsewhere: the pod is in ", geography.region(),
                          ZonesThere(place, slice));
    default:
      return "the pod's is not known";
  }
}

std::string PlaceText(const BucketPlace& place, const JobGeography& geography,
                      const Slice& slice) {
  const std::string named = absl::StrCat(
      place.bucket(), " (", absl::StrJoin(place.settings(), ", "), ")");
  if (!place.location().empty())
    return absl::StrCat(named, " in ", place.location(), ", as ",
                        place.said_by(),
                        " says: ", NearnessText(place, geography, slice));
  return absl::StrCat(
      named, ": where it is, is not known; say so with bucket_location",
      geography.region().empty()
          ? ""
          : absl::StrCat(". It belongs in ", geography.region()));
}

// "16 reads of 8.00 MiB".
std::string ReadsInFlightText(const BucketPlace& place) {
  const bool whole = place.reads_in_flight() == 0;
  return absl::StrCat(
      FormatCounted(whole ? kGcsReadsInFlight : place.reads_in_flight(),
                    "read"),
      " of ", FormatBytes(whole ? kGcsReadBytes : place.bytes_of_read()));
}

std::string WayText(const BucketPlace& place, int hosts) {
  const std::string way = absl::StrCat(
      "a round trip takes ", FigureText(place.round_trip_seconds(), SpanText),
      "; a host has ", FigureText(place.host_bytes_per_second(), ByteRateText),
      ", the bucket ",
      FigureText(place.bucket_bytes_per_second(), ByteRateText), " among ",
      FormatCounted(hosts, "host"));
  return Names(place, "data_dir")
             ? absl::StrCat(way, ": ", ReadsInFlightText(place),
                            " in flight bring each ",
                            ByteRateText(ReadRate(place, hosts)), " sim")
             : absl::StrCat(way, ": each writes ",
                            ByteRateText(WriteRate(place, hosts)), " sim");
}

// Of shards: a process reads ahead as one host does, whatever it plays.
std::string TogetherText(const BucketPlace& place, int hosts, int together) {
  if (!Names(place, "data_dir") || place.reads_in_flight() == 0) return "";
  const double each = ReadRate(place, hosts, together);
  if (each >= ReadRate(place, hosts)) return "";
  return absl::StrCat("; a process has these reads in flight for the ",
                      FormatCounted(together, "host"),
                      " it plays, so that here they bring each at most ",
                      ByteRateText(each), " sim: more processes wait less");
}

std::string WaitText(const BucketPlace& place, int hosts, int together) {
  return absl::StrCat(
      "simulate_geography: the run itself waits that long, wall; its round "
      "trips take up to ",
      FigureText(place.jitter_seconds(), SpanText), " more or less",
      TogetherText(place, hosts, together));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> GeographyText(
    const JobPlan& plan, const Slice& slice) {
  const JobGeography& geography = plan.geography();
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("zone", ZoneText(geography, slice));
  for (const BucketPlace& place : geography.buckets()) {
    lines.emplace_back("bucket", PlaceText(place, geography, slice));
    if (!HasLink(place)) continue;
    lines.emplace_back("", WayText(place, slice.hosts));
    if (plan.spec().simulate_geography())
      lines.emplace_back(
          "", WaitText(place, slice.hosts,
                       MostHostsOfProcess(plan.spec(), slice.hosts)));
    for (const std::string& text :
         {TrafficText(place, plan, slice), MoneyText(place, geography)})
      if (!text.empty()) lines.emplace_back("", text);
  }
  return lines;
}

}  // namespace podsim
