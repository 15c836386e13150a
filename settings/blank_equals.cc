#include "settings/blank_equals.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr std::size_t kLongestQuoted = 64;

// "--topology" of that, of "topology", and "-b" of "-b": the spelling of a flag
// without its value; empty: it is none of the program's.
std::string SpellingOf(const std::vector<Flag>& flags, const std::string& arg) {
  const bool dashes = absl::StartsWith(arg, "--");
  const std::string name =
      absl::StrReplaceAll(dashes ? arg.substr(2) : arg, {{"-", "_"}});
  for (const Flag& flag : flags) {
    if (SettingOf(*flag.field).positional()) continue;
    const std::string& letter = SettingOf(*flag.field).letter();
    if (!letter.empty() && arg == absl::StrCat("-", letter)) return arg;
    const std::vector<std::string> names = NamesOf(flag);
    if (std::ranges::find(names, name) != names.end())
      return absl::StrCat("--", name);
  }
  return "";
}

// "--topology" of "--topology="; empty: it is none, or has a value.
std::string FlagOfNothing(const std::vector<Flag>& flags,
                          const std::string& arg) {
  return absl::StartsWith(arg, "--") && absl::EndsWith(arg, "=")
             ? SpellingOf(flags, arg.substr(0, arg.size() - 1))
             : "";
}

std::string Shown(const std::string& arg) {
  return PrintableLine(arg.substr(0, kLongestQuoted));
}

// "--topology=v3-8"; of a letter "-b 4M", which takes no =.
std::string Written(const std::string& flag, const std::string& value) {
  return absl::StrCat(flag, absl::StartsWith(flag, "--") ? "=" : " ",
                      Shown(value));
}

}  // namespace

absl::Status CheckBlankEquals(const std::vector<Flag>& flags,
                              const std::vector<std::string>& args) {
  for (std::size_t i = 0; i + 1 < args.size(); ++i) {
    const std::string& next = args[i + 1];
    if (const std::string flag = FlagOfNothing(flags, args[i]);
        !flag.empty() && !absl::StartsWith(next, "-"))
      return absl::InvalidArgumentError(absl::StrCat(
          flag, "= has no value: \"", Shown(next),
          "\" follows behind a blank; if it is the value, write ",
          Written(flag, next), " (a variable of the shell may be empty)"));
    if (!absl::StartsWith(next, "=")) continue;
    const std::string flag = SpellingOf(flags, args[i]);
    if (flag.empty()) continue;
    const bool alone = next == "=";
    const bool has_value = !alone || i + 2 < args.size();
    return absl::InvalidArgumentError(absl::StrCat(
        Shown(args[i]), " ", Shown(next), alone && has_value ? " " : "",
        alone && has_value ? Shown(args[i + 2]) : "",
        alone ? " has blanks around its =" : " has a blank in front of its =",
        "; write ",
        Written(flag, !alone      ? next.substr(1)
                      : has_value ? args[i + 2]
                                  : "VALUE")));
  }
  return absl::OkStatus();
}

}  // namespace podsim
