#include "settings/unexpected_argument.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "settings/field_text.h"
#include "settings/many_paths.h"
#include "settings/setting.h"
#include "settings/unknown_flag.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

// The flag of that name; nullptr: there is none.
const Flag* FlagCalled(const std::vector<Flag>& flags,
                       const std::string& name) {
  for (const Flag& flag : flags) {
    const std::vector<std::string> names = NamesOf(flag);
    if (!SettingOf(*flag.field).positional() &&
        std::ranges::find(names, name) != names.end())
      return &flag;
  }
  return nullptr;
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

// The one setting that has `word` and not as its default; one without dashes
// first. nullptr: there is none, or several.
const Flag* FlagWithWord(const std::vector<Flag>& flags,
                         const std::string& word) {
  std::vector<const Flag*> found;
  for (const Flag& flag : flags) {
    const std::vector<std::string> words = TextsOf(WordsOf(*flag.field));
    if (std::ranges::find(words, word) == words.end()) continue;
    if (SettingOf(*flag.field).positional()) return &flag;
    if (SettingOf(*flag.field).default_() != word) found.push_back(&flag);
  }
  return found.size() == 1 ? found.front() : nullptr;
}

// "v3-32", "v5litepod-16..v5litepod-64", of which no more is known here.
bool IsLikeASlice(std::string_view arg) {
  const auto digit = [](char letter) {
    return absl::ascii_isdigit(static_cast<unsigned char>(letter));
  };
  const std::size_t dash = arg.find('-');
  return dash != std::string_view::npos && dash + 1 < arg.size() &&
         digit(arg[dash + 1]) &&
         ((arg[0] == 'v' && digit(arg[1])) || arg.starts_with("tpu"));
}

// The flag that `arg` is meant for by what it looks like, if it is not given;
// else the one that the program cannot do without.
const Flag* FlagFor(const std::vector<Flag>& flags, const std::string& arg,
                    const std::vector<Message*>& messages) {
  const auto is_open = [&](const Flag* flag) {
    return flag != nullptr && !IsSet(*messages[flag->part], *flag->field);
  };
  const Flag* const topology = FlagCalled(flags, "topology");
  if (IsLikeASlice(arg) && is_open(topology)) return topology;
  for (const Flag& flag : flags)
    if (SettingOf(*flag.field).required() &&
        !SettingOf(*flag.field).positional() && is_open(&flag))
      return &flag;
  return FlagWithWord(flags, arg);
}

// " after --topology v3-8; several slices are one value with commas:
// --topology v3-8,v3-32" of values behind the one that a setting is given.
// Empty: they are none.
std::string SeveralAdvice(const MainProgram& program,
                          const std::vector<Flag>& flags,
                          const std::vector<std::string>& left,
                          const std::vector<Message*>& messages) {
  const bool slice = IsLikeASlice(left.front());
  const auto flag_of = [&](const std::string& arg) {
    return !slice              ? FlagWithWord(flags, arg)
           : IsLikeASlice(arg) ? FlagCalled(flags, "topology")
                               : nullptr;
  };
  const Flag* const flag = flag_of(left.front());
  if (flag == nullptr || SettingOf(*flag->field).positional() ||
      !IsSet(*messages[flag->part], *flag->field))
    return "";
  const std::string name = FlagOf(*flag->field);
  std::string all = FieldText(*messages[flag->part], *flag->field);
  const std::string after = absl::StrCat(" after --", name, " ", all, "; ");
  for (const std::string& arg : left) {
    if (flag_of(arg) != flag) break;
    absl::StrAppend(&all, ",", arg);
  }
  if (flag->field->is_repeated())
    return absl::StrCat(after, "several ", slice ? "slices" : "words",
                        " are one value with commas: --", name, " ", all);
  return absl::StrCat(
      after, slice && std::string_view(program.name) == "pod_launch"
                 ? absl::StrCat("a job trains on one slice: leave out the "
                                "others, or compare them with pod_plan "
                                "--topology ",
                                all)
                 : "it takes one: leave out the others");
}

// The setting without a value right before `arg`; nullptr: there is none.
const Flag* SwitchBefore(const std::vector<Flag>& flags,
                         const std::vector<std::string>& args,
                         const std::string& arg) {
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (args[i] != arg || !args[i - 1].starts_with("--")) continue;
    const Flag* const flag = FlagCalled(
        flags, absl::StrReplaceAll(args[i - 1].substr(2), {{"-", "_"}}));
    if (flag != nullptr && IsSwitch(*flag->field)) return flag;
  }
  return nullptr;
}

