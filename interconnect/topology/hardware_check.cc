// What a generation must say to be priced and drawn; see hardware.h.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "interconnect/topology/chip.h"
#include "interconnect/topology/coordinate.h"
#include "interconnect/topology/hardware.h"

namespace podsim {
namespace {

constexpr int kLongestGeneration = 32;
constexpr int kLongestAxis = 1024;
constexpr int kMostChips = 65536;
constexpr int kMostCoresPerChip = 16;

// Figures without which nothing can be said of a slice.
constexpr const char* kNeeded[] = {"matrix_flops_per_second",
                                   "matrix_units_per_core",
                                   "matrix_unit_side",
                                   "clock_hz",
                                   "hbm_bytes",
                                   "hbm_bytes_per_second",
                                   "host_bytes_per_second",
                                   "vector_flops_per_cycle_per_core",
                                   "transcendental_flops",
                                   "matrix_share",
                                   "hbm_share",
                                   "kernel_seconds",
                                   "links",
                                   "link_bytes_per_second",
                                   "hop_seconds",
                                   "link_share",
                                   "collective_seconds"};

absl::Status Wrong(const Generation& generation, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "generation '", PrintableLine(generation.name()), "': ", what));
}

bool IsName(const std::string& name) {
  if (name.empty() || name.size() > kLongestGeneration) return false;
  for (const char c : name)
    if (!absl::ascii_islower(c) && !absl::ascii_isdigit(c)) return false;
  return true;
}

// What no hardware has, and no arithmetic here is made for; low and high too.
struct Reach {
  const char* suffix;  // of the figure's name
  double least;
  double most;
};
constexpr Reach kReaches[] = {{"_share", 1e-3, 1},
                              {"bytes_per_second", 1e6, 1e16},
                              {"hop_seconds", 1e-12, 1e-3},
                              {"start_seconds", 1e-3, 1e5},
                              {"_seconds", 1e-12, 1},
                              {"_seconds_per_chip", 1e-6, 1e3},
                              {"hbm_bytes", 1, 1e15},
                              {"_bytes", 1, 1e12},
                              {"clock_hz", 1e3, 1e12},
                              {"flops_per_second", 1e6, 1e20},
                              {"_per_cycle_per_core", 1, 1e9},
                              {"transcendental_flops", 1, 1e6}};

std::string WhatIsOutOfReach(const NamedFigure& named) {
  for (const Reach& reach : kReaches) {
    if (!absl::EndsWith(named.name, reach.suffix)) continue;
    for (const double value :
         {named.figure->value(), named.figure->low(), named.figure->high()})
      if (value != 0 && (value < reach.least || value > reach.most))
        return absl::StrCat(named.name, " is ", value, ": must be ",
                            reach.least, " to ", reach.most);
    return "";
  }
  return "";
}

std::string WhatIsWrongIn(const NamedFigure& named) {
  const Figure& figure = *named.figure;
  if (!std::isfinite(figure.value()) || figure.value() <= 0)
    return absl::StrCat(named.name, " is ", figure.value(),
                        ": must be above 0");
  const bool ranged = figure.low() != 0 || figure.high() != 0;
  if (ranged &&
      !(figure.low() > 0 && figure.low() <= figure.value() &&
        figure.value() <= figure.high() && std::isfinite(figure.high())))
    return absl::StrCat(named.name, " is ", figure.value(), ", outside its ",
                        figure.low(), " to ", figure.high(),
                        "; give low, value and high in order");
  return WhatIsOutOfReach(named);
}

// "4x4x8"; "" if there are no 1 to 3 axes of 1 to 1024.
std::string AxesText(const google::protobuf::RepeatedField<std::int32_t>& of) {
  if (of.empty() || of.size() > kMostAxes) return "";
  for (const int length : of)
    if (length < 1 || length > kLongestAxis) return "";
  return absl::StrJoin(of, "x");
}

std::string WhatIsWrongIn(const Generation& generation,
                          const SliceShape& slice) {
  const std::string chips = AxesText(slice.chips());
  if (chips.empty())
    return absl::StrCat("slice '", PrintableLine(slice.name()),
                        "' needs 1 to 3 axes of 1 to ", kLongestAxis, " chips");
  std::int64_t count = 1;
  for (int axis = 0; axis < kMostAxes; ++axis) {
    const int length = axis < slice.chips_size() ? slice.chips(axis) : 1;
    count *= length;
    const int board = slice.board().empty()       ? (axis < 2 ? 2 : 1)
                      : axis < slice.board_size() ? slice.board(axis)
                                                  : 1;
    if (board < 1 || length % board != 0)
      return absl::StrCat(
          "slice ", slice.name(), " of ", chips, " chips: boards of ",
          slice.board().empty() ? "2x2" : absl::StrJoin(slice.board(), "x"),
          " do not tile it; give other chips, or board: [X, Y]");
  }
  if (count > kMostChips)
    return absl::StrCat("slice ", slice.name(), " has ", count,
                        " chips: must be at most ", kMostChips);
  const std::string& prefix =
      generation.prefix().empty() ? generation.name() : generation.prefix();
  const std::int64_t counted = generation.name_counts() == CORES
                                   ? count * generation.cores_per_chip()
                                   : count;
  const std::string name = absl::StrCat(prefix, "-", counted);
  if (slice.name() != name)
    return absl::StrCat("slice '", PrintableLine(slice.name()), "' of ", chips,
                        " chips: must be called ", name);
  return "";
}

