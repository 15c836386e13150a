#include "models/optimizer/exclusion.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/typing_distance.h"

namespace podsim {
namespace {

constexpr int kNamesShown = 4;

bool IsInOne(const std::string& part, absl::Span<const std::string> variables) {
  return std::ranges::any_of(variables, [&](const std::string& name) {
    return absl::StrContains(name, part);
  });
}

// The word of a name that was meant; empty if there is none.
std::string MeantBy(const std::string& part,
                    absl::Span<const std::string> variables) {
  for (const std::string& name : variables)
    for (const std::string& word : std::vector<std::string>(
             absl::StrSplit(name, absl::ByAnyChar("/._[]"), absl::SkipEmpty())))
      if (word.size() > 2 && TypingDistance(part, word) == 1) return word;
  return "";
}

std::string Names(absl::Span<const std::string> variables) {
  const auto shown = variables.subspan(0, kNamesShown);
  return absl::StrCat(absl::StrJoin(shown, ", "),
                      shown.size() < variables.size() ? ", ..." : "");
}

}  // namespace

bool IsExcluded(absl::Span<const std::string> parts,
                const std::string& variable) {
  return std::ranges::any_of(parts, [&](const std::string& part) {
    return absl::StrContains(variable, part);
  });
}

absl::Status CheckExclusions(absl::Span<const std::string> parts,
                             absl::Span<const std::string> variables) {
  const bool any = std::ranges::any_of(
      parts, [&](const std::string& part) { return IsInOne(part, variables); });
  for (const std::string& part : parts) {
    if (IsInOne(part, variables)) continue;
    const std::string meant = MeantBy(part, variables);
    if (any && meant.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "weight_decay_exclude is ", absl::StrJoin(parts, ","),
        " but no variable's name contains ", part,
        meant.empty() ? "" : absl::StrCat("; did you mean ", meant, "?"),
        meant.empty() ? "; the names are " : " The names are ",
        Names(variables)));
  }
  return absl::OkStatus();
}

}  // namespace podsim
