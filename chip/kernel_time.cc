#include "chip/kernel_time.h"

#include "base/status.h"

namespace podsim {

KernelRates RatesOf(const ChipFigures& chip) {
  return {.matrix_flops_per_second = chip.matrix_share * chip.matrix_flops,
          .vector_flops_per_second = chip.vector_flops_per_cycle_per_core *
                                     chip.cores() * chip.clock_hz,
          .transcendental_flops = chip.transcendental_flops,
          .hbm_bytes_per_second = chip.hbm_share * chip.hbm_bytes_per_second,
          .fixed_seconds = chip.kernel_seconds};
}

std::string_view KernelBoundName(KernelBound bound) {
  switch (bound) {
    case KernelBound::kCompute:
      return "compute";
    case KernelBound::kVector:
      return "vector";
    case KernelBound::kHbm:
      return "HBM";
    case KernelBound::kFixedCost:
      return "fixed cost";
  }
  return "";
}

KernelTime PriceKernel(const KernelWork& work, const KernelRates& rates) {
  PODSIM_CHECK(work.matrix_flops >= 0 && work.vector_flops >= 0 &&
               work.transcendentals >= 0 && work.hbm_bytes >= 0 &&
               rates.transcendental_flops >= 0 && rates.fixed_seconds >= 0);
  PODSIM_CHECK(rates.matrix_flops_per_second > 0 &&
               rates.vector_flops_per_second > 0 &&
               rates.hbm_bytes_per_second > 0);
  const double vector_flops =
      work.vector_flops + rates.transcendental_flops * work.transcendentals;
  struct Part {
    KernelBound bound;
    double seconds;
  };
  const Part parts[] = {
      {KernelBound::kCompute,
       work.matrix_flops / rates.matrix_flops_per_second},
      {KernelBound::kVector, vector_flops / rates.vector_flops_per_second},
      {KernelBound::kHbm, work.hbm_bytes / rates.hbm_bytes_per_second}};
  Part longest = parts[0];
  for (const Part& part : parts)
    if (part.seconds > longest.seconds) longest = part;
  return {SimTime::Seconds(longest.seconds + rates.fixed_seconds),
          rates.fixed_seconds >= longest.seconds ? KernelBound::kFixedCost
                                                 : longest.bound};
}

}  // namespace podsim
