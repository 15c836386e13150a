#include "bench/validation/left_out_checks.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "bench/validation/kernel_fit.h"
#include "bench/validation/one_core_steps.h"

namespace podsim::validation {
namespace {

Row StepRow(const PublishedModel& model, const ChipFigures& refitted) {
  const double sim = MillisecondsOf(StepOf(model, refitted).program, refitted);
  return {absl::StrCat(model.what, ", by ", ConstantsText(refitted)),
          "ms",
          PublishedMilliseconds(model.zoo),
          sim,
          {sim, sim}};
}

Result ErrorOf(const Row& row, const char* name) {
  Result result = WorstError({row}, 0.07, 0.12);
  result.what = absl::StrCat(name, ", error");
  return result;
}

}  // namespace

std::vector<Check> HeldLeftOutChecks(
    const std::vector<OpRow>& ops, const std::vector<PublishedModel>& models) {
  const ChipFigures v3 = FiguresOf(GenerationNamed("v3"));
  const std::vector<MeasuredProgram> programs =
      FittedPrograms(ops, v3.matrix_unit_side);
  Check check = {
      .title = "Steps of one core of v3 by constants of the other two models",
      .source = "PAR-csv",
      .note =
          "Each of the three left out of the fit in turn: its step, as above, "
          "by the matrix_share, hbm_share and kernel_seconds that are fitted "
          "to the ops of the other two.",
      .fitted =
          "matrix_share, hbm_share and kernel_seconds, to the two other "
          "programs",
      .rows = {},
      .results = {}};
  for (const PublishedModel& model : models) {
    const std::size_t place = PlaceAmongFitted(model.zoo);
    check.rows.push_back(StepRow(model, RefitWithout(place, programs, v3)));
    check.results.push_back(
        ErrorOf(check.rows.back(), kFittedPrograms[place].name));
  }
  return {std::move(check)};
}

}  // namespace podsim::validation
