#include "host/input/images.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/block_cache.h"
#include "host/input/image_file.h"
#include "host/input/image_folders.h"
#include "host/input/image_warning.h"
#include "host/input/input_memory.h"
#include "host/input/schema.h"
#include "host/input/shard_files.h"
#include "host/input/write_field.h"
#include "host/storage/bounded_read.h"
#include "host/storage/gcs/reading.h"

namespace podsim {
namespace {

constexpr std::int64_t kMostFileBytes = std::int64_t{64} << 20;
// How large they are on the average.
constexpr std::size_t kFilesAsked = 16;
// Sides of images that nobody gave a size.
constexpr std::int32_t kUsualSide = 224;
constexpr std::int32_t kMostGuess = 512;
// Mean bytes of some files, as all would take a call each.
absl::StatusOr<std::int64_t> MeanBytes(const std::vector<ImageFile>& files,
                                       ObjectStore& store) {
  const std::size_t asked = std::min(files.size(), kFilesAsked);
  std::vector<std::int64_t> bytes(asked);
  PODSIM_RETURN_IF_ERROR(
      OnSomeThreads(static_cast<std::int64_t>(asked), [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        PODSIM_ASSIGN_OR_RETURN(
            bytes[at], store.Size(files[at * files.size() / asked].path));
        return absl::OkStatus();
      }));
  const std::int64_t sum =
      std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  return std::max<std::int64_t>(1, sum / static_cast<std::int64_t>(asked));
}

// A whole file, of a store that is far away in one call.
absl::StatusOr<std::string> ReadFile(const std::string& path, bool far,
                                     ObjectStore& store) {
  absl::StatusOr<std::string> bytes =
      far ? store.ReadRange(path, 0, kMostFileBytes + 1)
          : ReadAtMost(store, path, kMostFileBytes);
  if (absl::IsOutOfRange(bytes.status()) ||
      (bytes.ok() && static_cast<std::int64_t>(bytes->size()) > kMostFileBytes))
    return absl::DataLossError(
        absl::StrCat(path,
                     ": more than 64 MiB, the most of an image: make it "
                     "smaller, or delete it"));
  return bytes;
}

DatasetConfig DescribeImages(const DatasetRequest& request,
                             const Schema& schema, std::size_t folder,
                             std::int64_t mean_bytes, const ImageSplit& train,
                             const ImageSplit& eval) {
  DatasetConfig config;
  config.set_stored_bytes(mean_bytes *
                          static_cast<std::int64_t>(train.files.size()));
  config.set_name(request.name);
  config.set_classes(std::max(request.classes,
                              static_cast<std::int32_t>(train.classes.size())));
  config.set_train_examples(static_cast<std::int64_t>(train.files.size()));
  config.set_eval_examples(static_cast<std::int64_t>(eval.files.size()));
  DescribeSchema(schema, config);
  Sha256 hash;
  hash.Update(absl::StrCat("images 1 ", schema.line, "\n"));
  for (const ImageSplit* split : {&train, &eval}) {
    for (const ImageFile& file : split->files)
      hash.Update(
          absl::StrCat(file.path.substr(folder), " ", file.label, "\n"));
    hash.Update("\n");
  }
  config.set_fingerprint(hash.HexDigest());
  return config;
}

class ImagesDataset final : public Dataset {
 public:
  ImagesDataset(DatasetConfig config, Schema schema, std::int64_t mean_bytes,
                std::int64_t reader_bytes, ImageSplits splits,
                ObjectStore* store)
      : config_(std::move(config)),
        schema_(std::move(schema)),
        usual_bytes_(mean_bytes + mean_bytes / 2),
        train_(std::move(splits.train)),
        eval_(std::move(splits.eval)),
        notes_(std::move(splits.notes)),
        store_(store),
        far_(!store->CanMap(train_.files.front().path)),
        train_cache_(TrainReaderBytes(reader_bytes)),
        eval_cache_(reader_bytes - TrainReaderBytes(reader_bytes)) {}

  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? config_.train_examples()
                                  : config_.eval_examples();
  }
  const DatasetConfig& config() const override { return config_; }
  bool in_memory() const override { return false; }
  std::vector<std::string> notes() const override { return notes_; }
  std::unique_ptr<ReadAhead> Ahead(Split split,
                                   const ReadOrder& order) const override {
    if (!far_ || order.count == 0) return nullptr;
    const auto pieces = [this, index = order.index](
                            std::int64_t i, std::vector<Piece>& needed) {
      const std::int64_t at = index(i);
      if (at >= 0) needed.push_back(PieceOf(at));
    };
    return std::make_unique<PieceReadAhead>(
        PieceSource{
            .examples = order.count,
            .pieces = pieces,
            .fetch =
                [this, split](const Piece& piece) {
                  // Who needs it sees the error.
                  BytesOf(split, piece.file, nullptr).status().IgnoreError();
                },
            .cache = &CacheOf(split)},
        kGcsReadsInFlight);
  }

