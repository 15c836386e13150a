#include "host/input/cifar_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "host/input/other_file.h"
#include "host/input/shard_dataset.h"
#include "host/input/shard_format.h"

namespace podsim {
namespace {

constexpr std::size_t kCifarPixels = std::size_t{32} * 32;
constexpr std::size_t kChannels = 3;
constexpr std::size_t kImageBytes = kCifarPixels * kChannels;
constexpr char kUsual[] =
    "features=image:uint8[32,32,3]/255,labels=label:int64";

// What a key is read from: a byte at the front, or the image.
constexpr int kImage = -1;

class CifarFormat final : public ShardFormat {
 public:
  CifarFormat(int labels, std::vector<int> sources)
      : labels_(labels), sources_(std::move(sources)) {}

  std::string name() const override {
    return labels_ == 1 ? "cifar10" : "cifar100";
  }
  SplitPatterns patterns() const override { return CifarPatterns(name()); }
  // Its bytes are labels and pixels from the first on.
  Packing PackingOfFile(std::string_view) const override {
    return Packing::kPlain;
  }

  absl::Status Scan(ByteSource& source, const std::string& file,
                    ShardRecords& records) const override {
    const auto length = static_cast<std::int64_t>(RecordBytes());
    records.end = source.limit();
    if (records.end % length != 0) {
      PODSIM_ASSIGN_OR_RETURN(const std::string_view start,
                              source.Peek(kOtherFileBytes));
      PODSIM_RETURN_IF_ERROR(CheckIsNoOtherFile(start, file));
      return absl::DataLossError(absl::StrCat(
          file, ": offset ", records.end / length * length, ": ",
          records.end % length, " bytes are left where a record of ", name(),
          " has ", length, WhatElse(records.end)));
    }
    for (std::int64_t at = 0; at < records.end; at += length)
      records.offsets.push_back(at);
    return absl::OkStatus();
  }

  absl::Status Parse(std::string_view record, std::int64_t, const std::string&,
                     std::string& scratch,
                     absl::Span<RawFeature> features) const override {
    PODSIM_CHECK(record.size() == RecordBytes());
    const std::string_view planes = record.substr(RecordBytes() - kImageBytes);
    scratch.resize(kImageBytes);
    for (std::size_t pixel = 0; pixel < kCifarPixels; ++pixel)
      for (std::size_t c = 0; c < kChannels; ++c)
        scratch[pixel * kChannels + c] = planes[c * kCifarPixels + pixel];
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (sources_[i] == kImage)
        features[i] = {.kind = RawFeature::Kind::kRaw, .bytes = scratch};
      else
        features[i] = {.kind = RawFeature::Kind::kNumber,
                       .number = static_cast<unsigned char>(
                           record[static_cast<std::size_t>(sources_[i])])};
    }
    return absl::OkStatus();
  }

 private:
  // What is known as something else is no file of records that is cut.
  absl::Status CheckIsNoOtherFile(std::string_view start,
                                  const std::string& file) const {
    const OtherFile other = OtherFileOf(start, file);
    if (other.what.empty()) {
      const std::string text = OtherFileHint(start, file);
      const bool has_lines = start.find('\n') != std::string_view::npos;
      if (text.empty() || !has_lines) return absl::OkStatus();
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": it is no file of ", name(), text,
                       ": give the folder with ", patterns().train));
    }
    const std::string folder =
        absl::StrCat(" and give the folder with ", patterns().train);
    return absl::InvalidArgumentError(absl::StrCat(
        file, " is ", other.what, ": ",
        absl::StrReplaceAll(other.to_do,
                            {{std::string(kGiveAFileOfIt), folder}})));
  }

  // What a file of another length may be.
  std::string WhatElse(std::int64_t bytes) const {
    const int others = 3 - labels_;  // of the other of the two
    if (bytes % static_cast<std::int64_t>(kImageBytes + others) != 0)
      return ": fetch the file again";
    return absl::StrCat("; it is as long as a file of cifar10",
                        others == 1 ? "" : "0", ": give --dataset=cifar10",
                        others == 1 ? "" : "0");
  }

  std::size_t RecordBytes() const {
    return static_cast<std::size_t>(labels_) + kImageBytes;
  }

  const int labels_;
  const std::vector<int> sources_;  // by field of the schema
};

// The same data set as Python's pickles, whose names lack the ".bin".
absl::Status CheckIsBinary(const DatasetRequest& request, ObjectStore& store) {
  for (const char* name : {"data_batch_1", "train"})
    if (store.Stat(absl::StrCat(request.data_dir, "/", name)).ok() &&
        !store.Stat(absl::StrCat(request.data_dir, "/", name, ".bin")).ok())
      return absl::InvalidArgumentError(
          absl::StrCat(request.data_dir, " has ", name,
                       ", of the Python version of ", request.name,
                       "; give the folder of the binary version, whose files "
                       "end in .bin"));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenCifar(DatasetRequest request,
                                                         int labels,
                                                         std::int32_t classes,
                                                         ObjectStore& store) {
  if (request.data_dir.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "data set ", request.name,
        " needs the path of the folder with its .bin files, such "
        "as data/",
        labels == 1 ? "cifar-10-batches-bin" : "cifar-100-binary"));
  PODSIM_RETURN_IF_ERROR(CheckIsBinary(request, store));
  if (request.features.empty()) request.features = kUsual;
  if (request.classes <= 1) request.classes = classes;
  PODSIM_ASSIGN_OR_RETURN(Schema schema, ParseFileSchema(request.features));
  std::vector<std::string> keys = {"label"};
  if (labels == 2) keys.insert(keys.begin(), "coarse_label");
  std::vector<int> sources;
  for (const SchemaField& field : schema.fields) {
    const auto found = std::find(keys.begin(), keys.end(), field.key);
    if (field.key != "image" && found == keys.end())
      return absl::InvalidArgumentError(
          absl::StrCat("features: ", request.name, " has no feature ",
                       field.key, "; it has image, ",
                       labels == 2 ? "label and coarse_label" : "and label"));
    sources.push_back(
        field.key == "image" ? kImage : static_cast<int>(found - keys.begin()));
  }
  return OpenShards(request, std::move(schema),
                    std::make_unique<CifarFormat>(labels, std::move(sources)),
                    store);
}

}  // namespace

SplitPatterns CifarPatterns(const std::string& name) {
  if (name == "cifar10")
    return {.train = "data_batch_*.bin", .eval = "test_batch.bin"};
  return {.train = "train.bin", .eval = "test.bin"};
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenCifar10(
    const DatasetRequest& request, ObjectStore& store) {
  return OpenCifar(request, /*labels=*/1, /*classes=*/10, store);
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenCifar100(
    const DatasetRequest& request, ObjectStore& store) {
  return OpenCifar(request, /*labels=*/2, /*classes=*/100, store);
}

}  // namespace podsim
