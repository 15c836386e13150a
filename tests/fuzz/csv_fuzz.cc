// Any bytes are lines whose cells are numbers, or an error of one line; records
// follow each other within the file. The first line is a header, or none.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "host/input/csv_format.h"
#include "host/input/csv_schema.h"
#include "host/input/write_field.h"
#include "host/storage/storage.h"

namespace {

// A file that is no CSV at all is refused as such.
void CheckError(const absl::Status& status) {
  PODSIM_CHECK(absl::IsDataLoss(status) || absl::IsInvalidArgument(status));
  PODSIM_CHECK(status.message().find('\n') == absl::string_view::npos);
}

// `checked`: a file whose cells were looked at has none that cannot be read.
void ReadLines(const std::string& file, const std::string& line,
               const std::string& header, bool checked) {
  const auto schema = podsim::ParseSchema(line);
  PODSIM_CHECK(schema.ok());
  const auto format = podsim::NewCsvFormat(
      *schema, header,
      checked ? std::optional<std::int32_t>(10) : std::nullopt);
  if (!format.ok()) return;
  const auto store = podsim::NewMemoryStore();
  PODSIM_CHECK(store->Write("/f", file).ok());
  const auto end = static_cast<std::int64_t>(file.size());
  const auto source = podsim::OpenSource({.path = "/f", .bytes = end},
                                         podsim::Packing::kPlain, *store);
  podsim::ShardRecords records;
  const absl::Status scanned = (*format)->Scan(*source, "/f", records);
  if (!scanned.ok()) return CheckError(scanned);
  PODSIM_CHECK(records.end == end);
  const podsim::IndexedShard shard = {.offsets = records.offsets,
                                      .end = records.end};
  std::string scratch;
  std::vector<podsim::RawFeature> features(schema->fields.size());
  for (std::int64_t i = 0; i < shard.count(); ++i) {
    const std::int64_t begin = records.offsets[static_cast<std::size_t>(i)];
    PODSIM_CHECK(begin >= 0 && begin < shard.EndOf(i) && shard.EndOf(i) <= end);
    const std::string record =
        file.substr(static_cast<std::size_t>(begin),
                    static_cast<std::size_t>(shard.EndOf(i) - begin));
    const absl::Status parsed = (*format)->Parse(record, begin, "/f", scratch,
                                                 absl::MakeSpan(features));
    PODSIM_CHECK(!checked || parsed.ok());
    if (!parsed.ok()) {
      CheckError(parsed);
      continue;
    }
    for (std::size_t f = 0; f < features.size(); ++f) {
      const podsim::SchemaField& field = schema->fields[f];
      std::vector<std::byte> row(static_cast<std::size_t>(
          field.elements() * podsim::SizeOf(field.dtype())));
      const absl::Status written =
          podsim::WriteField(field, features[f], {.classes = 10}, row);
      PODSIM_CHECK(!checked || written.ok());
      if (!written.ok()) CheckError(written);
    }
  }
}

}  // namespace

namespace {

// What is guessed of a header is a schema of its columns.
void Guess(const std::string& header) {
  const auto guess = podsim::GuessCsvSchema(header, "/f");
  if (!guess.ok()) {
    PODSIM_CHECK(absl::IsInvalidArgument(guess.status()));
    PODSIM_CHECK(guess.status().message().find('\n') ==
                 absl::string_view::npos);
    return;
  }
  const auto schema = podsim::ParseSchema(guess->features);
  PODSIM_CHECK(schema.ok() && schema->fields.size() == 2);
  const std::string named = podsim::HasHeader(*schema) ? header : "";
  PODSIM_CHECK(podsim::NewCsvFormat(*schema, named, std::nullopt).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  for (const bool checked : {false, true})
    ReadLines(file, "a=0..2:uint8[3]/2,labels=1:int64,b=3:float32", "",
              checked);
  std::string header = file.substr(0, file.find('\n'));
  if (!header.empty() && header.back() == '\r') header.pop_back();
  if (!header.empty()) Guess(header);
  for (const bool checked : {false, true})
    if (!header.empty())
      ReadLines(file, "a=pixel0..pixel2:int32[3],labels=label:int64", header,
                checked);
  return 0;
}
