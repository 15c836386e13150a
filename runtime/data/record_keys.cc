#include "runtime/data/record_keys.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/image_file.h"
#include "host/input/other_file.h"
#include "host/input/tfrecord.h"
#include "host/input/tfrecord_format.h"

namespace podsim {
namespace {

constexpr std::int32_t kUsualImage = 224;  // pixels a side

void Widen(Extent& extent, std::int64_t value, bool first) {
  extent.least = first ? value : std::min(extent.least, value);
  extent.most = first ? value : std::max(extent.most, value);
}

absl::Status AddInts(std::string_view list, std::int64_t count, bool first,
                     RecordKey& key) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  PODSIM_RETURN_IF_ERROR(ReadInts(list, absl::MakeSpan(values)).status());
  for (const std::int64_t value : values) {
    Widen(key.numbers, value, first);
    first = false;
  }
  return absl::OkStatus();
}

void AddString(std::string_view bytes, bool first, RecordKey& key) {
  Widen(key.lengths, static_cast<std::int64_t>(bytes.size()), first);
  Pixels pixels;
  const std::string image = !DecodeImage(bytes, 3, pixels).ok() ? ""
                            : bytes[0] == '\x89'                ? "PNG"
                                                                : "JPEG";
  if (first) key.image = image;
  if (image != key.image) key.image.clear();
  if (key.image.empty()) return;
  Widen(key.rows, pixels.rows, first);
  Widen(key.columns, pixels.columns, first);
}

absl::Status AddFeature(const FeatureView& feature, RecordKey& key) {
  const bool first = key.records++ == 0;
  key.kind = feature.kind;
  absl::StatusOr<std::int64_t> count = 0;
  std::string_view bytes;
  if (feature.kind == FeatureKind::kFloats) {
    count = ReadFloats(feature.list, {});
  } else if (feature.kind == FeatureKind::kInts) {
    count = ReadInts(feature.list, {});
  } else if (feature.kind == FeatureKind::kBytes) {
    count = ReadBytes(feature.list, absl::MakeSpan(&bytes, 1));
  }
  PODSIM_RETURN_IF_ERROR(count.status());
  Widen(key.values, *count, first);
  if (feature.kind == FeatureKind::kInts)
    return AddInts(feature.list, *count, first, key);
  if (feature.kind == FeatureKind::kBytes && *count > 0)
    AddString(bytes, first, key);
  return absl::OkStatus();
}

using KeysByName = std::map<std::string, RecordKey>;

absl::Status AddRecord(std::string_view record, KeysByName& keys) {
  absl::Status result;
  PODSIM_RETURN_IF_ERROR(ForEachFeature(
      record, [&](std::string_view name, const FeatureView& feature) {
        RecordKey& key = keys[std::string(name)];
        key.name = name;
        result.Update(AddFeature(feature, key));
      }));
  return result;
}

// Returns how many records were read.
absl::StatusOr<std::int64_t> ReadFile(const ShardFile& file, std::int64_t most,
                                      ObjectStore& store, KeysByName& keys) {
  PODSIM_ASSIGN_OR_RETURN(const std::string start,
                          store.ReadRange(file.path, 0, 16));
  const auto source = OpenSource(
      file, NewTfRecordFormat(Schema())->PackingOfFile(start), store);
  PODSIM_ASSIGN_OR_RETURN(const std::string_view begin,
                          source->Peek(kOtherFileBytes));
  PODSIM_RETURN_IF_ERROR(CheckIsTfRecord(begin, file.path));
  std::int64_t records = 0;
  for (; records < most; ++records) {
    PODSIM_ASSIGN_OR_RETURN(const std::string_view header,
                            source->Peek(kRecordHeader));
    if (header.empty()) break;
    const std::int64_t offset = source->offset();
    PODSIM_ASSIGN_OR_RETURN(
        const RecordAt at,
        ParseRecordHeader(header, offset, source->limit(), file.path));
    PODSIM_ASSIGN_OR_RETURN(
        const std::string_view bytes,
        source->Peek(static_cast<std::size_t>(at.end() - offset)));
    PODSIM_ASSIGN_OR_RETURN(const std::string_view record,
                            CheckRecord(bytes, offset, file.path));
    PODSIM_RETURN_IF_ERROR(Annotate(
        AddRecord(record, keys), absl::StrCat(file.path, ": offset ", offset)));
    PODSIM_RETURN_IF_ERROR(source->Skip(at.end() - offset));
  }
  return records;
}

std::string ExtentText(const Extent& extent) {
  if (extent.one()) return FormatCount(extent.least);
  return absl::StrCat(FormatCount(extent.least), " to ",
                      FormatCount(extent.most));
}

std::string KindText(const RecordKey& key) {
  if (key.kind == FeatureKind::kFloats) return "float";
  if (key.kind == FeatureKind::kInts)
    return absl::StrCat("int64, values ", ExtentText(key.numbers));
  if (key.kind != FeatureKind::kBytes) return "empty";
  if (key.image.empty())
    return absl::StrCat("bytes, a string of ", ExtentText(key.lengths));
  return absl::StrCat("bytes, ", key.image, " images of ", ExtentText(key.rows),
                      " x ", ExtentText(key.columns), " pixels");
}

bool IsFixed(const RecordKey& key, std::int64_t records) {
  return key.records == records && key.values.one() && key.values.least > 0;
}

// How good a key is for "features"; 0: it cannot be.
std::int64_t FeaturesRank(const RecordKey& key) {
  constexpr std::int64_t kImageRank = std::int64_t{1} << 62;
  constexpr std::int64_t kFloatRank = std::int64_t{1} << 61;
  if (!key.image.empty() && key.values.least == 1) return kImageRank;
  if (key.kind == FeatureKind::kFloats) return kFloatRank + key.values.least;
  if (key.kind == FeatureKind::kInts)
    return key.values.least > 1 ? key.values.least : 0;
  return key.values.least == 1 && key.lengths.one() ? key.lengths.least : 0;
}

// Likewise for "labels".
std::int64_t LabelsRank(const RecordKey& key) {
  if (key.kind != FeatureKind::kInts || key.values.least != 1 ||
      key.numbers.least < 0)
    return 0;
  const std::string name = absl::AsciiStrToLower(key.name);
  if (name == "label" || name == "labels") return 3;
  return absl::StrContains(name, "label") || absl::StrContains(name, "class")
             ? 2
             : 1;
}

const RecordKey* BestKey(const RecordKeys& keys,
                         std::int64_t (*rank)(const RecordKey&)) {
  const RecordKey* best = nullptr;
  for (const RecordKey& key : keys.keys)
    if (IsFixed(key, keys.records) && rank(key) > 0 &&
        (best == nullptr || rank(key) > rank(*best)))
      best = &key;
  return best;
}

std::string FeaturesItem(const RecordKey& key) {
  if (!key.image.empty()) {
    const bool equal = key.rows.one() && key.columns.one();
    return absl::StrCat("image[", equal ? key.rows.least : kUsualImage, ",",
                        equal ? key.columns.least : kUsualImage, ",3]/255");
  }
  if (key.kind == FeatureKind::kBytes)
    return absl::StrCat("uint8[", key.lengths.least, "]/255");
  return absl::StrCat(key.kind == FeatureKind::kFloats ? "float32[" : "int64[",
                      key.values.least, "]");
}

}  // namespace

