#include "settings/pasted.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "settings/leading_blank.h"
#include "settings/setting.h"
#include "settings/typography.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;

constexpr char kEllipsis[] = "\u2026";
constexpr char kWhy[] = ", as pages and word processors write it; ";

// A text that somebody typed, and for what.
struct Given {
  std::string where;  // "--topology", "PODSIM_TOPOLOGY"; empty: an argument
  std::string text;
  const FieldDescriptor* field = nullptr;
};

bool IsNumber(const FieldDescriptor& field) {
  return field.cpp_type() != FieldDescriptor::CPPTYPE_STRING &&
         field.cpp_type() != FieldDescriptor::CPPTYPE_ENUM;
}

bool IsPath(const FieldDescriptor& field) {
  const std::string& type = SettingOf(field).type();
  return type == "DIR" || absl::StartsWith(type, "FILE");
}

// "--train-steps" and "-n": the flag that is called so; nullptr: there is none.
const FieldDescriptor* FieldCalled(const std::vector<Flag>& flags,
                                   const std::string& typed) {
  for (const Flag& flag : flags) {
    const Setting& rule = SettingOf(*flag.field);
    if (rule.positional()) continue;
    if (!rule.letter().empty() && typed == absl::StrCat("-", rule.letter()))
      return flag.field;
    for (const std::string& name : NamesOf(flag))
      if (absl::StrReplaceAll(typed, {{"-", "_"}}) == absl::StrCat("__", name))
        return flag.field;
  }
  return nullptr;
}

// The name of a flag as a keyboard has it, behind whatever stands for its
// dashes; empty: the argument begins with none.
std::string FlagTyped(const std::string& text) {
  const std::string typed = AsTyped(text);
  const std::size_t name = typed.find_first_not_of('-');
  const auto is_letter = [&](std::size_t at) {
    return at < typed.size() &&
           absl::ascii_isalpha(static_cast<unsigned char>(typed[at]));
  };
  if (name == 0 || name == std::string::npos || !is_letter(name)) return "";
  const bool one = name + 1 == typed.size() || typed[name + 1] == ' ';
  return absl::StrCat(one ? "-" : "--", typed.substr(name));
}

std::vector<Given> GivenIn(const std::vector<Flag>& flags,
                           const std::vector<std::string>& args) {
  std::vector<const FieldDescriptor*> open;  // arguments, the last one first
  for (const Flag& flag : flags)
    if (SettingOf(*flag.field).positional())
      open.insert(open.begin(), flag.field);
  std::vector<Given> given;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string name = args[i].substr(0, args[i].find('='));
    const FieldDescriptor* const field = FieldCalled(flags, name);
    if (field != nullptr && name.size() < args[i].size()) {
      given.push_back({name, args[i].substr(name.size() + 1), field});
    } else if (field != nullptr && !IsSwitch(*field) && i + 1 < args.size()) {
      given.push_back({name, args[++i], field});
    } else {
      given.push_back({"", args[i], open.empty() ? nullptr : open.back()});
      if (!open.empty() && !open.back()->is_repeated() &&
          FlagTyped(args[i]).empty())
        open.pop_back();
    }
  }
  return given;
}

// Of the environment what the program reads or the refusal speaks of.
void AddVariables(const std::vector<Flag>& flags, const Variables& variables,
                  absl::string_view message, std::vector<Given>& given) {
  for (const auto& variable : variables) {
    const std::string& name = variable.first;
    const auto is_of = [&name](const Flag& flag) {
      return HasVariable(flag) && VariableOf(*flag.field) == name;
    };
    const auto flag = std::find_if(flags.begin(), flags.end(), is_of);
    if (flag != flags.end())
      given.push_back({name, variable.second, flag->field});
    else if (absl::StrContains(message, name))
      given.push_back({name, variable.second, nullptr});
  }
}

// Whether a part of `text` that has such a character stands in the message,
// where a flag's name has '_' for each '-'.
bool IsAbout(absl::string_view message, const std::string& text) {
  for (const absl::string_view part :
       absl::StrSplit(text, absl::ByAnyChar(",;:=./ "), absl::SkipEmpty())) {
    const std::string word(part);
    if (FirstTypographic(word) &&
        (absl::StrContains(message, word) ||
         absl::StrContains(message, PrintableLine(word)) ||
         absl::StrContains(message, absl::StrReplaceAll(word, {{"-", "_"}}))))
      return true;
  }
  return false;
}

