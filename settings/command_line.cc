#include "settings/command_line.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "settings/check.h"
#include "settings/field_text.h"
#include "settings/help.h"
#include "settings/help_json.h"
#include "settings/nearest_names.h"
#include "settings/raw_flags.h"
#include "settings/unknown_flag.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

absl::Status Refused(const MainProgram& program, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, "; see ", program.name, " --help"));
}

// A later value would win without a word.
absl::Status CheckGivenOnce(const Flag& flag,
                            const std::vector<std::string>& values) {
  const auto other = std::find_if(
      values.begin(), values.end(),
      [&values](const std::string& value) { return value != values.front(); });
  if (other == values.end()) return absl::OkStatus();
  const std::string name = absl::StrCat("--", FlagOf(*flag.field));
  return absl::InvalidArgumentError(absl::StrCat(
      name, " is given twice, as \"", values.front(), "\" and as \"", *other,
      flag.field->is_repeated() ? absl::StrCat("\"; give one list: ", name, " ",
                                               values.front(), ",", *other)
                                : "\"; leave one of them out"));
}

absl::Status SetValue(const Flag& flag, const std::string& value,
                      Message& message) {
  const std::string name = FlagOf(*flag.field);
  if (value.empty() && !IsSwitch(*flag.field)) return NoValue(flag);
  // "--model --epochs 3": the next flag is no value.
  const std::string& not_this = SettingOf(*flag.field).not_this();
  if (absl::StartsWith(value, "--"))
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, " has no value: \"", value, "\" follows it",
                     not_this.empty() ? "" : "; ", not_this));
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
                     absl::StrCat("there is no ", name, " \"", typed, "\"",
                                  DidYouMean(value, TextsOf(words)),
                                  "; there are ", WordList(*flag.field)));
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

bool IsFlag(const std::vector<Flag>& flags, const std::string& name) {
  return std::ranges::any_of(flags, [&](const Flag& flag) {
    const auto names = NamesOf(flag);
    return !SettingOf(*flag.field).positional() &&
           std::ranges::find(names, name) != names.end();
  });
}

// "epochs" in "epochs=3"; empty where nothing like it is given.
std::string NameBeforeEquals(const std::string& arg) {
  const std::size_t equals = arg.find('=');
  if (equals == std::string::npos) return "";
  std::string name = absl::StrReplaceAll(arg.substr(0, equals), {{"-", "_"}});
  const bool is_name = std::ranges::all_of(name, [](char letter) {
    return absl::ascii_isalnum(static_cast<unsigned char>(letter)) ||
           letter == '_';
  });
  return is_name ? name : "";
}

// A command that there is not is said before a flag that it would have.
absl::Status CheckFirstWord(const MainProgram& program,
                            const std::vector<Flag>& flags,
                            const std::vector<std::string>& arguments) {
  if (arguments.empty() || flags.empty() ||
      !SettingOf(*flags.front().field).positional())
    return absl::OkStatus();
  const std::unique_ptr<Message> unused(
      google::protobuf::MessageFactory::generated_factory()
          ->GetPrototype(flags.front().field->containing_type())
          ->New());
  return SetPositional(program, flags.front(), {arguments.front()}, *unused);
}

// The argument without dashes that knows `word`; nullptr: there is none.
const Flag* ArgumentWithWord(const std::vector<Flag>& flags,
                             const std::string& word) {
  for (const Flag& flag : flags) {
    if (!SettingOf(*flag.field).positional()) continue;
    for (const Word& known : WordsOf(*flag.field))
      if (known.text == word) return &flag;
  }
  return nullptr;
}

bool IsNumber(const std::string& text) {
  double number = 0;
  return absl::SimpleAtod(text, &number);
}

// The argument without dashes that is any text; nullptr: there is none.
const Flag* PathOf(const std::vector<Flag>& flags) {
  for (const Flag& flag : flags)
    if (SettingOf(*flag.field).positional() && WordsOf(*flag.field).empty())
      return &flag;
  return nullptr;
}

