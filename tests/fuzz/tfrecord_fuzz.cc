// Any bytes are a file of TFRecords, read record by record, or an error of one
// line; in a record any bytes are features that lie within it, or an error; and
// whatever a feature is, writing it stays within its row.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "host/input/schema.h"
#include "host/input/tf_example.h"
#include "host/input/tfrecord.h"
#include "host/input/write_field.h"

namespace {

void CheckError(const absl::Status& status) {
  PODSIM_CHECK(absl::IsDataLoss(status));
  PODSIM_CHECK(!status.message().empty());
  PODSIM_CHECK(status.message().find('\n') == absl::string_view::npos);
}

void ReadRecord(std::string_view record) {
  static const auto& schema = *new podsim::Schema(*podsim::ParseSchema(
      "a=uint8[2,2,1]/2,b=float32[3],c=int64,d=bool[2],e=int32[2],f=uint32,"
      "g=image[4,4,3]/255+crop+flip"));
  static const auto& names =
      *new std::vector<std::string>({"a", "b", "c", "d", "e", "f", "g"});
  std::array<podsim::FeatureView, 7> found;
  const absl::Status status =
      podsim::FindFeatures(record, names, absl::MakeSpan(found));
  if (!status.ok()) return CheckError(status);
  for (std::size_t i = 0; i < found.size(); ++i) {
    PODSIM_CHECK(found[i].list.empty() ||
                 (found[i].list.data() >= record.data() &&
                  found[i].list.data() + found[i].list.size() <=
                      record.data() + record.size()));
    const podsim::SchemaField& field = schema.fields[i];
    std::vector<std::byte> row(static_cast<std::size_t>(
        field.elements() * podsim::SizeOf(field.dtype())));
    const absl::Status written = podsim::WriteField(
        field, {.example = found[i]}, {.classes = 10, .training = true}, row);
    if (!written.ok()) CheckError(written);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto end = static_cast<std::int64_t>(size);
  for (std::int64_t at = 0; at < end;) {
    const std::string_view rest = file.substr(static_cast<std::size_t>(at));
    const auto record = podsim::ParseRecordHeader(rest, at, end, "fuzz");
    if (!record.ok()) {
      CheckError(record.status());
      break;
    }
    PODSIM_CHECK(record->end() > at && record->end() <= end);
    const auto bytes = podsim::CheckRecord(
        rest.substr(0, static_cast<std::size_t>(record->end() - at)), at,
        "fuzz");
    if (bytes.ok())
      ReadRecord(*bytes);
    else
      CheckError(bytes.status());
    at = record->end();
  }
  // Checksums keep most mutations from getting that far.
  ReadRecord(file);
  return 0;
}
