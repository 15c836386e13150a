#include "base/typing_distance.h"

#include <algorithm>
#include <vector>

namespace podsim {
namespace {

char Folded(char c) { return c == '-' ? '_' : c; }

}  // namespace

int TypingDistance(std::string_view a, std::string_view b, int swap) {
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
        best = std::min(best, distance[i - 2][j - 2] + swap);
      }
      distance[i][j] = best;
    }
  }
  return distance[a.size()][b.size()];
}

}  // namespace podsim