// A setting without its dashes, or more than the arguments that there are.
absl::Status Unexpected(const MainProgram& program,
                        const std::vector<Flag>& flags,
                        const std::string& arg) {
  const std::string name = NameBeforeEquals(arg);
  if (IsFlag(flags, name))
    return Refused(program, absl::StrCat("unexpected \"", arg,
                                         "\": settings begin with dashes; "
                                         "give --",
                                         arg));
  if (!name.empty() && IsLikeAFlag(program, name))
    return UnknownFlag(program, absl::StrCat("--", arg));
  if (const Flag* flag = ArgumentWithWord(flags, arg))
    return Refused(
        program,
        absl::StrCat("unexpected \"", arg, "\": one ", FlagOf(*flag->field),
                     " is given at a time, as in ", program.example));
  const Flag* const path = PathOf(flags);
  return Refused(
      program,
      absl::StrCat(
          "unexpected \"", arg, "\": settings are given as in ",
          program.example,
          IsNumber(arg) ? "; a list has commas, as in 512,256"
          : path == nullptr
              ? "; a value with a blank in it stands in quotes"
              : absl::StrCat("; one ", FlagOf(*path->field),
                             " is given, and a pattern in quotes, lest the "
                             "shell make several of it"),
          IsFlag(flags, "output")
              ? absl::StrCat("; what is written goes to --output=", arg)
              : ""));
}

// `left`: arguments that are no flags, taken from the front.
absl::Status SetPositionals(const MainProgram& program,
                            const std::vector<Flag>& flags,
                            std::vector<std::string> left,
                            const std::vector<Message*>& messages) {
  for (const Flag& flag : flags) {
    if (!SettingOf(*flag.field).positional()) continue;
    const std::size_t most = flag.field->is_repeated() ? left.size() : 1;
    const auto end =
        left.begin() + static_cast<long>(std::min(most, left.size()));
    PODSIM_RETURN_IF_ERROR(SetPositional(program, flag, {left.begin(), end},
                                         *messages[flag.part]));
    left.erase(left.begin(), end);
  }
  if (left.empty()) return absl::OkStatus();
  return Unexpected(program, flags, left.front());
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

// "--help=all"; "--help all" is taken for it.
absl::StatusOr<CommandLine> HelpText(const MainProgram& program,
                                     const RawFlags& raw) {
  const bool apart = raw.help == "true" && raw.others.size() == 1 &&
                     (raw.others[0] == "all" || raw.others[0] == "json");
  const std::string& which = apart ? raw.others[0] : raw.help;
  if (which == "true") return CommandLine{.text = FormatShortHelp(program)};
  if (which == "all") return CommandLine{.text = FormatHelp(program)};
  if (which == "json") return CommandLine{.text = FormatHelpJson(program)};
  return absl::InvalidArgumentError(absl::StrCat(
      "--help is \"", which, "\"; give --help, --help=all or --help=json"));
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(
    const MainProgram& program, const std::vector<std::string>& args,
    const Variables& variables, const std::vector<Message*>& messages) {
  PODSIM_CHECK(messages.size() == program.parts.size());
  const std::vector<Flag> flags = FlagsOf(program);
  PODSIM_ASSIGN_OR_RETURN(const RawFlags raw,
                          ReadRawFlags(program, flags, args));
  if (!raw.help.empty()) return HelpText(program, raw);
  if (raw.version) return CommandLine{.text = FormatVersion(program)};
  CommandLine line;
  for (const Flag& flag : flags) {
    Message& message = *messages[flag.part];
    const auto value = raw.values.find(flag.field);
    if (value != raw.values.end()) {
      PODSIM_RETURN_IF_ERROR(CheckGivenOnce(flag, value->second));
      PODSIM_RETURN_IF_ERROR(SetValue(flag, value->second.back(), message));
    } else if (program.environment && HasVariable(flag) &&
               !IsOverruled(*flag.field, raw)) {
      PODSIM_RETURN_IF_ERROR(SetFromEnvironment(flag, variables, message));
      if (IsSet(message, *flag.field))
        line.from_environment.push_back(flag.field);
    }
  }
  // After the values, as "--topology --model mlp" leaves "mlp" over.
  std::vector<std::string> arguments;
  std::string unknown;
  for (const std::string& other : raw.others) {
    if (!absl::StartsWith(other, "-")) {
      arguments.push_back(other);
    } else if (unknown.empty()) {
      unknown = other;
    }
  }
  if (!unknown.empty()) {
    if (raw.others.front() != unknown)
      PODSIM_RETURN_IF_ERROR(CheckFirstWord(program, flags, arguments));
    return UnknownFlag(program, unknown);
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
