// Slices out of the table, and the numbering of their hosts and chips.
#include "interconnect/topology/slice.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "interconnect/topology/nearest_slices.h"
#include "interconnect/topology/wrap.h"

namespace podsim {
namespace {

// A host of podsim drives a board of so many chips.
constexpr int kTrainingChips = 4;
constexpr int kNamed = 2;  // of the slices that train, in a message
constexpr GridSize kBoard = {2, 2, 1};

GridSize SizeOf(const google::protobuf::RepeatedField<std::int32_t>& axes) {
  return {axes.empty() ? 1 : axes[0], axes.size() > 1 ? axes[1] : 1,
          axes.size() > 2 ? axes[2] : 1};
}

void FillCounts(const Generation& generation, GridSize grid, GridSize board,
                Slice& slice) {
  slice.generation = generation.name();
  slice.network_note = generation.network_note();
  slice.compared_steps = generation.compared_steps();
  slice.figures = FiguresOf(generation);
  slice.grid = grid;
  slice.board = board;
  slice.host_grid = {grid.x / board.x, grid.y / board.y, grid.z / board.z};
  slice.hosts = slice.host_grid.places();
  slice.chips = grid.places();
  slice.cores = slice.chips * slice.figures.cores_per_chip;
  slice.replicas = slice.chips * slice.figures.replicas_per_chip;
}

absl::StatusOr<Slice> MakeSlice(const Generation& generation,
                                const SliceShape& shape,
                                const SliceOptions& options) {
  Slice slice;
  slice.name = shape.name();
  slice.axes = shape.chips_size();
  FillCounts(generation, SizeOf(shape.chips()),
             shape.board().empty() ? kBoard : SizeOf(shape.board()), slice);
  PODSIM_RETURN_IF_ERROR(SetWrap(generation, options, slice));
  if (options.fuses_attention)
    slice.figures.fuses_attention = *options.fuses_attention;
  return slice;
}

// "v5litepod-4, v5litepod-16 and 4 more up to v5litepod-256": the slices of its
// generation that train; empty: there is none.
std::string ThoseThatTrain(const Slice& slice) {
  const Generation* generation =
      FindGeneration(ShippedHardware(), slice.generation);
  if (generation == nullptr) return "";
  std::vector<std::string> names = SliceNamesOf(*generation);
  std::erase_if(names, [](const std::string& name) {
    const auto other = FindSlice(name);
    return !other.ok() || other->chips_per_host() != kTrainingChips;
  });
  if (names.size() <= kNamed + 1) return absl::StrJoin(names, ", ");
  const auto first = names.begin();
  return absl::StrCat(absl::StrJoin(first, first + kNamed, ", "), " and ",
                      names.size() - kNamed, " more up to ", names.back());
}

}  // namespace

std::vector<std::string> SliceNamesOf(const Generation& generation) {
  std::vector<std::string> names;
  for (const SliceShape& shape : generation.slices())
    names.push_back(shape.name());
  return names;
}

std::vector<std::string> SliceNames(const Hardware& hardware) {
  std::vector<std::string> names;
  for (const Generation& generation : hardware.generations())
    for (std::string& name : SliceNamesOf(generation))
      names.push_back(std::move(name));
  return names;
}

std::vector<std::string> TrainingSliceNames(const Hardware& hardware) {
  std::vector<std::string> names;
  for (std::string& name : SliceNames(hardware)) {
    const auto slice = FindSlice(name, {.hardware = &hardware});
    if (slice.ok() && CheckTrains(*slice).ok())
      names.push_back(std::move(name));
  }
  return names;
}

absl::StatusOr<Slice> FindSlice(std::string_view name,
                                const SliceOptions& options) {
  const Hardware& hardware =
      options.hardware == nullptr ? ShippedHardware() : *options.hardware;
  const std::string lower = absl::AsciiStrToLower(std::string(name));
  for (const Generation& generation : hardware.generations())
    for (const SliceShape& shape : generation.slices())
      if (lower == shape.name()) return MakeSlice(generation, shape, options);
  return UnknownSlice(name, hardware);
}

std::string ReplicaNameOf(std::string_view slice, const Hardware& given) {
  const auto hardware = WithHardware(ShippedHardware(), given);
  const auto found = FindSlice(
      slice, {.hardware = hardware.ok() ? &*hardware : &ShippedHardware()});
  return found.ok() ? found->replica_name() : "core";
}

absl::StatusOr<Slice> SliceOfGrid(const Generation& generation, GridSize grid,
                                  bool wraps) {
  if (grid.x < 1 || grid.y < 1 || grid.z < 1 || grid.x % kBoard.x != 0 ||
      grid.y % kBoard.y != 0)
    return absl::InvalidArgumentError(
        absl::StrCat("a grid of ", SizeText(grid, true),
                     " chips: x and y must be even, all at least 1"));
  Slice slice;
  slice.axes = generation.pod_size();
  FillCounts(generation, grid, kBoard, slice);
  slice.name = absl::StrCat(generation.name(), " of ", slice.grid_text());
  PODSIM_RETURN_IF_ERROR(
      SetWrap(generation,
              {.wrap = wraps ? WrapPolicy::kTorus : WrapPolicy::kMesh}, slice));
  return slice;
}

absl::Status CheckTrains(const Slice& slice) {
  if (slice.chips_per_host() == kTrainingChips) return absl::OkStatus();
  const std::string others = ThoseThatTrain(slice);
  return absl::InvalidArgumentError(absl::StrCat(
      slice.name, " cannot train here: its host drives ",
      slice.chips_per_host(), slice.chips_per_host() == 1 ? " chip" : " chips",
      ", podsim emulates hosts of ", kTrainingChips,
      "; it can be planned (pod_launch --dry_run, pod_plan) and described "
      "(pod_launch --describe)",
      others.empty() ? "" : "; these train: ", others));
}

Coordinate HostCoordinate(const Slice& slice, int host) {
  return PlaceOf(slice.host_grid, host);
}

Coordinate ChipCoordinate(const Slice& slice, int host, int local_chip) {
  const Coordinate board = HostCoordinate(slice, host);
  const Coordinate chip = PlaceOf(slice.board, local_chip);
  return {board.x * slice.board.x + chip.x, board.y * slice.board.y + chip.y,
          board.z * slice.board.z + chip.z};
}

int HostAt(const Slice& slice, Coordinate host) {
  return IndexOf(slice.host_grid, host);
}

int HostOfChip(const Slice& slice, Coordinate chip) {
  return HostAt(slice, {chip.x / slice.board.x, chip.y / slice.board.y,
                        chip.z / slice.board.z});
}

}  // namespace podsim
