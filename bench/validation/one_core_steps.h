// A training step of a published model on one core of v3, as its profile has
// it: what chip/ runs of it, and what was measured. Pure.
#ifndef PODSIM_BENCH_VALIDATION_ONE_CORE_STEPS_H_
#define PODSIM_BENCH_VALIDATION_ONE_CORE_STEPS_H_

#include <string>

#include "bench/validation/published_models.h"
#include "chip/step.h"
#include "interconnect/topology/chip.h"

namespace podsim::validation {

// Of the 64 cores that were profiled, in ms, without their all-reduces
// [PAR-csv]. REQUIRES: one of ReadPublishedModels, by podsim's name of it.
double PublishedMilliseconds(const std::string& zoo);

// With what a core must compute again to fit its HBM.
ChipStep StepOf(const PublishedModel& model, const ChipFigures& chip);

// Of all kernels, one after the other.
double MillisecondsOf(const ChipProgram& program, const ChipFigures& chip);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_ONE_CORE_STEPS_H_
