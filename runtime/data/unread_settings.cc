#include "runtime/data/unread_settings.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "host/input/dataset_kinds.h"
#include "settings/field_text.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr std::size_t kLongestShown = 64;

struct Use {
  const char* setting;
  bool of_shards;
  bool of_synthetic;
};
constexpr Use kUses[] = {
    {.setting = "features", .of_shards = true, .of_synthetic = true},
    {.setting = "classes", .of_shards = true, .of_synthetic = true},
    {.setting = "example_shape", .of_shards = false, .of_synthetic = true},
    {.setting = "synthetic_examples", .of_shards = false, .of_synthetic = true},
    {.setting = "seed", .of_shards = false, .of_synthetic = true}};

bool Reads(const DatasetKind& kind, const Use& use) {
  return (use.of_shards && kind.shards) ||
         (use.of_synthetic && kind.name == "synthetic");
}

std::string DatasetsThatRead(const Use& use) {
  std::vector<std::string> names;
  for (const DatasetKind& kind : DatasetKinds())
    if (Reads(kind, use)) names.emplace_back(kind.name);
  return absl::StrJoin(names, " or ");
}

// Examples of a line of schema have neither a shape of their own nor classes.
absl::Status CheckOneShape(const DataSettings& given,
                           const std::string& dataset) {
  if (dataset != "synthetic" || !given.has_features() ||
      (given.example_shape().empty() && !given.has_classes()))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      given.has_classes() ? "--classes" : "--example_shape",
      " and --features (",
      PrintableLine(given.features().substr(0, kLongestShown)),
      ") both say what the examples of data set synthetic are: leave one of "
      "them out"));
}

}  // namespace

absl::Status CheckAreRead(const DataSettings& given,
                          const std::string& dataset) {
  const DatasetKind* const kind = FindDatasetKind(dataset);
  if (kind == nullptr) return absl::OkStatus();
  for (const Use& use : kUses) {
    const auto* const field =
        DataSettings::descriptor()->FindFieldByName(use.setting);
    PODSIM_CHECK(field != nullptr);
    if (!IsSet(given, *field) || Reads(*kind, use)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--", use.setting, " is \"",
        PrintableLine(FieldText(given, *field).substr(0, kLongestShown)),
        "\", but data set ", dataset,
        " does not read it: leave it out, or give --dataset=",
        DatasetsThatRead(use)));
  }
  return CheckOneShape(given, dataset);
}

}  // namespace podsim
