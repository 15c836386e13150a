#include "runtime/launch/flags.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "runtime/job/spec_check.h"
#include "runtime/pod/elsewhere.h"
#include "settings/command_line.h"
#include "settings/programs.h"

namespace podsim {
namespace {

absl::StatusOr<LaunchAction> ActionOf(const LaunchSettings& settings) {
  const std::pair<bool, std::pair<const char*, LaunchAction>> modes[] = {
      {settings.has_describe(), {"--describe", LaunchAction::kDescribe}},
      {settings.has_print_compose(),
       {"--print_compose", LaunchAction::kPrintCompose}},
      {settings.dry_run(), {"--dry_run", LaunchAction::kDryRun}},
      {settings.print_job(), {"--print_job", LaunchAction::kPrintJob}},
      {settings.selftest(), {"--selftest", LaunchAction::kSelfTest}}};
  std::vector<std::string> chosen;
  LaunchAction action = LaunchAction::kTrain;
  for (const auto& [wanted, mode] : modes) {
    if (!wanted) continue;
    chosen.emplace_back(mode.first);
    action = mode.second;
  }
  if (chosen.size() > 1)
    return absl::InvalidArgumentError(absl::StrCat(
        absl::StrJoin(chosen, " and "), " exclude each other: give one"));
  if (settings.quiet() && action != LaunchAction::kTrain)
    return absl::InvalidArgumentError(absl::StrCat(
        "--quiet is for training; ", chosen.front(),
        " prints nothing but what it is asked for: leave --quiet out"));
  return action;
}

}  // namespace

absl::StatusOr<ParsedFlags> ParseFlags(const std::vector<std::string>& args,
                                       const Variables& variables) {
  ParsedFlags flags;
  PODSIM_ASSIGN_OR_RETURN(
      CommandLine line,
      ParseCommandLine(PodLaunch(), args, variables,
                       {&flags.spec, &flags.settings, &flags.elsewhere}));
  if (!line.text.empty()) {
    flags.action = LaunchAction::kText;
    flags.text = std::move(line.text);
    return flags;
  }
  PODSIM_RETURN_IF_ERROR(CheckSpec(flags.spec));
  PODSIM_ASSIGN_OR_RETURN(flags.action, ActionOf(flags.settings));
  // The file is of a slice alone: a setting would be lost.
  if (flags.action == LaunchAction::kPrintCompose &&
      flags.spec.ByteSizeLong() > 0)
    return absl::InvalidArgumentError(
        "--print_compose goes with no setting of a job, be it a flag or in the "
        "environment; give those to pod_launch in the file, as the "
        "coordinator's command");
  PODSIM_RETURN_IF_ERROR(CheckElsewhere(flags.elsewhere));
  return flags;
}

}  // namespace podsim
