// What the cores of a slice do together in a step, between their kernels. Pure;
// all times are simulated.
#ifndef PODSIM_RUNTIME_FORECAST_STEP_SUMS_H_
#define PODSIM_RUNTIME_FORECAST_STEP_SUMS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/units.h"
#include "chip/program.h"
#include "interconnect/topology/slice.h"
#include "models/graph/program.h"
#include "runtime/forecast/forecast.h"
#include "runtime/forecast/overlap_step.h"
#include "runtime/forecast/sum_prices.h"

namespace podsim {

// What travels together.
struct CombinedSum {
  std::int64_t elements = 0;
  std::int32_t ready = -1;  // as of a ChipCollective
  std::int32_t needed = 0;
  int group = 0;  // as of a Segment
};

// The gradient buckets of `program` as a compiler combines them: in the order
// in which they are ready, as many as `most_elements` hold, or one that is
// larger; none that would wait for what waits for another.
std::vector<CombinedSum> CombineGradients(const Program& program,
                                          const ChipProgram& chip,
                                          std::int64_t most_elements);

// What joins tensors in mid-pass, of groups of one size or of all replicas,
// combined by the same rule.
std::vector<CombinedSum> CombineJoins(const Program& program,
                                      const ChipProgram& chip,
                                      std::int64_t most_elements);

// Fills parts.sums, whose kernels are those of `chip`: what joins a tensor in
// mid-pass, the sums of gradients and, with a sharded update, what brings the
// weights back. Where the slice's chips hide no all-reduce all hold the cores.
// Returns what those in mid-pass take.
// Errors: those of PriceCollective.
absl::StatusOr<SimTime> AddSums(const Program& program, const ChipProgram& chip,
                                const Slice& slice, const StepOptions& options,
                                SumPrices& sums, StepParts& parts);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_STEP_SUMS_H_
