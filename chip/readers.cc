#include "chip/readers.h"

#include <algorithm>
#include <cstddef>

namespace podsim {

void KernelSet::Add(std::int32_t kernel) {
  const auto end = kernels_.begin() + count_;
  const auto at = std::lower_bound(kernels_.begin(), end, kernel);
  if (count_ == kMost || (at != end && *at == kernel)) return;
  std::copy_backward(at, end, end + 1);
  *at = kernel;
  ++count_;
}

void KernelSet::Add(const KernelSet& others) {
  for (int i = 0; i < others.count_; ++i) Add(others.kernels_[i]);
}

int KernelSet::CountWithout(std::int32_t kernel) const {
  const auto end = kernels_.begin() + count_;
  return count_ - (std::binary_search(kernels_.begin(), end, kernel) ? 1 : 0);
}

std::vector<KernelSet> KernelsThatRead(
    const ChipGraph& graph, const std::vector<std::int32_t>& kernel_of) {
  std::vector<KernelSet> readers(graph.values.size());
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const ChipNode& node = graph.nodes[i];
    KernelSet kernels;
    if (kernel_of[i] != kNoChipNode) {
      kernels.Add(kernel_of[i]);
    } else {
      for (const ChipValueId result : node.results)
        kernels.Add(readers[result]);
    }
    for (const ChipValueId operand : node.operands)
      readers[graph.root(operand)].Add(kernels);
  }
  return readers;
}

}  // namespace podsim
