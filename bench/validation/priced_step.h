// A published step as the timing model prices it.
#ifndef PODSIM_BENCH_VALIDATION_PRICED_STEP_H_
#define PODSIM_BENCH_VALIDATION_PRICED_STEP_H_

#include <string>
#include <vector>

#include "bench/validation/check.h"
#include "bench/validation/published_models.h"
#include "bench/validation/published_steps.h"
#include "interconnect/topology/slice.h"
#include "models/graph/program.h"

namespace podsim::validation {

// In ms, with low and high.
struct PricedMs {
  double sim = 0;
  Spread band;
};

// That step of `program` on `slice`: the step's own, or one with other figures.
PricedMs PricedStep(const PublishedStep& step, const Program& program,
                    const Slice& slice);

// The model, with its batch norms over the step's groups.
// REQUIRES: of groups, ResNet-50.
Program ProgramOf(const PublishedStep& step, const PublishedModel& model);

// The model, with its batch norms over the step's groups.
// REQUIRES: of groups, ResNet-50.
Program ProgramOf(const PublishedStep& step, const PublishedModel& model);

// "ResNet-50, v3-32, 128 a core; training alone (ML07)".
std::string WhatOf(const PublishedStep& step, const PublishedModel& model);

// In ms, beside its published figure. REQUIRES: one of `models` has the step's
// model.
Row RowOf(const PublishedStep& step, const std::vector<PublishedModel>& models);

// The median half of high - low, over the simulated step.
double MedianHalf(const std::vector<Row>& rows);

// Of rows that are all published.
double ShareInside(const std::vector<Row>& rows);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_PRICED_STEP_H_
