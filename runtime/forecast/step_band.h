// How sure a forecast step is: each figure that nobody published, and each of
// the way to a bucket, moved to the ends of its range. Pure.
#ifndef PODSIM_RUNTIME_FORECAST_STEP_BAND_H_
#define PODSIM_RUNTIME_FORECAST_STEP_BAND_H_

#include "absl/status/statusor.h"
#include "chip/step.h"
#include "interconnect/timing/band.h"
#include "interconnect/topology/hardware.h"
#include "interconnect/topology/slice.h"
#include "models/graph/program.h"
#include "runtime/forecast/forecast.h"

namespace podsim {

// What a step was priced of; all borrowed.
struct PricedStep {
  const Program* program = nullptr;
  const ChipStep* chip = nullptr;
  const Slice* slice = nullptr;
  const Generation* generation = nullptr;  // the slice's
  const StepOptions* options = nullptr;
  const SumPrices* sums = nullptr;
};

// Around the step of `parts`, which PriceStep made of the same.
//
// What gradients are combined up to (StepOptions::combine_bytes) is not moved.
// Given by the user it is no doubt; nor is it where all gradients together are
// below it. Else 120 MiB is what the published profiles show, and a range of it
// nobody published: a wider band would rest on a guess of ours about a choice
// of the compiler. What another limit does is small where the cores wait for
// each sum (v2, v3): a sum more or less is one collective_seconds, whose own
// range is in the band. Where sums travel beside kernels it is what the last
// sum leaves exposed; --sim_combine_bytes shows it.
// Errors: those of PriceStep.
absl::StatusOr<Band> BandOfStep(const PricedStep& of, const StepParts& parts);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_STEP_BAND_H_
