#include "chip/remat_choice.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "chip/kernel_work.h"
#include "chip/op_ways.h"
#include "chip/remat_uses.h"
#include "chip/step.h"
#include "chip/tiles.h"

namespace podsim {
namespace {

struct Candidate {
  RematChoice choice;
  std::vector<ChipValueId> reads;  // that must stay
  bool has_weight = false;
  double seconds_per_byte = 0;
};

bool HasWeight(const ChipGraph& graph, std::int32_t product) {
  const std::vector<ChipValueId>& operands = graph.node(product).operands;
  return std::any_of(operands.begin(), operands.end(),
                     [&](ChipValueId operand) {
                       return !graph.value(operand).type.batched();
                     });
}

class Chooser {
 public:
  Chooser(const RematGraph& remat, const ChipFacts& facts,
          const ChipProgram& program, const Overflow& overflow,
          const RematOptions& options)
      : remat_(remat),
        graph_(remat.graph),
        facts_(facts),
        program_(program),
        overflow_(overflow),
        options_(options),
        uses_(UsesAround(remat.graph, program, overflow.kernel)),
        wanted_by_(graph_.values.size(), kNoKernel) {}

  std::vector<RematChoice> Run() {
    std::vector<Candidate> candidates;
    for (std::int32_t i = 0; i < overflow_.kernel; ++i)
      if (std::optional<Candidate> candidate = CandidateOf(i))
        candidates.push_back(*std::move(candidate));
    const auto rank = [&](const Candidate& each) {
      return std::tuple(options_.weights_first && !each.has_weight,
                        each.seconds_per_byte);
    };
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const Candidate& a, const Candidate& b) {
                       return rank(a) < rank(b);
                     });
    return Cheapest(std::move(candidates));
  }

 private:
  double BytesOf(ChipValueId value) const {
    return BytesInHbm(graph_.value(value).type, options_.fuse.rows);
  }

  // It lies in HBM while the overflowing kernel runs, for later ones alone.
  bool Waits(ChipValueId value, std::int32_t writer) const {
    const ChipValue& known = graph_.value(value);
    const ValueUse& use = uses_[value];
    return known.kind == ChipValueKind::kComputed && !known.is_left() &&
           !use.is_taken && !use.is_there && use.writer == writer &&
           use.next_reader != kNoKernel && BytesOf(value) > 0 &&
           // Else the clones would run before the overflowing kernel.
           use.next_node > program_.kernels[overflow_.kernel].main;
  }

  std::vector<ChipValueId> WaitingValues(std::int32_t index) const {
    std::vector<ChipValueId> values;
    for (const ChipTransfer& each : program_.kernels[index].writes)
      if (Waits(each.value, index)) values.push_back(each.value);
    return values;
  }

  // Something before the overflow needs the product.
  bool RunsAnyway(std::int32_t index) const {
    const ChipKernel& kernel = program_.kernels[index];
    return std::any_of(kernel.writes.begin(), kernel.writes.end(),
                       [&](const ChipTransfer& each) {
                         const ValueUse& use = uses_[each.value];
                         return !Waits(each.value, index) ||
                                use.first_reader <= overflow_.kernel;
                       });
  }

  // The kernel cut to what the values need, without its work.
  ChipKernel PartFor(const std::vector<ChipValueId>& values,
                     std::int32_t index) {
    const ChipKernel& kernel = program_.kernels[index];
    ChipKernel part;
    part.kind = kernel.kind;
    part.main = kernel.main;
    part.share = kernel.share;
    for (const ChipValueId value : values) {
      wanted_by_[value] = index;
      part.writes.push_back({value, BytesOf(value)});
    }
    for (std::size_t i = kernel.nodes.size(); i-- > 0;) {
      const ChipNode& node = graph_.node(kernel.nodes[i]);
      const bool wanted = std::any_of(
          node.results.begin(), node.results.end(),
          [&](ChipValueId result) { return wanted_by_[result] == index; });
      if (!wanted) continue;
      part.nodes.push_back(kernel.nodes[i]);
      for (const ChipValueId operand : node.operands)
        wanted_by_[graph_.root(operand)] = index;
    }
    std::reverse(part.nodes.begin(), part.nodes.end());
    for (const ChipTransfer& each : kernel.reads)
      if (wanted_by_[each.value] == index) part.reads.push_back(each);
    return part;
  }

