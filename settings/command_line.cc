// The command line through CLI11, which only says which text belongs to which
// flag: all parsing of values happens here, so that flags and environment
// variables are refused in the same words.
#include "settings/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "settings/check.h"
#include "settings/field_text.h"
#include "settings/help.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

bool IsPositional(const Flag& flag) {
  return SettingOf(*flag.field).positional();
}

// The texts that CLI11 found, before they mean anything.
struct RawFlags {
  std::map<const FieldDescriptor*, std::string> values;
  std::vector<std::string> others;  // unknown flags and arguments
  bool help = false;
  bool version = false;
};

absl::Status Refused(const MainProgram& program, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, "; see ", program.name, " --help"));
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

// "-b,--minbytes".
std::string Spellings(const Flag& flag) {
  std::vector<std::string> spellings;
  const std::string& letter = SettingOf(*flag.field).letter();
  if (!letter.empty()) spellings.push_back(absl::StrCat("-", letter));
  for (const std::string& name : NamesOf(flag))
    spellings.push_back(absl::StrCat("--", name));
  return absl::StrJoin(spellings, ",");
}

void AddFlag(const Flag& flag, CLI::App& app, RawFlags& raw) {
  const auto set = [&raw, field = flag.field](const std::string& value) {
    raw.values[field] = value;
  };
  if (IsSwitch(*flag.field)) {
    app.add_flag_function(Spellings(flag), [set](std::int64_t count) {
      set(count > 0 ? "true" : "false");
    });
    return;
  }
  app.add_option_function<std::string>(Spellings(flag), set)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

absl::Status NoValue(const Flag& flag) {
  const Setting& rule = SettingOf(*flag.field);
  const std::string type = rule.type().empty() ? "a value" : rule.type();
  return absl::InvalidArgumentError(
      absl::StrCat("--", FlagOf(*flag.field), " has no value; give ",
                   WordsOf(*flag.field).empty()
                       ? absl::StrCat(type, ": ", rule.help())
                       : absl::StrCat("one of ", WordList(*flag.field))));
}

// "--topology=", or "--topology" and no more: CLI11 would not say what it
// takes.
absl::Status CheckHasValue(const std::vector<Flag>& flags,
                           const std::string& arg, bool last) {
  for (const Flag& flag : flags) {
    if (IsPositional(flag) || IsSwitch(*flag.field)) continue;
    for (const std::string& name : NamesOf(flag))
      if (arg == absl::StrCat("--", name, "=") ||
          (last && arg == absl::StrCat("--", name)))
        return NoValue(flag);
    const std::string& letter = SettingOf(*flag.field).letter();
    if (last && !letter.empty() && arg == absl::StrCat("-", letter))
      return NoValue(flag);
  }
  return absl::OkStatus();
}

// "--dry_run=perhaps": CLI11 would not say which switch.
absl::Status CheckSwitch(const std::vector<Flag>& flags,
                         const std::string& arg) {
  const std::size_t equals = arg.find('=');
  if (equals == std::string::npos) return absl::OkStatus();
  const std::string name = arg.substr(0, equals);
  const std::string value = arg.substr(equals + 1);
  bool on = false;
  for (const Flag& flag : flags)
    if (IsSwitch(*flag.field) &&
        name == absl::StrCat("--", FlagOf(*flag.field)) &&
        !absl::SimpleAtob(value, &on))
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is \"", value, "\"; give true or false"));
  return absl::OkStatus();
}

// Runs CLI11.
absl::Status Tokenize(const MainProgram& program,
                      const std::vector<Flag>& flags,
                      const std::vector<std::string>& args, RawFlags& raw) {
  CLI::App app("", program.name);
  app.allow_extras();
  app.set_help_flag("-h,--help", "");
  app.set_version_flag("--version", "");
  for (const Flag& flag : flags)
    if (!IsPositional(flag)) AddFlag(flag, app, raw);
  std::vector<std::string> reversed;  // as CLI11 wants them
  for (auto arg = args.rbegin(); arg != args.rend(); ++arg) {
    reversed.push_back(NormalizeName(*arg));
    PODSIM_RETURN_IF_ERROR(CheckSwitch(flags, reversed.back()));
    PODSIM_RETURN_IF_ERROR(CheckHasValue(flags, reversed.back(),
                                         /*last=*/reversed.size() == 1));
  }
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    raw.help = true;
  } catch (const CLI::CallForVersion&) {
    raw.version = true;
  } catch (const CLI::ParseError& error) {
    return Refused(program, error.what());
  }
  raw.others = app.remaining();
  return absl::OkStatus();
}

