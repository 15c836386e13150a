#include "runtime/job/spec_check.h"

#include <string>

#include "base/status.h"
#include "host/storage/uri_store.h"
#include "interconnect/collectives/choice_table.h"
#include "settings/check.h"

namespace podsim {
namespace {

// Where data, checkpoints and figures lie: what a store may hold, and what only
// files can be.
absl::Status CheckPaths(const JobSpec& spec) {
  struct Place {
    const char* setting;
    const std::string& path;
  };
  for (const Place& file : {Place{"metrics_file", spec.metrics_file()},
                            Place{"log_dir", spec.log_dir()}})
    PODSIM_RETURN_IF_ERROR(Annotate(CheckPlainPath(file.path), file.setting));
  for (const Place& stored :
       {Place{"data_dir", spec.data_dir()},
        Place{"model_dir", spec.model_dir()}, Place{"restore", spec.restore()}})
    PODSIM_RETURN_IF_ERROR(Annotate(CheckServed(stored.path), stored.setting));
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSpec(const JobSpec& spec) {
  PODSIM_RETURN_IF_ERROR(CheckSettings(spec));
  PODSIM_RETURN_IF_ERROR(CheckPaths(spec));
  return ChoiceRows(spec.choices()).status();
}

WrapPolicy WrapOf(const JobSpec& spec) {
  if (spec.wrap() == "torus") return WrapPolicy::kTorus;
  return spec.wrap() == "mesh" ? WrapPolicy::kMesh : WrapPolicy::kAuto;
}

}  // namespace podsim
