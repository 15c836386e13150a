// A report's rows, and which of them are left out so that it fits a screen.
// Pure.
//
//   FitRows(rows, [](const TextRow& row) { return Line(row); }, 12);
#ifndef PODSIM_BASE_TEXT_ROWS_H_
#define PODSIM_BASE_TEXT_ROWS_H_

#include <functional>
#include <string>
#include <vector>

namespace podsim {

struct TextRow {
  std::string label;
  std::string text;
  // 0: always shown. Of the others the highest rank is left out first.
  int rank = 0;
  // What it says instead where there is no room, and when in the order of
  // ranks; empty: nothing else.
  std::string brief = {};
  int brief_rank = 0;
};

// No limit: every row is shown.
inline constexpr int kAllLines = 0;

// The rows in order, each as `format` writes it (whole lines). While they have
// more than `most_lines` lines, the row of the highest rank is left out or
// becomes brief, of equal ones the last. Rows of rank 0 stay, whatever they
// take.
std::string FitRows(const std::vector<TextRow>& rows,
                    const std::function<std::string(const TextRow&)>& format,
                    int most_lines);

}  // namespace podsim

#endif  // PODSIM_BASE_TEXT_ROWS_H_
