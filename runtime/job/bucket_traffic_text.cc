#include "runtime/job/bucket_traffic_text.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/units.h"
#include "runtime/job/geography.h"
#include "runtime/job/geography_bytes.h"

namespace podsim {
namespace {

// The run's bytes out of and into a bucket.
struct Traffic {
  std::int64_t read = 0;         // examples
  std::int64_t restored = 0;     // of a checkpoint, once
  std::int64_t checkpoint = 0;   // one that is written
  std::int64_t checkpoints = 0;  // 0: not known before the run
};

Traffic TrafficOf(const BucketPlace& place, const JobGeography& geography) {
  Traffic traffic;
  if (Names(place, "data_dir")) traffic.read = geography.read_bytes();
  // What is restored lies beside the checkpoints unless restore says where.
  const bool restores = PlaceOf(geography, "restore") == nullptr
                            ? Names(place, "model_dir")
                            : Names(place, "restore");
  if (restores) traffic.restored = geography.restore_bytes();
  if (Names(place, "model_dir")) {
    traffic.checkpoint = geography.checkpoint_bytes();
    traffic.checkpoints = geography.checkpoints();
  }
  return traffic;
}

// "314.13 MiB of examples are read (44.92 MiB x 6.827 epochs, and the eval
// split)".
std::string ReadsText(const BucketPlace& place, const JobPlan& plan) {
  const double hosts = HostsOfExample(place);
  const DatasetConfig& dataset = plan.bits().dataset();
  const std::string read = absl::StrCat(
      FormatBytes(plan.geography().read_bytes()), " of examples are read");
  if (plan.spec().mode() == words::Mode::eval)
    return absl::StrCat(read, ", of the eval split");
  const auto examples = static_cast<double>(dataset.train_examples());
  const double epoch =
      examples * static_cast<double>(plan.geography().example_bytes());
  return absl::StrCat(
      read, " (", FormatBytes(static_cast<std::int64_t>(std::min(epoch, 1e18))),
      absl::StrFormat(" x %.4g epochs",
                      static_cast<double>(plan.total_examples()) / examples),
      hosts > 1 ? absl::StrFormat(" x %.3g hosts that read the same", hosts)
                : "",
      dataset.eval_examples() > 0 ? ", and the eval split)" : ")");
}

// "785.00 KiB of a host's step in 2.01 ms sim", and what that would be from a
// bucket that is where it belongs.
std::string StepText(const BucketPlace& place, const JobPlan& plan,
                     const Slice& slice) {
  const int hosts = plan.bits().hosts();
  const double bytes = HostStepBytes(place, plan.geography().example_bytes(),
                                     plan.bits().batch_per_core(), slice);
  const std::string text = absl::StrCat(
      FormatBytes(static_cast<std::int64_t>(std::min(bytes, 1e18))),
      " of a host's step in ", SpanText(bytes / ReadRate(place, hosts)),
      " sim");
  if (place.nearness() != BucketPlace::ELSEWHERE) return text;
  const std::string& region = plan.geography().region();
  BucketPlace right = PlaceIn(region, region, plan.spec());
  CopyReading(place, right);
  return absl::StrCat(text, ", ", SpanText(bytes / ReadRate(right, hosts)),
                      " from a bucket in ", region);
}

// "USD 1.25 to read" of so many bytes, or that no price says.
std::string CostText(const char* what, std::int64_t bytes, bool priced,
                     double per_gib, const std::string& currency) {
  if (!priced) return absl::StrCat("no price says what it costs ", what);
  return absl::StrFormat("%s %.4g %s", currency,
                         static_cast<double>(bytes) / kGiB * per_gib, what);
}

}  // namespace

std::string TrafficText(const BucketPlace& place, const JobPlan& plan,
                        const Slice& slice) {
  const JobGeography& geography = plan.geography();
  const Traffic traffic = TrafficOf(place, geography);
  std::vector<std::string> parts;
  if (Names(place, "data_dir"))
    parts = {ReadsText(place, plan), StepText(place, plan, slice)};
  if (traffic.restored > 0)
    parts.push_back(absl::StrCat(FormatBytes(traffic.restored),
                                 " of a checkpoint are read"));
  if (traffic.checkpoint > 0)
    parts.push_back(
        absl::StrCat(traffic.checkpoints == 0
                         ? std::string("checkpoints")
                         : FormatCounted(traffic.checkpoints, "checkpoint"),
                     " of ", FormatBytes(traffic.checkpoint), " written"));
  if (Names(place, "metrics_file") || Names(place, "tensorboard_dir"))
    parts.emplace_back("metrics are written now and then");
  if (parts.empty() || place.nearness() != BucketPlace::ELSEWHERE)
    return absl::StrJoin(parts, "; ");
  return absl::StrCat("between ", place.location(), " and ", geography.region(),
                      ": ", absl::StrJoin(parts, "; "));
}

std::string MoneyText(const BucketPlace& place, const JobGeography& geography) {
  const std::string& currency = geography.currency();
  if (currency.empty()) return "";
  const Traffic traffic = TrafficOf(place, geography);
  std::vector<std::string> parts;
  if (traffic.read + traffic.restored > 0)
    parts.push_back(CostText("to read it", traffic.read + traffic.restored,
                             place.has_read_price(), place.read_price(),
                             currency));
  if (traffic.checkpoint > 0) {
    const bool counted = traffic.checkpoints > 0;
    parts.push_back(CostText(
        counted ? "to write the checkpoints" : "to write each checkpoint",
        traffic.checkpoint * (counted ? traffic.checkpoints : 1),
        place.has_write_price(), place.write_price(), currency));
  }
  return parts.empty() ? ""
                       : absl::StrCat("at the prices given: ",
                                      absl::StrJoin(parts, ", "));
}

std::string ByteRateText(double bytes_per_second) {
  if (bytes_per_second >= 1e9)
    return absl::StrFormat("%.3g GB/s", bytes_per_second / 1e9);
  if (bytes_per_second >= 1e6)
    return absl::StrFormat("%.3g MB/s", bytes_per_second / 1e6);
  return absl::StrFormat("%.3g kB/s", bytes_per_second / 1e3);
}

}  // namespace podsim