// Axes along which there is more than one chip.
int AxesOf(const google::protobuf::RepeatedField<std::int32_t>& chips) {
  return static_cast<int>(std::count_if(chips.begin(), chips.end(),
                                        [](int length) { return length > 1; }));
}

// A chip has two neighbours along each axis of the pod.
std::string WhatIsWrongWithLinks(const Generation& generation) {
  int axes = AxesOf(generation.pod());
  for (const SliceShape& slice : generation.slices())
    axes = std::max(axes, AxesOf(slice.chips()));
  const double links = generation.links().value();
  if (links == std::floor(links) && (axes == 0 || links == 2 * axes)) return "";
  return absl::StrCat(
      "links is ", links, ": must be ",
      axes == 0 ? "a whole number"
                : absl::StrCat(2 * axes,
                               ", two for each axis of its pod and slices"));
}

// The system keeps a part of what a replica has.
std::string WhatIsWrongWithHbm(const Generation& generation) {
  const ChipFigures chip = FiguresOf(generation);
  if (chip.available_hbm_bytes() > 0) return "";
  return absl::StrCat(
      "hbm_reserved_bytes is ", generation.hbm_reserved_bytes().value(),
      ": must be below the ", chip.hbm_bytes, " bytes of HBM that a ",
      generation.replica() == CORE ? "core" : "chip", " has");
}

std::string WhatIsUnsaid(const Generation& generation) {
  if (!IsName(generation.name()) ||
      (!generation.prefix().empty() && !IsName(generation.prefix())))
    return absl::StrCat("name and prefix must be 1 to ", kLongestGeneration,
                        " lower-case letters and digits, as in name: \"v9\"");
  if (generation.name_counts() == COUNTS_UNSAID)
    return "say name_counts: CORES or CHIPS";
  if (generation.replica() == REPLICA_UNSAID)
    return "say replica: CORE or CHIP";
  if (generation.wrap_rule() == WRAP_UNSAID)
    return "say wrap_rule: SPANS_POD, ALL_FROM_FOUR, AXIS_OF_16 or NEVER";
  if (generation.cores_per_chip() < 1 ||
      generation.cores_per_chip() > kMostCoresPerChip)
    return absl::StrCat("cores_per_chip is ", generation.cores_per_chip(),
                        ": must be 1 to ", kMostCoresPerChip);
  if (AxesText(generation.pod()).empty())
    return absl::StrCat("pod needs 1 to 3 axes of 1 to ", kLongestAxis,
                        " chips");
  return "";
}

}  // namespace

absl::Status CheckGeneration(const Generation& generation) {
  const std::string unsaid = WhatIsUnsaid(generation);
  if (!unsaid.empty()) return Wrong(generation, unsaid);
  std::set<std::string> given;
  for (const NamedFigure& named : FiguresIn(generation)) {
    const std::string wrong = WhatIsWrongIn(named);
    if (!wrong.empty()) return Wrong(generation, wrong);
    given.insert(named.name);
  }
  for (const char* name : kNeeded)
    if (given.count(name) == 0)
      return Wrong(generation, absl::StrCat(name, " is missing: write ", name,
                                            " { value: X }, as pod_launch "
                                            "--print_hardware=v3 prints it"));
  for (const SliceShape& slice : generation.slices()) {
    const std::string wrong = WhatIsWrongIn(generation, slice);
    if (!wrong.empty()) return Wrong(generation, wrong);
  }
  const std::string links = WhatIsWrongWithLinks(generation);
  if (!links.empty()) return Wrong(generation, links);
  const std::string hbm = WhatIsWrongWithHbm(generation);
  if (!hbm.empty()) return Wrong(generation, hbm);
  return CheckSliceNames(generation);
}

absl::Status CheckSliceNames(const Generation& generation) {
  std::set<std::string> names;
  for (const SliceShape& slice : generation.slices())
    if (!names.insert(slice.name()).second)
      return Wrong(generation,
                   absl::StrCat("slice '", PrintableLine(slice.name()),
                                "' is there twice; leave one out"));
  return absl::OkStatus();
}

}  // namespace podsim
