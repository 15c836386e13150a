// Drawings of the chip grid; see describe.h.
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "interconnect/topology/describe.h"

namespace podsim {
namespace {

// Hosts side by side are drawn as boxes with their chips, if there is room and
// they are few enough to read.
constexpr int kMostBoxesAcross = 4;
constexpr int kMostBoxesDown = 8;  // in each of several planes
constexpr int kBoxWidth = 14;
constexpr int kBoxMargin = 6;
// Larger grids are cut: what is left out follows from what is shown.
constexpr int kMostColumns = 16;
constexpr int kMostDrawnRows = 32;
constexpr int kMostPlanes = 4;

bool HasRoomForBoxes(const Slice& slice, int width) {
  const int across = slice.host_grid.x;
  if (slice.axes == 3 && slice.host_grid.y > kMostBoxesDown) return false;
  return across <= kMostBoxesAcross &&
         kBoxMargin + across * (kBoxWidth + 1) + 1 <= width;
}

std::string BoxRule(const Slice& slice) {
  std::string rule = "      ";
  for (int i = 0; i < slice.host_grid.x; ++i)
    absl::StrAppend(&rule, "+", std::string(kBoxWidth, '-'));
  return rule + "+\n";
}

// One line of boxes: a title, or the chips of one row of the boards.
std::string TitleLine(const Slice& slice, int host_y, int host_z) {
  std::string line = "      ";
  for (int x = 0; x < slice.host_grid.x; ++x)
    absl::StrAppendFormat(&line, "| host %-*d", kBoxWidth - 6,
                          HostAt(slice, {x, host_y, host_z}));
  return line + "|\n";
}

std::string ChipLine(const Slice& slice, int y) {
  std::string line = absl::StrFormat(" y%3d ", y);
  for (int x = 0; x < slice.host_grid.x; ++x) {
    std::string box;
    for (int chip = 0; chip < slice.board.x; ++chip)
      absl::StrAppendFormat(&box, "%6s",
                            absl::StrCat(x * slice.board.x + chip, ",", y));
    absl::StrAppendFormat(&line, "|%-*s", kBoxWidth, box);
  }
  return line + "|\n";
}

std::string DrawBoxes(const Slice& slice, int host_z) {
  std::string text = BoxRule(slice);
  for (int y = 0; y < slice.host_grid.y; ++y) {
    text += TitleLine(slice, y, host_z);
    for (int row = 0; row < slice.board.y; ++row)
      text += ChipLine(slice, y * slice.board.y + row);
    text += BoxRule(slice);
  }
  return text;
}

// "4-5": the chips that a host covers along an axis.
std::string Span(int host, int chips) {
  return chips == 1 ? absl::StrCat(host)
                    : absl::StrCat(host * chips, "-", host * chips + chips - 1);
}

// Rows or columns of a table: all, or the first few and the last.
std::vector<int> ShownCell(int count, int most) {
  std::vector<int> shown;
  for (int i = 0; i < count; ++i)
    if (count <= most || i + 2 < most || i + 1 == count) shown.push_back(i);
  return shown;
}

// Sixteen hosts across leave cells of four columns, too narrow for "30-31": the
// heading gives the x of each host's first chip.
std::string DrawTable(const Slice& slice, int host_z) {
  const std::vector<int> columns = ShownCell(slice.host_grid.x, kMostColumns);
  const std::vector<int> rows = ShownCell(slice.host_grid.y, kMostDrawnRows);
  const int cell = slice.hosts > 1000 ? 5 : 4;
  std::string text = "   first chip x";
  for (const int x : columns)
    absl::StrAppendFormat(&text, "%*d", cell, x * slice.board.x);
  text += "\n";
  int last = -1;
  for (const int y : rows) {
    if (y != last + 1) text += "   ...\n";
    last = y;
    absl::StrAppendFormat(&text, "   y %8s  ", Span(y, slice.board.y));
    for (const int x : columns)
      absl::StrAppendFormat(&text, "%*d", cell, HostAt(slice, {x, y, host_z}));
    text += "\n";
  }
  return text;
}

std::string DrawPlane(const Slice& slice, int host_z, int width) {
  return HasRoomForBoxes(slice, width) ? DrawBoxes(slice, host_z)
                                       : DrawTable(slice, host_z);
}

}  // namespace

std::string DrawGrid(const Slice& slice, int width) {
  if (slice.axes < 3) return DrawPlane(slice, 0, width);
  std::string text;
  int last = -1;
  for (const int z : ShownCell(slice.host_grid.z, kMostPlanes)) {
    if (z != last + 1)
      absl::StrAppend(&text, "   ... ", z - last - 1,
                      " planes likewise, host numbers ",
                      slice.host_grid.x * slice.host_grid.y,
                      " higher from one to the next\n");
    last = z;
    absl::StrAppend(&text, "   plane z ", Span(z, slice.board.z), "\n",
                    DrawPlane(slice, z, width));
  }
  return text;
}

}  // namespace podsim
