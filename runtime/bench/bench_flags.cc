#include "runtime/bench/bench_flags.h"

#include <google/protobuf/descriptor.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "host/storage/uri_store.h"
#include "runtime/bench/bench_flag_table.h"
#include "runtime/bench/calibration.h"
#include "runtime/job/bench_plan.h"
#include "runtime/launch/field_text.h"
#include "runtime/launch/nearest_names.h"

namespace podsim {
namespace {

constexpr char kVersion[] = "pod_bench (podsim) " PODSIM_VERSION "\n";

// The raw texts that CLI11 found, before they mean anything.
struct RawFlags {
  std::string collective;
  std::map<std::string, std::string> values;  // by flag name
  std::vector<std::string> unknown;
};

// "--log-dir=a-b" -> "--log_dir=a-b".
std::string NormalizeName(const std::string& arg) {
  if (!absl::StartsWith(arg, "--")) return arg;
  const std::size_t end = std::min(arg.find('='), arg.size());
  std::string normal = arg;
  std::replace(normal.begin() + 2, normal.begin() + static_cast<long>(end), '-',
               '_');
  return normal;
}

void AddFlags(CLI::App& app, RawFlags& raw) {
  app.add_option("collective", raw.collective,
                 absl::StrCat("What is measured:\n",
                              absl::StrJoin(CollectiveNames(), "\n")))
      ->type_name("NAME");
  for (const BenchFlagInfo& info : BenchFlagTable()) {
    const auto set = [&raw, name = info.name](const std::string& value) {
      raw.values[name] = value;
    };
    CLI::Option* option = nullptr;
    if (info.type != nullptr) {
      option = app.add_option_function<std::string>(info.names, set, info.help)
                   ->type_name(info.type)
                   ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    } else {
      option = app.add_flag_function(
          info.names,
          [set](std::int64_t count) { set(count > 0 ? "true" : "false"); },
          info.help);
    }
    option->group(info.group);
  }
}

absl::Status UnknownArgument(const std::string& arg) {
  if (!absl::StartsWith(arg, "-")) {
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected \"", arg, "\"; see pod_bench --help"));
  }
  std::vector<std::string> names = {"help", "version"};
  for (const BenchFlagInfo& info : BenchFlagTable()) {
    names.emplace_back(info.name);
  }
  const std::string typed = arg.substr(0, arg.find('='));
  const std::vector<std::string> nearest = NearestNames(
      std::string(absl::StripPrefix(absl::StripPrefix(typed, "-"), "-")),
      names);
  return absl::InvalidArgumentError(
      nearest.empty()
          ? absl::StrCat("unknown flag ", typed, "; see pod_bench --help")
          : absl::StrCat("unknown flag ", typed, "; did you mean --",
                         absl::StrJoin(nearest, " or --"), "?"));
}

// Runs CLI11. `text` is set instead of `raw` for --help and --version.
absl::Status RunParser(const std::vector<std::string>& args, RawFlags& raw,
                       std::string& text) {
  CLI::App app(BenchHelpIntroduction(), "pod_bench");
  app.allow_extras();
  app.set_help_flag("-h,--help", "Print this and stop")->group("Help");
  app.set_version_flag("--version", kVersion, "Print the version and stop")
      ->group("Help");
  app.footer(BenchHelpExamples());
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
        absl::StrCat(error.what(), "; see pod_bench --help"));
  } catch (const std::exception&) {  // std::stoll's, which CLI11 lets through
    return absl::InvalidArgumentError(
        "a switch such as --external_hosts takes true, false or nothing; see "
        "pod_bench --help");
  }
  raw.unknown = app.remaining();
  return absl::OkStatus();
}

void FillFromEnvironment(const EnvironmentLookup& environment, RawFlags& raw) {
  for (const BenchFlagInfo& info : BenchFlagTable()) {
    if (raw.values.contains(info.name)) continue;
    const auto value =
        environment(absl::StrCat("PODSIM_", absl::AsciiStrToUpper(info.name)));
    if (value.has_value()) raw.values[info.name] = *value;
  }
}

absl::Status SetBool(const std::string& name, const std::string& value,
                     bool& to) {
  if (absl::SimpleAtob(value, &to)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", name, " is \"", value, "\"; give 0 or 1"));
}

