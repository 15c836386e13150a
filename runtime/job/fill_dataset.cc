#include "runtime/job/fill_dataset.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "host/input/dataset_kinds.h"
#include "host/input/fields.h"
#include "models/zoo/zoo.h"
#include "runtime/job/plan_bits.h"
#include "settings/field_text.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr std::size_t kLongestShown = 64;
constexpr std::int64_t kSyntheticExamples = 60'000;
constexpr std::int32_t kSyntheticClasses = 10;
constexpr std::int32_t kSyntheticSide = 28;
constexpr char kImages[] = "images";

// "csv, images or tfrecord": those that `has` is true of.
template <typename Has>
std::string DatasetsThat(const Has& has) {
  std::vector<std::string> names;
  for (const DatasetKind& kind : DatasetKinds())
    if (has(kind)) names.emplace_back(kind.name);
  const std::string last = names.back();
  names.pop_back();
  return absl::StrCat(absl::StrJoin(names, ", "), " or ", last);
}

// A folder of images is shuffled as a whole: it has no shards to go through.
bool HasWindow(const DatasetKind& kind) {
  return kind.shards && kind.name != kImages;
}

// "classes is 3, but dataset=digits ..." of a setting that it does not read.
absl::Status NotRead(const JobSpec& spec, const char* setting, const char* why,
                     const std::string& datasets) {
  const auto* const field = JobSpec::descriptor()->FindFieldByName(setting);
  PODSIM_CHECK(field != nullptr);
  return absl::InvalidArgumentError(absl::StrCat(
      setting, " is ",
      PrintableLine(FieldText(spec, *field).substr(0, kLongestShown)),
      ", but dataset=", spec.dataset(), " ", why,
      ": leave it out, or give --dataset=", datasets));
}

absl::Status CheckAreRead(const JobSpec& spec, const DatasetKind& kind) {
  constexpr char kItsOwn[] = "brings its own";
  const bool synthetic = spec.dataset() == "synthetic";
  for (const char* setting : {"example_shape", "synthetic_examples"}) {
    const auto* const field = JobSpec::descriptor()->FindFieldByName(setting);
    if (!synthetic && IsSet(spec, *field))
      return NotRead(spec, setting, kItsOwn, "synthetic");
  }
  if (!synthetic && !kind.shards && spec.has_classes())
    return NotRead(spec, "classes", kItsOwn,
                   DatasetsThat([](const DatasetKind& one) {
                     return one.shards || one.name == "synthetic";
                   }));
  if (!kind.shards && !synthetic && spec.has_features())
    return NotRead(spec, "features", kItsOwn,
                   DatasetsThat([](const DatasetKind& one) {
                     return one.shards || one.name == "synthetic";
                   }));
  if (!HasWindow(kind) && spec.has_shuffle_window())
    return NotRead(
        spec, "shuffle_window", "is shuffled as a whole",
        DatasetsThat([](const DatasetKind& one) { return HasWindow(one); }));
  return absl::OkStatus();
}

// "--dataset=mnist for files (...), or --dataset=arrays, ... or tfrecord": the
// data sets with files, first what the folder's name says.
std::string DatasetsWithFiles(const std::string& data_dir) {
  const DatasetKind* const named = DatasetKindIn(data_dir);
  const std::string others = DatasetsThat([named](const DatasetKind& one) {
    return one.files != nullptr && &one != named;
  });
  return absl::StrCat(named == nullptr
                          ? ""
                          : absl::StrCat("--dataset=", std::string(named->name),
                                         " for ", named->files, ", or "),
                      "--dataset=", others);
}

absl::Status CheckFiles(const JobSpec& spec, const DatasetKind& kind) {
  const std::string& dataset = spec.dataset();
  const bool has_files = kind.files != nullptr;
  if (!has_files) PODSIM_RETURN_IF_ERROR(CheckIsRead(spec.data_dir()));
  if (!has_files && !spec.data_dir().empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "data_dir is ", PrintableLine(spec.data_dir()), ", but ", dataset,
        dataset == "synthetic" ? " is made from the seed" : " are built in",
        ": leave it out, or say what its files are, ",
        DatasetsWithFiles(spec.data_dir())));
  if (!has_files || !spec.data_dir().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "dataset=", dataset, " needs data_dir, the directory of its ", kind.files,
      "; give --data_dir=DIR (--dataset=digits needs none)"));
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
  const DatasetKind* const kind = FindDatasetKind(spec.dataset());
  if (kind == nullptr)
    return Annotate(UnknownDataset(spec.dataset()), "dataset");
  PODSIM_RETURN_IF_ERROR(CheckAreRead(spec, *kind));
  if (spec.dataset() == "synthetic")
    PODSIM_RETURN_IF_ERROR(FillSynthetic(recipe, spec));
  return CheckFiles(spec, *kind);
}

}  // namespace podsim
