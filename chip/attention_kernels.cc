#include "chip/attention_kernels.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "chip/frontier.h"
#include "chip/kernel_order.h"

namespace podsim {
namespace {

// Of all scores, those in blocks on the diagonal or before it.
double CausalShare(std::int64_t length, std::int64_t block) {
  if (length <= block) return 1;
  return 0.5 * (1 + static_cast<double>(block) / static_cast<double>(length));
}

// So many are tried one by one where all at once would wait for each other.
constexpr std::size_t kMostTried = 16;

class Merger {
 public:
  Merger(const ChipGraph& graph, const ChipFacts& facts, FusionPlan plan)
      : graph_(graph), facts_(facts), plan_(std::move(plan)) {}

  void Merge(const Attention& attention, double share) {
    const std::set<std::int32_t> scored = ScoreMakers(attention.forward);
    if (!attention.forward.empty()) MergePart(attention.forward, {}, share);
    if (attention.backward.empty()) return;
    Frontier factors;  // of all products of scores
    for (const std::int32_t node : attention.again)
      if (IsProduct(node)) factors = Joined(factors, plan_.made_from[node]);
    for (const std::int32_t node : attention.backward)
      ReadAgain(node, scored, factors);
    MergePart(attention.backward, attention.again, share);
  }

  FusionPlan Take() {
    DropEmpty();
    return std::move(plan_);
  }

 private:
  bool IsProduct(std::int32_t node) const {
    return facts_.ways[node] == ChipWay::kMultiplies;
  }

  // Those whose results are scores, or are made of them in as many elements.
  std::set<std::int32_t> ScoreMakers(
      const std::vector<std::int32_t>& nodes) const {
    std::set<std::int32_t> makers;
    if (nodes.empty()) return makers;
    const auto elements = [&](std::int32_t node) {
      return graph_.value(graph_.node(node).results[0]).type.shape.elements();
    };
    const std::int32_t scores =
        *std::find_if(nodes.begin(), nodes.end(),
                      [&](std::int32_t n) { return IsProduct(n); });
    for (const std::int32_t node : nodes)
      if (node != nodes.back() && elements(node) == elements(scores))
        makers.insert(node);
    return makers;
  }

  // What `node` reads of the scores that nobody stores it makes again, from
  // `factors`.
  void ReadAgain(std::int32_t node, const std::set<std::int32_t>& scored,
                 const Frontier& factors) {
    Frontier others;
    for (const FrontierPart& part : plan_.made_from[node])
      if (scored.count(graph_.value(part.value).node) == 0)
        others.push_back(part);
    if (others.size() == plan_.made_from[node].size()) return;
    plan_.made_from[node] = Joined(others, factors);
  }

  // The kernels of the part's products, whole, and of loops what is the part's.
  void MergePart(const std::vector<std::int32_t>& part,
                 std::vector<std::int32_t> again, double share) {
    const auto kernel = static_cast<std::int32_t>(plan_.kernels.size());
    KernelDraft merged;
    merged.kind = DraftKind::kAttention;
    merged.again = std::move(again);
    merged.share = share;
    for (const std::int32_t node : part) {
      const std::int32_t from = plan_.kernel_of[node];
      if (from == kNoChipNode || from == kernel) continue;
      if (IsProduct(node)) {
        if (merged.product == kNoChipNode) merged.product = node;
        for (const std::int32_t end : plan_.kernels[from].ends)
          Move(end, kernel, merged);
        plan_.kernels[from].ends.clear();
      } else if (plan_.kernels[from].kind == DraftKind::kLoop) {
        std::vector<std::int32_t>& ends = plan_.kernels[from].ends;
        ends.erase(std::find(ends.begin(), ends.end(), node));
        Move(node, kernel, merged);
      }
    }
    std::sort(merged.ends.begin(), merged.ends.end());
    merged.first = merged.ends.front();
    plan_.kernels.push_back(std::move(merged));
  }

  void Move(std::int32_t end, std::int32_t kernel, KernelDraft& merged) {
    plan_.kernel_of[end] = kernel;
    merged.ends.push_back(end);
  }

  void DropEmpty() {
    std::vector<std::int32_t> place(plan_.kernels.size(), kNoChipNode);
    std::vector<KernelDraft> kept;
    for (std::size_t i = 0; i < plan_.kernels.size(); ++i) {
      KernelDraft& draft = plan_.kernels[i];
      if (draft.ends.empty()) continue;
      if (draft.kind == DraftKind::kLoop) draft.first = draft.ends.front();
      place[i] = static_cast<std::int32_t>(kept.size());
      kept.push_back(std::move(draft));
    }
    plan_.kernels = std::move(kept);
    for (std::int32_t& kernel : plan_.kernel_of)
      if (kernel != kNoChipNode) kernel = place[kernel];
  }

  const ChipGraph& graph_;
  const ChipFacts& facts_;
  FusionPlan plan_;
};

FusionPlan Merged(const ChipGraph& graph, const ChipFacts& facts,
                  const std::vector<const Attention*>& attentions,
                  std::int64_t side, const FusionPlan& plan) {
  Merger merger(graph, facts, plan);
  for (const Attention* attention : attentions)
    merger.Merge(*attention, CausalShare(attention->causal_length, side));
  return merger.Take();
}

bool HasOrder(const ChipGraph& graph, const FusionPlan& plan) {
  return TryKernelOrder(graph, plan, ReadsOf(graph, plan)).size() ==
         plan.kernels.size();
}

}  // namespace

FusionPlan WithAttentionKernels(const ChipGraph& graph, const ChipFacts& facts,
                                std::int64_t matrix_unit_side,
                                FusionPlan plan) {
  std::vector<const Attention*> attentions;
  for (const Attention& each : facts.attentions) attentions.push_back(&each);
  if (attentions.empty()) return plan;
  FusionPlan all = Merged(graph, facts, attentions, matrix_unit_side, plan);
  if (HasOrder(graph, all)) return all;
  if (attentions.size() > kMostTried) return plan;
  std::vector<const Attention*> kept;
  for (const Attention* attention : attentions) {
    kept.push_back(attention);
    if (!HasOrder(graph, Merged(graph, facts, kept, matrix_unit_side, plan)))
      kept.pop_back();
  }
  return Merged(graph, facts, kept, matrix_unit_side, plan);
}

}  // namespace podsim
