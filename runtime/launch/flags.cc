// The command line through CLI11, typed by JobSpec's own descriptor; see
// flags.h. All parsing of values happens here, so that flags and environment
// variables are refused in the same words.
#include "runtime/launch/flags.h"

#include <google/protobuf/descriptor.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "runtime/job/spec_check.h"
#include "runtime/launch/field_text.h"
#include "runtime/launch/flag_table.h"
#include "runtime/launch/nearest_names.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;

constexpr char kVersion[] = "pod_launch (podsim) " PODSIM_VERSION "\n";

const FieldDescriptor* FindField(const std::string& name) {
  return JobSpec::descriptor()->FindFieldByName(name);
}

absl::Status SetSpecFlag(const FlagInfo& info, const std::string& value,
                         JobSpec& spec) {
  // "--model --epochs 3": the next flag is no value.
  if (absl::StartsWith(value, "--")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", info.name, " has no value: \"", value, "\" follows it"));
  }
  return SetFieldFromText(info.name, value, FindField(info.name), spec);
}

// "--log-dir=a-b" -> "--log_dir=a-b".
std::string NormalizeName(const std::string& arg) {
  if (!absl::StartsWith(arg, "--")) return arg;
  const std::size_t end = std::min(arg.find('='), arg.size());
  std::string normal = arg;
  std::replace(normal.begin() + 2, normal.begin() + static_cast<long>(end), '-',
               '_');
  return normal;
}

// The raw texts that CLI11 found, before they mean anything.
struct RawFlags {
  std::map<std::string, std::string> values;   // by JobSpec field
  std::map<std::string, std::string> options;  // job, choices, ...
  std::map<std::string, bool> switches;
  std::vector<std::string> unknown;
};

constexpr char kHelp[] = "Help";
constexpr char kModes[] = "Instead of training";
constexpr char kElsewhere[] = "Hosts elsewhere";
constexpr char kOutput[] = "Output";

struct SwitchInfo {
  const char* name;
  const char* group;
  const char* help;
};

constexpr SwitchInfo kSwitches[] = {
    {"dry_run", kModes, "Print the plan and stop"},
    {"print_job", kModes, "Print the merged job as a text file for --job"},
    {"selftest", kModes,
     "Print known outputs of real TPUs beside ours; fails\n"
     "when they differ. --isa chooses the kernels"},
    {"quiet", kOutput,
     "No plan and no progress: only warnings, failures and\n"
     "the summary"},
    {"external_hosts", kElsewhere,
     "Start the coordinator only and wait for pod_host\n"
     "processes started elsewhere; needs PODSIM_TOKEN"},
    {"allow_plaintext_network", kElsewhere,
     "Let traffic leave this machine unencrypted"},
};

constexpr FlagInfo kOptions[] = {
    {"job", "Slice and model", "FILE",
     "Text file of these settings; flags win"},
    {"choices", "Numerics", "FILE",
     "Table that --algo=auto goes by, as pod_bench\n"
     "--write_choices wrote it [the one that ships]"},
    {"faults", "Checkpoints and failures", "FILE",
     "What is to go wrong in this run, on purpose: hosts,\n"
     "links, storage (docs/reliability.md)"},
    {"describe", kModes, "NAME",
     "Explain a slice: grid, ring, each host's environment"},
    {"print_compose", kModes, "NAME",
     "Print a slice as containers: the compose file of a\n"
     "coordinator and its hosts, for docker/"},
    {"listen", kElsewhere, "ADDR",
     "Where the coordinator listens, such as 0.0.0.0:8476"},
};

