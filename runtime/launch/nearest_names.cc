// Typing distance and the nearest names; see nearest_names.h.
#include "runtime/launch/nearest_names.h"

#include <algorithm>
#include <utility>

namespace podsim {
namespace {

constexpr std::size_t kMostNames = 3;

// '-' and '_' are the same in flags.
char Folded(char c) { return c == '-' ? '_' : c; }

}  // namespace

int TypingDistance(std::string_view a, std::string_view b) {
  // distance[i][j]: of the first i letters of a and the first j of b.
  std::vector<std::vector<int>> distance(a.size() + 1,
                                         std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = static_cast<int>(i + j);
        continue;
      }
      const bool same = Folded(a[i - 1]) == Folded(b[j - 1]);
      int best = distance[i - 1][j - 1] + (same ? 0 : 1);
      best = std::min({best, distance[i - 1][j] + 1, distance[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, distance[i - 2][j - 2] + 1);
      }
      distance[i][j] = best;
    }
  }
  return distance[a.size()][b.size()];
}

std::vector<std::string> NearestNames(std::string_view typed,
                                      const std::vector<std::string>& names) {
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
  if (ranked.size() > kMostNames) ranked.resize(kMostNames);
  std::vector<std::string> nearest;
  nearest.reserve(ranked.size());
  for (auto& [distance, name] : ranked) nearest.push_back(std::move(name));
  return nearest;
}

}  // namespace podsim
