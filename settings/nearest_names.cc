#include "settings/nearest_names.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/typing_distance.h"

namespace podsim {
namespace {

constexpr std::size_t kMostNames = 3;
constexpr std::size_t kLongestTyped = 64;  // longer text is no mistyped name
// Letters that a name may be further away than the nearest.
constexpr int kMostBehind = 1;

}  // namespace

std::vector<std::string> NearestNames(std::string_view typed,
                                      const std::vector<std::string>& names) {
  if (typed.size() > kLongestTyped) return {};
  const int limit = std::max<int>(1, static_cast<int>(typed.size()) / 3);
  std::vector<std::pair<int, std::string>> ranked;
  for (const std::string& name : names) {
    const bool begins = typed.size() >= 3 && name.starts_with(typed);
    const int distance = begins ? 0 : TypingDistance(typed, name);
    if (distance <= limit) ranked.emplace_back(distance, name);
  }
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::erase_if(ranked, [nearest = ranked.empty() ? 0 : ranked[0].first](
                            const auto& each) {
    return each.first > nearest + kMostBehind;
  });
  if (ranked.size() > kMostNames) ranked.resize(kMostNames);
  std::vector<std::string> nearest;
  nearest.reserve(ranked.size());
  for (auto& [distance, name] : ranked) nearest.push_back(std::move(name));
  return nearest;
}

std::string DidYouMean(std::string_view typed,
                       const std::vector<std::string>& names) {
  std::vector<std::string> nearest = NearestNames(typed, names);
  const std::string lower = absl::AsciiStrToLower(std::string(typed));
  if (nearest.empty() && lower != typed) nearest = NearestNames(lower, names);
  if (nearest.empty()) return "";
  return absl::StrCat("; did you mean ", absl::StrJoin(nearest, " or "), "?");
}

}  // namespace podsim
