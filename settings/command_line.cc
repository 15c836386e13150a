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
#include "settings/advice.h"
#include "settings/check.h"
#include "settings/field_text.h"
#include "settings/help.h"
#include "settings/help_json.h"
#include "settings/leading_blank.h"
#include "settings/nearest_names.h"
#include "settings/origins.h"
#include "settings/raw_flags.h"
#include "settings/unexpected_argument.h"
#include "settings/unknown_flag.h"
#include "settings/warmup_steps.h"

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
  if (value.empty() && !IsSwitch(*flag.field) &&
      !SettingOf(*flag.field).may_be_empty())
    return NoValue(flag);
  // "--model --epochs 3": the next flag is no value.
  if (absl::StartsWith(value, "--") || IsBlankOrFlagBehindOne(value))
    return NoValueBefore(flag, value);
  return SetFieldFromText(name, value, *flag.field, message);
}

// What is to be given for an unknown word, as "; ...".
std::string InsteadOfWord(const MainProgram& program, const std::string& word,
                          const std::vector<Word>& words) {
  const std::string advice = AdviceFor(program, word);
  return advice.empty() ? DidYouMean(word, TextsOf(words))
                        : absl::StrCat("; ", advice);
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
                                  InsteadOfWord(program, value, words),
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
    PODSIM_RETURN_IF_ERROR(AddFieldText(name, value, *flag.field, message));
  return absl::OkStatus();
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

// "runs/a ls": a word that stands behind what it is a command for.
absl::Status CheckCommandStandsFirst(const MainProgram& program,
                                     const Flag& flag,
                                     const std::vector<std::string>& left) {
  const std::vector<std::string> words = TextsOf(WordsOf(*flag.field));
  const auto is_word = [&](const std::string& arg) {
    return std::ranges::find(words, arg) != words.end();
  };
  if (left.size() != 2 || is_word(left[0]) || !is_word(left[1]))
    return absl::OkStatus();
  return Refused(
      program, absl::StrCat("there is no ", FlagOf(*flag.field), " \"", left[0],
                            "\"; it stands first: ", program.name, " ", left[1],
                            " ", left[0]));
}

// `left`: of `args` those that are no flags, taken from the front.
absl::Status SetPositionals(const MainProgram& program,
                            const std::vector<Flag>& flags,
                            const std::vector<std::string>& args,
                            std::vector<std::string> left,
                            const std::vector<Message*>& messages) {
  for (const Flag& flag : flags) {
    if (!SettingOf(*flag.field).positional()) continue;
    PODSIM_RETURN_IF_ERROR(CheckCommandStandsFirst(program, flag, left));
    const std::size_t most = flag.field->is_repeated() ? left.size() : 1;
    const auto end =
        left.begin() + static_cast<long>(std::min(most, left.size()));
    PODSIM_RETURN_IF_ERROR(SetPositional(program, flag, {left.begin(), end},
                                         *messages[flag.part]));
    left.erase(left.begin(), end);
  }
  if (left.empty()) return absl::OkStatus();
  return UnexpectedArgument(program, flags, args, left, messages);
}

absl::Status SetFromEnvironment(const Flag& flag, const Variables& variables,
                                Message& message) {
  const std::string name = VariableOf(*flag.field);
  const auto value = Find(variables, name);
  if (!value.has_value()) return absl::OkStatus();
  const absl::Status set = SetValue(flag, *value, message);
  return WithOrigin(set, OriginsOf({flag.field}));
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

// "PODSIM_EPOCHS=5".
std::string Assigned(const FieldDescriptor& field, const Variables& variables) {
  const std::string name = VariableOf(field);
  return absl::StrCat(name, "=", Find(variables, name).value_or(""));
}

// CheckSettings would name the flags, which nobody gave.
absl::Status CheckVariables(const std::vector<const FieldDescriptor*>& taken,
                            const Variables& variables) {
  for (const FieldDescriptor* field : taken)
    for (const FieldDescriptor* other : taken)
      if (Excludes(*field, *other))
        return absl::InvalidArgumentError(absl::StrCat(
            Assigned(*field, variables), " and ", Assigned(*other, variables),
            " both ", SettingOf(*field).both(),
            "; leave one of them out: ", "unset ", VariableOf(*other)));
  return absl::OkStatus();
}

absl::Status CheckRequired(const MainProgram& program,
                           const std::vector<Flag>& flags,
                           const Variables& variables,
                           const std::vector<Message*>& messages) {
  for (const Flag& flag : flags) {
    const Setting& rule = SettingOf(*flag.field);
    if (!rule.required() || IsSet(*messages[flag.part], *flag.field)) continue;
    const std::string variable = VariableOf(*flag.field);
    return absl::InvalidArgumentError(absl::StrCat(
        "--", FlagOf(*flag.field), " is missing: ", rule.help(), "; as in ",
        program.example,
        Find(variables, variable).has_value()
            ? absl::StrCat("; ", program.name, " does not read ", variable)
            : ""));
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

// "--keep is -1; ..." where the setting was given as a flag: in files and
// variables there are no dashes.
absl::Status AsTypedFlag(const absl::Status& refused, const RawFlags& raw) {
  if (refused.ok() || absl::StartsWith(refused.message(), "--")) return refused;
  const std::string name = SettingIn(refused.message());
  const auto is_it = [&](const auto& value) {
    return FlagOf(*value.first) == name &&
           !SettingOf(*value.first).positional();
  };
  return std::ranges::any_of(raw.values, is_it)
             ? absl::Status(refused.code(),
                            absl::StrCat("--", refused.message()))
             : refused;
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
    return WithWarmupSteps(UnknownFlag(program, unknown), args, messages);
  }
  if (std::ranges::find(arguments, "...") != arguments.end())
    return Refused(program,
                   "unexpected \"...\": in examples it stands for further "
                   "flags; leave it out");
  PODSIM_RETURN_IF_ERROR(
      SetPositionals(program, flags, args, std::move(arguments), messages));
  PODSIM_RETURN_IF_ERROR(CheckRequired(program, flags, variables, messages));
  PODSIM_RETURN_IF_ERROR(CheckVariables(line.from_environment, variables));
  for (const Message* message : messages)
    PODSIM_RETURN_IF_ERROR(AsTypedFlag(
        WithOrigin(CheckSettings(*message), OriginsOf(line.from_environment)),
        raw));
  return line;
}

}  // namespace podsim
