// Drawings of the chip grid; see describe.h.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "interconnect/topology/describe.h"

namespace podsim {
namespace {

// Hosts side by side are drawn as boxes with their chips, if there is room and
// they are few enough to read.
constexpr int kMostBoxesAcross = 4;
constexpr int kBoxWidth = 14;
constexpr int kBoxMargin = 6;

bool HasRoomForBoxes(const Slice& slice, int width) {
  const int across = slice.host_grid.x;
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
std::string TitleLine(const Slice& slice, int host_y) {
  std::string line = "      ";
  for (int x = 0; x < slice.host_grid.x; ++x)
    absl::StrAppendFormat(&line, "| host %-*d", kBoxWidth - 6,
                          HostAt(slice, {x, host_y}));
  return line + "|\n";
}

std::string ChipLine(const Slice& slice, int host_y, int row) {
  const int chips_across = slice.grid.x / slice.host_grid.x;
  std::string line = absl::StrFormat(
      " y%3d ",
      ChipCoordinate(slice, HostAt(slice, {0, host_y}), row * chips_across).y);
  for (int x = 0; x < slice.host_grid.x; ++x) {
    std::string box;
    for (int chip = 0; chip < chips_across; ++chip) {
      const Coordinate at = ChipCoordinate(slice, HostAt(slice, {x, host_y}),
                                           row * chips_across + chip);
      absl::StrAppendFormat(&box, "%6s", absl::StrCat(at.x, ",", at.y));
    }
    absl::StrAppendFormat(&line, "|%-*s", kBoxWidth, box);
  }
  return line + "|\n";
}

std::string DrawBoxes(const Slice& slice) {
  const int rows = slice.grid.y / slice.host_grid.y;
  std::string text = BoxRule(slice);
  for (int y = 0; y < slice.host_grid.y; ++y) {
    text += TitleLine(slice, y);
    for (int row = 0; row < rows; ++row) text += ChipLine(slice, y, row);
    text += BoxRule(slice);
  }
  return text;
}

// "4-5": the chips that a host covers along an axis.
std::string Span(int host, int chips) {
  return absl::StrCat(host * chips, "-", host * chips + chips - 1);
}

// Sixteen hosts across leave cells of four columns, too narrow for "30-31": the
// heading gives the x of each host's first chip.
std::string DrawTable(const Slice& slice) {
  const int across = slice.grid.x / slice.host_grid.x;
  const int down = slice.grid.y / slice.host_grid.y;
  std::string text = "   first chip x";
  for (int x = 0; x < slice.host_grid.x; ++x)
    absl::StrAppendFormat(&text, "%4d", x * across);
  text += "\n";
  for (int y = 0; y < slice.host_grid.y; ++y) {
    absl::StrAppendFormat(&text, "   y %8s  ", Span(y, down));
    for (int x = 0; x < slice.host_grid.x; ++x)
      absl::StrAppendFormat(&text, "%4d", HostAt(slice, {x, y}));
    text += "\n";
  }
  return text;
}

}  // namespace

std::string DrawGrid(const Slice& slice, int width) {
  return HasRoomForBoxes(slice, width) ? DrawBoxes(slice) : DrawTable(slice);
}

}  // namespace podsim
