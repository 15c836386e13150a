#include "settings/environment.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/typing_distance.h"
#include "settings/nearest_names.h"
#include "settings/programs.h"

namespace podsim {
namespace {

constexpr char kPrefix[] = "PODSIM_";
// Secrets and where they come from, where kernels and programs are, what
// compose files read: never flags.
constexpr const char* kOthers[] = {"PODSIM_TOKEN", "PODSIM_GCS_CREDENTIALS",
                                   "PODSIM_KERNEL_DIR", "PODSIM_BIN",
                                   "PODSIM_SOURCE"};

std::vector<std::string> KnownVariables() {
  std::vector<std::string> known(std::begin(kOthers), std::end(kOthers));
  for (const MainProgram* program : AllPrograms()) {
    if (!program->environment) continue;
    for (const Flag& flag : FlagsOf(*program))
      if (HasVariable(flag)) known.push_back(VariableOf(*flag.field));
  }
  std::sort(known.begin(), known.end());  // programs share some
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known;
}

// The variable of the setting that has such a name elsewhere; empty: none has.
std::string VariableMeantBy(const std::string& variable) {
  const std::string typed =
      absl::AsciiStrToLower(variable.substr(sizeof(kPrefix) - 1));
  for (const MainProgram* program : AllPrograms())
    for (const Flag& flag : FlagsOf(*program)) {
      const auto& mistaken = SettingOf(*flag.field).mistaken();
      if (program->environment && HasVariable(flag) &&
          std::find(mistaken.begin(), mistaken.end(), typed) != mistaken.end())
        return VariableOf(*flag.field);
    }
  return "";
}

// A variable that no program knows, and those that it may be meant for.
struct Stranger {
  std::string name;
  std::vector<std::string> nearest;
  bool is_slip = false;  // the first of them is meant, beyond much doubt
};

// A slip or two of typing, or the beginning of the name.
bool IsSlip(const std::string& variable, const std::string& meant) {
  constexpr std::size_t kLettersASlip = 5;
  constexpr std::size_t kLeastBeginning = sizeof(kPrefix) + 3;
  const std::string typed = absl::AsciiStrToUpper(variable);
  const std::size_t slips = std::max<std::size_t>(
      1, (typed.size() - sizeof(kPrefix) + 1) / kLettersASlip);
  return TypingDistance(typed, meant) <= static_cast<int>(slips) ||
         (typed.size() >= kLeastBeginning && meant.starts_with(typed));
}

std::vector<std::string> NearestVariables(
    const std::string& variable, const std::vector<std::string>& known) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const std::string& name : known)
    names.push_back(name.substr(sizeof(kPrefix) - 1));
  std::vector<std::string> nearest = NearestNames(
      absl::AsciiStrToUpper(variable.substr(sizeof(kPrefix) - 1)), names);
  for (std::string& name : nearest) name.insert(0, kPrefix);
  return nearest;
}

Stranger StrangerNamed(const std::string& name,
                       const std::vector<std::string>& known) {
  if (std::string meant = VariableMeantBy(name); !meant.empty())
    return {.name = name, .nearest = {std::move(meant)}, .is_slip = true};
  Stranger stranger = {.name = name, .nearest = NearestVariables(name, known)};
  stranger.is_slip =
      !stranger.nearest.empty() && IsSlip(name, stranger.nearest.front());
  return stranger;
}

std::vector<Stranger> StrangersIn(const Variables& variables) {
  const std::vector<std::string> known = KnownVariables();
  std::vector<Stranger> strangers;
  for (auto at = variables.lower_bound(kPrefix);
       at != variables.end() && at->first.starts_with(kPrefix); ++at)
    if (std::find(known.begin(), known.end(), at->first) == known.end())
      strangers.push_back(StrangerNamed(at->first, known));
  return strangers;
}

}  // namespace

Variables ProcessVariables() {
  Variables variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::optional<std::string> Find(const Variables& variables,
                                const std::string& name) {
  const auto found = variables.find(name);
  if (found == variables.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> UnknownVariables(const Variables& variables) {
  std::vector<std::string> lines;
  for (const Stranger& stranger : StrangersIn(variables))
    if (!stranger.is_slip)
      lines.push_back(absl::StrCat(
          PrintableLine(stranger.name), " is no setting and is ignored; ",
          stranger.nearest.empty()
              ? "unset it, or name a flag that --help=all lists, as "
                "PODSIM_TOPOLOGY names --topology"
              : absl::StrCat("did you mean ",
                             absl::StrJoin(stranger.nearest, " or "), "?")));
  return lines;
}

absl::Status CheckVariableNames(const Variables& variables) {
  for (const Stranger& stranger : StrangersIn(variables))
    if (stranger.is_slip)
      return absl::InvalidArgumentError(absl::StrCat(
          "the environment has ", PrintableLine(stranger.name),
          ", which is no setting; did you mean ",
          absl::StrJoin(stranger.nearest, " or "),
          "? Rename it, or take it out: unset ", PrintableLine(stranger.name)));
  return absl::OkStatus();
}

}  // namespace podsim
