// In which order a chip runs the kernels of a FusionPlan. Pure.
#ifndef PODSIM_CHIP_KERNEL_ORDER_H_
#define PODSIM_CHIP_KERNEL_ORDER_H_

#include <cstdint>
#include <vector>

#include "chip/frontier.h"
#include "chip/fusion_plan.h"
#include "chip/graph.h"

namespace podsim {

// By kernel: the tensors that it reads from HBM, made by others.
std::vector<Frontier> ReadsOf(const ChipGraph& graph, const FusionPlan& plan);

// All kernels, each behind those whose results it reads; of those that are
// ready the one that comes first in the graph. n log n.
std::vector<std::int32_t> KernelOrder(const ChipGraph& graph,
                                      const FusionPlan& plan,
                                      const std::vector<Frontier>& reads);

}  // namespace podsim

#endif  // PODSIM_CHIP_KERNEL_ORDER_H_
