#include "host/input/dataset_kinds.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

constexpr char kBinaryFiles[] = "binary files (*.bin)";

constexpr DatasetKind kKinds[] = {
    {.name = "arrays",
     .files = "folders train and eval (FIELD.npy, one for each field)"},
    {.name = "cifar10", .files = kBinaryFiles, .shards = true},
    {.name = "cifar100", .files = kBinaryFiles, .shards = true},
    {.name = "csv",
     .files = "shards, or DIR/train-*, or one file",
     .shards = true},
    {.name = "digits"},
    {.name = "images",
     .files = "images, train/CLASS/*.jpg or *.png",
     .shards = true},
    {.name = "mnist",
     .files = "files (train-images-idx3-ubyte, ..., plain or .gz)"},
    {.name = "npz", .files = "files train.npz and eval.npz"},
    {.name = "synthetic"},
    {.name = "tfrecord",
     .files = "shards, or DIR/train-*, or one file",
     .shards = true},
};

// Compressed as podsim reads no data set.
absl::Status CheckCompression(const std::string& path) {
  constexpr struct {
    std::string_view end;
    const char* what;
    const char* command;
  } kOthers[] = {{".bz2", "compressed with bzip2", "bunzip2"},
                 {".xz", "compressed with xz", "unxz"},
                 {".zst", "compressed with Zstandard", "unzstd"},
                 {".lz4", "compressed with LZ4", "unlz4"},
                 {".zip", "a zip archive", "unzip"}};
  for (const auto& other : kOthers)
    if (std::string_view(path).ends_with(other.end))
      return absl::InvalidArgumentError(
          absl::StrCat(path, " is ", other.what, ", by its name; unpack it, ",
                       other.command, " ", path, ", and give ",
                       path.substr(0, path.size() - other.end.size())));
  return absl::OkStatus();
}

}  // namespace

std::span<const DatasetKind> DatasetKinds() { return kKinds; }

const DatasetKind* FindDatasetKind(std::string_view name) {
  for (const DatasetKind& kind : kKinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

std::vector<std::string> DatasetNames() {
  std::vector<std::string> names;
  for (const DatasetKind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

std::string DatasetOfPath(std::string_view path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz") ? "csv" : "";
}

const DatasetKind* DatasetKindIn(std::string_view path) {
  const absl::string_view whole(path.data(), path.size());
  const std::string folder =
      absl::AsciiStrToLower(absl::StripSuffix(whole, "/"));
  const std::string last = folder.substr(folder.rfind('/') + 1);
  const DatasetKind* found = nullptr;
  for (const DatasetKind& kind : kKinds)
    if (kind.files != nullptr && last.find(kind.name) != last.npos &&
        (found == nullptr || kind.name.size() > found->name.size()))
      found = &kind;
  return found;
}

bool IsOfNumpy(std::string_view path) {
  return path.ends_with(".npz") || path.ends_with(".npy");
}

absl::Status CheckIsRead(const std::string& path) {
  PODSIM_RETURN_IF_ERROR(CheckCompression(path));
  constexpr std::pair<const char*, const char*> kOthers[] = {
      {".parquet", "a Parquet file"}, {".arrow", "an Arrow file"},
      {".feather", "a Feather file"}, {".h5", "an HDF5 file"},
      {".hdf5", "an HDF5 file"},      {".pkl", "a Python pickle"},
      {".pickle", "a Python pickle"}, {".pt", "a file of PyTorch"},
      {".pth", "a file of PyTorch"},  {".json", "a JSON file"},
      {".jsonl", "a JSON file"},      {".xlsx", "a workbook"}};
  for (const auto& [end, what] : kOthers)
    if (std::string_view(path).ends_with(end))
      return absl::InvalidArgumentError(
          absl::StrCat(path, " is ", what,
                       ", which podsim does not read: write it as a "
                       "CSV file, as .npy files or as TFRecord shards"));
  return absl::OkStatus();
}

absl::Status UnknownDataset(const std::string& name) {
  const std::vector<std::string> known = DatasetNames();
  return absl::InvalidArgumentError(absl::StrCat(
      "no data set is called '", PrintableLine(name), "'",
      DidYouMean(name, known), "; known: ", absl::StrJoin(known, ", "),
      name.find_first_of("./") == name.npos
          ? ""
          : absl::StrCat("; a file or folder of yours is given as --data_dir=",
                         PrintableLine(name))));
}

}  // namespace podsim