// "--dry_run false": "yes" and the like, but no number.
bool IsOfASwitch(const std::string& arg) {
  bool on = false;
  return arg.size() > 1 && absl::SimpleAtob(arg, &on);
}

// The argument without dashes that is any text; nullptr: there is none.
const Flag* PathOf(const std::vector<Flag>& flags) {
  for (const Flag& flag : flags)
    if (SettingOf(*flag.field).positional() && WordsOf(*flag.field).empty())
      return &flag;
  return nullptr;
}

// The command given, of a program that has some; empty: of one that has none.
std::string CommandIn(const std::vector<Flag>& flags,
                      const std::vector<Message*>& messages) {
  const FieldDescriptor& first = *flags.front().field;
  return SettingOf(first).positional() && !WordsOf(first).empty()
             ? FieldText(*messages[flags.front().part], first)
             : "";
}

// Of paths behind the one that is taken. Empty: the program takes none.
std::string PathAdvice(const MainProgram& program,
                       const std::vector<Flag>& flags,
                       const std::vector<std::string>& left,
                       const std::vector<Message*>& messages) {
  const Flag* const path = PathOf(flags);
  if (path == nullptr) return "";
  const std::string command = CommandIn(flags, messages);
  const Flag* const output = FlagCalled(flags, "output");
  if (left.size() == 1 && output != nullptr &&
      !IsSet(*messages[output->part], *output->field) &&
      std::ranges::find(program.writing, command) != program.writing.end())
    return absl::StrCat("unexpected \"", left.front(), "\": one ",
                        FlagOf(*path->field),
                        " is given; where to write is --output=", left.front());
  std::vector<std::string> paths = {
      FieldText(*messages[path->part], *path->field)};
  paths.insert(paths.end(), left.begin(), left.end());
  return ManyPaths(program.name, command, paths,
                   SettingOf(*path->field).type() == "DIR");
}

// "--features=a=x:int32, labels=y:int32" without quotes: the shell cuts it at
// the blank, and a comma is left at its end. Empty: no text given is so.
std::string QuoteAdvice(const std::vector<Flag>& flags, const std::string& arg,
                        const std::vector<Message*>& messages) {
  for (const Flag& flag : flags) {
    const FieldDescriptor& field = *flag.field;
    const Message& message = *messages[flag.part];
    if (field.is_repeated() || !IsSet(message, field) ||
        field.cpp_type() != FieldDescriptor::CPPTYPE_STRING)
      continue;
    const std::string value =
        message.GetReflection()->GetString(message, &field);
    if (value.ends_with(','))
      return absl::StrCat("--", FlagOf(field), " is cut at a blank, behind \"",
                          value, "\": quote all of it, as in --", FlagOf(field),
                          "='", value, " ", arg, "'");
  }
  return "";
}

// "labels=label:int64": of a line of schema, which was cut at a blank.
bool IsOfASchema(std::string_view arg) {
  const std::string_view type = arg.substr(arg.rfind(':') + 1);
  return type.size() < arg.size() &&
         std::ranges::any_of(
             std::initializer_list<std::string_view>{"float", "int", "uint",
                                                     "bool", "image"},
             [&](std::string_view begin) { return type.starts_with(begin); });
}

// "dry_run", and "epochs" in front of "3", without their dashes. Empty: the
// first of `left` is no flag's name, or nothing follows that could be its
// value.
std::string DashesAdvice(const std::vector<Flag>& flags,
                         const std::vector<std::string>& left) {
  const std::string name = absl::StrReplaceAll(left.front(), {{"-", "_"}});
  if (name == "help" || name == "version")
    return absl::StrCat("it begins with dashes; give --", name);
  const Flag* const flag = FlagCalled(flags, name);
  if (flag == nullptr || (left.size() < 2 && !IsSwitch(*flag->field)))
    return "";
  return absl::StrCat("settings begin with dashes; give --", name,
                      IsSwitch(*flag->field) ? "" : absl::StrCat("=", left[1]));
}

