#include "bench/validation/step_checks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "bench/validation/kernel_fit.h"
#include "bench/validation/priced_step.h"
#include "bench/validation/published_steps.h"

namespace podsim::validation {
namespace {

constexpr double kMillisecond = 1e-3;

constexpr char kBandNote[] =
    "low and high move each assumed constant of the generation through its "
    "range, the same for all rows. The ranges of matrix_share and hbm_share "
    "hold what releases of the software differed by: the step of ResNet-50 at "
    "128 a core took 116.6 (PAR-csv), 125.6, 131.1 and 140.0 ms on v3. The "
    "last three are rows here, and these ranges were set when the rows had "
    "been looked at; \"Steps as they were forecast before a look\" has those "
    "of which nobody knew. The fixed cost of a step of v2 and v3 is assumed "
    "from an intercept of ML06's steps. sim is a step with the batch norm that "
    "its row names, without evaluation (every 4 epochs: about 0.4 %) and "
    "start-up; what the published run says that it did is priced: updates "
    "sharded over cores in MLPerf v0.6 and the type of its gradients.";

Check Steps(const std::vector<PublishedModel>& models) {
  Check check = {.title = "Steps of data-parallel training",
                 .source = "MLPerf logs: ML05, ML06, ML07",
                 .note = kBandNote,
                 .fitted = "matrix_share of v4, to a product of its own"};
  for (const PublishedStep& step : ScoredSteps())
    check.rows.push_back(RowOf(step, models));
  check.results = {MeanError(check.rows, 0.06, 0.10),
                   WorstError(check.rows, 0.15, 0.25),
                   {"between low and high",
                    true,
                    ShareInside(check.rows),
                    {0.9, 1},
                    {0.8, 1}},
                   {"half of high - low, median",
                    true,
                    MedianHalf(check.rows),
                    {0, 0.15},
                    {0, 0.20}}};
  return check;
}

// Images/s of a core on v3-2048 over those on v3-32.
Check Efficiency(const std::vector<PublishedModel>& models) {
  Check check = {.title = "Efficiency of ResNet-50 on v3-2048 against v3-32",
                 .source = "ML06",
                 .note = "128 images a core there, 16 here.",
                 .fitted = "no"};
  const std::vector<PublishedStep> steps = ScoredSteps();
  const Row small = RowOf(steps[0], models);
  const Row large = RowOf(steps[3], models);
  const auto of = [](double large_step, double small_step) {
    return 100 * (16 / large_step) / (128 / small_step);
  };
  const double sim = of(large.sim, small.sim);
  check.rows = {{"v3-2048 over v3-32",
                 "%",
                 of(*large.published, *small.published),
                 sim,
                 {sim, sim}}};
  check.results = {{"points apart",
                    false,
                    std::abs(sim - *check.rows[0].published),
                    {0, 6},
                    {0, 12}}};
  return check;
}

// The slice with the constants that a fit without the step's model gives.
Slice RefittedSlice(const PublishedStep& step, const ChipFigures& refitted) {
  Slice slice = SliceNamed(step.slice);
  if (slice.generation != "v4")
    slice.figures.matrix_share = refitted.matrix_share;
  slice.figures.hbm_share = refitted.hbm_share;
  slice.figures.kernel_seconds = refitted.kernel_seconds;
  return slice;
}

Check LeftOut(const std::vector<PublishedModel>& models,
              const std::vector<OpRow>& ops) {
  Check check = {
      .title = "The same, each model left out of the fit of the core",
      .source = "as there",
      .note =
          "A model's steps by the constants that are fitted to the ops of "
          "the two others.",
      .fitted =
          "matrix_share, hbm_share and kernel_seconds of v3, to the two "
          "other programs"};
  const ChipFigures v3 = FiguresOf(GenerationNamed("v3"));
  const std::vector<MeasuredProgram> programs =
      FittedPrograms(ops, v3.matrix_unit_side);
  for (const PublishedModel& model : models) {
    const ChipFigures refitted =
        RefitWithout(PlaceAmongFitted(model.zoo), programs, v3);
    for (const PublishedStep& step : ScoredSteps()) {
      if (model.zoo != step.zoo) continue;
      const double sim = PricedStep(step, ProgramOf(step, model),
                                    RefittedSlice(step, refitted))
                             .sim;
      check.rows.push_back(
          {WhatOf(step, model), "ms", step.milliseconds, sim, {sim, sim}});
    }
  }
  check.results = {MeanError(check.rows, 0.10, 0.18)};
  return check;
}

Check Flax(const std::vector<PublishedModel>& models) {
  Check check = {.title = "flax's ImageNet example",
                 .source =
                     "google/flax, examples/imagenet/README.md: 4.4 h "
                     "for 125,100 steps",
                 .note =
                     "ResNet-50 in bfloat16, batch 128 a core; here with "
                     "LARS, there with momentum.",
                 .fitted = "no"};
  check.rows = {RowOf(FlaxStep(), models)};
  check.results = {WorstError(check.rows, 0.10, 0.20)};
  return check;
}

}  // namespace

std::vector<Check> HeldStepChecks(const std::vector<PublishedModel>& models,
                                  const std::vector<OpRow>& ops) {
  return {Steps(models), Efficiency(models), LeftOut(models, ops),
          Flax(models)};
}

std::vector<Check> OtherStepChecks(const std::vector<PublishedModel>& models) {
  Check unscored = {.title = "Steps of Transformer-big at batch 2,048",
                    .source = "ML06",
                    .note =
                        "They ran other code than those above: at 4 "
                        "sequences a core a step took 53 ms there and 31 "
                        "here.",
                    .fitted = "no"};
  for (const PublishedStep& step : UnscoredSteps())
    unscored.rows.push_back(RowOf(step, models));
  Check without = {.title = "The same steps without the fixed cost of a step",
                   .source = "as there",
                   .note = "Of v2 and v3; on v4 there is none.",
                   .fitted = "matrix_share of v4, to a product of its own"};
  for (const PublishedStep& step : ScoredSteps()) {
    Row row = RowOf(step, models);
    const double fixed =
        SliceNamed(step.slice).chip().step_seconds / kMillisecond;
    row.sim -= fixed;
    row.band = {row.sim, row.sim};
    without.rows.push_back(std::move(row));
  }
  return {std::move(unscored), std::move(without)};
}

}  // namespace podsim::validation
