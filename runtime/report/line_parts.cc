#include "runtime/report/line_parts.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "base/text_layout.h"

namespace podsim {

std::string FitParts(const std::vector<LinePart>& parts, int width) {
  std::vector<int> ranks;
  ranks.reserve(parts.size());
  for (const LinePart& part : parts) ranks.push_back(part.rank);
  std::sort(ranks.begin(), ranks.end());
  std::string line;
  for (const int least : ranks) {
    std::vector<std::string> kept;
    for (const LinePart& part : parts)
      if (part.rank >= least) kept.push_back(part.text);
    line = absl::StrJoin(kept, "  ");
    if (width <= 0 || ColumnsOf(line) <= width) break;
  }
  return line;
}

}  // namespace podsim
