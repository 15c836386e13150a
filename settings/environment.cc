#include "settings/environment.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
  const std::vector<std::string> known = KnownVariables();
  std::vector<std::string> lines;
  for (auto at = variables.lower_bound(kPrefix);
       at != variables.end() && at->first.starts_with(kPrefix); ++at) {
    if (std::find(known.begin(), known.end(), at->first) != known.end())
      continue;
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const std::string& name : known)
      names.push_back(name.substr(sizeof(kPrefix) - 1));
    std::vector<std::string> nearest = NearestNames(
        absl::AsciiStrToUpper(at->first.substr(sizeof(kPrefix) - 1)), names);
    for (std::string& name : nearest) name.insert(0, kPrefix);
    if (const std::string meant = VariableMeantBy(at->first); !meant.empty())
      nearest = {meant};
    lines.push_back(absl::StrCat(
        absl::CHexEscape(at->first), " is no setting and is ignored; ",
        nearest.empty() ? "--help lists them"
                        : absl::StrCat("did you mean ",
                                       absl::StrJoin(nearest, " or "), "?")));
  }
  return lines;
}

}  // namespace podsim
