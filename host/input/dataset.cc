#include "host/input/dataset.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/arrays.h"
#include "host/input/cifar_format.h"
#include "host/input/csv_format.h"
#include "host/input/dataset_kinds.h"
#include "host/input/digits.h"
#include "host/input/images.h"
#include "host/input/mnist.h"
#include "host/input/npz.h"
#include "host/input/place_kind.h"
#include "host/input/shard_index.h"
#include "host/input/synthetic.h"
#include "host/input/tfrecord_format.h"

namespace podsim {
namespace {

using Opened = absl::StatusOr<std::shared_ptr<const Dataset>>;

struct Format {
  const char* name;
  Opened (*open)(const DatasetRequest& request, ObjectStore& store);
};

// How each of DatasetKinds() is opened.
constexpr Format kFormats[] = {
    {"arrays",
     [](const DatasetRequest& request, ObjectStore& store) {
       return OpenArrays(request.data_dir, store);
     }},
    {"cifar10", OpenCifar10},
    {"cifar100", OpenCifar100},
    {"csv", OpenCsv},
    {"digits",
     [](const DatasetRequest&, ObjectStore&) { return OpenDigits(); }},
    {"images", OpenImages},
    {"mnist",
     [](const DatasetRequest& request, ObjectStore& store) {
       return OpenMnist(request.data_dir, store);
     }},
    {"npz", OpenNpz},
    {"synthetic", [](const DatasetRequest& request,
                     ObjectStore&) { return OpenSynthetic(request); }},
    {"tfrecord", OpenTfRecord},
};

bool IsTarNamed(std::string_view place) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{".tar", ".tar.gz", ".tgz"},
      [place](std::string_view end) { return place.ends_with(end); });
}

// A file in the place of a folder, or of another format.
absl::Status CheckPlace(const DatasetRequest& request, ObjectStore& store) {
  const std::string& place = request.data_dir;
  const bool of_folders = request.name == "arrays" ||
                          request.name == "images" || request.name == "mnist" ||
                          request.name == "npz";
  if (place.empty() || (!of_folders && !IsOfNumpy(place)) ||
      !store.Stat(place).ok())
    return absl::OkStatus();
  const std::string of = DatasetOfPath(place);
  const std::string way =
      of.empty() ? "" : absl::StrCat("; dataset=", of, " reads this file");
  if (of_folders)
    return absl::InvalidArgumentError(absl::StrCat(
        place, " is a file; data set ", request.name, " is a folder with ",
        FindDatasetKind(request.name)->files,
        IsTarNamed(place) ? absl::StrCat(": unpack it with tar -xf ", place,
                                         ", and give that")
                          : ": give that",
        way));
  return absl::InvalidArgumentError(
      absl::StrCat(place, " is a file of NumPy's, no ", request.name,
                   ": dataset=npz reads a folder with train.npz and eval.npz, "
                   "dataset=arrays one with train/FIELD.npy"));
}

}  // namespace

DatasetRequest RequestOf(const JobSpec& spec) {
  return {.name = spec.dataset(),
          .data_dir = spec.data_dir(),
          .example_shape = {spec.example_shape().begin(),
                            spec.example_shape().end()},
          .classes = spec.classes(),
          .examples = spec.synthetic_examples(),
          .seed = spec.seed(),
          .features = spec.features(),
          .shuffle_window = spec.shuffle_window(),
          .reader_bytes = spec.input_memory() / 2,  // batches have half
          .index_directory = IndexDirectory(),
          .in_order = spec.shuffle() == words::Shuffle::false_ ||
                      spec.mode() == words::Mode::eval};
}

absl::StatusOr<SplitFiles> FindDatasetShards(const std::string& name,
                                             const std::string& data_dir,
                                             ObjectStore& store) {
  if (name == "tfrecord" || name == "csv") return FindShards(data_dir, store);
  if (name == "cifar10" || name == "cifar100")
    return FindShards(data_dir, store, CifarPatterns(name));
  return absl::InvalidArgumentError(
      absl::StrCat("data set ", name, " does not lie in shards"));
}

Opened OpenDataset(const DatasetRequest& request, ObjectStore& store) {
  PODSIM_RETURN_IF_ERROR(CheckIsRead(request.data_dir));
  PODSIM_RETURN_IF_ERROR(CheckPlace(request, store));
  PODSIM_RETURN_IF_ERROR(CheckPlaceKind(request.name, request.data_dir, store));
  for (const Format& format : kFormats)
    if (request.name == format.name) return format.open(request, store);
  return UnknownDataset(request.name);
}

}  // namespace podsim
