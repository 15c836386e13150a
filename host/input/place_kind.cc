#include "host/input/place_kind.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "host/input/dataset_kinds.h"

namespace podsim {
namespace {

bool IsPackedTar(std::string_view place) {
  return place.ends_with(".tar.gz") || place.ends_with(".tgz");
}

bool IsTfRecord(std::string_view place) {
  return place.ends_with(".tfrecord") || place.ends_with(".tfrecords") ||
         place.ends_with(".tfrecord.gz") ||
         place.find(".tfrecord-") != std::string_view::npos;
}

}  // namespace

absl::Status CheckPlaceKind(const std::string& dataset,
                            const std::string& place, ObjectStore& store) {
  if (place.empty() || (dataset != "csv" && dataset != "tfrecord"))
    return absl::OkStatus();
  if (!store.Stat(place).ok()) return absl::OkStatus();
  if (const std::string of = DatasetOfPath(place);
      dataset == "tfrecord" && !of.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(place, " is a CSV file by its name, no ", dataset,
                     ": dataset=", of, " reads it"));
  if (dataset == "csv" && IsTfRecord(place))
    return absl::InvalidArgumentError(absl::StrCat(
        place, " is a TFRecord file by its name, no ", dataset,
        ": dataset=tfrecord reads it, with --features (pod_data show ", place,
        " lists its keys)"));
  if (!IsPackedTar(place)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      place, " looks like a tar archive; data set ", dataset,
      dataset == "csv" ? " reads text, an example a line"
                       : " reads TFRecord files, as pod_data convert writes",
      ": unpack it first"));
}

}  // namespace podsim
