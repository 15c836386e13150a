// Which kernels read each value, directly or by computing it in passing. Pure.
#ifndef PODSIM_CHIP_READERS_H_
#define PODSIM_CHIP_READERS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "chip/graph.h"

namespace podsim {

// Up to eight kernels by their numbers; who has more has "eight". Whether to
// store a value is decided by fewer.
class KernelSet {
 public:
  void Add(std::int32_t kernel);
  void Add(const KernelSet& others);
  // How many there are beside `kernel`.
  int CountWithout(std::int32_t kernel) const;

 private:
  static constexpr int kMost = 8;
  std::array<std::int32_t, kMost> kernels_ = {};  // the first `count_`, sorted
  int count_ = 0;
};

// Where each node's results are stored by kernel `kernel_of[node]`;
// kNoChipNode: nowhere, so that who reads them reads what they are made from.
// By value, of roots. Linear.
std::vector<KernelSet> KernelsThatRead(
    const ChipGraph& graph, const std::vector<std::int32_t>& kernel_of);

}  // namespace podsim

#endif  // PODSIM_CHIP_READERS_H_