// nccl-tests count ranks by threads and GPUs; here the slice says.
absl::Status CheckOne(const std::string& name, const std::string& value) {
  if (value == "1") return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--", name, " is \"", value,
      "\"; only 1 is there: --topology (and --ranks) say how many ranks take "
      "part, such as --topology v3-64 for 8 hosts"));
}

// A flag that is no field of a message, or names the file of one.
absl::Status SetOption(const std::string& name, const std::string& value,
                       BenchFlags& flags) {
  if (name == "output_file") {
    flags.json_file = value;
    return Annotate(CheckPlainPath(value), name);
  } else if (name == "write_choices") {
    flags.choices_file = value;
    return Annotate(CheckPlainPath(value), name);
  } else if (name == "choices") {
    flags.options.choices_file = value;
  } else if (name == "listen") {
    flags.options.listen = value;
  } else if (name == "report_timestamps") {
    return SetBool(name, value, flags.timestamps);
  } else if (name == "memory") {
    return SetBool(name, value, flags.memory);
  } else if (name == "external_hosts") {
    return SetBool(name, value, flags.options.external_hosts);
  } else if (name == "allow_plaintext_network") {
    return SetBool(name, value, flags.options.allow_plaintext_network);
  } else {
    return CheckOne(name, value);  // nthreads, ngpus
  }
  return absl::OkStatus();
}

absl::Status SetFlag(const BenchFlagInfo& info, const std::string& value,
                     BenchFlags& flags) {
  const std::string name = info.name;
  if (absl::StartsWith(value, "--")) {  // "--algo --iters 3"
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, " has no value: \"", value, "\" follows it"));
  }
  if (name == "root" && value == "all") {
    flags.spec.mutable_bench()->add_root(-1);
    return absl::OkStatus();
  }
  const std::string field = info.field != nullptr ? info.field : info.name;
  if (const auto* found = BenchSpec::descriptor()->FindFieldByName(field)) {
    return SetFieldFromText(name, value, found, *flags.spec.mutable_bench());
  }
  const auto* found = JobSpec::descriptor()->FindFieldByName(field);
  if (found != nullptr && found->message_type() == nullptr) {
    return SetFieldFromText(name, value, found, flags.spec);
  }
  return SetOption(name, value, flags);
}

absl::Status SetCollective(const std::string& typed, BenchFlags& flags) {
  const std::vector<std::string> names = CollectiveNames();
  const std::string name = absl::StrReplaceAll(typed, {{"-", "_"}});
  if (name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "which collective? pod_bench ", absl::StrJoin(names, "|"),
        ", such as pod_bench all_reduce -b 1K -e 64M -f 4; see --help"));
  }
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return absl::InvalidArgumentError(absl::StrCat("no collective is called \"",
                                                   typed, "\"; there are ",
                                                   absl::StrJoin(names, ", ")));
  }
  flags.spec.mutable_bench()->set_collective(name);
  return absl::OkStatus();
}

absl::Status CheckElsewhere(const LaunchOptions& options) {
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
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<BenchFlags> ParseBenchFlags(
    const std::vector<std::string>& args,
    const EnvironmentLookup& environment) {
  RawFlags raw;
  BenchFlags flags;
  PODSIM_RETURN_IF_ERROR(RunParser(args, raw, flags.text));
  if (!flags.text.empty()) return flags;
  FillFromEnvironment(environment, raw);
  for (const BenchFlagInfo& info : BenchFlagTable()) {
    const auto value = raw.values.find(info.name);
    if (value == raw.values.end()) continue;
    PODSIM_RETURN_IF_ERROR(SetFlag(info, value->second, flags));
  }
  if (!raw.unknown.empty()) return UnknownArgument(raw.unknown.front());
  PODSIM_RETURN_IF_ERROR(SetCollective(raw.collective, flags));
  BenchSpec complete = flags.spec.bench();
  FillBenchDefaults(complete);
  PODSIM_RETURN_IF_ERROR(CheckBench(complete));
  if (!flags.choices_file.empty()) {
    PODSIM_RETURN_IF_ERROR(CheckCalibration(complete));
  }
  PODSIM_RETURN_IF_ERROR(CheckElsewhere(flags.options));
  return flags;
}

}  // namespace podsim