absl::StatusOr<RecordKeys> ReadRecordKeys(const std::vector<ShardFile>& files,
                                          std::int64_t most,
                                          ObjectStore& store) {
  KeysByName by_name;
  RecordKeys keys;
  for (const ShardFile& file : files) {
    PODSIM_ASSIGN_OR_RETURN(keys.records, ReadFile(file, most, store, by_name));
    if (keys.records > 0) break;
  }
  for (auto& [name, key] : by_name) keys.keys.push_back(std::move(key));
  return keys;
}

std::string KeysText(const RecordKeys& keys) {
  std::string text;
  for (const RecordKey& key : keys.keys) {
    absl::StrAppend(
        &text, "key ", PrintableLine(key.name), ": ", ExtentText(key.values),
        key.values.most == 1 ? " value of " : " values of ", KindText(key));
    if (key.records < keys.records)
      absl::StrAppend(&text, "; only in ", key.records, " of them");
    text += '\n';
  }
  return text;
}

std::string GuessFeatures(const RecordKeys& keys) {
  const RecordKey* const features = BestKey(keys, FeaturesRank);
  const RecordKey* const labels = BestKey(keys, LabelsRank);
  if (features == nullptr || labels == nullptr) return "";
  return absl::StrCat("features=", features->name, ":", FeaturesItem(*features),
                      ",labels=", labels->name, ":int64");
}

}  // namespace podsim
