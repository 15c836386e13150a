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
// ready one that leaves gradients or a few numbers alone, so that what it reads
// need not wait in HBM and its all-reduce may begin, else the one that comes
// first in the graph.
// [XLA schedules so as to hold less; a function of JAX has the gradients of its
// weights at its end.] n log n.
std::vector<std::int32_t> KernelOrder(const ChipGraph& graph,
                                      const FusionPlan& plan,
                                      const std::vector<Frontier>& reads);

// The same; without those that wait for each other, if there are such.
std::vector<std::int32_t> TryKernelOrder(const ChipGraph& graph,
                                         const FusionPlan& plan,
                                         const std::vector<Frontier>& reads);

}  // namespace podsim

#endif  // PODSIM_CHIP_KERNEL_ORDER_H_
