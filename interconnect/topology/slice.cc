// The table of slices and the numbering of their hosts and chips.
#include "interconnect/topology/slice.h"

#include <span>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/topology/nearest_slices.h"

namespace podsim {
namespace {

// A board is 2x2 chips.
constexpr int kBoardSide = 2;
static_assert(kBoardSide * kBoardSide == kChipsPerHost);

struct SliceEntry {
  const char* name;
  const char* generation;
  Coordinate host_grid;
};

// Host grids as in the table of pytorch/xla [PTX]; see docs/hardware.md.
constexpr SliceEntry kSlices[] = {
    {"v2-8", "v2", {1, 1}},     {"v2-32", "v2", {2, 2}},
    {"v2-128", "v2", {4, 4}},   {"v2-256", "v2", {4, 8}},
    {"v2-512", "v2", {8, 8}},   {"v3-8", "v3", {1, 1}},
    {"v3-32", "v3", {2, 2}},    {"v3-64", "v3", {2, 4}},
    {"v3-128", "v3", {4, 4}},   {"v3-256", "v3", {4, 8}},
    {"v3-512", "v3", {8, 8}},   {"v3-1024", "v3", {8, 16}},
    {"v3-2048", "v3", {16, 16}}};

// What is known of slices that are smaller than their pod.
std::string PartialNote(const Slice& slice) {
  if (slice.generation == "v2")
    return "no source says how a part of a v2 pod wraps";
  return "sources on parts of a v3 pod disagree: torus in MLPerf v0.6, mesh "
         "for v3-32 and torus from v3-1024 in v0.7, mesh by the GKE rule";
}

std::string AutoNote(const Slice& slice) {
  if (slice.wrap_x && slice.wrap_y)
    return absl::StrCat("sure: a full ", slice.generation, " pod is a ",
                        slice.grid.x, "x", slice.grid.y,
                        " torus (Cloud TPU documentation)");
  if (slice.wrap_x || slice.wrap_y)
    return absl::StrCat("assumed: ", slice.wrap_x ? "x" : "y",
                        " wraps because it spans the pod; ",
                        PartialNote(slice));
  return absl::StrCat("assumed: no axis spans the pod; ", PartialNote(slice));
}

void SetWrap(Slice& slice, WrapPolicy wrap) {
  if (wrap == WrapPolicy::kAuto) {
    slice.wrap_x = slice.grid.x == slice.chip().pod_x;
    slice.wrap_y = slice.grid.y == slice.chip().pod_y;
    slice.wrap_note = AutoNote(slice);
    return;
  }
  const bool torus = wrap == WrapPolicy::kTorus;
  slice.wrap_x = torus;
  slice.wrap_y = torus;
  slice.wrap_note = torus ? "as asked: --wrap=torus" : "as asked: --wrap=mesh";
}

Slice MakeSlice(const SliceEntry& entry, WrapPolicy wrap) {
  Slice slice;
  slice.name = entry.name;
  slice.generation = entry.generation;
  slice.host_grid = entry.host_grid;
  slice.grid = {entry.host_grid.x * kBoardSide, entry.host_grid.y * kBoardSide};
  slice.hosts = entry.host_grid.x * entry.host_grid.y;
  slice.chips = slice.hosts * kChipsPerHost;
  slice.cores = slice.hosts * kCoresPerHost;
  SetWrap(slice, wrap);
  return slice;
}

}  // namespace

std::vector<std::string> SliceNames() {
  std::vector<std::string> names;
  for (const SliceEntry& entry : kSlices) names.emplace_back(entry.name);
  return names;
}

absl::StatusOr<Slice> FindSlice(std::string_view name, WrapPolicy wrap) {
  const std::string lower = absl::AsciiStrToLower(std::string(name));
  for (const SliceEntry& entry : kSlices)
    if (lower == entry.name) return MakeSlice(entry, wrap);
  return UnknownSlice(name);
}

Coordinate HostCoordinate(const Slice& slice, int host) {
  PODSIM_CHECK(host >= 0 && host < slice.hosts);
  return {host % slice.host_grid.x, host / slice.host_grid.x};
}

Coordinate ChipCoordinate(const Slice& slice, int host, int local_chip) {
  PODSIM_CHECK(local_chip >= 0 && local_chip < kChipsPerHost);
  const Coordinate board = HostCoordinate(slice, host);
  return {board.x * kBoardSide + local_chip % kBoardSide,
          board.y * kBoardSide + local_chip / kBoardSide};
}

int HostAt(const Slice& slice, Coordinate host) {
  PODSIM_CHECK(host.x >= 0 && host.x < slice.host_grid.x);
  PODSIM_CHECK(host.y >= 0 && host.y < slice.host_grid.y);
  return host.y * slice.host_grid.x + host.x;
}

}  // namespace podsim