// What was typed for a flag of another program, or by a slip.
std::vector<std::string> Meant(const std::string& typed,
                               const std::vector<Flag>& flags) {
  std::vector<std::string> mistaken;
  std::vector<std::string> names = {"help", "version"};
  for (const Flag& flag : flags) {
    if (IsPositional(flag)) continue;
    for (const std::string& name : NamesOf(flag)) names.push_back(name);
    const auto& others = SettingOf(*flag.field).mistaken();
    if (std::find(others.begin(), others.end(), typed) != others.end())
      mistaken.push_back(FlagOf(*flag.field));
  }
  return mistaken.empty() ? NearestNames(typed, names) : mistaken;
}

absl::Status UnknownFlag(const MainProgram& program,
                         const std::vector<Flag>& flags,
                         const std::string& arg) {
  const std::string typed = arg.substr(0, arg.find('='));
  const std::vector<std::string> meant =
      Meant(std::string(absl::StripPrefix(absl::StripPrefix(typed, "-"), "-")),
            flags);
  if (meant.empty())
    return Refused(program, absl::StrCat("unknown flag ", typed));
  return absl::InvalidArgumentError(
      absl::StrCat("unknown flag ", typed, "; did you mean --",
                   absl::StrJoin(meant, " or --"), "?"));
}

absl::Status SetValue(const Flag& flag, const std::string& value,
                      Message& message) {
  const std::string name = FlagOf(*flag.field);
  if (value.empty() && !IsSwitch(*flag.field)) return NoValue(flag);
  // "--model --epochs 3": the next flag is no value.
  if (absl::StartsWith(value, "--"))
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, " has no value: \"", value, "\" follows it"));
  return SetFieldFromText(name, value, *flag.field, message);
}

absl::Status SetPositional(const MainProgram& program, const Flag& flag,
                           std::vector<std::string> values, Message& message) {
  const std::string name = FlagOf(*flag.field);
  const std::vector<Word> words = WordsOf(*flag.field);
  for (std::string& value : values) {
    if (words.empty()) continue;
    const std::string typed = value;
    value = absl::StrReplaceAll(value, {{"-", "_"}});
    const bool known =
        std::any_of(words.begin(), words.end(),
                    [&](const Word& word) { return word.text == value; });
    if (!known)
      return Refused(program,
                     absl::StrCat("there is no ", name, " \"", typed,
                                  "\"; there are ", WordList(*flag.field)));
  }
  if (values.empty() && SettingOf(*flag.field).required())
    return Refused(program,
                   absl::StrCat("which ", name, "? ",
                                words.empty() ? SettingOf(*flag.field).help()
                                              : WordList(*flag.field),
                                ", such as ", program.example));
  if (!flag.field->is_repeated())
    return values.empty()
               ? absl::OkStatus()
               : SetFieldFromText(name, values.front(), *flag.field, message);
  for (const std::string& value : values)  // a path may hold commas
    message.GetReflection()->AddString(&message, flag.field, value);
  return absl::OkStatus();
}

// `left`: arguments that are no flags, taken from the front.
absl::Status SetPositionals(const MainProgram& program,
                            const std::vector<Flag>& flags,
                            std::vector<std::string> left,
                            const std::vector<Message*>& messages) {
  for (const Flag& flag : flags) {
    if (!IsPositional(flag)) continue;
    const std::size_t most = flag.field->is_repeated() ? left.size() : 1;
    const auto end =
        left.begin() + static_cast<long>(std::min(most, left.size()));
    PODSIM_RETURN_IF_ERROR(SetPositional(program, flag, {left.begin(), end},
                                         *messages[flag.part]));
    left.erase(left.begin(), end);
  }
  if (left.empty()) return absl::OkStatus();
  return Refused(
      program, absl::StrCat("unexpected \"", left.front(),
                            "\": settings are given as in ", program.example));
}

