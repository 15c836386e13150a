#include "chip/kernel_order.h"

#include <cstddef>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

// kNoChipNode: there beforehand.
std::int32_t MakerOf(const ChipGraph& graph, const FusionPlan& plan,
                     ChipValueId value) {
  const std::int32_t node = graph.value(value).node;
  return node == kNoChipNode ? kNoChipNode : plan.kernel_of[node];
}

// A number, or a few, whatever the batch.
bool IsSmall(const ValueType& type) {
  constexpr std::int64_t kMostSmall = 1024;  // one tile of a vector
  return !type.batched() && type.shape.elements() <= kMostSmall;
}

// All that it leaves are gradients, which nothing in the pass reads, or
// numbers that such kernels wait for: the share of an example in the loss.
bool HoldsNothingUp(const ChipGraph& graph, const KernelDraft& kernel) {
  for (const std::int32_t end : kernel.ends)
    for (const ChipValueId result : graph.node(end).results) {
      const ChipValue& value = graph.value(result);
      const bool holds =
          value.in_place_of != kNoChipValue ||
          (value.kind != ChipValueKind::kGradient &&
           (value.kind != ChipValueKind::kComputed || !IsSmall(value.type)));
      if (holds) return false;
    }
  return true;
}

// What is made of gradients that the slice has summed is the update's.
bool ReadsSummedGradients(const ChipGraph& graph, const Frontier& reads) {
  for (const FrontierPart& part : reads) {
    const std::int32_t node = graph.value(part.value).node;
    if (node != kNoChipNode && graph.node(node).bucket >= 0) return true;
  }
  return false;
}

}  // namespace

std::vector<Frontier> ReadsOf(const ChipGraph& graph, const FusionPlan& plan) {
  std::vector<Frontier> reads;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    Frontier all;
    for (const std::int32_t end : plan.kernels[i].ends)
      all = Joined(all, plan.made_from[end]);
    Frontier others;
    for (const FrontierPart& part : all)
      if (MakerOf(graph, plan, part.value) != static_cast<std::int32_t>(i))
        others.push_back(part);
    reads.push_back(std::move(others));
  }
  return reads;
}

std::vector<std::int32_t> TryKernelOrder(const ChipGraph& graph,
                                         const FusionPlan& plan,
                                         const std::vector<Frontier>& reads) {
  const std::size_t count = plan.kernels.size();
  std::vector<std::vector<std::int32_t>> readers(count);
  std::vector<int> waits_for(count);
  for (std::size_t i = 0; i < count; ++i)
    ForTensors(reads[i], [&](ChipValueId value, double /*share*/) {
      const std::int32_t maker = MakerOf(graph, plan, value);
      if (maker == kNoChipNode) return;
      readers[maker].push_back(static_cast<std::int32_t>(i));
      ++waits_for[i];
    });
  // Whether it keeps to the graph's order, its first node there, the kernel.
  using Ready = std::tuple<bool, std::int32_t, std::int32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  const auto add = [&](std::int32_t kernel) {
    const bool in_graph_order = !HoldsNothingUp(graph, plan.kernels[kernel]) ||
                                ReadsSummedGradients(graph, reads[kernel]);
    ready.emplace(in_graph_order, plan.kernels[kernel].first, kernel);
  };
  for (std::size_t i = 0; i < count; ++i)
    if (waits_for[i] == 0) add(static_cast<std::int32_t>(i));
  std::vector<std::int32_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const std::int32_t kernel = std::get<2>(ready.top());
    ready.pop();
    order.push_back(kernel);
    for (const std::int32_t reader : readers[kernel])
      if (--waits_for[reader] == 0) add(reader);
  }
  return order;
}

std::vector<std::int32_t> KernelOrder(const ChipGraph& graph,
                                      const FusionPlan& plan,
                                      const std::vector<Frontier>& reads) {
  std::vector<std::int32_t> order = TryKernelOrder(graph, plan, reads);
  PODSIM_CHECK(order.size() == plan.kernels.size());  // Drafts says why
  return order;
}

}  // namespace podsim