// Whether a setting is given that takes several numbers.
bool HasList(const std::vector<Flag>& flags,
             const std::vector<Message*>& messages) {
  return std::ranges::any_of(flags, [&](const Flag& flag) {
    const FieldDescriptor& field = *flag.field;
    return field.is_repeated() && IsSet(*messages[flag.part], field) &&
           field.cpp_type() != FieldDescriptor::CPPTYPE_STRING &&
           field.cpp_type() != FieldDescriptor::CPPTYPE_ENUM;
  });
}

// "--json out.json": a switch, not a file's name. Empty: it is not that.
std::string JsonAdvice(const std::vector<Flag>& flags, const std::string& arg,
                       const std::vector<Message*>& messages) {
  const Flag* const json = FlagCalled(flags, "json");
  return json != nullptr && IsSwitch(*json->field) &&
                 IsSet(*messages[json->part], *json->field) &&
                 arg.ends_with(".json")
             ? absl::StrCat(
                   "--json is a switch, which prints to standard "
                   "output: --json > ",
                   arg, " keeps it")
             : "";
}

// Empty: it is a path too many.
std::string AdviceOn(const MainProgram& program, const std::vector<Flag>& flags,
                     const std::vector<std::string>& args,
                     const std::string& arg,
                     const std::vector<Message*>& messages) {
  if (const std::string quote = QuoteAdvice(flags, arg, messages);
      !quote.empty())
    return quote;
  if (FlagCalled(flags, NameBeforeEquals(arg)) != nullptr)
    return absl::StrCat("settings begin with dashes; give --", arg);
  const Flag* const on = SwitchBefore(flags, args, arg);
  if (on != nullptr && IsOfASwitch(arg))
    return absl::StrCat(
        "a switch stands alone, or has its value behind a =, "
        "as in --",
        FlagOf(*on->field), "=", arg);
  if (const Flag* const flag = FlagFor(flags, arg, messages)) {
    if (!SettingOf(*flag->field).positional())
      return absl::StrCat("give --", FlagOf(*flag->field), "=", arg);
    return absl::StrCat("one ", FlagOf(*flag->field),
                        " is given at a time, as in ", program.example);
  }
  if (PathOf(flags) != nullptr) return "";
  if (std::string_view(program.name) == "pod_top")
    return absl::StrCat("a run is named by a flag: give --",
                        arg.ends_with(".jsonl") ? "metrics_file" : "model_dir",
                        "=", arg);
  if (const std::string json = JsonAdvice(flags, arg, messages); !json.empty())
    return json;
  double number = 0;
  const bool is_number = absl::SimpleAtod(arg, &number);
  return absl::StrCat("settings are given as in ", program.example,
                      !is_number ? "; a value with a blank in it stands in "
                                   "quotes"
                      : HasList(flags, messages)
                          ? "; a list has commas, as in 512,256"
                          : "; a value stands behind its flag, and a switch "
                            "has none");
}

}  // namespace

absl::Status UnexpectedArgument(const MainProgram& program,
                                const std::vector<Flag>& flags,
                                const std::vector<std::string>& args,
                                const std::vector<std::string>& left,
                                const std::vector<Message*>& messages) {
  const std::string& arg = left.front();
  const std::string name = NameBeforeEquals(arg);
  if (FlagCalled(flags, name) == nullptr && !name.empty() &&
      !IsOfASchema(arg) && QuoteAdvice(flags, arg, messages).empty() &&
      !KnownOfName(program, name).empty())
    return UnknownFlag(program, absl::StrCat("--", arg));
  if (const std::string several = SeveralAdvice(program, flags, left, messages);
      !several.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected \"", arg, "\"", several));
  std::string advice = DashesAdvice(flags, left);
  if (advice.empty()) advice = AdviceOn(program, flags, args, arg, messages);
  return absl::InvalidArgumentError(absl::StrCat(
      advice.empty() ? PathAdvice(program, flags, left, messages)
                     : absl::StrCat("unexpected \"", arg, "\": ", advice),
      "; see ", program.name, " --help"));
}

}  // namespace podsim
