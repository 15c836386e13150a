#include "chip/step.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "chip/facts.h"
#include "chip/fuse.h"
#include "chip/on_chip.h"

namespace podsim {

ChipStep ChipStepOf(const Program& program, std::int64_t rows,
                    const ChipFigures& chip, double hbm_bytes) {
  RematResult fused =
      FuseWithin(ChipGraphOf(program, EntryPoint::kTrainMicrobatch),
                 {.fuse = {.rows = rows,
                           .matrix_unit_side = chip.matrix_unit_side,
                           .on_chip_bytes = chip.on_chip_bytes,
                           .fuses_attention = chip.fuses_attention},
                  .rates = RatesOf(chip),
                  .hbm_bytes = hbm_bytes,
                  .weights_first = true});
  return {.graph = std::move(fused.graph),
          .program = std::move(fused.program),
          .recomputed = std::move(fused.recomputed),
          .fullest = fused.fullest};
}

ChipStep WithOnChip(ChipStep step, std::int64_t rows, double on_chip_bytes) {
  step.program =
      KeptOnChip(step.graph, std::move(step.program), rows, on_chip_bytes);
  step.fullest = FullestHbm(step.graph, step.program,
                            HomesOf(step.graph, step.program, rows));
  return step;
}

ChipProgram FusedFor(const ChipGraph& graph, std::int64_t rows) {
  return FuseForChip(graph, FactsOf(graph), {.rows = rows});
}

KernelWork WorkOf(const ChipKernel& kernel) {
  return {.matrix_flops = kernel.matrix_flops,
          .vector_flops = kernel.vector_flops,
          .transcendentals = kernel.transcendentals,
          .hbm_bytes = kernel.hbm_bytes()};
}

std::vector<KernelTime> TimesOf(const ChipProgram& program,
                                const ChipFigures& chip) {
  const KernelRates rates = RatesOf(chip);
  std::vector<KernelTime> times;
  times.reserve(program.kernels.size());
  for (const ChipKernel& kernel : program.kernels)
    times.push_back(PriceKernel(WorkOf(kernel), rates));
  return times;
}

std::vector<KernelTime> ShardedTimesOf(const ChipProgram& program,
                                       const ChipFigures& chip,
                                       std::int32_t first, int replicas) {
  const KernelRates rates = RatesOf(chip);
  std::vector<KernelTime> times = TimesOf(program, chip);
  for (std::size_t i = static_cast<std::size_t>(first); i < times.size(); ++i) {
    KernelWork work = WorkOf(program.kernels[i]);
    work.matrix_flops /= replicas;
    work.vector_flops /= replicas;
    work.transcendentals /= replicas;
    work.hbm_bytes /= replicas;
    times[i] = PriceKernel(work, rates);
  }
  return times;
}

ChipPass EvaluationOf(const Program& program, std::int64_t rows,
                      const ChipFigures& chip) {
  ChipGraph graph = ChipGraphOf(program, EntryPoint::kEval);
  ChipProgram fused = FuseForChip(graph, FactsOf(graph),
                                  {.rows = rows,
                                   .matrix_unit_side = chip.matrix_unit_side,
                                   .on_chip_bytes = chip.on_chip_bytes,
                                   .fuses_attention = chip.fuses_attention});
  return {.graph = std::move(graph), .program = std::move(fused)};
}

ChipProgram WithOnChip(const ChipPass& pass, std::int64_t rows,
                       double on_chip_bytes) {
  return KeptOnChip(pass.graph, pass.program, rows, on_chip_bytes);
}

double ProductFlops(const ChipProgram& program) {
  double flops = 0;
  for (const ChipKernel& kernel : program.kernels)
    for (const ChipProduct& product : kernel.products)
      flops += 2 * product.multiply_adds;
  return flops;
}

std::int32_t FirstOfUpdate(const ChipProgram& program) {
  auto first = static_cast<std::int32_t>(program.kernels.size());
  for (const ChipCollective& collective : program.collectives)
    if (collective.bucket >= 0) first = std::min(first, collective.needed);
  return first;
}

}  // namespace podsim
