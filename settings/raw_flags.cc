#include "settings/raw_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"
#include "base/status.h"
#include "settings/blank_equals.h"
#include "settings/field_text.h"
#include "settings/unknown_flag.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using Options = std::map<const FieldDescriptor*, CLI::Option*>;

bool IsPositional(const Flag& flag) {
  return SettingOf(*flag.field).positional();
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

Options AddFlags(const std::vector<Flag>& flags, CLI::App& app) {
  Options options;
  for (const Flag& flag : flags)
    if (!IsPositional(flag))
      options[flag.field] =
          IsSwitch(*flag.field)
              ? app.add_flag(Spellings(flag))
              : app.add_option(Spellings(flag))
                    ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return options;
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

// The setting that "--tensorboard_dir=" empties; nullptr: it empties none that
// may be empty. CLI11 would take the next argument for its value.
const FieldDescriptor* EmptiedBy(const std::vector<Flag>& flags,
                                 const std::string& arg) {
  for (const Flag& flag : flags) {
    if (!SettingOf(*flag.field).may_be_empty()) continue;
    for (const std::string& name : NamesOf(flag))
      if (arg == absl::StrCat("--", name, "=")) return flag.field;
  }
  return nullptr;
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

// "-topology": CLI11 would take it for -t with the value "opology".
absl::Status CheckDashes(const std::vector<Flag>& flags,
                         const std::string& arg) {
  if (arg.size() < 3 || arg[0] != '-' || arg[1] == '-') return absl::OkStatus();
  const std::string twice = NormalizeName(absl::StrCat("-", arg));
  const std::string name = twice.substr(2, twice.find('=') - 2);
  for (const Flag& flag : flags) {
    if (IsPositional(flag)) continue;
    for (const std::string& known : NamesOf(flag))
      if (name == known)
        return absl::InvalidArgumentError(absl::StrCat(
            "unknown flag -", name, "; did you mean --", name, "?"));
  }
  return absl::OkStatus();
}

// "-J=x.json": CLI11 would take it for -J with the value "=x.json".
absl::Status CheckLetterEquals(const std::vector<Flag>& flags,
                               const std::string& arg) {
  constexpr std::size_t kMostShown = 64;
  if (arg.size() < 3 || arg[0] != '-' || arg[2] != '=') return absl::OkStatus();
  for (const Flag& flag : flags)
    if (arg.substr(1, 1) == SettingOf(*flag.field).letter())
      return absl::InvalidArgumentError(absl::StrCat(
          PrintableLine(arg.substr(0, kMostShown)),
          " has an = behind a letter, which takes none; write ",
          arg.substr(0, 2), " ",
          arg.size() == 3 ? "VALUE"
                          : PrintableLine(arg.substr(3, kMostShown))));
  return absl::OkStatus();
}

// "-np" of MPI, which is -n with the value "p": no value of -n's begins so.
absl::Status CheckGlued(const MainProgram& program,
                        const std::vector<Flag>& flags,
                        const std::string& arg) {
  if (arg.size() < 3 || arg[0] != '-' ||
      !absl::ascii_isalpha(static_cast<unsigned char>(arg[1])) ||
      !absl::ascii_isalpha(static_cast<unsigned char>(arg[2])))
    return absl::OkStatus();
  for (const Flag& flag : flags) {
    if (IsSwitch(*flag.field) ||
        arg.substr(1, 1) != SettingOf(*flag.field).letter())
      continue;
    const std::string value = arg.substr(2);
    const std::unique_ptr<google::protobuf::Message> unused(
        google::protobuf::MessageFactory::generated_factory()
            ->GetPrototype(flag.field->containing_type())
            ->New());
    const std::string name = FlagOf(*flag.field);
    if (SetFieldFromText(name, value, *flag.field, *unused).ok()) break;
    const std::string typed = arg.substr(0, arg.find('='));
    const absl::Status unknown = UnknownFlag(program, absl::StrCat("-", typed));
    return absl::InvalidArgumentError(absl::StrReplaceAll(
        unknown.message(),
        {{absl::StrCat("unknown flag -", typed),
          absl::StrCat("unknown flag ", typed, " (read as -", arg.substr(1, 1),
                       " ", value, ", but --", name, " has no such value)")}}));
  }
  return absl::OkStatus();
}

bool IsOfNumbers(const FieldDescriptor& field) {
  return field.cpp_type() != FieldDescriptor::CPPTYPE_STRING &&
         field.cpp_type() != FieldDescriptor::CPPTYPE_ENUM &&
         field.cpp_type() != FieldDescriptor::CPPTYPE_BOOL;
}

// "a whole number from 1 up", "DIR".
std::string TypeWanted(const FieldDescriptor& field) {
  if (IsOfNumbers(field)) return NumberWanted(field);
  const std::string& type = SettingOf(field).type();
  return type.empty() ? "a value" : type;
}

// "v3-32" of --topology, else "DIR".
std::string ExampleOf(const FieldDescriptor& field) {
  const Setting& rule = SettingOf(field);
  if (!rule.default_().empty()) return rule.default_();
  const std::vector<Word> words = WordsOf(field);
  if (!words.empty()) return words.front().text;
  return rule.type().empty() ? "VALUE" : rule.type();
}

absl::Status CheckArgument(const MainProgram& program,
                           const std::vector<Flag>& flags,
                           const std::string& arg, bool last) {
  PODSIM_RETURN_IF_ERROR(CheckDashes(flags, arg));
  PODSIM_RETURN_IF_ERROR(CheckLetterEquals(flags, arg));
  PODSIM_RETURN_IF_ERROR(CheckGlued(program, flags, arg));
  PODSIM_RETURN_IF_ERROR(CheckSwitch(flags, arg));
  return CheckHasValue(flags, arg, last);
}

}  // namespace

absl::Status NoValue(const Flag& flag) {
  const Setting& rule = SettingOf(*flag.field);
  return absl::InvalidArgumentError(absl::StrCat(
      "--", FlagOf(*flag.field), " has no value; give ",
      WordsOf(*flag.field).empty()
          ? absl::StrCat(TypeWanted(*flag.field), ": ", rule.help())
          : absl::StrCat("one of ", WordList(*flag.field)),
      rule.not_this().empty() ? "" : "; ", rule.not_this()));
}

absl::Status NoValueBefore(const Flag& flag, const std::string& next) {
  const std::string name = FlagOf(*flag.field);
  const std::string& not_this = SettingOf(*flag.field).not_this();
  return absl::InvalidArgumentError(absl::StrCat(
      "--", name, " has no value: \"", next, "\" follows it; give ",
      IsOfNumbers(*flag.field) ? NumberWanted(*flag.field) : "a value",
      ", as in --", name, " ", ExampleOf(*flag.field),
      " (a variable of the shell may be empty)", not_this.empty() ? "" : "; ",
      not_this));
}

absl::StatusOr<RawFlags> ReadRawFlags(const MainProgram& program,
                                      const std::vector<Flag>& flags,
                                      const std::vector<std::string>& args) {
  CLI::App app("", program.name);
  app.allow_extras();
  app.set_help_flag("", "");
  const CLI::Option* help = app.add_flag("-h,--help");
  const CLI::Option* version = app.add_flag("--version");
  const Options options = AddFlags(flags, app);
  PODSIM_RETURN_IF_ERROR(CheckBlankEquals(flags, args));
  RawFlags raw;
  std::vector<std::string> reversed;  // as CLI11 wants them
  for (auto arg = args.rbegin(); arg != args.rend(); ++arg) {
    const std::string normal = NormalizeName(*arg);
    if (const FieldDescriptor* field = EmptiedBy(flags, normal)) {
      raw.values[field].emplace_back();
      continue;
    }
    reversed.push_back(normal);
    PODSIM_RETURN_IF_ERROR(CheckArgument(program, flags, reversed.back(),
                                         /*last=*/reversed.size() == 1));
  }
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(error.what(), "; see ", program.name, " --help"));
  }
  raw.others = app.remaining();
  raw.version = version->count() > 0;
  if (help->count() > 0) raw.help = help->results().back();
  for (const auto& [field, option] : options)
    for (const std::string& value : option->results())
      raw.values[field].push_back(value);
  return raw;
}

}  // namespace podsim
