#include "runtime/job/dataset_defaults.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "host/input/dataset_kinds.h"
#include "host/input/fields.h"
#include "models/zoo/zoo.h"
#include "runtime/job/plan_bits.h"

namespace podsim {
namespace {

constexpr std::int64_t kSyntheticExamples = 60'000;
constexpr std::int32_t kSyntheticClasses = 10;
constexpr std::int32_t kSyntheticSide = 28;

// A folder of images is shuffled as a whole: it has no shards to go through.
bool HasWindow(const std::string& dataset) {
  return IsOfShards(dataset) && dataset != "images";
}

std::string DatasetsWithFiles() {
  std::vector<std::string> names;
  for (const DatasetKind& kind : DatasetKinds())
    if (kind.files != nullptr) names.emplace_back(kind.name);
  return absl::StrJoin(names, ", ");
}

absl::Status CheckFiles(const JobSpec& spec) {
  const std::string& dataset = spec.dataset();
  const DatasetKind* const kind = FindDatasetKind(dataset);
  if (kind == nullptr) return UnknownDataset(dataset);
  const bool has_files = kind->files != nullptr;
  if (!has_files) PODSIM_RETURN_IF_ERROR(CheckIsRead(spec.data_dir()));
  if (!has_files && !spec.data_dir().empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "data_dir is for dataset=", DatasetsWithFiles(), "; ", dataset,
        dataset == "synthetic" ? " is made from the seed" : " are built in",
        ": leave data_dir out, or say which dataset its files are"));
  if (!has_files || !spec.data_dir().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("dataset=", dataset,
                   " needs data_dir, the directory of its ", kind->files));
}

// "tokens=int32[128]<30522", as a line of schema has it (host/input/schema.h).
void AppendFeature(std::string* line, const ModelInput& input) {
  absl::StrAppend(line, input.name, "=", ToString(input.dtype));
  if (input.shape.rank() > 0)
    absl::StrAppend(line, "[", absl::StrJoin(input.shape.dims, ","), "]");
  if (input.below > 0) absl::StrAppend(line, "<", input.below);
}

// What the job's model reads beside features and labels, as a line of schema;
// empty: nothing.
absl::StatusOr<std::string> FeaturesOfModel(const JobSpec& spec) {
  if (spec.has_model_file()) return "";
  ModelConfig config;
  config.set_name(spec.model());
  PODSIM_RETURN_IF_ERROR(FillNumbers(spec, config));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<ModelInput> inputs,
                          InputsOf(config));
  return absl::StrJoin(inputs, ",", AppendFeature);
}

// Examples of a shape and of classes, or of the inputs that `features` or the
// model names.
absl::Status FillSynthetic(const Recipe& recipe, JobSpec& spec) {
  if (!spec.has_synthetic_examples())
    spec.set_synthetic_examples(recipe.examples > 0 ? recipe.examples
                                                    : kSyntheticExamples);
  PODSIM_ASSIGN_OR_RETURN(const std::string line, FeaturesOfModel(spec));
  if (!line.empty() && !spec.has_features()) spec.set_features(line);
  if (spec.has_features()) {
    if (spec.example_shape().empty() && !spec.has_classes())
      return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "example_shape and classes are for examples of features and labels; "
        "these have ",
        spec.features(), ": leave them out"));
  }
  if (!spec.has_classes())
    spec.set_classes(recipe.classes > 0 ? recipe.classes : kSyntheticClasses);
  if (!spec.example_shape().empty()) return absl::OkStatus();
  std::vector<std::int32_t> shape = recipe.example_shape;
  if (shape.empty()) shape = {kSyntheticSide, kSyntheticSide};
  spec.mutable_example_shape()->Add(shape.begin(), shape.end());
  return absl::OkStatus();
}

}  // namespace

absl::Status FillDataset(const Recipe& recipe, JobSpec& spec) {
  const bool synthetic = spec.dataset() == "synthetic";
  if (synthetic) {
    PODSIM_RETURN_IF_ERROR(FillSynthetic(recipe, spec));
  } else if (!spec.example_shape().empty() || spec.has_synthetic_examples() ||
             (spec.has_classes() && !IsOfShards(spec.dataset()))) {
    return absl::InvalidArgumentError(
        "example_shape, classes and synthetic_examples are for "
        "dataset=synthetic, classes for shards and images too; other data sets "
        "bring their own");
  }
  if (!IsOfShards(spec.dataset()) && !synthetic && spec.has_features())
    return absl::InvalidArgumentError(absl::StrCat(
        "features is for dataset=tfrecord, csv, images, cifar and synthetic; ",
        spec.dataset(), " brings its own: leave it out"));
  if (!HasWindow(spec.dataset()) && spec.has_shuffle_window())
    return absl::InvalidArgumentError(
        absl::StrCat("shuffle_window is for dataset=tfrecord, csv and cifar; ",
                     spec.dataset(), " is shuffled as a whole: leave it out"));
  return CheckFiles(spec);
}

}  // namespace podsim