  absl::Status Read(Split split, std::int64_t index, const ReadContext& context,
                    ExampleRows rows) const override {
    PODSIM_CHECK(index >= 0 && index < size(split));
    const ImageFile& file = FileOf(split, index);
    PODSIM_ASSIGN_OR_RETURN(const BlockCache::Block bytes,
                            BytesOf(split, index, context.times));
    std::string warning;
    const WriteContext to = {.classes = config_.classes(),
                             .training = split == Split::kTrain,
                             .key = context.key,
                             .times = context.times,
                             .warning = &warning};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const SchemaField& field = schema_.fields[i];
      RawFeature feature = {.kind = RawFeature::Kind::kNumber,
                            .number = file.label};
      if (field.key != "label")
        feature = {.kind = RawFeature::Kind::kRaw, .bytes = *bytes};
      PODSIM_RETURN_IF_ERROR(Annotate(WriteField(field, feature, to, rows[i]),
                                      absl::StrCat(file.path, ": offset 0")));
    }
    warning_.Say(file.path, 0, warning);
    return absl::OkStatus();
  }

 private:
  const ImageFile& FileOf(Split split, std::int64_t index) const {
    return (split == Split::kTrain ? train_ : eval_)
        .files[static_cast<std::size_t>(index)];
  }
  BlockCache& CacheOf(Split split) const {
    return split == Split::kTrain ? train_cache_ : eval_cache_;
  }
  // How large it is nobody has asked.
  Piece PieceOf(std::int64_t index) const {
    return {.file = index, .begin = 0, .length = usual_bytes_};
  }
  absl::StatusOr<BlockCache::Block> BytesOf(Split split, std::int64_t index,
                                            InputTimes* times) const {
    const TimedInput timed(times, InputPart::kRead);
    const auto read = [&]() -> absl::StatusOr<BlockCache::Block> {
      PODSIM_ASSIGN_OR_RETURN(
          std::string bytes,
          ReadFile(FileOf(split, index).path, far_, *store_));
      return std::make_shared<const std::string>(std::move(bytes));
    };
    return far_ ? CacheOf(split).Get(PieceOf(index), read) : read();
  }

  const DatasetConfig config_;
  const Schema schema_;
  const std::int64_t usual_bytes_;  // that a file is taken to have
  const ImageSplit train_;
  const ImageSplit eval_;
  const std::vector<std::string> notes_;
  ObjectStore* const store_;
  const bool far_;
  mutable BlockCache train_cache_;
  mutable BlockCache eval_cache_;
  mutable ImageWarning warning_;
};

absl::Status CheckClasses(std::int32_t given, std::size_t found) {
  if (given < 2 || static_cast<std::size_t>(given) >= found)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("classes is ", given, ", but ", found,
                   " folders have images for training: leave classes out, or "
                   "give at least ",
                   found));
}