absl::Status SetFromEnvironment(const Flag& flag, const Variables& variables,
                                Message& message) {
  const std::string name = VariableOf(*flag.field);
  const auto value = Find(variables, name);
  if (!value.has_value()) return absl::OkStatus();
  const absl::Status set = SetValue(flag, *value, message);
  if (set.ok()) return set;
  return absl::InvalidArgumentError(
      absl::StrCat(set.message(), " (from ", name, ")"));
}

bool Excludes(const FieldDescriptor& field, const FieldDescriptor& other) {
  return field.containing_type() == other.containing_type() &&
         SettingOf(field).excludes() == other.name();
}

// Whether a flag that was given leaves no room for `field`: the environment's
// length of a run beside --train_steps.
bool IsOverruled(const FieldDescriptor& field, const RawFlags& raw) {
  return std::any_of(
      raw.values.begin(), raw.values.end(), [&field](const auto& given) {
        return Excludes(field, *given.first) || Excludes(*given.first, field);
      });
}

// CheckSettings would name the flags, which nobody gave.
absl::Status CheckVariables(const std::vector<const FieldDescriptor*>& taken) {
  for (const FieldDescriptor* field : taken)
    for (const FieldDescriptor* other : taken)
      if (Excludes(*field, *other))
        return absl::InvalidArgumentError(
            absl::StrCat(VariableOf(*field), " and ", VariableOf(*other),
                         " both ", SettingOf(*field).both(),
                         "; leave one of them out of the environment"));
  return absl::OkStatus();
}

absl::Status CheckRequired(const std::vector<Flag>& flags,
                           const std::vector<Message*>& messages) {
  for (const Flag& flag : flags) {
    const Setting& rule = SettingOf(*flag.field);
    if (rule.required() && !IsSet(*messages[flag.part], *flag.field))
      return absl::InvalidArgumentError(absl::StrCat(
          "--", FlagOf(*flag.field), " is missing: ", rule.help()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(
    const MainProgram& program, const std::vector<std::string>& args,
    const Variables& variables, const std::vector<Message*>& messages) {
  PODSIM_CHECK(messages.size() == program.parts.size());
  const std::vector<Flag> flags = FlagsOf(program);
  RawFlags raw;
  PODSIM_RETURN_IF_ERROR(Tokenize(program, flags, args, raw));
  if (raw.help) return CommandLine{.text = FormatHelp(program)};
  if (raw.version) return CommandLine{.text = FormatVersion(program)};
  CommandLine line;
  for (const Flag& flag : flags) {
    Message& message = *messages[flag.part];
    const auto value = raw.values.find(flag.field);
    if (value != raw.values.end()) {
      PODSIM_RETURN_IF_ERROR(SetValue(flag, value->second, message));
    } else if (program.environment && HasVariable(flag) &&
               !IsOverruled(*flag.field, raw)) {
      PODSIM_RETURN_IF_ERROR(SetFromEnvironment(flag, variables, message));
      if (IsSet(message, *flag.field))
        line.from_environment.push_back(flag.field);
    }
  }
  // After the values, as "--topology --model mlp" leaves "mlp" over.
  std::vector<std::string> arguments;
  for (const std::string& other : raw.others) {
    if (absl::StartsWith(other, "-")) return UnknownFlag(program, flags, other);
    arguments.push_back(other);
  }
  PODSIM_RETURN_IF_ERROR(
      SetPositionals(program, flags, std::move(arguments), messages));
  PODSIM_RETURN_IF_ERROR(CheckRequired(flags, messages));
  PODSIM_RETURN_IF_ERROR(CheckVariables(line.from_environment));
  for (const Message* message : messages)
    PODSIM_RETURN_IF_ERROR(CheckSettings(*message));
  return line;
}

}  // namespace podsim
