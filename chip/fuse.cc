#include "chip/fuse.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "chip/kernel_order.h"
#include "chip/kernel_work.h"
#include "chip/on_chip.h"
#include "chip/tiles.h"
#include "models/ops/op_cost.h"

namespace podsim {
namespace {

ChipKernelKind KindOfDraft(DraftKind kind) {
  switch (kind) {
    case DraftKind::kProduct:
      return ChipKernelKind::kProduct;
    case DraftKind::kLoop:
      return ChipKernelKind::kLoop;
    case DraftKind::kAttention:
      return ChipKernelKind::kAttention;
    case DraftKind::kAlone:
    case DraftKind::kCollective:
      break;
  }
  return ChipKernelKind::kAlone;
}

// By value: left, or read by another kernel.
std::vector<bool> WrittenValues(const ChipGraph& graph,
                                const std::vector<Frontier>& reads) {
  std::vector<bool> written;
  written.reserve(graph.values.size());
  for (const ChipValue& value : graph.values)
    written.push_back(value.is_left());
  for (const Frontier& frontier : reads)
    for (const FrontierPart& part : frontier) written[part.value] = true;
  return written;
}

class Fuser {
 public:
  Fuser(const ChipGraph& graph, const ChipFacts& facts,
        const FuseOptions& options)
      : graph_(graph),
        facts_(facts),
        options_(options),
        plan_(PlanFusion(graph, facts, options)),
        reads_(ReadsOf(graph, plan_)),
        written_(WrittenValues(graph, reads_)),
        worker_(graph, facts, options, plan_),
        place_(plan_.kernels.size(), kNoChipNode) {}

  ChipProgram Run() {
    for (const std::int32_t index : KernelOrder(graph_, plan_, reads_)) {
      if (plan_.kernels[index].kind == DraftKind::kCollective) continue;
      place_[index] = static_cast<std::int32_t>(program_.kernels.size());
      program_.kernels.push_back(KernelOf(index));
    }
    AddCollectives();
    return std::move(program_);
  }

 private:
  double BytesOf(ChipValueId value) const {
    return BytesInHbm(graph_.value(value).type, options_.rows);
  }

  ChipKernel KernelOf(std::int32_t index) {
    const KernelDraft& draft = plan_.kernels[index];
    ChipKernel kernel;
    kernel.kind = KindOfDraft(draft.kind);
    kernel.nodes = worker_.NodesOf(index);
    kernel.main = draft.product != kNoChipNode ? draft.product : draft.first;
    ForTensors(reads_[index], [&](ChipValueId value, double share) {
      kernel.reads.push_back({value, share * BytesOf(value)});
    });
    for (const std::int32_t end : draft.ends)
      for (const ChipValueId result : graph_.node(end).results)
        if (written_[result])
          kernel.writes.push_back({result, BytesOf(result)});
    kernel.share = draft.share;
    AddWork(graph_, facts_, options_, kernel);
    if (draft.kind == DraftKind::kAlone) worker_.MendTraffic(kernel);
    return kernel;
  }

  // A sum of a sum is ready with that.
  void AddCollectives() {
    ready_.assign(graph_.nodes.size(), -1);
    const auto count = static_cast<std::int32_t>(program_.kernels.size());
    std::vector<std::int32_t> first_reader(graph_.values.size(), count);
    for (std::int32_t i = count; i-- > 0;)
      for (const ChipTransfer& each : program_.kernels[i].reads)
        first_reader[each.value] = i;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (facts_.ways[i] == ChipWay::kJoins) {
        program_.collectives.push_back(
            CollectiveOf(static_cast<std::int32_t>(i), first_reader, count));
        ready_[i] = program_.collectives.back().ready;
      }
  }

  ChipCollective CollectiveOf(std::int32_t index,
                              const std::vector<std::int32_t>& first_reader,
                              std::int32_t count) const {
    const ChipNode& node = graph_.node(index);
    ChipCollective collective;
    collective.node = index;
    collective.bucket = node.bucket;
    collective.needed = count;
    for (const ChipValueId operand : node.operands) {
      const ChipValue& value = graph_.value(operand);
      collective.bytes += Bytes({&value.type, 1}, options_.rows);
      if (value.node == kNoChipNode) continue;
      const std::int32_t maker = plan_.kernel_of[value.node];
      collective.ready =
          std::max({collective.ready, place_[maker], ready_[value.node]});
    }
    for (const ChipValueId result : node.results)
      collective.needed = std::min(collective.needed, first_reader[result]);
    return collective;
  }

  const ChipGraph& graph_;
  const ChipFacts& facts_;
  const FuseOptions& options_;
  const FusionPlan plan_;
  const std::vector<Frontier> reads_;  // by kernel of the plan
  const std::vector<bool> written_;    // by value
  KernelWorker worker_;
  std::vector<std::int32_t> place_;  // by kernel of the plan
  std::vector<std::int32_t> ready_;  // by node, of collectives
  ChipProgram program_;
};

}  // namespace

ChipProgram FuseForChip(const ChipGraph& graph, const ChipFacts& facts,
                        const FuseOptions& options) {
  return KeptOnChip(graph, Fuser(graph, facts, options).Run(), options.rows,
                    options.on_chip_bytes);
}

}  // namespace podsim
