#include "bench/validation/priced_step.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "models/rules/update_rules.h"
#include "models/zoo/zoo.h"
#include "runtime/forecast/forecast.h"
#include "runtime/forecast/step_band.h"

namespace podsim::validation {
namespace {

// ResNet-50 of the zoo, whose batch norms are over so many replicas: the model
// as flax has it knows of one alone.
Program GroupNormed(const PublishedModel& model, int replicas) {
  PODSIM_CHECK(model.zoo == "resnet50");
  ModelConfig config;
  config.set_name(model.zoo);
  config.set_classes(1000);
  for (const int dim : {224, 224, 3}) config.add_example_shape(dim);
  config.set_batch_norm_group(replicas);
  auto program = BuildProgram(
      config, {.rule = model.rule,
               .rule_settings = FindUpdateRule(model.rule)->info.defaults});
  PODSIM_CHECK(program.ok());
  return *std::move(program);
}

}  // namespace

PricedMs PricedStep(const PublishedStep& step, const Program& program,
                    const Slice& slice) {
  const StepOptions options = {.batch_per_core = step.rows,
                               .microbatches = step.microbatches,
                               .gradient_bytes = step.gradient_bytes,
                               .sharded_update = step.sharded_update};
  const auto chip = ChipStepFor(program, slice, options);
  PODSIM_CHECK(chip.ok());
  SumPrices sums(slice);
  const auto parts = PriceStep(program, *chip, slice, options, sums);
  PODSIM_CHECK(parts.ok());
  const auto band = BandOfStep({.program = &program,
                                .chip = &*chip,
                                .slice = &slice,
                                .generation = &GenerationOf(slice),
                                .options = &options,
                                .sums = &sums},
                               *parts);
  PODSIM_CHECK(band.ok());
  const auto milliseconds = [](SimTime time) { return 1e3 * time.seconds(); };
  return {milliseconds(OverlapStep(*parts).total),
          {milliseconds(band->low), milliseconds(band->high)}};
}

Program ProgramOf(const PublishedStep& step, const PublishedModel& model) {
  return step.norm_group == 1 ? model.program
                              : GroupNormed(model, step.norm_group);
}

std::string WhatOf(const PublishedStep& step, const PublishedModel& model) {
  const std::string name = model.what.substr(0, model.what.find(','));
  const Slice slice = SliceNamed(step.slice);
  std::string norm;
  if (step.norm_group > 1)
    norm = absl::StrCat(", batch norm over ", step.norm_group, " ",
                        slice.replica_name(), "s");
  else if (absl::StrContains(step.zoo, "resnet"))
    norm = absl::StrCat(", batch norm of one ", slice.replica_name());
  return absl::StrCat(name, ", ", step.slice, ", ", step.rows, " a ",
                      slice.replica_name(), "; ", step.holds, norm, " (",
                      step.source, ")");
}

Row RowOf(const PublishedStep& step,
          const std::vector<PublishedModel>& models) {
  const PublishedModel& model = ModelNamed(models, step.zoo);
  const PricedMs priced =
      PricedStep(step, ProgramOf(step, model), SliceNamed(step.slice));
  return {WhatOf(step, model), "ms", step.milliseconds, priced.sim,
          priced.band};
}

// The median half of high - low, over the simulated step.
double MedianHalf(const std::vector<Row>& rows) {
  std::vector<double> halves;
  for (const Row& row : rows)
    halves.push_back((row.band.high - row.band.low) / 2 / row.sim);
  std::sort(halves.begin(), halves.end());
  return halves[halves.size() / 2];
}

double ShareInside(const std::vector<Row>& rows) {
  const auto inside = std::count_if(
      rows.begin(), rows.end(), [](const Row& row) { return row.inside(); });
  return static_cast<double>(inside) / static_cast<double>(rows.size());
}

}  // namespace podsim::validation
