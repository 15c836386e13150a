#include "host/input/place_kind.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "host/input/dataset_kinds.h"
#include "host/storage/file_kind.h"

namespace podsim {
namespace {

constexpr std::int64_t kLookedAt = 512;

// A record's length of less than 4 GiB has zeros there, no other kind of file.
bool MayBeRecords(std::string_view bytes) {
  return bytes.size() < 8 ||
         bytes.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

bool IsTar(std::string_view place) {
  return place.ends_with(".tar.gz") || place.ends_with(".tgz");
}

// "a tar archive"; empty: it may be what the data set reads.
std::string OtherKindAt(const std::string& dataset, std::string_view place,
                        std::string_view bytes) {
  if (IsTar(place)) return "a tar archive";
  if (bytes.starts_with("\x1f\x8b")) return "";  // both are read compressed
  if (dataset == "csv") return BinaryKind(bytes);
  return MayBeRecords(bytes) ? "" : FileKind(place, bytes);
}

}  // namespace

absl::Status CheckPlaceKind(const std::string& dataset,
                            const std::string& place, ObjectStore& store) {
  if (place.empty() || (dataset != "csv" && dataset != "tfrecord"))
    return absl::OkStatus();
  const auto stat = store.Stat(place);
  if (!stat.ok()) return absl::OkStatus();
  if (const std::string of = DatasetOfPath(place);
      dataset == "tfrecord" && !of.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(place, " is a CSV file by its name, no ", dataset,
                     ": dataset=", of, " reads it"));
  const auto bytes =
      store.ReadRange(place, 0, std::min(kLookedAt, stat->bytes));
  if (!bytes.ok()) return absl::OkStatus();  // whoever reads it says why
  const std::string kind = OtherKindAt(dataset, place, *bytes);
  if (kind.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      place, " looks like ", kind, "; data set ", dataset,
      dataset == "csv" ? " reads text, an example a line"
                       : " reads TFRecord files, as pod_data convert writes",
      kind == "a tar archive" ? ": unpack it first" : ": give such a file"));
}

}  // namespace podsim
