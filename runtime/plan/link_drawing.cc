// Links and who waits for them; see collective_table.h.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "runtime/plan/collective_table.h"

namespace podsim {
namespace {

// Wider ones are drawn in tenths.
constexpr int kWideGrid = 16;
constexpr int kWidestGrid = 32;
constexpr int kTallestGrid = 32;
constexpr int kDeepGrid = 4;
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
  const bool wide = grid.size.x > kWideGrid;
  const auto next = Next(grid, at, DirectionOf(axis, true));
  if (!next) return wide ? " " : "   ";
  const int there =
      kDirections * IndexOf(grid.size, at) + DirectionOf(axis, true);
  const int back =
      kDirections * IndexOf(grid.size, *next) + DirectionOf(axis, false);
  const int busy = std::max(BusyPercent(row, there), BusyPercent(row, back));
  if (wide) return absl::StrCat(std::min(busy / 10, 9));
  return absl::StrFormat("%3d", busy);
}

std::string DrawPlane(const CollectiveRow& row, const Grid& grid, int z) {
  const bool wide = grid.size.x > kWideGrid;
  std::string text;
  for (int y = 0; y < grid.size.y; ++y) {
    std::string chips = "   ";
    std::string below = "   ";
    for (int x = 0; x < grid.size.x; ++x) {
      absl::StrAppend(&chips, "o", WireText(row, grid, {x, y, z}, 0),
                      wide ? "" : " ");
      absl::StrAppend(&below, WireText(row, grid, {x, y, z}, 1),
                      wide ? " " : "  ");
    }
    for (std::string* line : {&chips, &below}) {
      const std::size_t end = line->find_last_not_of(' ');
      if (end != std::string::npos) line->resize(end + 1);
      if (end != std::string::npos) absl::StrAppend(&text, "#", *line, "\n");
    }
  }
  return text;
}

// All planes, or those of which there is something to see.
std::set<int> PlanesOf(const CollectiveRow& row, const Grid& grid) {
  std::set<int> planes = {0};
  if (grid.size.z <= kDeepGrid)
    for (int z = 1; z < grid.size.z; ++z) planes.insert(z);
  for (const std::int32_t link : BusiestLinks(row.price, 1))
    planes.insert(PlaceOf(grid.size, link / kDirections).z);
  for (const LinkFault& fault : row.slice.link_faults)
    planes.insert(fault.from.z);
  return planes;
}

std::string Busiest(const CollectiveRow& row, const Grid& grid) {
  std::string text =
      absl::StrCat("# busiest of ",
                   std::count_if(row.price.sent.begin(), row.price.sent.end(),
                                 [](std::int64_t bytes) { return bytes > 0; }),
                   " links that carry something:\n");
  for (const std::int32_t link : BusiestLinks(row.price, kBusiest))
    absl::StrAppendFormat(
        &text, "#   %s  %s, busy %d%% of %s\n", LinkText(grid, link),
        FormatBytes(row.price.sent[link]), BusyPercent(row, link),
        FormatSimTime(row.price.network));
  return text;
}

// Bytes over the wire, both ways.
std::int64_t BytesOver(const Price& price, const Grid& grid,
                       const LinkFault& wire) {
  std::int64_t bytes = 0;
  for (int direction = 0; direction < kDirections; ++direction) {
    if (Next(grid, wire.from, direction) == wire.to)
      bytes +=
          price.sent[kDirections * IndexOf(grid.size, wire.from) + direction];
    if (Next(grid, wire.to, direction) == wire.from)
      bytes +=
          price.sent[kDirections * IndexOf(grid.size, wire.to) + direction];
  }
  return bytes;
}

// Over a cut wire the plan would send something if it were whole.
std::string WhyNobodyWaits(const CollectiveRow& row, const LinkFault& fault) {
  const Grid grid = GridOf(row.slice);
  if (BytesOver(row.price, grid, fault) == 0 &&
      BytesOver(*row.sound, grid, fault) == 0)
    return "nobody waits for it, the plan sends nothing over it\n";
  if (fault.rate == 1) return "nobody waits for it, it has its whole rate\n";
  return "it is not what others wait for, its delay hides behind other links\n";
}

}  // namespace

std::vector<std::int32_t> BusiestLinks(const Price& price, std::size_t most) {
  std::vector<std::int32_t> links;
  for (std::size_t link = 0; link < price.sent.size(); ++link)
    if (price.sent[link] > 0) links.push_back(static_cast<std::int32_t>(link));
  std::stable_sort(links.begin(), links.end(),
                   [&](std::int32_t a, std::int32_t b) {
                     return price.busy[a] > price.busy[b];
                   });
  if (links.size() > most) links.resize(most);
  return links;
}

std::string DrawLinks(const CollectiveRow& row) {
  const Grid grid = GridOf(row.slice);
  std::string text = absl::StrCat(
      "#\n# links of ", row.slice.name, " for ", FormatBytes(row.request.bytes),
      " by ", std::string(NameOf(row.price.algorithm)), ": ",
      grid.size.x > kWideGrid ? "tenths" : "percent",
      " of the time on the network that each wire's busier direction is "
      "taken\n");
  if (grid.size.x > kWidestGrid || grid.size.y > kTallestGrid) {
    absl::StrAppend(&text, "# (a grid of ", SizeText(grid.size),
                    " is too large to draw)\n");
    return text + Busiest(row, grid);
  }
  const std::set<int> planes = PlanesOf(row, grid);
  for (const int z : planes) {
    if (grid.size.z > 1) absl::StrAppend(&text, "# plane z ", z, "\n");
    text += DrawPlane(row, grid, z);
  }
  const int others = grid.size.z - static_cast<int>(planes.size());
  if (others > 0)
    absl::StrAppend(&text, "# and ", FormatCounted(others, "other plane"),
                    "\n");
  return text + Busiest(row, grid);
}

Waiting WaitingFor(const CollectiveRow& row) {
  Waiting waiting = {.times_as_long =
                         row.price.time.seconds() / row.sound->time.seconds()};
  for (int chip = 0; chip < row.slice.chips; ++chip) {
    const SimTime by = row.price.ends[chip] - row.sound->ends[chip];
    if (by > SimTime()) ++waiting.chips;
    if (by > waiting.by) {
      waiting.last = chip;
      waiting.by = by;
    }
  }
  return waiting;
}

std::string WhoWaits(const CollectiveRow& row) {
  const Grid grid = GridOf(row.slice);
  const LinkFault& fault = row.slice.link_faults.front();
  const Waiting waiting = WaitingFor(row);
  const bool three = grid.size.z > 1;
  const std::string what =
      absl::StrCat("# ", row.slice.name, ", ", LinkFaultText(fault, three),
                   ", ", FormatBytes(row.request.bytes), " by ",
                   std::string(NameOf(row.price.algorithm)), ": ");
  if (waiting.chips == 0) return what + WhyNobodyWaits(row, fault);
  return absl::StrCat(
      what, absl::StrFormat("%.2f times as long", waiting.times_as_long), "; ",
      FormatCounted(waiting.chips, "chip"), " of ", FormatCount(grid.chips()),
      " end later, most of all ",
      PlaceText(PlaceOf(grid.size, waiting.last), three), ", by ",
      FormatSimTime(waiting.by), "\n");
}

}  // namespace podsim
