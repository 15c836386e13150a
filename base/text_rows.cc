#include "base/text_rows.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_join.h"

namespace podsim {
namespace {

// A row, and how it is written.
struct Shown {
  TextRow row;
  std::string text;  // empty: it is left out

  bool can_be_brief() const { return !row.brief.empty(); }
  // When it gives way; 0: never.
  int rank() const {
    if (text.empty()) return 0;
    return can_be_brief() ? std::max(row.rank, row.brief_rank) : row.rank;
  }
};

// The row to give way first; null: none does.
Shown* LeastNeeded(std::vector<Shown>& rows) {
  Shown* least = nullptr;
  for (Shown& shown : rows)
    if (shown.rank() >= (least == nullptr ? 1 : least->rank())) least = &shown;
  return least;
}

std::ptrdiff_t LinesOf(const std::vector<Shown>& rows) {
  std::ptrdiff_t lines = 0;
  for (const Shown& shown : rows)
    lines += std::count(shown.text.begin(), shown.text.end(), '\n');
  return lines;
}

}  // namespace

std::string FitRows(const std::vector<TextRow>& rows,
                    const std::function<std::string(const TextRow&)>& format,
                    int most_lines) {
  std::vector<Shown> shown;
  shown.reserve(rows.size());
  for (const TextRow& row : rows) shown.push_back({row, format(row)});
  while (most_lines != kAllLines && LinesOf(shown) > most_lines) {
    Shown* const least = LeastNeeded(shown);
    if (least == nullptr) break;
    if (least->can_be_brief()) {
      least->row.text = std::exchange(least->row.brief, "");
      least->text = format(least->row);
    } else {
      least->text.clear();
    }
  }
  return absl::StrJoin(shown, "", [](std::string* out, const Shown& each) {
    out->append(each.text);
  });
}

}  // namespace podsim
