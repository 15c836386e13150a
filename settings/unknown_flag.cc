#include "settings/unknown_flag.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/typing_distance.h"
#include "settings/advice.h"
#include "settings/nearest_names.h"
#include "settings/programs.h"

namespace podsim {
namespace {

constexpr std::size_t kLongestShown = 64;

using Names = std::vector<std::string>;

bool Has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "--warmup-epochs=3" and "-warmup_epochs": "warmup_epochs".
std::string NameIn(const std::string& arg) {
  const std::string typed = arg.substr(0, arg.find('='));
  std::string name(absl::StripPrefix(absl::StripPrefix(typed, "-"), "-"));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

Names FlagNames(const MainProgram& program) {
  Names names = {"help", "version"};
  for (const Flag& flag : FlagsOf(program)) {
    if (SettingOf(*flag.field).positional()) continue;
    for (const std::string& name : NamesOf(flag)) names.push_back(name);
  }
  return names;
}

// So few are named.
constexpr std::size_t kFewFlags = 6;

// The flags that have the name `typed` elsewhere.
Names MeantBy(const std::string& typed, const MainProgram& program) {
  Names meant;
  for (const Flag& flag : FlagsOf(program)) {
    const auto& mistaken = SettingOf(*flag.field).mistaken();
    if (std::find(mistaken.begin(), mistaken.end(), typed) != mistaken.end())
      meant.push_back(FlagOf(*flag.field));
  }
  return meant;
}

// Whether `typed` is an argument of the program, or a word of one.
bool IsArgument(const std::string& typed, const MainProgram& program) {
  for (const Flag& flag : FlagsOf(program)) {
    if (!SettingOf(*flag.field).positional()) continue;
    if (typed == FlagOf(*flag.field)) return true;
    for (const Word& word : WordsOf(*flag.field))
      if (typed == word.text) return true;
  }
  return false;
}

std::string DidYouMeanFlags(const Names& names) {
  return absl::StrCat("did you mean --", absl::StrJoin(names, " or --"), "?");
}

// "it is a value: --optimizer=nesterov"; empty: it is a word of no setting, or
// one of many.
std::string AsValue(const std::string& typed, const MainProgram& program) {
  constexpr std::size_t kFewSettings = 3;
  const std::string word = absl::AsciiStrToLower(typed);
  const Names meant = MeantBy(typed, program);
  Names values;
  for (const Flag& flag : FlagsOf(program)) {
    const std::string name = FlagOf(*flag.field);
    if (SettingOf(*flag.field).positional() ||
        !Has(TextsOf(WordsOf(*flag.field)), word) ||
        !(meant.empty() || Has(meant, name)))
      continue;
    values.push_back(absl::StrCat("--", name, "=", word));
  }
  if (values.empty() || values.size() > kFewSettings) return "";
  return absl::StrCat("it is a value: ", absl::StrJoin(values, " or "));
}

// The few flags that begin with a letter which is none; empty: there are many,
// or none.
Names FlagsOfLetter(const std::string& typed, const MainProgram& program) {
  constexpr std::size_t kFewNames = 3;
  Names names;
  for (const std::string& name : FlagNames(program))
    if (typed.size() == 1 && name.starts_with(typed)) names.push_back(name);
  return names.size() > kFewNames ? Names() : names;
}

// "pod_launch has --seed, pod_plan has no such setting: leave it out".
std::string OfOtherPrograms(const std::string& typed,
                            const MainProgram& program) {
  Names having;
  for (const MainProgram* other : AllPrograms()) {
    if (other == &program) continue;
    // Its job's settings are pod_launch's, which was asked before it.
    if (other == &PodLadder() && !having.empty()) continue;
    if (Has(FlagNames(*other), typed)) {
      having.push_back(absl::StrCat(other->name, " has --", typed));
    } else if (const Names meant = MeantBy(typed, *other); !meant.empty()) {
      having.push_back(absl::StrCat(other->name, " has --",
                                    absl::StrJoin(meant, " and --")));
    }
    if (having.size() == 3) break;
  }
  if (having.empty()) return "";
  return absl::StrCat(absl::StrJoin(having, ", "), ", ", program.name,
                      " has no such setting: leave it out");
}

// What is said of the name of another framework that was meant; of a short one
// anything would be near.
std::string AdviceNear(const std::string& typed, const MainProgram& program) {
  constexpr std::size_t kShort = 4;
  if (typed.size() < kShort) return "";
  Names names;
  for (const Advice& advice : AllAdvice())
    if (std::string_view(advice.program) == program.name)
      for (const absl::string_view name : absl::StrSplit(advice.typed, ' '))
        names.emplace_back(name);
  for (const std::string& name : names)
    if (TypingDistance(typed, name) <= 1) return AdviceFor(program, name);
  return "";
}

// "--no_quiet", "--nodry_run": of a switch; empty: it is of none.
std::string TurnedOff(const std::string& typed, const MainProgram& program) {
  for (const char* no : {"no_", "no"}) {
    if (!typed.starts_with(no)) continue;
    const std::string name(absl::StripPrefix(typed, no));
    for (const Flag& flag : FlagsOf(program))
      if (IsSwitch(*flag.field) && Has(NamesOf(flag), name))
        return absl::StrCat(
            "a switch is off unless it is given: leave it "
            "out, or give --",
            name, "=false");
  }
  return "";
}

}  // namespace

std::string KnownOfName(const MainProgram& program, const std::string& typed) {
  if (std::string advice = AdviceFor(program, typed); !advice.empty())
    return advice;
  if (std::string off = TurnedOff(typed, program); !off.empty()) return off;
  if (std::string value = AsValue(typed, program); !value.empty()) {
    const std::string several = typed + "s";  // --step, which is a value, too
    return Has(FlagNames(program), several) ? DidYouMeanFlags({several})
                                            : value;
  }
  if (const Names meant = MeantBy(typed, program); !meant.empty())
    return DidYouMeanFlags(meant);
  if (IsArgument(typed, program))
    return absl::StrCat(typed, " is given without dashes, as in ",
                        program.example);
  if (std::string(program.name) == "pod_coordinator" &&
      Has(FlagNames(PodLaunch()), typed))
    return absl::StrCat("the job file says it, a field a line: ", typed,
                        ": ... in --job=FILE, which pod_launch --print_job "
                        "writes with these flags");
  if (std::string others = OfOtherPrograms(typed, program); !others.empty())
    return others;
  if (const Names near = NearestNames(typed, FlagNames(program)); !near.empty())
    return DidYouMeanFlags(near);
  if (const Names begun = FlagsOfLetter(typed, program); !begun.empty())
    return DidYouMeanFlags(begun);
  return AdviceNear(typed, program);
}

namespace {

std::string Hint(const std::string& typed, const MainProgram& program) {
  if (typed.empty())
    return absl::StrCat("no dashes stand alone here: leave them out, as in ",
                        program.example);
  if (std::string known = KnownOfName(program, typed); !known.empty())
    return known;
  if (const Names all = FlagNames(program); all.size() <= kFewFlags)
    return absl::StrCat(program.name, " has --", absl::StrJoin(all, ", --"),
                        ", and what ", program.example, " shows");
  return "nothing like it is a setting: leave it out; --help=all lists all";
}

}  // namespace

absl::Status UnknownFlag(const MainProgram& program, const std::string& arg) {
  const std::string shown =
      arg.substr(0, arg.find('=')).substr(0, kLongestShown);
  if (arg == "-")
    return absl::InvalidArgumentError(absl::StrCat(
        "\"-\" is no file: standard input is not read; give the name of one, "
        "as in ",
        program.example));
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown flag ", PrintableLine(shown), "; ", Hint(NameIn(arg), program)));
}

}  // namespace podsim
