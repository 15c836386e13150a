#include "base/text_table.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/text_layout.h"

namespace podsim {
namespace {

constexpr int kGap = 2;
constexpr int kCommentMargin = 4;
constexpr int kNeverBroken = 1 << 20;

// Of each column: how many characters it takes.
std::vector<int> WidthsOf(const TextTable& table) {
  std::vector<int> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    int width = std::max(ColumnsOf(column.name), ColumnsOf(column.unit));
    if (i == 0) width += kGap;  // the heading's "# "
    for (const auto& row : table.rows)
      width = std::max(width, ColumnsOf(row[i]));
    widths.push_back(width);
  }
  return widths;
}

int TotalOf(const std::vector<int>& widths, const std::vector<bool>& shown) {
  int total = -kGap;
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (shown[i]) total += widths[i] + kGap;
  return total;
}

// Those that have room.
std::vector<bool> ShownOf(const TextTable& table,
                          const std::vector<int>& widths, int width) {
  std::vector<bool> shown(table.columns.size(), true);
  while (width != kAllColumns && TotalOf(widths, shown) > width) {
    std::size_t least = shown.size();
    int rank = 1;
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (shown[i] && table.columns[i].rank >= rank) {
        rank = table.columns[i].rank;
        least = i;
      }
    if (least == shown.size()) break;
    shown[least] = false;
  }
  return shown;
}

std::string Aligned(const std::string& cell, int width, bool left) {
  const std::string blanks(std::max(0, width - ColumnsOf(cell)), ' ');
  return left ? cell + blanks : blanks + cell;
}

// A line of the shown cells, `begin` before them, without blanks at its end.
std::string LineOf(const TextTable& table, const std::vector<int>& widths,
                   const std::vector<bool>& shown,
                   const std::vector<std::string>& cells,
                   const std::string& begin) {
  std::string line = begin;
  int room = -ColumnsOf(begin);
  bool first = true;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!shown[i]) continue;
    if (!first) line.append(kGap, ' ');
    line += Aligned(cells[i], widths[i] + room, table.columns[i].left);
    first = false;
    room = 0;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

TableText FormatTable(const TextTable& table, int width) {
  const std::vector<int> widths = WidthsOf(table);
  const std::vector<bool> shown = ShownOf(table, widths, width);
  TableText result;
  std::vector<std::string> names;
  std::vector<std::string> units;
  bool has_units = false;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    names.push_back(column.name);
    units.push_back(column.unit);
    has_units = has_units || !column.unit.empty();
    if (!shown[i]) result.left_out.push_back(column.name);
  }
  result.text = LineOf(table, widths, shown, names, "# ");
  if (has_units) result.text += LineOf(table, widths, shown, units, "# ");
  for (const auto& row : table.rows)
    result.text += LineOf(table, widths, shown, row, "");
  return result;
}

std::string CommentText(const std::string& sentence, int width) {
  const std::string lines = WrapSentence(
      sentence, kCommentMargin, width == kAllColumns ? kNeverBroken : width);
  return absl::StrCat("# ", absl::StrReplaceAll(lines, {{"\n    ", "\n#   "}}),
                      "\n");
}

}  // namespace podsim
