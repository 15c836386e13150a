#include "host/process/host_options.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "settings/command_line.h"
#include "settings/programs.h"
#include "settings/setting.h"

namespace podsim {
namespace {

// Where other launchers say which process this is.
const char* const kProcessVariables[] = {"TPU_WORKER_ID", "SLURM_PROCID",
                                         "OMPI_COMM_WORLD_RANK",
                                         "JOB_COMPLETION_INDEX"};

absl::Status FillProcess(const Variables& variables, HostSettings& settings) {
  for (const char* name : kProcessVariables) {
    const std::optional<std::string> found = Find(variables, name);
    if (!found) continue;
    int process = 0;
    if (!absl::SimpleAtoi(*found, &process) || process < 0)
      return absl::InvalidArgumentError(absl::StrCat(
          name, " is \"", *found,
          "\", not a process index (0, 1, ...); give --process=I, or set it to "
          "one"));
    settings.set_process(process);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "which process of the pod is this? Give --process=I, 0 for the first, "
      "or set TPU_WORKER_ID as TPU VMs do");
}

}  // namespace

absl::StatusOr<HostOptions> ParseHostOptions(
    const std::vector<std::string>& arguments, const Variables& variables) {
  HostOptions options;
  HostSettings& settings = options.settings;
  PODSIM_ASSIGN_OR_RETURN(
      CommandLine line,
      ParseCommandLine(PodHost(), arguments, variables, {&settings}));
  options.text = std::move(line.text);
  if (!options.text.empty()) return options;
  if (!settings.has_process())
    PODSIM_RETURN_IF_ERROR(FillProcess(variables, settings));
  FillDefaults(settings);
  options.accelerator_type =
      Find(variables, "TPU_ACCELERATOR_TYPE").value_or("");
  return options;
}

std::string AdvertisedAddress(const HostSettings& settings,
                              const std::string& bound,
                              const std::string& worker_hostnames) {
  if (settings.has_ici_advertise()) return settings.ici_advertise();
  const std::vector<std::string> names =
      absl::StrSplit(worker_hostnames, ',', absl::SkipEmpty());
  const std::size_t colon = bound.rfind(':');
  const bool everywhere =
      absl::StartsWith(bound, "0.0.0.0:") || absl::StartsWith(bound, "[::]:");
  if (!everywhere || settings.process() >= static_cast<int>(names.size()))
    return bound;
  return absl::StrCat(names[settings.process()], bound.substr(colon));
}

}  // namespace podsim