void AddFlags(CLI::App& app, RawFlags& raw) {
  const auto add_value = [&app](const FlagInfo& info, const std::string& names,
                                std::map<std::string, std::string>& values) {
    app.add_option_function<std::string>(
           names,
           [&values, name = info.name](const std::string& value) {
             values[name] = value;
           },
           info.help)
        ->type_name(info.type)
        ->group(info.group)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  };
  for (const FlagInfo& info : SpecFlags()) {
    std::string names = absl::StrCat("--", info.name);
    if (names == "--topology") names += ",--tpu";
    add_value(info, names, raw.values);
  }
  for (const FlagInfo& info : kOptions) {
    add_value(info, absl::StrCat("--", info.name), raw.options);
  }
  for (const SwitchInfo& info : kSwitches) {
    app.add_flag_function(
           absl::StrCat("--", info.name),
           [&raw, name = info.name](std::int64_t count) {
             raw.switches[name] = count > 0;
           },
           info.help)
        ->group(info.group);
  }
}

std::vector<std::string> AllNames() {
  std::vector<std::string> names = {"tpu", "help", "version"};
  for (const FlagInfo& info : SpecFlags()) names.emplace_back(info.name);
  for (const FlagInfo& info : kOptions) names.emplace_back(info.name);
  for (const SwitchInfo& info : kSwitches) names.emplace_back(info.name);
  return names;
}

absl::Status UnknownArgument(const std::string& arg) {
  if (!absl::StartsWith(arg, "-")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "unexpected \"", arg, "\": flags look like --model=mlp; see --help"));
  }
  const std::string typed = arg.substr(0, arg.find('='));
  const absl::string_view name =
      absl::StripPrefix(absl::StripPrefix(typed, "-"), "-");
  const std::vector<std::string> nearest =
      NearestNames(std::string(name), AllNames());
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown flag ", typed, nearest.empty() ? "" : "; did you mean --",
      absl::StrJoin(nearest, " or --"),
      nearest.empty() ? "; see --help" : "?"));
}

// Runs CLI11. `text` is set instead of `raw` for --help and --version.
absl::Status RunParser(const std::vector<std::string>& args, RawFlags& raw,
                       std::string& text) {
  CLI::App app(HelpIntroduction(), "pod_launch");
  app.allow_extras();
  app.set_help_flag("-h,--help", "Print this and stop")->group(kHelp);
  app.set_version_flag("--version", kVersion, "Print the version and stop")
      ->group(kHelp);
  app.footer(HelpExamples());
  app.get_formatter()->column_width(34);
  AddFlags(app, raw);
  std::vector<std::string> reversed;  // as CLI11 wants them
  for (auto arg = args.rbegin(); arg != args.rend(); ++arg) {
    reversed.push_back(NormalizeName(*arg));
  }
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    // CLI11 puts two blank lines between groups.
    text = absl::StrReplaceAll(app.help(), {{"\n\n\n", "\n\n"}});
    return absl::OkStatus();
  } catch (const CLI::CallForVersion&) {
    text = kVersion;
    return absl::OkStatus();
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(error.what(), "; see --help"));
  } catch (const std::exception&) {  // std::stoll's, which CLI11 lets through
    return absl::InvalidArgumentError(
        "a switch such as --dry_run takes true, false or nothing; see --help");
  }
  raw.unknown = app.remaining();
  return absl::OkStatus();
}

std::string VariableOf(const std::string& flag) {
  return absl::StrCat("PODSIM_", absl::AsciiStrToUpper(flag));
}

absl::Status FillFromEnvironment(const EnvironmentLookup& environment,
                                 RawFlags& raw) {
  const auto fill = [&](const char* name,
                        std::map<std::string, std::string>& values) {
    if (values.contains(name)) return;
    if (const auto value = environment(VariableOf(name))) {
      values[name] = *value;
    }
  };
  for (const FlagInfo& info : SpecFlags()) fill(info.name, raw.values);
  for (const FlagInfo& info : kOptions) fill(info.name, raw.options);
  for (const SwitchInfo& info : kSwitches) {
    if (raw.switches.contains(info.name)) continue;
    const auto value = environment(VariableOf(info.name));
    if (!value.has_value()) continue;
    bool on = false;
    if (!absl::SimpleAtob(*value, &on)) {
      return absl::InvalidArgumentError(absl::StrCat(
          VariableOf(info.name), " is \"", *value, "\"; give true or false"));
    }
    raw.switches[info.name] = on;
  }
  return absl::OkStatus();
}

