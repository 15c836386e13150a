// What a chip has to compute, before anything is said of how: values and the
// nodes that make them, in order. Plain data.
//
// It has none of what a Program says for the emulator: no rounded copies of
// what products read, no row groups, no places in memory. A reshape is no node
// either: its result is another view of the same value.
#ifndef PODSIM_CHIP_GRAPH_H_
#define PODSIM_CHIP_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/graph/program.h"
#include "models/ops/op.h"
#include "models/ops/value_type.h"

namespace podsim {

using ChipValueId = std::int32_t;
inline constexpr ChipValueId kNoChipValue = -1;
inline constexpr std::int32_t kNoChipNode = -1;

enum class ChipValueKind : std::uint8_t {
  kInput,
  kConstant,  // numbers that the program brings along
  kWeight,
  kState,     // of the model, not trained: moving averages
  kSlot,      // the optimizer's state
  kGradient,  // of a weight, or what a state becomes
  kOutput,    // what the host reads
  kComputed,
};

struct ChipValue {
  std::string name;
  ValueType type;  // as the function says it; B is the batch of one core
  ChipValueKind kind = ChipValueKind::kComputed;
  // The value whose elements these are, under another shape; that one is no
  // view.
  ChipValueId view_of = kNoChipValue;
  // The value over which this one is written.
  ChipValueId in_place_of = kNoChipValue;
  std::int32_t node = kNoChipNode;  // that makes it; none: there beforehand

  // It must be in HBM when the step is over, or when its collective begins.
  bool is_left() const {
    return node != kNoChipNode &&
           (kind == ChipValueKind::kGradient ||
            kind == ChipValueKind::kOutput || in_place_of != kNoChipValue);
  }
};

struct ChipNode {
  OpCode op;
  std::vector<ChipValueId> operands;
  std::vector<ChipValueId> results;  // no views
  OpAttributes attributes;
  // The all-reduce of a gradient bucket: its number; else -1.
  std::int32_t bucket = -1;
};

struct ChipGraph {
  std::vector<ChipValue> values;
  std::vector<ChipNode> nodes;  // each behind those that make its operands

  const ChipValue& value(ChipValueId id) const {
    return values[static_cast<std::size_t>(id)];
  }
  const ChipNode& node(std::int32_t index) const {
    return nodes[static_cast<std::size_t>(index)];
  }
  // The value itself, or the one that it is a view of.
  ChipValueId root(ChipValueId id) const {
    const ChipValueId of = value(id).view_of;
    return of == kNoChipValue ? id : of;
  }
};

// kTrainMicrobatch, and kUpdate behind it, if `entry` is the former; else that
// entry alone. An entry that the Program lacks has no nodes. Linear in the
// Program's instructions.
ChipGraph ChipGraphOf(const Program& program, EntryPoint entry);

}  // namespace podsim

#endif  // PODSIM_CHIP_GRAPH_H_
