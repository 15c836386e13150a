#include "runtime/job/spec_check.h"

#include <string>

#include "base/status.h"
#include "host/storage/uri_store.h"
#include "interconnect/collectives/choice_table.h"
#include "settings/check.h"
#include "settings/setting.h"

namespace podsim {
namespace {

// Where data, checkpoints and figures lie: what a store may hold, and what only
// files can be.
absl::Status CheckPaths(const JobSpec& spec) {
  const auto& descriptor = *JobSpec::descriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const auto& field = *descriptor.field(i);
    const Setting& rule = SettingOf(field);
    if (rule.type() != "DIR" && rule.type() != "FILE") continue;
    const std::string path = spec.GetReflection()->GetString(spec, &field);
    PODSIM_RETURN_IF_ERROR(
        Annotate(rule.stored() ? CheckServed(path) : CheckPlainPath(path),
                 FlagOf(field)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSpec(const JobSpec& spec) {
  PODSIM_RETURN_IF_ERROR(CheckSettings(spec));
  PODSIM_RETURN_IF_ERROR(CheckPaths(spec));
  return ChoiceRows(spec.choices()).status();
}

WrapPolicy WrapOf(words::Wrap::Word wrap) {
  if (wrap == words::Wrap::torus) return WrapPolicy::kTorus;
  return wrap == words::Wrap::mesh ? WrapPolicy::kMesh : WrapPolicy::kAuto;
}

WrapPolicy WrapOf(const JobSpec& spec) { return WrapOf(spec.wrap()); }

SliceOptions SliceOptionsOf(const JobSpec& spec) {
  return {.wrap = WrapOf(spec), .twist = spec.twist()};
}

}  // namespace podsim
