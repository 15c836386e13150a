#include "runtime/job/spec_check.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"
#include "host/storage/uri_store.h"
#include "interconnect/collectives/choice_table.h"
#include "job/traced_steps.h"
#include "runtime/job/geography.h"
#include "runtime/job/ici_fault.h"
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

// pod_plan takes several.
absl::Status CheckOneSlice(const JobSpec& spec) {
  const std::string& name = spec.topology();
  if (name.find("..") == std::string::npos &&
      name.find(',') == std::string::npos)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "topology is '", PrintableLine(name.substr(0, 64)),
      "', several slices; a job trains on one, such as v3-32; pod_plan "
      "compares several"));
}

}  // namespace

absl::Status CheckSpec(const JobSpec& spec) {
  PODSIM_RETURN_IF_ERROR(CheckSettings(spec));
  PODSIM_RETURN_IF_ERROR(CheckOneSlice(spec));
  PODSIM_RETURN_IF_ERROR(CheckPaths(spec));
  PODSIM_RETURN_IF_ERROR(Annotate(
      WithHardware(ShippedHardware(), spec.hardware()).status(), "hardware"));
  PODSIM_RETURN_IF_ERROR(CheckGeographySettings(spec));
  if (spec.has_trace_steps())
    PODSIM_RETURN_IF_ERROR(ParseStepRange(spec.trace_steps()).status());
  if (spec.ici_algorithm() == words::IciAlgorithm::all)
    return absl::InvalidArgumentError(
        "ici_algorithm=all compares algorithms, which pod_plan --collective "
        "does; a job takes one of them, or auto");
  if (spec.has_ici_fault())
    PODSIM_RETURN_IF_ERROR(ParseIciFault(spec.ici_fault()).status());
  return ChoiceRows(spec.choices()).status();
}

WrapPolicy WrapOf(words::Wrap::Word wrap) {
  if (wrap == words::Wrap::torus) return WrapPolicy::kTorus;
  return wrap == words::Wrap::mesh ? WrapPolicy::kMesh : WrapPolicy::kAuto;
}

std::optional<bool> FusesAttention(const JobSpec& spec) {
  if (spec.attention() == words::Attention::auto_) return std::nullopt;
  return spec.attention() == words::Attention::fused;
}

SliceOptions SliceOptionsOf(const JobSpec& spec, const Hardware& hardware) {
  return {.wrap = WrapOf(spec.wrap()),
          .twist = spec.twist(),
          .hardware = &hardware,
          .fuses_attention = FusesAttention(spec)};
}

Hardware HardwareOf(const JobSpec& spec) {
  auto hardware = WithHardware(ShippedHardware(), spec.hardware());
  PODSIM_CHECK(hardware.ok());  // CheckSpec passed
  return *std::move(hardware);
}

absl::StatusOr<Slice> PlainSliceNamed(const std::string& name,
                                      const JobSpec& spec) {
  const std::optional<bool> fuses = FusesAttention(spec);
  if (!spec.has_hardware()) return FindSlice(name, {.fuses_attention = fuses});
  const Hardware hardware = HardwareOf(spec);
  return FindSlice(name, {.hardware = &hardware, .fuses_attention = fuses});
}

absl::StatusOr<Slice> SliceNamed(const std::string& name, const JobSpec& spec) {
  // What ships need not be copied.
  if (!spec.has_hardware())
    return FindSlice(name, SliceOptionsOf(spec, ShippedHardware()));
  const Hardware hardware = HardwareOf(spec);
  return FindSlice(name, SliceOptionsOf(spec, hardware));
}

}  // namespace podsim