absl::StatusOr<LaunchOptions> MakeOptions(RawFlags& raw) {
  LaunchOptions options;
  options.job_file = raw.options["job"];
  options.choices_file = raw.options["choices"];
  options.faults_file = raw.options["faults"];
  options.describe = raw.options["describe"];
  options.listen = raw.options["listen"];
  options.external_hosts = raw.switches["external_hosts"];
  options.allow_plaintext_network = raw.switches["allow_plaintext_network"];
  options.quiet = raw.switches["quiet"];
  const std::pair<const char*, LaunchAction> modes[] = {
      {"dry_run", LaunchAction::kDryRun},
      {"print_job", LaunchAction::kPrintJob},
      {"selftest", LaunchAction::kSelfTest}};
  std::vector<std::string> chosen;
  if (!options.describe.empty()) {
    chosen.emplace_back("--describe");
    options.action = LaunchAction::kDescribe;
  }
  options.print_compose = raw.options["print_compose"];
  if (!options.print_compose.empty()) {
    chosen.emplace_back("--print_compose");
    options.action = LaunchAction::kPrintCompose;
  }
  for (const auto& [name, action] : modes) {
    if (!raw.switches[name]) continue;
    chosen.push_back(absl::StrCat("--", name));
    options.action = action;
  }
  if (chosen.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        absl::StrJoin(chosen, " and "), " exclude each other: give one"));
  }
  if (options.quiet && options.action != LaunchAction::kTrain) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--quiet is for training; ", chosen.front(),
        " prints nothing but what it is asked for: leave --quiet out"));
  }
  if (options.external_hosts && options.listen.empty()) {
    return absl::InvalidArgumentError(
        "--external_hosts needs --listen, the address that hosts elsewhere "
        "dial, such as 0.0.0.0:8476");
  }
  if (!options.external_hosts && !options.listen.empty()) {
    return absl::InvalidArgumentError(
        "--listen is for --external_hosts; hosts on this machine use a private "
        "address");
  }
  return options;
}

}  // namespace

absl::StatusOr<ParsedFlags> ParseFlags(const std::vector<std::string>& args,
                                       const EnvironmentLookup& environment) {
  RawFlags raw;
  ParsedFlags parsed;
  PODSIM_RETURN_IF_ERROR(RunParser(args, raw, parsed.text));
  if (!parsed.text.empty()) {
    parsed.options.action = LaunchAction::kText;
    return parsed;
  }
  PODSIM_RETURN_IF_ERROR(FillFromEnvironment(environment, raw));
  for (const FlagInfo& info : SpecFlags()) {
    const auto value = raw.values.find(info.name);
    if (value == raw.values.end()) continue;
    PODSIM_RETURN_IF_ERROR(SetSpecFlag(info, value->second, parsed.spec));
  }
  // After the values, as "--topology --model mlp" leaves "mlp" over.
  if (!raw.unknown.empty()) return UnknownArgument(raw.unknown.front());
  PODSIM_RETURN_IF_ERROR(CheckSpec(parsed.spec));
  PODSIM_ASSIGN_OR_RETURN(parsed.options, MakeOptions(raw));
  // The file is of a slice alone: a setting would be lost.
  if (parsed.options.action == LaunchAction::kPrintCompose &&
      parsed.spec.ByteSizeLong() > 0) {
    return absl::InvalidArgumentError(
        "--print_compose goes with no setting of a job, be it a flag or in the "
        "environment; give those to pod_launch in the file, as the "
        "coordinator's command");
  }
  return parsed;
}

}  // namespace podsim