absl::Status CheckKeys(const Schema& schema) {
  for (const SchemaField& field : schema.fields)
    if (!(field.key == "image" && field.type == FeatureType::kImage) &&
        !(field.key == "label" && !field.is_image()))
      return absl::InvalidArgumentError(
          absl::StrCat("features: a folder of images has an image and a number "
                       "label, not ",
                       field.key,
                       " of that type; such as --features='features=image:"
                       "image[224,224,3]/255,labels=label:int64'"));
  return absl::OkStatus();
}

struct ImageGuess {
  std::string features;  // the line of schema
  std::string note;
};

bool IsGray(const Pixels& pixels) {
  for (std::size_t at = 0; at + 2 < pixels.values.size(); at += 3)
    if (pixels.values[at] != pixels.values[at + 1] ||
        pixels.values[at] != pixels.values[at + 2])
      return false;
  return true;
}

// By some of the files: their size if they have one, else what most networks
// for photographs take; one channel if no pixel has a color.
absl::StatusOr<ImageGuess> GuessSchema(const std::vector<ImageFile>& files,
                                       bool far, ObjectStore& store) {
  const std::size_t asked = std::min(files.size(), kFilesAsked);
  std::set<std::pair<std::int32_t, std::int32_t>> sizes;
  bool gray = true;
  Pixels pixels;
  for (std::size_t i = 0; i < asked; ++i) {
    const std::string& path = files[i * files.size() / asked].path;
    PODSIM_ASSIGN_OR_RETURN(const std::string bytes,
                            ReadFile(path, far, store));
    PODSIM_RETURN_IF_ERROR(Annotate(DecodeImage(bytes, 3, pixels), path));
    sizes.emplace(pixels.rows, pixels.columns);
    gray = gray && IsGray(pixels);
  }
  auto [rows, columns] = *sizes.begin();
  const bool equal = sizes.size() == 1 && std::max(rows, columns) <= kMostGuess;
  if (!equal) rows = columns = kUsualSide;
  ImageGuess guess;
  guess.features = absl::StrCat("features=image:image[", rows, ",", columns,
                                ",", gray ? 1 : 3, "]/255,labels=label:int64");
  guess.note = absl::StrCat(
      "no --features: images are read as --features='", guess.features, "', ",
      equal ? "the size of the " : "made to that size, as not all of the ",
      FormatCounted(static_cast<std::int64_t>(asked), "image"), " looked at",
      equal ? "" : " have one of at most 512 pixels a side");
  return guess;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenImages(
    const DatasetRequest& request, ObjectStore& store) {
  if (request.data_dir.empty())
    return absl::InvalidArgumentError(
        "data set images needs the path of its folder, with train/CLASS/*.jpg "
        "or CLASS/*.jpg (.jpeg, .png), such as data/pets");
  std::string folder = request.data_dir;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  PODSIM_ASSIGN_OR_RETURN(ImageSplits splits, FindImages(folder, store));
  std::string features = request.features;
  if (features.empty()) {
    const std::vector<ImageFile>& files = splits.train.files;
    PODSIM_ASSIGN_OR_RETURN(
        ImageGuess guess,
        GuessSchema(files, !store.CanMap(files.front().path), store));
    features = guess.features;
    splits.notes.push_back(std::move(guess.note));
  }
  PODSIM_ASSIGN_OR_RETURN(Schema schema, ParseFileSchema(features));
  PODSIM_RETURN_IF_ERROR(CheckKeys(schema));
  PODSIM_RETURN_IF_ERROR(
      CheckClasses(request.classes, splits.train.classes.size()));
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t mean_bytes,
                          MeanBytes(splits.train.files, store));
  DatasetConfig config = DescribeImages(request, schema, folder.size(),
                                        mean_bytes, splits.train, splits.eval);
  return std::make_shared<ImagesDataset>(
      std::move(config), std::move(schema), mean_bytes,
      request.reader_bytes > 0 ? request.reader_bytes : kDefaultReaderBytes,
      std::move(splits), &store);
}

}  // namespace podsim
