// How long one training step would take on the real pod: input, compute and
// communication with their overlap. Pure; nothing is run. All times are
// simulated; docs/timing-model.md has the equations.
//
//   SumPrices sums(slice);
//   PODSIM_ASSIGN_OR_RETURN(SimStep step,
//                           ForecastStep(program, slice, {128}, sums));
//   double rate = step.ExamplesPerSecond(slice.replicas * 128);
#ifndef PODSIM_RUNTIME_FORECAST_FORECAST_H_
#define PODSIM_RUNTIME_FORECAST_FORECAST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "base/units.h"
#include "chip/step.h"
#include "interconnect/topology/slice.h"
#include "models/graph/program.h"
#include "proto/geography.pb.h"
#include "runtime/forecast/overlap_step.h"
#include "runtime/forecast/sum_prices.h"

namespace podsim {

struct StepOptions {
  std::int64_t batch_per_core = 0;
  // Passes over a part of the batch each, whose gradients are added up in the
  // core's memory before they travel. Divides the batch.
  std::int64_t microbatches = 1;
  int gradient_bytes = 4;  // of an element on the links
  // Gradients are summed so many bytes at a time: no combined all-reduce of the
  // published profiles exceeds 120 MiB [PAR-csv], the compiler's limit.
  std::int64_t combine_bytes = 120 * kMiB;
  // Each core gets the sums of its share of the gradients, updates that share
  // and hands it to all (Xu et al. 2020, arXiv 2004.13336). What an optimizer
  // computes of a whole layer, such as a norm, travels in no time.
  bool sharded_update = false;
  // Where a core's HBM is too small, products are computed again.
  bool recomputes = true;
  // Where examples come from, of so many bytes each; borrowed. nullptr: files
  // of the hosts, which take no time here.
  const BucketPlace* store = nullptr;
  std::int64_t stored_example_bytes = 0;

  std::int64_t rows() const { return batch_per_core / microbatches; }
};

// What reading a step's examples takes a host, all hosts at once.
// REQUIRES: HasLink(store).
SimTime PriceStore(const BucketPlace& store, std::int64_t stored_example_bytes,
                   std::int64_t batch_per_core, const Slice& slice);

// What a core of `slice` runs in one pass of `program`.
// Errors: INVALID_ARGUMENT (a batch below 1; a program without training).
absl::StatusOr<ChipStep> ChipStepFor(const Program& program, const Slice& slice,
                                     const StepOptions& options);

// One step of `program` on each core of `slice`, whose sums `sums` prices; its
// kernels are those of `chip`, which ChipStepFor made for the same options and
// a slice of the same chips, whatever their rates. Sums of earlier passes stop
// the cores. A chip's cores share its wire to the host.
// Errors: those of PriceCollective.
absl::StatusOr<StepParts> PriceStep(const Program& program,
                                    const ChipStep& chip, const Slice& slice,
                                    const StepOptions& options,
                                    SumPrices& sums);

// Both in one, put together.
absl::StatusOr<SimStep> ForecastStep(const Program& program, const Slice& slice,
                                     const StepOptions& options,
                                     SumPrices& sums);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_FORECAST_H_
