// pod_host: one host process of a pod.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/program.h"
#include "base/rpc/token.h"
#include "base/rpc/tuning.h"
#include "base/signal_watch.h"
#include "host/process/coordinator_address.h"
#include "host/process/host.h"
#include "host/process/host_options.h"
#include "settings/environment.h"
#include "settings/pasted.h"
#include "settings/programs.h"

namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;
constexpr int kEndedByOthers = 3;

// `status`: of the command line, the environment or what they ask for.
int Refuse(const absl::Status& status) {
  podsim::Log(podsim::LogLevel::kError, std::string(status.message()));
  return kBadUsage;
}

}  // namespace

int main(int argc, char** argv) {
  podsim::BeginProgram();
  podsim::TuneProcessForRpc();
  // Our own messages say what gRPC's would, in one line.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  const podsim::Variables variables = podsim::ProcessVariables();
  const auto options =
      podsim::ParseHostOptions({argv + 1, argv + argc}, variables);
  if (options.ok() && !options->text.empty()) {
    std::cout << options->text;
    return podsim::EndProgram(0);
  }
  // Before what is refused: a slip in a name may be why a setting is missing.
  if (const absl::Status names = podsim::CheckVariableNames(variables);
      !names.ok()) {
    return Refuse(names);
  }
  for (const std::string& unknown : podsim::UnknownVariables(variables))
    podsim::Log(podsim::LogLevel::kWarning, unknown);
  const auto refuse = [&](const absl::Status& status) {
    return Refuse(podsim::NamePasted(status, podsim::PodHost(),
                                     {argv + 1, argv + argc}, variables));
  };
  if (!options.ok()) return refuse(options.status());
  if (const absl::Status files = podsim::CheckOpenFiles(podsim::kOwnFiles);
      !files.ok()) {
    return Refuse(files);
  }
  if (const absl::Status threads = podsim::CheckThreads(podsim::kOwnThreads);
      !threads.ok()) {
    return Refuse(threads);
  }
  const auto token = podsim::TokenFromEnvironment();
  if (!token.ok()) return refuse(token.status());
  if (const absl::Status addresses =
          podsim::CheckHostAddresses(options->settings);
      !addresses.ok()) {
    return refuse(addresses);
  }
  podsim::SignalWatch watch({SIGTERM, SIGUSR1});
  const absl::Status status = podsim::RunHost(
      *options, *token,
      podsim::Find(variables, "TPU_WORKER_HOSTNAMES").value_or(""), watch);
  if (status.ok()) return 0;
  // What the coordinator says to all is no error of this process's.
  const bool by_others = absl::IsAborted(status);
  podsim::Log(by_others ? podsim::LogLevel::kInfo : podsim::LogLevel::kError,
              absl::StrCat("process ", options->settings.process(), ": ",
                           status.message()));
  return by_others ? kEndedByOthers : kFailed;
}
