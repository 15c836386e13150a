#include "host/input/mnist.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/input/byte_dataset.h"
#include "host/input/gunzip.h"
#include "host/input/idx.h"
#include "host/storage/beside.h"

namespace podsim {
namespace {

constexpr float kFullScale = 255;

struct IdxFile {
  std::string name;  // for messages
  IdxHeader header;
  std::string bytes;  // unpacked, header included
};

struct MnistSplit {
  IdxFile images;
  IdxFile labels;
};

// A packed header ends long before.
constexpr std::int64_t kPackedStart = std::int64_t{1} << 20;

// The header is read first: what it promises bounds what is read at all, and
// what is unpacked.
absl::StatusOr<std::string> ReadPlain(IdxKind kind, const std::string& file,
                                      ObjectStore& store) {
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t size, store.Size(file));
  PODSIM_ASSIGN_OR_RETURN(const std::string start,
                          store.ReadRange(file, 0, IdxHeaderBytes(kind)));
  PODSIM_ASSIGN_OR_RETURN(const IdxHeader header,
                          ParseIdxHeader(kind, start, file));
  PODSIM_RETURN_IF_ERROR(CheckIdxSize(header, size, file));
  return store.ReadRange(file, 0, size);
}

absl::StatusOr<std::string> ReadPacked(IdxKind kind, const std::string& file,
                                       ObjectStore& store) {
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t size, store.Size(file));
  PODSIM_ASSIGN_OR_RETURN(const std::string packed_start,
                          store.ReadRange(file, 0, kPackedStart));
  PODSIM_ASSIGN_OR_RETURN(
      const std::string start,
      GunzipPrefix(packed_start, IdxHeaderBytes(kind), file));
  PODSIM_ASSIGN_OR_RETURN(const IdxHeader header,
                          ParseIdxHeader(kind, start, file));
  const std::int64_t most = MostPackedBytes(header.file_bytes());
  if (size > most)
    return absl::DataLossError(
        absl::StrCat(file, ": offset ", most, " (of the packed bytes): it has ",
                     size, ", more than the ", header.file_bytes(),
                     " bytes that the header promises can need: fetch it "
                     "again"));
  PODSIM_ASSIGN_OR_RETURN(const std::string packed,
                          store.ReadRange(file, 0, size));
  return Gunzip(packed, header.file_bytes(), file);
}

// Of a file that is there neither plain nor packed.
absl::Status NoIdxFile(const std::string& path, const std::string& packed,
                       ObjectStore& store) {
  const std::string folder = path.substr(0, path.rfind('/'));
  return absl::NotFoundError(absl::StrCat(
      absl::IsNotFound(store.List(folder).status())
          ? absl::StrCat("there is no folder ", folder)
          : absl::StrCat("neither ", path, " nor ", packed, " exists"),
      "; --data_dir must hold train-images-idx3-ubyte, "
      "train-labels-idx1-ubyte, t10k-images-idx3-ubyte and "
      "t10k-labels-idx1-ubyte, each plain or as .gz",
      HoldsText(store, folder)));
}

absl::StatusOr<IdxFile> ReadIdxFile(IdxKind kind, const std::string& path,
                                    ObjectStore& store) {
  IdxFile file;
  file.name = path;
  absl::StatusOr<std::string> bytes = ReadPlain(kind, path, store);
  if (absl::IsNotFound(bytes.status())) {
    file.name = path + ".gz";
    bytes = ReadPacked(kind, file.name, store);
    if (absl::IsNotFound(bytes.status()))
      return NoIdxFile(path, file.name, store);
  }
  PODSIM_RETURN_IF_ERROR(bytes.status());
  file.bytes = *std::move(bytes);
  PODSIM_ASSIGN_OR_RETURN(file.header, ParseIdx(kind, file.bytes, file.name));
  return file;
}

absl::StatusOr<MnistSplit> ReadMnistSplit(const std::string& stem,
                                          ObjectStore& store) {
  MnistSplit split;
  PODSIM_ASSIGN_OR_RETURN(
      split.images,
      ReadIdxFile(IdxKind::kImages, stem + "-images-idx3-ubyte", store));
  PODSIM_ASSIGN_OR_RETURN(
      split.labels,
      ReadIdxFile(IdxKind::kLabels, stem + "-labels-idx1-ubyte", store));
  if (split.images.header.count != split.labels.header.count)
    return absl::DataLossError(absl::StrCat(
        split.labels.name, ": offset 4: ", split.labels.header.count,
        " labels, but ", split.images.name, " has ", split.images.header.count,
        " images; the two files do not belong together: fetch both again"));
  return split;
}

absl::Status SameImageSize(const IdxFile& train, const IdxFile& eval) {
  if (train.header.rows == eval.header.rows &&
      train.header.columns == eval.header.columns)
    return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      eval.name, ": offset 8: images are ", eval.header.rows, " x ",
      eval.header.columns, ", but those of ", train.name, " are ",
      train.header.rows, " x ", train.header.columns, ": fetch both again"));
}

int LargestLabel(const IdxFile& labels) {
  const auto begin = labels.bytes.begin() + labels.header.header_bytes;
  const auto less = [](char a, char b) {
    return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
  };
  return static_cast<unsigned char>(
      *std::max_element(begin, labels.bytes.end(), less));
}

DatasetConfig DescribeMnist(const MnistSplit& train, const MnistSplit& eval) {
  DatasetConfig config;
  config.set_name("mnist");
  config.add_example_shape(static_cast<std::int32_t>(train.images.header.rows));
  config.add_example_shape(
      static_cast<std::int32_t>(train.images.header.columns));
  config.set_classes(
      std::max(LargestLabel(train.labels), LargestLabel(eval.labels)) + 1);
  config.set_train_examples(train.images.header.count);
  config.set_eval_examples(eval.images.header.count);
  Sha256 hash;  // no separators needed: each header tells its file's length
  for (const MnistSplit* split : {&train, &eval}) {
    hash.Update(split->images.bytes);
    hash.Update(split->labels.bytes);
  }
  config.set_fingerprint(hash.HexDigest());
  return config;
}

ByteSplit TakeBytes(MnistSplit split) {
  return {.bytes = std::move(split.images.bytes),
          .begin = static_cast<std::size_t>(split.images.header.header_bytes),
          .labels = std::move(split.labels.bytes),
          .labels_begin =
              static_cast<std::size_t>(split.labels.header.header_bytes)};
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenMnist(
    const std::string& data_dir, ObjectStore& store) {
  if (data_dir.empty())
    return absl::InvalidArgumentError(
        "data set mnist needs the path of its folder, with train-images-idx3-"
        "ubyte and its other three files, such as data/mnist");
  const std::string folder =
      data_dir.substr(0, data_dir.find_last_not_of('/') + 1);
  PODSIM_ASSIGN_OR_RETURN(MnistSplit train,
                          ReadMnistSplit(folder + "/train", store));
  PODSIM_ASSIGN_OR_RETURN(MnistSplit eval,
                          ReadMnistSplit(folder + "/t10k", store));
  PODSIM_RETURN_IF_ERROR(SameImageSize(train.images, eval.images));
  DatasetConfig config = DescribeMnist(train, eval);
  return NewByteDataset(std::move(config), kFullScale,
                        TakeBytes(std::move(train)),
                        TakeBytes(std::move(eval)));
}

}  // namespace podsim
