// Slices by name: what hardware "v3-32" stands for. Pure functions and tables;
// hardware.h has the figures, docs/hardware.md their sources.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_SLICE_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_SLICE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/topology/chip.h"
#include "interconnect/topology/coordinate.h"
#include "interconnect/topology/hardware.h"

namespace podsim {

enum class WrapPolicy : std::uint8_t { kAuto, kTorus, kMesh };

// One link, both ways, at a part of its rate; 0: it is cut.
struct LinkFault {
  Coordinate from;
  Coordinate to;
  double rate = 1;
};

struct Slice {
  std::string name;        // "v3-32"
  std::string generation;  // "v3"
  int cores = 0;
  // What a batch is divided among: cores, or chips whose cores act as one.
  int replicas = 0;
  int chips = 0;
  int hosts = 0;
  GridSize grid;       // chips: 4x4
  GridSize board;      // chips of one host: 2x2
  GridSize host_grid;  // hosts: 2x2
  int axes = 2;        // that the grid is written with
  std::array<bool, kMostAxes> wraps = {};
  bool twisted = false;
  // Twisted: of several shortest ways one by the relative place, so that all
  // links are about as busy (assumed); else always the first.
  bool spreads_ways = true;
  // How sure the wrap is, one line, for people.
  std::string wrap_note;
  // How wrong the model of its links is where something was measured, one line.
  std::string network_note;
  // Which published steps those of its generation are compared with, one line;
  // empty: none.
  std::string compared_steps;
  ChipFigures figures;
  // None unless somebody asked for them (--ici_fault).
  std::vector<LinkFault> link_faults = {};

  const ChipFigures& chip() const { return figures; }
  int chips_per_host() const { return board.places(); }
  int cores_per_host() const { return board.places() * figures.cores_per_chip; }
  int replicas_per_host() const {
    return board.places() * figures.replicas_per_chip;
  }
  // "core" or "chip": what a replica is called.
  const char* replica_name() const {
    return figures.replicas_per_chip == figures.cores_per_chip ? "core"
                                                               : "chip";
  }
  // "4x4", "4x4x8".
  std::string grid_text() const { return SizeText(grid, axes == 3); }
};

// Every name, generation by generation, ascending within one; or those of one.
std::vector<std::string> SliceNames(
    const Hardware& hardware = ShippedHardware());
std::vector<std::string> SliceNamesOf(const Generation& generation);
// Those that CheckTrains lets through.
std::vector<std::string> TrainingSliceNames(
    const Hardware& hardware = ShippedHardware());

struct SliceOptions {
  // kAuto: by the rule of the generation.
  WrapPolicy wrap = WrapPolicy::kAuto;
  bool twist = false;
  const Hardware* hardware = nullptr;  // nullptr: ShippedHardware()
  // ChipFigures::fuses_attention, whatever the generation does.
  std::optional<bool> fuses_attention;
};

// Errors: INVALID_ARGUMENT (naming the nearest valid names; a twist that is not
// offered).
absl::StatusOr<Slice> FindSlice(std::string_view name,
                                const SliceOptions& options = {});

// Slice::replica_name of a slice known by its name alone, for messages; "core"
// where no slice is called so. `given`: hardware besides what ships.
std::string ReplicaNameOf(std::string_view slice, const Hardware& given = {});

// A grid of any size with the figures of a generation, for studies of the
// network: no such type need be offered. `wraps`: all axes, or none.
// Errors: INVALID_ARGUMENT (boards of 2x2 chips do not tile it).
absl::StatusOr<Slice> SliceOfGrid(const Generation& generation, GridSize grid,
                                  bool wraps);

// OK: hosts with boards of four chips, as those that podsim emulates.
// Errors: INVALID_ARGUMENT naming the slice and the reason.
absl::Status CheckTrains(const Slice& slice);

// Hosts are numbered row by row over the host grid, chips of a host row by row
// over its board.
Coordinate HostCoordinate(const Slice& slice, int host);
Coordinate ChipCoordinate(const Slice& slice, int host, int local_chip);
int HostAt(const Slice& slice, Coordinate host);
// The host that a chip belongs to.
int HostOfChip(const Slice& slice, Coordinate chip);

// The order in which the gradient ring visits the hosts: neighbours in the
// host grid wherever the grid allows a cycle through all (an even side).
std::vector<int> HostRing(const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_SLICE_H_