bool Exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// A flag of the program behind other dashes: whatever the refusal says, this is
// why.
bool IsFlagOf(const std::vector<Flag>& flags, const Given& given) {
  const std::string typed =
      given.where.empty() ? FlagTyped(given.text) : std::string();
  return !typed.empty() &&
         FieldCalled(flags, typed.substr(0, typed.find_first_of("= "))) !=
             nullptr;
}

std::string OfFlag(const std::string& text, const std::string& typed,
                   const Typographic& first) {
  // Up to where the name begins.
  const bool begins = text.find_first_not_of('-') >= first.at;
  const bool dash = first.to_do == kTypeAHyphen;
  return absl::StrCat("\"", text, "\" ", begins ? "begins with " : "has ",
                      first.name, kWhy,
                      !begins                         ? first.to_do
                      : !dash                         ? kLeaveItOut
                      : absl::StartsWith(typed, "--") ? "type two hyphens"
                                                      : kTypeAHyphen,
                      ": ", typed);
}

std::string OfValue(const Given& given, const Typographic& first) {
  std::string typed = AsTyped(given.text);
  std::string to_do = first.to_do;
  if (given.field != nullptr && IsNumber(*given.field)) {
    typed = absl::StrReplaceAll(typed, {{" ", ""}});
    if (to_do == kTypeASpace) to_do = kLeaveItOut;
  }
  return absl::StrCat(given.where, " is \"", given.text, "\", with ",
                      first.name, kWhy, to_do, ": ", typed);
}

std::string Line(const Given& given, const Typographic& first) {
  if (!given.where.empty()) return OfValue(given, first);
  if (const std::string flag = FlagTyped(given.text); !flag.empty())
    return OfFlag(given.text, flag, first);
  if (given.text == kEllipsis)
    return absl::StrCat("unexpected \"", given.text,
                        "\": in examples it stands for further flags; leave it "
                        "out");
  return absl::StrCat("\"", given.text, "\" has ", first.name, kWhy,
                      first.to_do, ": ", AsTyped(given.text));
}

// A message about a setting of a file that quotes such a value: 'v3–8'.
absl::Status NamePastedInFile(const absl::Status& refused,
                              const Origins& origins) {
  const std::string message(refused.message());
  const std::string setting = SettingIn(message);
  const auto origin = origins.find(setting);
  const std::optional<Typographic> first = FirstTypographic(message);
  if (origin == origins.end() || !first) return refused;
  const std::size_t begin = message.find_last_of("'\"", first->at);
  const std::size_t end = message.find_first_of("'\"", first->at);
  if (begin == std::string::npos || end == std::string::npos) return refused;
  const std::string value = message.substr(begin + 1, end - begin - 1);
  if (Exists(value)) return refused;
  return absl::Status(
      refused.code(),
      absl::StrCat(OfValue({.where = setting, .text = value}, *first),
                   " (from ", origin->second, ")"));
}

}  // namespace

absl::Status NamePasted(const absl::Status& refused, const MainProgram& program,
                        const std::vector<std::string>& args,
                        const Variables& variables, const Origins& origins) {
  if (refused.ok()) return refused;
  const absl::string_view message = refused.message();
  if (const std::string blank = LeadingBlank(message, args); !blank.empty())
    return absl::Status(refused.code(), blank);
  const std::vector<Flag> flags = FlagsOf(program);
  std::vector<Given> all = GivenIn(flags, args);
  if (program.environment) AddVariables(flags, variables, message, all);
  for (const Given& given : all) {
    const std::optional<Typographic> first = FirstTypographic(given.text);
    if (!first || Exists(given.text) ||
        !(IsAbout(message, given.text) || IsFlagOf(flags, given)))
      continue;
    const bool is_flag = given.where.empty() && !FlagTyped(given.text).empty();
    const bool is_path = given.field != nullptr && IsPath(*given.field);
    if (is_flag || !is_path)
      return absl::Status(refused.code(), Line(given, *first));
    return absl::Status(
        refused.code(),
        absl::StrCat(message, "; \"", given.text, "\" has ", first->name,
                     ": if that is not in its name, ", first->to_do, ": ",
                     AsTyped(given.text)));
  }
  return NamePastedInFile(refused, origins);
}

}  // namespace podsim
