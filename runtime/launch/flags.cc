#include "runtime/launch/flags.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "runtime/job/spec_check.h"
#include "runtime/monitor/monitor_settings.h"
#include "runtime/pod/elsewhere.h"
#include "settings/command_line.h"
#include "settings/origins.h"
#include "settings/programs.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using Fields = std::vector<const FieldDescriptor*>;

// The fields of LaunchSettings that say what to do instead of training.
constexpr std::pair<const char*, LaunchAction> kActions[] = {
    {"describe", LaunchAction::kDescribe},
    {"print_hardware", LaunchAction::kPrintHardware},
    {"print_compose", LaunchAction::kPrintCompose},
    {"dry_run", LaunchAction::kDryRun},
    {"print_job", LaunchAction::kPrintJob},
    {"selftest", LaunchAction::kSelfTest},
    {"write_model", LaunchAction::kWriteModel}};

const FieldDescriptor& FieldOf(const char* name) {
  const FieldDescriptor* field =
      LaunchSettings::descriptor()->FindFieldByName(name);
  PODSIM_CHECK(field != nullptr);
  return *field;
}

bool IsOneOf(const FieldDescriptor& field, const Fields& fields) {
  return std::find(fields.begin(), fields.end(), &field) != fields.end();
}

// Switched on, or with a value.
bool IsWanted(const LaunchSettings& settings, const FieldDescriptor& field) {
  return IsSwitch(field) ? settings.GetReflection()->GetBool(settings, &field)
                         : IsSet(settings, field);
}

struct WantedAction {
  std::string name;  // "--dry_run", "PODSIM_DRY_RUN"
  LaunchAction action;
};

// The actions that were typed; if none was, those of the environment.
std::vector<WantedAction> WantedActions(const LaunchSettings& settings,
                                        const Fields& from_environment) {
  std::vector<WantedAction> typed;
  std::vector<WantedAction> variables;
  for (const auto& [name, action] : kActions) {
    const FieldDescriptor& field = FieldOf(name);
    if (!IsWanted(settings, field)) continue;
    if (IsOneOf(field, from_environment))
      variables.push_back({VariableOf(field), action});
    else
      typed.push_back({absl::StrCat("--", FlagOf(field)), action});
  }
  return typed.empty() ? variables : typed;
}

// Clears a "quiet" of the environment that is not for the action.
absl::StatusOr<LaunchAction> ChooseAction(const Fields& from_environment,
                                          LaunchSettings& settings) {
  const std::vector<WantedAction> wanted =
      WantedActions(settings, from_environment);
  if (wanted.empty()) return LaunchAction::kTrain;
  if (wanted.size() > 1) {
    const auto name = [](std::string* out, const WantedAction& one) {
      out->append(one.name);
    };
    return absl::InvalidArgumentError(absl::StrCat(
        absl::StrJoin(wanted, " and ", name), " exclude each other: give one"));
  }
  if (IsOneOf(FieldOf("quiet"), from_environment)) settings.clear_quiet();
  if (settings.quiet())
    return absl::InvalidArgumentError(absl::StrCat(
        "--quiet is for training; ", wanted.front().name,
        " prints nothing but what it is asked for: leave --quiet out"));
  return wanted.front().action;
}

// "--epochs", "PODSIM_EPOCHS": one of the job's settings; empty: none is given.
std::string SettingOfJob(const ParsedFlags& flags) {
  if (flags.settings.has_hardware()) return "--hardware";
  Fields given;
  flags.spec.GetReflection()->ListFields(flags.spec, &given);
  if (given.empty()) return "";
  const std::string name = FlagOf(*given.front());
  const auto origin = flags.origins.find(name);
  return origin == flags.origins.end() ? absl::StrCat("--", name)
                                       : origin->second;
}

// What an action reads of a job's settings; another that is typed would be
// passed over. Those of the environment are for other commands.
absl::Status CheckReadsSettings(const ParsedFlags& flags) {
  struct Reads {
    LaunchAction action;
    const char* name;
    std::vector<std::string> fields;
    const char* read;  // in words
  };
  const std::vector<Reads> actions = {
      {LaunchAction::kDescribe,
       "--describe",
       {"wrap", "twist"},
       "--wrap, --twist and --hardware"},
      {LaunchAction::kPrintHardware, "--print_hardware", {}, "--hardware"},
      {LaunchAction::kSelfTest, "--selftest", {"isa"}, "--isa"}};
  Fields given;
  flags.spec.GetReflection()->ListFields(flags.spec, &given);
  for (const Reads& reads : actions)
    for (const FieldDescriptor* field : given) {
      if (reads.action != flags.action) continue;
      if (flags.origins.contains(FlagOf(*field)) ||
          std::ranges::find(reads.fields, field->name()) != reads.fields.end())
        continue;
      return absl::InvalidArgumentError(absl::StrCat(reads.name, " reads ",
                                                     reads.read,
                                                     " alone of a job's "
                                                     "settings: leave --",
                                                     FlagOf(*field), " out"));
    }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedFlags> ParseFlags(const std::vector<std::string>& args,
                                       const Variables& variables) {
  ParsedFlags flags;
  PODSIM_ASSIGN_OR_RETURN(CommandLine line,
                          ParseCommandLine(PodLaunch(), args, variables,
                                           {&flags.spec, &flags.settings,
                                            &flags.elsewhere, &flags.monitor}));
  if (!line.text.empty()) {
    flags.action = LaunchAction::kText;
    flags.text = std::move(line.text);
    return flags;
  }
  flags.origins = OriginsOf(line.from_environment);
  PODSIM_RETURN_IF_ERROR(WithOrigin(CheckSpec(flags.spec), flags.origins));
  PODSIM_ASSIGN_OR_RETURN(flags.action,
                          ChooseAction(line.from_environment, flags.settings));
  PODSIM_RETURN_IF_ERROR(CheckReadsSettings(flags));
  // The file is of a slice alone: a setting would be lost.
  const std::string beside = flags.action == LaunchAction::kPrintCompose
                                 ? SettingOfJob(flags)
                                 : std::string();
  if (!beside.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "--print_compose goes with no setting of a job: leave ", beside,
        " out, and give it to pod_launch in the file, as the coordinator's "
        "command"));
  PODSIM_RETURN_IF_ERROR(
      WithOrigin(CheckElsewhere(flags.elsewhere), flags.origins));
  PODSIM_RETURN_IF_ERROR(
      WithOrigin(CheckMonitor(flags.monitor), flags.origins));
  return flags;
}

}  // namespace podsim
