// Which kernels write and read each value, seen from one of them. Pure.
#ifndef PODSIM_CHIP_REMAT_USES_H_
#define PODSIM_CHIP_REMAT_USES_H_

#include <cstdint>
#include <vector>

#include "chip/graph.h"
#include "chip/program.h"

namespace podsim {

inline constexpr std::int32_t kNoKernel = -1;

// Of a value, by kernels of the program.
struct ValueUse {
  std::int32_t writer = kNoKernel;  // the first
  std::int32_t first_reader = kNoKernel;
  std::int32_t last_reader = kNoKernel;
  // Of the readers behind that kernel, the first, and the first node in the
  // graph that one of them was begun for.
  std::int32_t next_reader = kNoKernel;
  std::int32_t next_node = kNoChipNode;
  bool is_there = false;  // that kernel reads or writes it
  // Another value is written over it, or a collective reads it.
  bool is_taken = false;
};

// By value. Linear.
std::vector<ValueUse> UsesAround(const ChipGraph& graph,
                                 const ChipProgram& program,
                                 std::int32_t kernel);

}  // namespace podsim

#endif  // PODSIM_CHIP_REMAT_USES_H_
