// Links and who waits for them; see collective_table.h.
#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "runtime/plan/collective_table.h"

namespace podsim {
namespace {

constexpr int kWidestGrid = 16;
constexpr int kTallestGrid = 32;
constexpr std::size_t kBusiest = 5;

// Of the network's time, in percent.
int BusyPercent(const CollectiveRow& row, std::int32_t link) {
  const double time = row.price.network.seconds();
  if (time <= 0) return 0;
  return static_cast<int>(
      std::lround(100 * row.price.busy[link].seconds() / time));
}

// The busier direction of the wire from a chip that way; none at an edge.
std::string WireText(const CollectiveRow& row, const Grid& grid, Coordinate at,
                     int axis) {
  const auto next = Next(grid, at, DirectionOf(axis, true));
  if (!next) return "   ";
  const int there =
      kDirections * IndexOf(grid.size, at) + DirectionOf(axis, true);
  const int back =
      kDirections * IndexOf(grid.size, *next) + DirectionOf(axis, false);
  return absl::StrFormat(
      "%3d", std::max(BusyPercent(row, there), BusyPercent(row, back)));
}

std::string DrawPlane(const CollectiveRow& row, const Grid& grid, int z) {
  std::string text;
  for (int y = 0; y < grid.size.y; ++y) {
    std::string chips = "   ";
    std::string below = "   ";
    for (int x = 0; x < grid.size.x; ++x) {
      absl::StrAppend(&chips, "o", WireText(row, grid, {x, y, z}, 0), " ");
      absl::StrAppend(&below, WireText(row, grid, {x, y, z}, 1), "  ");
    }
    for (std::string* line : {&chips, &below}) {
      const std::size_t end = line->find_last_not_of(' ');
      if (end != std::string::npos) line->resize(end + 1);
      if (end != std::string::npos) absl::StrAppend(&text, "#", *line, "\n");
    }
  }
  return text;
}

std::string Busiest(const CollectiveRow& row, const Grid& grid) {
  std::vector<std::int32_t> links;
  for (std::size_t link = 0; link < row.price.sent.size(); ++link)
    if (row.price.sent[link] > 0)
      links.push_back(static_cast<std::int32_t>(link));
  std::stable_sort(links.begin(), links.end(),
                   [&](std::int32_t a, std::int32_t b) {
                     return row.price.busy[a] > row.price.busy[b];
                   });
  std::string text = absl::StrCat("# busiest of ", links.size(),
                                  " links that carry something:\n");
  if (links.size() > kBusiest) links.resize(kBusiest);
  for (const std::int32_t link : links)
    absl::StrAppendFormat(
        &text, "#   %s  %s, busy %d%% of %s\n", LinkText(grid, link),
        FormatBytes(row.price.sent[link]), BusyPercent(row, link),
        FormatSimTime(row.price.network));
  return text;
}

}  // namespace

std::string DrawLinks(const CollectiveRow& row) {
  const Grid grid = GridOf(row.slice);
  std::string text = absl::StrCat(
      "#\n# links of ", row.slice.name, " for ", FormatBytes(row.request.bytes),
      " by ", std::string(NameOf(row.price.algorithm)),
      ": percent of the time on the network that each wire's busier direction "
      "is taken\n");
  if (grid.size.x > kWidestGrid || grid.size.y > kTallestGrid) {
    absl::StrAppend(&text, "# (a grid of ", SizeText(grid.size),
                    " is too large to draw)\n");
    return text + Busiest(row, grid);
  }
  for (int z = 0; z < grid.size.z; ++z) {
    if (grid.size.z > 1) absl::StrAppend(&text, "# plane z ", z, "\n");
    text += DrawPlane(row, grid, z);
    if (z == 1 && grid.size.z > 4) {
      absl::StrAppend(&text, "# ... ", grid.size.z - 2, " planes more\n");
      break;
    }
  }
  return text + Busiest(row, grid);
}

std::string WhoWaits(const CollectiveRow& row, const Price& sound) {
  const Grid grid = GridOf(row.slice);
  const LinkFault& fault = row.request.faults.front();
  int waiting = 0;
  int last = 0;
  for (int chip = 0; chip < grid.chips(); ++chip) {
    if (row.price.ends[chip] > sound.ends[chip]) ++waiting;
    const auto by = [&](int of) { return row.price.ends[of] - sound.ends[of]; };
    if (by(chip) > by(last)) last = chip;
  }
  const bool three = grid.size.z > 1;
  const std::string what = absl::StrCat(
      "# ", row.slice.name, ", link ", PlaceText(fault.from, three), "-",
      PlaceText(fault.to, three),
      fault.rate == 0 ? " cut"
                      : absl::StrFormat(" at %g of its rate", fault.rate),
      ", ", FormatBytes(row.request.bytes), " by ",
      std::string(NameOf(row.price.algorithm)), ": ");
  if (waiting == 0)
    return absl::StrCat(what,
                        "nobody waits for it, the plan sends nothing over "
                        "it that others need\n");
  return absl::StrCat(
      what,
      absl::StrFormat("%.2f times as long",
                      row.price.time.seconds() / sound.time.seconds()),
      "; ", FormatCounted(waiting, "chip"), " of ", FormatCount(grid.chips()),
      " end later, most of all ", PlaceText(PlaceOf(grid.size, last), three),
      ", by ", FormatSimTime(row.price.ends[last] - sound.ends[last]), "\n");
}

}  // namespace podsim
