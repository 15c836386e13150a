#include "chip/drafts.h"

#include <algorithm>

namespace podsim {

Drafts::Drafts(const ChipGraph& graph, const ChipFacts& facts,
               const FuseOptions& options)
    : graph_(graph),
      facts_(facts),
      options_(options),
      last_loop_(graph.values.size(), kNoChipNode) {
  plan_.kernel_of.assign(graph.nodes.size(), kNoChipNode);
  plan_.made_from.resize(graph.nodes.size());
}

void Drafts::Open(DraftKind kind, std::int32_t node, const Frontier& from) {
  KernelDraft draft;
  draft.kind = kind;
  draft.first = node;
  if (kind == DraftKind::kProduct) draft.product = node;
  draft.ends = {node};
  const auto kernel = static_cast<std::int32_t>(plan_.kernels.size());
  if (kind == DraftKind::kLoop) {
    draft.reads = from;
    for (const FrontierPart& part : from) last_loop_[part.value] = kernel;
  }
  plan_.kernels.push_back(std::move(draft));
  plan_.kernel_of[node] = kernel;
  plan_.made_from[node] = from;
}

void Drafts::Carry(std::int32_t node, const Frontier& from,
                   const ValueType& space) {
  const std::int32_t product = RidesIn(from, space);
  if (product != kNoChipNode) {
    const std::int32_t kernel = plan_.kernel_of[product];
    plan_.kernels[kernel].ends.push_back(node);
    plan_.kernel_of[node] = kernel;
    plan_.made_from[node] = from;
    return;
  }
  const std::int32_t loop = LoopFor(node, from, space);
  if (loop == kNoChipNode) {
    Open(DraftKind::kLoop, node, from);
  } else {
    JoinLoop(loop, node, from);
  }
}

std::int32_t Drafts::RidesIn(const Frontier& from,
                             const ValueType& space) const {
  if (!options_.fuses || !options_.epilogues) return kNoChipNode;
  std::int32_t latest = kNoChipNode;
  for (const FrontierPart& part : from) {
    const std::int32_t kernel = KernelOf(part.value);
    if (IsMadeInPassing(part.value, kernel))
      latest = std::max(latest, plan_.kernels[kernel].product);
  }
  if (latest == kNoChipNode) return kNoChipNode;
  const ChipValueId result = graph_.node(latest).results[0];
  if (!IsWithinSpace(space, graph_.value(result).type)) return kNoChipNode;
  const bool ready =
      std::all_of(from.begin(), from.end(), [&](const FrontierPart& part) {
        return facts_.latest_product[part.value] < latest ||
               IsAtHand(part.value, latest);
      });
  return ready ? latest : kNoChipNode;
}

bool Drafts::IsAtHand(ChipValueId value, std::int32_t product) const {
  return product != kNoChipNode &&
         IsMadeInPassing(value, plan_.kernel_of[product]);
}

std::int32_t Drafts::KernelOf(ChipValueId value) const {
  const std::int32_t node = graph_.value(value).node;
  return node == kNoChipNode ? kNoChipNode : plan_.kernel_of[node];
}

// A fold's result is there only when its kernel is over.
bool Drafts::IsMadeInPassing(ChipValueId value, std::int32_t kernel) const {
  if (kernel == kNoChipNode || KernelOf(value) != kernel) return false;
  const ChipWay way = facts_.ways[graph_.value(value).node];
  return way == ChipWay::kMultiplies || way == ChipWay::kPasses;
}

std::int32_t Drafts::LatestProductOf(std::int32_t node) const {
  return facts_.latest_product[graph_.node(node).results[0]];
}

Frontier Drafts::WithoutMadeIn(std::int32_t kernel,
                               const Frontier& from) const {
  Frontier others;
  for (const FrontierPart& part : from)
    if (!IsMadeInPassing(part.value, kernel)) others.push_back(part);
  return others;
}

bool Drafts::MayJoin(std::int32_t kernel, std::int32_t node,
                     const Frontier& from, const ValueType& space) const {
  if (kernel == kNoChipNode) return false;
  const KernelDraft& loop = plan_.kernels[kernel];
  if (loop.kind != DraftKind::kLoop ||
      LatestProductOf(loop.first) != LatestProductOf(node))
    return false;
  const Frontier others = WithoutMadeIn(kernel, from);
  // Ready before the loop, and over the same tensors.
  for (const FrontierPart& part : others)
    if (graph_.value(part.value).node >= loop.first) return false;
  if (!IsWithin(others, loop.reads) && !IsWithin(loop.reads, others))
    return false;
  if (others.size() < from.size()) return true;
  // What both read is what takes time: two masks that read the same keys are
  // two loops.
  return std::any_of(from.begin(), from.end(), [&](const FrontierPart& part) {
    return IsWithin({part}, loop.reads) &&
           IsWithinSpace(space, graph_.value(part.value).type);
  });
}

std::int32_t Drafts::LoopFor(std::int32_t node, const Frontier& from,
                             const ValueType& space) const {
  if (!options_.fuses) return kNoChipNode;
  for (const FrontierPart& part : from)
    for (const std::int32_t kernel :
         {KernelOf(part.value), last_loop_[part.value]})
      if (MayJoin(kernel, node, from, space)) return kernel;
  return kNoChipNode;
}

void Drafts::JoinLoop(std::int32_t kernel, std::int32_t node,
                      const Frontier& from) {
  const Frontier others = WithoutMadeIn(kernel, from);
  KernelDraft& loop = plan_.kernels[kernel];
  loop.reads = Joined(loop.reads, others);
  loop.ends.push_back(node);
  for (const FrontierPart& part : others) last_loop_[part.value] = kernel;
  plan_.kernel_of[node] = kernel;
  plan_.made_from[node] = from;
}

}  // namespace podsim
