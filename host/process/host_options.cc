#include "host/process/host_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace podsim {
namespace {

const char* const kProcessVariables[] = {"PODSIM_PROCESS", "TPU_WORKER_ID",
                                         "SLURM_PROCID", "OMPI_COMM_WORLD_RANK",
                                         "JOB_COMPLETION_INDEX"};

// A value from the environment where the flag was not given.
void FillFrom(const Environment& environment, const char* name,
              const CLI::Option* flag, std::string& value) {
  if (flag->count() > 0) return;
  if (const auto found = environment(name)) value = *found;
}

absl::Status FillProcess(const Environment& environment, HostOptions& options) {
  for (const char* name : kProcessVariables) {
    const auto found = environment(name);
    if (!found) continue;
    if (absl::SimpleAtoi(*found, &options.process) && options.process >= 0)
      return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is \"", *found,
                     "\", not a process index (0, 1, "
                     "...)"));
  }
  return absl::InvalidArgumentError(
      "which process of the pod is this? Give --process=I, or set "
      "TPU_WORKER_ID as TPU VMs do");
}

bool IsTrue(const std::string& text) {
  const std::string lower = absl::AsciiStrToLower(text);
  return lower == "1" || lower == "true" || lower == "yes";
}

}  // namespace

absl::StatusOr<HostOptions> ParseHostOptions(std::vector<std::string> arguments,
                                             const Environment& environment) {
  HostOptions options;
  CLI::App app(
      "One host process of a pod: joins the coordinator and trains its share.\n"
      "pod_launch starts it on this machine; start it yourself on others.\n"
      "The pod's token is read from PODSIM_TOKEN.",
      "pod_host");
  const auto* coordinator =
      app.add_option("--coordinator", options.coordinator,
                     "Address of pod_coordinator: unix:/path or host:port");
  const auto* process =
      app.add_option("--process", options.process,
                     "Index of this process in the pod [TPU_WORKER_ID]");
  const auto* listen =
      app.add_option("--ici_listen", options.ici_listen,
                     "Where to listen for other hosts' frames [127.0.0.1:0]");
  const auto* advertise =
      app.add_option("--ici_advertise", options.ici_advertise,
                     "What other hosts are told instead");
  app.add_option("--threads", options.threads,
                 "Threads that compute; 0: as the plan says")
      ->check(CLI::Range(0, 4096));
  const auto* plaintext =
      app.add_flag("--allow_plaintext_network", options.allow_plaintext_network,
                   "Let frames and calls leave this machine unencrypted");
  for (std::string& argument : arguments)
    if (absl::StartsWith(argument, "--"))
      std::replace(
          argument.begin() + 2,
          argument.begin() + std::min(argument.find('='), argument.size()), '-',
          '_');
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    options.help = app.help();
    return options;
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(error.what(), "; see pod_host --help"));
  }
  FillFrom(environment, "PODSIM_COORDINATOR", coordinator, options.coordinator);
  FillFrom(environment, "PODSIM_ICI_LISTEN", listen, options.ici_listen);
  FillFrom(environment, "PODSIM_ICI_ADVERTISE", advertise,
           options.ici_advertise);
  if (options.ici_listen.empty()) options.ici_listen = "127.0.0.1:0";
  std::string allowed;
  FillFrom(environment, "PODSIM_ALLOW_PLAINTEXT_NETWORK", plaintext, allowed);
  if (IsTrue(allowed)) options.allow_plaintext_network = true;
  options.accelerator_type =
      environment("TPU_ACCELERATOR_TYPE").value_or(std::string());
  if (options.coordinator.empty())
    return absl::InvalidArgumentError(
        "--coordinator is missing: give unix:/path or host:port of "
        "pod_coordinator");
  if (process->count() == 0) {
    const absl::Status filled = FillProcess(environment, options);
    if (!filled.ok()) return filled;
  }
  return options;
}

std::string AdvertisedAddress(const HostOptions& options,
                              const std::string& bound,
                              const std::string& worker_hostnames) {
  if (!options.ici_advertise.empty()) return options.ici_advertise;
  const std::vector<std::string> names =
      absl::StrSplit(worker_hostnames, ',', absl::SkipEmpty());
  const std::size_t colon = bound.rfind(':');
  const bool everywhere =
      absl::StartsWith(bound, "0.0.0.0:") || absl::StartsWith(bound, "[::]:");
  if (!everywhere || options.process >= static_cast<int>(names.size()))
    return bound;
  return absl::StrCat(names[options.process], bound.substr(colon));
}

}  // namespace podsim
