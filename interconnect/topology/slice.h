// Slices by name: what hardware "v3-32" stands for. Pure functions and tables.
//
// The suffix counts cores. A chip has 2 cores, a host drives one board of 2x2
// chips. Sources of all figures: docs/hardware.md.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_SLICE_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_SLICE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim {

inline constexpr int kCoresPerChip = 2;
inline constexpr int kChipsPerHost = 4;  // a board of 2x2
inline constexpr int kCoresPerHost = kChipsPerHost * kCoresPerChip;

// A place in the chip grid (or, where it says so, in the host grid).
struct Coordinate {
  int x = 0;
  int y = 0;
  bool operator==(const Coordinate&) const = default;
};

// Figures of one chip generation. Each with its source in chip.cc.
struct ChipFigures {
  std::string name;  // "v3"
  double clock_hz = 0;
  int matrix_units_per_core = 0;     // of 128x128
  double matrix_flops_per_core = 0;  // bfloat16 peak
  std::int64_t hbm_bytes_per_core = 0;
  double hbm_bytes_per_second_per_core = 0;
  double link_bytes_per_second = 0;  // one direction of one ICI link
  double hop_seconds = 0;
  int pod_x = 0;  // chip grid of the full pod
  int pod_y = 0;
};

// "v2" or "v3". REQUIRES: one of the two.
const ChipFigures& FiguresOf(std::string_view generation);

enum class WrapPolicy : std::uint8_t { kAuto, kTorus, kMesh };

struct Slice {
  std::string name;        // "v3-32"
  std::string generation;  // "v3"
  int cores = 0;
  int chips = 0;
  int hosts = 0;
  Coordinate grid;       // chips in x and y: 4x4
  Coordinate host_grid;  // hosts in x and y: 2x2
  bool wrap_x = false;
  bool wrap_y = false;
  // How sure that is, one line, for people.
  std::string wrap_note;

  const ChipFigures& chip() const { return FiguresOf(generation); }
};

// Every v2 and v3 name, ascending within a generation.
std::vector<std::string> SliceNames();

// kAuto: an axis wraps iff it spans the full pod's axis.
// Errors: INVALID_ARGUMENT naming the nearest valid names.
absl::StatusOr<Slice> FindSlice(std::string_view name,
                                WrapPolicy wrap = WrapPolicy::kAuto);

// Hosts are numbered row by row over the host grid, chips of a host row by row
// over its 2x2 board.
Coordinate HostCoordinate(const Slice& slice, int host);
Coordinate ChipCoordinate(const Slice& slice, int host, int local_chip);
int HostAt(const Slice& slice, Coordinate host);

// The order in which the gradient ring visits the hosts: neighbours in the
// host grid wherever the grid allows a cycle through all (an even side).
std::vector<int> HostRing(const Slice& slice);
// The same over all chips ("x, y" numbered row by row), for simulated time.
std::vector<int> ChipRing(const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_SLICE_H_