  bool MayRunAgain(const ChipKernel& part) const {
    return std::binary_search(part.nodes.begin(), part.nodes.end(),
                              part.main) &&
           std::none_of(part.nodes.begin(), part.nodes.end(),
                        [&](std::int32_t node) {
                          return IsRandom(*facts_.entries[node]);
                        });
  }

  // The value, or what it was recomputed as, that is in HBM until that kernel
  // anyway; kNoChipValue: neither is. Weights are updated at the end.
  ChipValueId ThereUntil(std::int32_t kernel, ChipValueId value) const {
    const ChipValueKind kind = graph_.value(value).kind;
    if (kind == ChipValueKind::kWeight || kind == ChipValueKind::kConstant)
      return value;
    if (uses_[value].is_taken) return kNoChipValue;
    while (value != kNoChipValue && uses_[value].last_reader < kernel)
      value = remat_.again[value];
    return value;
  }

  std::optional<Candidate> CandidateOf(std::int32_t index) {
    const ChipKernel& kernel = program_.kernels[index];
    if (kernel.kind != ChipKernelKind::kProduct &&
        kernel.kind != ChipKernelKind::kAttention)
      return std::nullopt;
    Candidate candidate;
    Recomputation& how = candidate.choice.how;
    how.values = WaitingValues(index);
    if (how.values.empty() || !RunsAnyway(index)) return std::nullopt;
    ChipKernel part = PartFor(how.values, index);
    if (!MayRunAgain(part)) return std::nullopt;
    how.nodes = part.nodes;
    std::int32_t next = uses_[how.values[0]].next_reader;
    for (const ChipValueId value : how.values)
      next = std::min(next, uses_[value].next_reader);
    for (const ChipTransfer& each : part.reads) {
      const ChipValueId there = ThereUntil(next, each.value);
      if (there == kNoChipValue) return std::nullopt;
      if (there != each.value) how.instead.emplace_back(each.value, there);
      candidate.reads.push_back(there);
    }
    AddWork(graph_, facts_, options_.fuse, part);
    Price(part, candidate);
    return candidate;
  }

  void Price(const ChipKernel& part, Candidate& candidate) const {
    Recomputed& what = candidate.choice.what;
    what.name = graph_.value(graph_.node(part.main).results[0]).name;
    for (const ChipProduct& product : part.products)
      what.flops += 2 * product.multiply_adds;
    what.time = PriceKernel(WorkOf(part), options_.rates).time;
    for (const ChipTransfer& each : part.writes) what.bytes += each.bytes;
    candidate.seconds_per_byte = what.time.seconds() / what.bytes;
    candidate.has_weight = HasWeight(graph_, part.main);
  }

  // In the order in which they stand, until enough is freed.
  std::vector<RematChoice> Cheapest(std::vector<Candidate> candidates) const {
    std::vector<bool> is_freed(graph_.values.size());
    std::vector<bool> is_read(graph_.values.size());
    const auto any = [](const std::vector<bool>& flags,
                        const std::vector<ChipValueId>& values) {
      return std::any_of(values.begin(), values.end(),
                         [&](ChipValueId value) { return flags[value]; });
    };
    std::vector<RematChoice> chosen;
    double freed = 0;
    for (Candidate& each : candidates) {
      if (freed >= overflow_.bytes) break;
      const std::vector<ChipValueId>& values = each.choice.how.values;
      if (any(is_freed, each.reads) || any(is_read, values)) continue;
      for (const ChipValueId value : values) is_freed[value] = true;
      for (const ChipValueId value : each.reads) is_read[value] = true;
      freed += each.choice.what.bytes;
      chosen.push_back(std::move(each.choice));
    }
    return chosen;
  }

  const RematGraph& remat_;
  const ChipGraph& graph_;
  const ChipFacts& facts_;
  const ChipProgram& program_;
  const Overflow overflow_;
  const RematOptions& options_;
  const std::vector<ValueUse> uses_;     // by value
  std::vector<std::int32_t> wanted_by_;  // by value: the last kernel
};

}  // namespace

std::vector<RematChoice> ChooseRecomputed(const RematGraph& remat,
                                          const ChipFacts& facts,
                                          const ChipProgram& program,
                                          const Overflow& overflow,
                                          const RematOptions& options) {
  return Chooser(remat, facts, program, overflow, options).Run();
}

}  // namespace podsim
