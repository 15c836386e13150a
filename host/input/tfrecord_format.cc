#include "host/input/tfrecord_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "host/input/byte_source.h"
#include "host/input/other_file.h"
#include "host/input/shard_dataset.h"
#include "host/input/shard_files.h"
#include "host/input/tf_example.h"
#include "host/input/tfrecord.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

constexpr std::size_t kMostKeysNamed = 12;
// Names the keys that are like the one that the record lacks, and some of all.
absl::Status Absent(const std::string& key, std::string_view example,
                    const std::string& where) {
  std::vector<std::string> names;
  PODSIM_RETURN_IF_ERROR(
      ForEachFeature(example, [&](std::string_view name, const FeatureView&) {
        names.emplace_back(name);
      }));
  std::sort(names.begin(), names.end());
  const std::vector<std::string> near = NearestNames(key, names);
  const bool more = names.size() > kMostKeysNamed;
  if (more) names.resize(kMostKeysNamed);
  return absl::DataLossError(PrintableLine(absl::StrCat(
      where, ": feature ", key, ": the record has none of that name; ",
      near.empty()
          ? ""
          : absl::StrCat("did you mean ", absl::StrJoin(near, " or "), "? "),
      "it has ", names.empty() ? "none at all" : absl::StrJoin(names, ", "),
      more ? " ..." : "")));
}

class TfRecordFormat final : public ShardFormat {
 public:
  explicit TfRecordFormat(const Schema& schema) {
    for (const SchemaField& field : schema.fields) keys_.push_back(field.key);
  }

  std::string name() const override { return "tfrecord"; }

  // A plain file's length may begin as packed data do, its checksum tells.
  Packing PackingOfFile(std::string_view start) const override {
    const bool header =
        start.size() >= kRecordHeader &&
        ParseRecordHeader(start, 0, kMostRecordBytes * 2, "").ok();
    return header ? Packing::kPlain : PackingOf(start);
  }

  absl::Status Scan(ByteSource& source, const std::string& file,
                    ShardRecords& records) const override {
    PODSIM_ASSIGN_OR_RETURN(const std::string_view start,
                            source.Peek(kOtherFileBytes));
    PODSIM_RETURN_IF_ERROR(CheckIsTfRecord(start, file));
    for (;;) {
      PODSIM_ASSIGN_OR_RETURN(const std::string_view header,
                              source.Peek(kRecordHeader));
      records.end = source.offset();
      if (header.empty()) return absl::OkStatus();
      PODSIM_ASSIGN_OR_RETURN(
          const RecordAt record,
          ParseRecordHeader(header, source.offset(), source.limit(), file));
      records.offsets.push_back(records.end);
      PODSIM_RETURN_IF_ERROR(source.Skip(record.end() - records.end));
      if (source.offset() != record.end())
        return absl::DataLossError(absl::StrCat(
            file, ": offset ", records.end,
            ": the file is cut short: a record of ", record.length,
            " bytes would end at ", record.end(), ", the unpacked file at ",
            source.offset(), "; fetch or write it again"));
    }
  }

  absl::Status Parse(std::string_view record, std::int64_t offset,
                     const std::string& file, std::string&,
                     absl::Span<RawFeature> features) const override {
    PODSIM_ASSIGN_OR_RETURN(const std::string_view example,
                            CheckRecord(record, offset, file));
    thread_local std::vector<FeatureView> found;
    found.resize(keys_.size());
    PODSIM_RETURN_IF_ERROR(
        Annotate(FindFeatures(example, keys_, absl::MakeSpan(found)),
                 absl::StrCat(file, ": offset ", offset)));
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].kind == FeatureKind::kAbsent)
        return Absent(keys_[i], example,
                      absl::StrCat(file, ": offset ", offset));
    for (std::size_t i = 0; i < found.size(); ++i)
      features[i] = {.kind = RawFeature::Kind::kExample, .example = found[i]};
    return absl::OkStatus();
  }

 private:
  std::vector<std::string> keys_;
};

}  // namespace

absl::Status CheckIsTfRecord(std::string_view start, const std::string& file) {
  const auto header = start.substr(0, static_cast<std::size_t>(kRecordHeader));
  if (start.empty() ||
      ParseRecordHeader(header, 0, kMostRecordBytes * 2, file).ok())
    return absl::OkStatus();
  const std::string hint = OtherFileHint(start, file);
  if (hint.empty()) return absl::OkStatus();
  if (!OtherFileOf(start, file).what.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": it is no TFRecord file", hint));
  // A few bytes may be what is left of a record.
  if (start.size() < static_cast<std::size_t>(kRecordHeader) &&
      start.find('\n') == start.npos)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(file, ": offset 0: it is no TFRecord file", hint,
                   ": --dataset=csv reads lines of numbers with commas"));
}

std::unique_ptr<const ShardFormat> NewTfRecordFormat(const Schema& schema) {
  return std::make_unique<TfRecordFormat>(schema);
}

namespace {

// Of a data set without a schema: files that are not there, or are no
// TFRecords, are what is wrong first.
absl::Status CheckHoldsTfRecords(const std::string& data_dir,
                                 ObjectStore& store) {
  PODSIM_ASSIGN_OR_RETURN(const SplitFiles files, FindShards(data_dir, store));
  const ShardFile& first = files.train.front();
  PODSIM_ASSIGN_OR_RETURN(
      const std::string begin,
      store.ReadRange(first.path, 0,
                      static_cast<std::int64_t>(kOtherFileBytes)));
  const auto source = OpenSource(
      first, NewTfRecordFormat(Schema())->PackingOfFile(begin), store);
  PODSIM_ASSIGN_OR_RETURN(const std::string_view start,
                          source->Peek(kOtherFileBytes));
  return CheckIsTfRecord(start, first.path);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenTfRecord(
    const DatasetRequest& request, ObjectStore& store) {
  if (request.data_dir.empty())
    return absl::InvalidArgumentError(
        "data set tfrecord needs the path of its shards, a folder or "
        "DIR/train-*, such as data/shards");
  if (request.features.empty()) {
    PODSIM_RETURN_IF_ERROR(CheckHoldsTfRecords(request.data_dir, store));
    return absl::InvalidArgumentError(absl::StrCat(
        request.data_dir,
        ": TFRecords need --features, what they hold, such as "
        "--features='features=image_raw:uint8[28,28]/255,labels="
        "label:int64'; pod_data show ",
        request.data_dir, " lists their keys and a line to begin with"));
  }
  PODSIM_ASSIGN_OR_RETURN(Schema schema, ParseFileSchema(request.features));
  auto format = NewTfRecordFormat(schema);
  return OpenShards(request, std::move(schema), std::move(format), store);
}

}  // namespace podsim
