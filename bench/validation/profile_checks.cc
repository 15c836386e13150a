#include "bench/validation/profile_checks.h"

#include <string>
#include <utility>

#include "base/status.h"
#include "bench/validation/kernel_checks.h"
#include "chip/step.h"

namespace podsim::validation {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

// Of 64 cores of v3, without the all-reduces (PAR-csv).
struct Profile {
  const char* zoo;
  double milliseconds;
};
constexpr Profile kProfiles[] = {
    {"resnet50", 115.7}, {"transformer_big", 150.4}, {"bert_large", 988.9}};
constexpr double kResnetGibibytes = 31.5;  // of HBM traffic

double PublishedMilliseconds(const std::string& zoo) {
  for (const Profile& profile : kProfiles)
    if (zoo == profile.zoo) return profile.milliseconds;
  PODSIM_CHECK(false);
}

double MillisecondsOf(const ChipProgram& program, const ChipFigures& chip) {
  SimTime all;
  for (const KernelTime& kernel : TimesOf(program, chip)) all += kernel.time;
  return 1e3 * all.seconds();
}

double GibibytesOf(const ChipProgram& program) {
  double bytes = 0;
  for (const ChipKernel& kernel : program.kernels) bytes += kernel.hbm_bytes();
  return bytes / kGibibyte;
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
          "was profiled; no input, evaluation or loop around the step.",
      .fitted = "matrix_share, hbm_share and kernel_seconds of v3"};
  Check traffic = {.title = "HBM traffic of a step, one core of v3",
                   .source = "PAR-csv",
                   .note = "What all kernels read and write.",
                   .fitted = "no"};
  for (const PublishedModel& model : models) {
    const ChipProgram chip =
        ChipStepOf(model.program, model.rows, FiguresOf(v3),
                   static_cast<double>(FiguresOf(v3).hbm_bytes))
            .program;
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
  traffic.results = {WorstError({traffic.rows[0]}, 0.05, 0.08)};
  return {std::move(times), std::move(traffic)};
}

}  // namespace podsim::validation
