// A table for people: columns as wide as their cells, and those that matter
// least left out where the screen is narrower. Pure.
#ifndef PODSIM_BASE_TEXT_TABLE_H_
#define PODSIM_BASE_TEXT_TABLE_H_

#include <string>
#include <vector>

namespace podsim {

struct TableColumn {
  std::string name;
  std::string unit;  // in a second line of the heading; "": none
  // 0: always shown. Of the others the highest rank is left out first.
  int rank = 0;
  bool left = false;  // aligned to the left
};

struct TextTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column
};

// No limit: every column is shown.
inline constexpr int kAllColumns = 0;

struct TableText {
  std::string text;                   // heading and rows, whole lines
  std::vector<std::string> left_out;  // names of columns, in their order
};

// At most `width` columns of characters, if those of rank 0 allow. Lines of the
// heading begin with "# ", rows with a cell.
TableText FormatTable(const TextTable& table, int width);

// One or more lines that begin with "# ", broken at words.
std::string CommentText(const std::string& sentence, int width);

}  // namespace podsim

#endif  // PODSIM_BASE_TEXT_TABLE_H_
