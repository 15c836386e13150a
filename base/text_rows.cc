#include "base/text_rows.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_join.h"

namespace podsim {
namespace {

// The index of the row to leave out first; -1: all stay.
std::ptrdiff_t LeastNeeded(const std::vector<TextRow>& rows,
                           const std::vector<std::string>& texts) {
  std::ptrdiff_t least = -1;
  int rank = 1;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].rank >= rank && !texts[i].empty()) {
      rank = rows[i].rank;
      least = static_cast<std::ptrdiff_t>(i);
    }
  return least;
}

std::ptrdiff_t LinesOf(const std::vector<std::string>& texts) {
  std::ptrdiff_t lines = 0;
  for (const std::string& text : texts)
    lines += std::count(text.begin(), text.end(), '\n');
  return lines;
}

}  // namespace

std::string FitRows(const std::vector<TextRow>& rows,
                    const std::function<std::string(const TextRow&)>& format,
                    int most_lines) {
  std::vector<std::string> texts;
  texts.reserve(rows.size());
  for (const TextRow& row : rows) texts.push_back(format(row));
  while (most_lines != kAllLines && LinesOf(texts) > most_lines) {
    const std::ptrdiff_t least = LeastNeeded(rows, texts);
    if (least < 0) break;
    texts[static_cast<std::size_t>(least)].clear();
  }
  return absl::StrJoin(texts, "");
}

}  // namespace podsim
