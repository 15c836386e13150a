#include "chip/explain.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace podsim {
namespace {

ValueName NameOfKernel(const ChipGraph& graph, const ChipKernel& kernel) {
  return ValueNameOf(graph.value(graph.node(kernel.main).results[0]).name);
}

// `parts`: it does one of so many of its work.
ExplainedKernel ExplainKernel(const ChipGraph& graph, const ChipKernel& kernel,
                              const KernelTime& time, int parts) {
  ExplainedKernel explained;
  explained.kind = kernel.kind;
  explained.op = graph.node(kernel.main).op.name();
  explained.name = NameOfKernel(graph, kernel);
  explained.time = time.time;
  explained.bound = time.bound;
  for (const ChipProduct& product : kernel.products)
    explained.product_flops += 2 * product.multiply_adds / parts;
  explained.flops = explained.product_flops +
                    (kernel.vector_flops + kernel.transcendentals) / parts;
  explained.matrix_flops = kernel.matrix_flops / parts;
  explained.hbm_bytes = kernel.hbm_bytes() / parts;
  return explained;
}

// Equal of kernels that share a line.
using KernelKey =
    std::tuple<std::string_view, std::string, std::string, ChipKernelKind,
               KernelBound, SimTime, double, double, double>;

KernelKey KeyOfKernel(const ExplainedKernel& kernel) {
  return {kernel.op,          WithoutNumbers(kernel.name.name),
          kernel.name.source, kernel.kind,
          kernel.bound,       kernel.time,
          kernel.flops,       kernel.matrix_flops,
          kernel.hbm_bytes};
}

std::vector<ExplainedLine> GroupKernels(
    const std::vector<ExplainedKernel>& kernels) {
  std::vector<ExplainedLine> lines;
  std::map<KernelKey, std::size_t> known;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const ExplainedKernel& kernel = kernels[i];
    const auto [at, is_new] =
        known.try_emplace(KeyOfKernel(kernel), lines.size());
    if (is_new) lines.emplace_back().name = kernel.name;
    ExplainedLine& line = lines[at->second];
    line.name.name = CommonName(line.name.name, kernel.name.name);
    line.kernels.push_back(static_cast<std::int32_t>(i));
    line.time += kernel.time;
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const ExplainedLine& a, const ExplainedLine& b) {
                     return a.time > b.time;
                   });
  return lines;
}

ExplainedTotals SumKernels(const std::vector<ExplainedKernel>& kernels) {
  ExplainedTotals totals;
  for (const ExplainedKernel& kernel : kernels) {
    if (kernel.kind == ChipKernelKind::kProduct ||
        kernel.kind == ChipKernelKind::kAttention)
      ++totals.products;
    totals.time += kernel.time;
    totals.flops += kernel.flops;
    totals.product_flops += kernel.product_flops;
    totals.hbm_bytes += kernel.hbm_bytes;
    ExplainedTotals::OfBound& bound =
        totals.by_bound[static_cast<std::size_t>(kernel.bound)];
    ++bound.kernels;
    bound.time += kernel.time;
  }
  return totals;
}

void SetShares(ChipExplanation& explained) {
  const double all = explained.totals.time.seconds();
  if (all <= 0) return;
  for (ExplainedKernel& kernel : explained.kernels)
    kernel.share = kernel.time.seconds() / all;
  for (ExplainedLine& line : explained.lines)
    line.share = line.time.seconds() / all;
}

bool CountsAsActivation(const ChipValue& value) {
  return value.kind == ChipValueKind::kComputed ||
         value.kind == ChipValueKind::kOutput;
}

// What they take together is `count` times `bytes`.
std::vector<ExplainedActivation> GroupActivations(
    const ChipGraph& graph, const std::vector<ChipHome>& homes,
    std::int32_t kernel, std::int64_t rows) {
  std::vector<ExplainedActivation> groups;
  std::map<std::tuple<std::string, std::string, DType,
                      std::vector<std::int64_t>, double>,
           std::size_t>
      known;
  for (const ChipHome& home : homes) {
    const ChipValue& value = graph.value(home.value);
    if (!CountsAsActivation(value) || home.first > kernel || home.last < kernel)
      continue;
    ExplainedActivation one = {.name = ValueNameOf(value.name),
                               .dtype = value.type.dtype,
                               .dims = DimsFor(value.type.shape, rows),
                               .count = 1,
                               .bytes = home.bytes};
    const auto [at, is_new] =
        known.try_emplace({WithoutNumbers(one.name.name), one.name.source,
                           one.dtype, one.dims, one.bytes},
                          groups.size());
    if (is_new) {
      groups.push_back(std::move(one));
    } else {
      ExplainedActivation& group = groups[at->second];
      group.name.name = CommonName(group.name.name, one.name.name);
      ++group.count;
    }
  }
  std::stable_sort(
      groups.begin(), groups.end(),
      [](const ExplainedActivation& a, const ExplainedActivation& b) {
        return a.count * a.bytes > b.count * b.bytes;
      });
  return groups;
}

ExplainedHbm ExplainHbm(const ChipStep& step, std::int64_t rows,
                        const ChipFigures& chip) {
  const std::vector<ChipHome> homes = HomesOf(step.graph, step.program, rows);
  ExplainedHbm hbm;
  hbm.fullest = FullestHbm(step.graph, step.program, homes);
  hbm.available = chip.available_hbm_bytes();
  hbm.activations =
      GroupActivations(step.graph, homes, hbm.fullest.kernel, rows);
  return hbm;
}

}  // namespace

ChipExplanation ExplainStep(const ChipStep& step, std::int64_t rows,
                            const ChipFigures& chip, int update_parts) {
  const std::int32_t update = FirstOfUpdate(step.program);
  const std::vector<KernelTime> times =
      ShardedTimesOf(step.program, chip, update, update_parts);
  ChipExplanation explained;
  for (std::size_t i = 0; i < times.size(); ++i)
    explained.kernels.push_back(
        ExplainKernel(step.graph, step.program.kernels[i], times[i],
                      i < static_cast<std::size_t>(update) ? 1 : update_parts));
  explained.lines = GroupKernels(explained.kernels);
  explained.totals = SumKernels(explained.kernels);
  SetShares(explained);
  explained.fixed_cost = SimTime::Seconds(chip.kernel_seconds);
  explained.hbm = ExplainHbm(step, rows, chip);
  explained.recomputed = step.recomputed;
  return explained;
}

std::string_view KernelKindName(ChipKernelKind kind) {
  switch (kind) {
    case ChipKernelKind::kProduct:
      return "product";
    case ChipKernelKind::kLoop:
      return "loop";
    case ChipKernelKind::kAttention:
      return "attention";
    case ChipKernelKind::kAlone:
      break;
  }
  return "alone";
}

}  // namespace podsim
