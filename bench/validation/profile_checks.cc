#include "bench/validation/profile_checks.h"

#include <string>
#include <utility>

#include "base/units.h"
#include "bench/validation/kernel_checks.h"
#include "bench/validation/one_core_steps.h"

namespace podsim::validation {
namespace {

constexpr double kResnetGibibytes = 31.5;  // of HBM traffic

double GibibytesOf(const ChipProgram& program) {
  double bytes = 0;
  for (const ChipKernel& kernel : program.kernels) bytes += kernel.hbm_bytes();
  return bytes / static_cast<double>(kGiB);
}

double TeraflopOf(const std::vector<Recomputed>& recomputed) {
  double flops = 0;
  for (const Recomputed& each : recomputed) flops += each.flops;
  return flops / 1e12;
}

}  // namespace

std::vector<Check> HeldProfileChecks(
    const std::vector<PublishedModel>& models) {
  const Generation& v3 = GenerationNamed("v3");
  Check times = {
      .title = "Steps of one core of v3, without their all-reduces",
      .source = "PAR-csv",
      .note =
          "The models as JAX lowers them in bfloat16, with the update that "
          "was profiled; no input, evaluation or loop around the step. Labels "
          "are compared with every class, as in the programs that were "
          "profiled, whose products read them; as an index, whose gradient is "
          "scattered, they would cost Transformer-big 2.7 % more, BERT-large "
          "1.0 %. The constants are fitted to single ops of these profiles, "
          "none to a step.",
      .fitted = "matrix_share, hbm_share and kernel_seconds of v3"};
  Check traffic = {.title = "HBM traffic of a step, one core of v3",
                   .source = "PAR-csv",
                   .note = "What all kernels read and write.",
                   .fitted = "no"};
  for (const PublishedModel& model : models) {
    const ChipProgram chip = StepOf(model, FiguresOf(v3)).program;
    const auto on = [&](const ChipFigures& figures) {
      return MillisecondsOf(chip, figures);
    };
    const double sim = on(FiguresOf(v3));
    times.rows.push_back({model.what, "ms", PublishedMilliseconds(model.zoo),
                          sim, SpreadOfKernels(sim, v3, on)});
    const double moved = GibibytesOf(chip);
    traffic.rows.push_back({model.what,
                            "GiB",
                            model.zoo == "resnet50"
                                ? std::optional<double>(kResnetGibibytes)
                                : std::nullopt,
                            moved,
                            {moved, moved}});
  }
  times.results = {WorstError(times.rows, 0.05, 0.08)};
  times.results[0].held_to_floor = true;
  traffic.results = {WorstError({traffic.rows[0]}, 0.05, 0.08)};
  return {std::move(times), std::move(traffic)};
}

std::vector<Check> OtherProfileChecks(
    const std::vector<PublishedModel>& models) {
  Check check = {
      .title = "Work that is recomputed to fit HBM, one core of v3",
      .source = "PAR-csv",
      .note =
          "Products of the forward pass (chip/remat.h). XLA counts the work "
          "of BERT-large's step as 38.6 TFLOP, 6 of them again.",
      .fitted = "no"};
  for (const PublishedModel& model : models) {
    const double again =
        TeraflopOf(StepOf(model, FiguresOf(GenerationNamed("v3"))).recomputed);
    check.rows.push_back(
        {model.what,
         "TFLOP",
         model.zoo == "bert_large" ? std::optional<double>(6) : std::nullopt,
         again,
         {again, again}});
  }
  return {std::move(check)};
}

}  // namespace podsim::validation
