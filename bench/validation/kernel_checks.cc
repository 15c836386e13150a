#include "bench/validation/kernel_checks.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "bench/validation/kernel_fit.h"

namespace podsim::validation {
namespace {

constexpr char kProfiles[] =
    "PAR-csv: op profiles in google/paragraph, "
    "paragraph/data/*_32_tpuv3_stats.csv; bench/validation/data has the ops";

struct Profiled {
  const char* program;
  const char* name;
};
constexpr Profiled kNotFitted = {"nmt", "GNMT"};
constexpr Profiled kOutside[] = {
    {"ssd", "SSD"}, {"maskrcnn", "Mask R-CNN"}, {"dlrm", "DLRM"}};

const Generation& V3() { return GenerationNamed("v3"); }

MeasuredProgram OpsOf(const Profiled& profiled, const std::vector<OpRow>& ops) {
  return ProgramNamed(ops, profiled.program, profiled.name,
                      FiguresOf(V3()).matrix_unit_side);
}

std::vector<MeasuredProgram> FittedOf(const std::vector<OpRow>& ops) {
  return FittedPrograms(ops, FiguresOf(V3()).matrix_unit_side);
}

// All runs of all its ops, in seconds.
Row ProgramRow(const MeasuredProgram& program) {
  const auto seconds_on = [&](const ChipFigures& chip) {
    return ErrorsOf(program, RatesOf(chip)).seconds;
  };
  const double seconds = seconds_on(FiguresOf(V3()));
  const auto count = static_cast<std::int64_t>(program.kernels.size());
  return {absl::StrCat(program.name, ", ", FormatCounted(count, "op")), "s",
          program.seconds, seconds, SpreadOfKernels(seconds, V3(), seconds_on)};
}

void AddErrors(const MeasuredProgram& program, bool median_to_floor,
               Check& check) {
  const TimeErrors errors = ErrorsOf(program, RatesOf(FiguresOf(V3())));
  check.rows.push_back(ProgramRow(program));
  check.results.push_back({absl::StrCat(program.name, ", median error by time"),
                           true,
                           errors.median,
                           {0, 0.06},
                           {0, 0.09},
                           median_to_floor});
  check.results.push_back(
      {absl::StrCat(program.name, ", share of the time within 25 %"),
       true,
       errors.within,
       {0.85, 1},
       {0.78, 1}});
}

Check OpsOfV3(const std::vector<OpRow>& ops) {
  Check check = {
      .title = "Ops of three programs on v3, their FLOPs and bytes given",
      .source = kProfiles,
      .note =
          "One core; rows are all runs that the profile saw. All-reduces, "
          "infeed, outfeed, control flow and custom calls are left out. "
          "FLOPs of convolutions are padded as far as the shapes in a row "
          "tell it (bench/validation/op_work.h): products of 64 channels "
          "would otherwise take half of their time. How the 3 channels of "
          "ResNet-50's first layer are packed is not known: its two products "
          "are priced 33 and 48 % too low.",
      .fitted = "matrix_share, hbm_share and kernel_seconds of v3"};
  for (const MeasuredProgram& program : FittedOf(ops))
    AddErrors(program, false, check);
  return check;
}

Check OpsOfGnmt(const std::vector<OpRow>& ops) {
  Check check = {.title = "Ops of a further program, likewise",
                 .source = kProfiles,
                 .note =
                     "Its products with the vocabulary reach 0.97 of the "
                     "matrix unit and are priced up to 13 % too high.",
                 .fitted = "no"};
  AddErrors(OpsOf(kNotFitted, ops), true, check);
  return check;
}

Row LeftOutRow(const MeasuredProgram& left_out, const ChipFigures& refitted) {
  const TimeErrors errors = ErrorsOf(left_out, RatesOf(refitted));
  return {absl::StrFormat("%s by %s (median error %.1f %%)", left_out.name,
                          ConstantsText(refitted), 100 * errors.median),
          "s",
          left_out.seconds,
          errors.seconds,
          {errors.seconds, errors.seconds}};
}

Check ProgramsLeftOut(const std::vector<OpRow>& ops) {
  const std::vector<MeasuredProgram> programs = FittedOf(ops);
  Check check = {.title = "Each of the three left out of the fit",
                 .source = kProfiles,
                 .fitted =
                     "matrix_share, hbm_share and kernel_seconds, to the two "
                     "other programs"};
  std::vector<const MeasuredProgram*> all;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    all.push_back(&programs[i]);
    check.rows.push_back(
        LeftOutRow(programs[i], RefitWithout(i, programs, FiguresOf(V3()))));
  }
  check.note = absl::StrCat(
      "The constants with the least mean error over the others' ops, by "
      "measured time, each program weighing the same; over all three they are ",
      ConstantsText(RefitTo(all, FiguresOf(V3()))), ".");
  check.results = {WorstError(check.rows, 0.07, 0.12)};
  return check;
}

Check OpsOutside(const std::vector<OpRow>& ops) {
  Check check = {.title = "Ops of other programs on v3",
                 .source = kProfiles,
                 .note =
                     "Many small ops, sorts, gathers and changes of layout, "
                     "and convolutions of few channels on images.",
                 .fitted = "no"};
  for (const Profiled& profiled : kOutside)
    check.rows.push_back(ProgramRow(OpsOf(profiled, ops)));
  return check;
}

Check OpsByKind(const std::vector<OpRow>& ops) {
  Check check = {.title = "Ops of the four programs by XLA's kind",
                 .source = kProfiles,
                 .note = "Kinds with 0.1 % of the time or more.",
                 .fitted = "matrix_share, hbm_share and kernel_seconds of v3"};
  std::map<std::string, std::vector<OpRow>> by_kind;
  for (const OpRow& op : ops)
    for (const char* program : {"resnet", "bert", "transformer", "nmt"})
      if (op.program == program) by_kind[op.category].push_back(op);
  std::vector<MeasuredProgram> kinds;
  double seconds = 0;
  for (const auto& [kind, of_kind] : by_kind) {
    kinds.push_back(
        MeasuredOf(of_kind, kind, FiguresOf(V3()).matrix_unit_side));
    seconds += kinds.back().seconds;
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const MeasuredProgram& a, const MeasuredProgram& b) {
                     return a.seconds > b.seconds;
                   });
  for (const MeasuredProgram& kind : kinds)
    if (kind.seconds >= 1e-3 * seconds) check.rows.push_back(ProgramRow(kind));
  return check;
}

}  // namespace

Spread SpreadOfKernels(double value, const Generation& generation,
                       ValueOn value_on) {
  Slice slice;
  slice.figures = FiguresOf(generation);
  return SpreadAround(value, slice, generation,
                      [&](const Move& move) -> absl::StatusOr<double> {
                        return value_on(move.In(slice).figures);
                      })
      .value();
}

std::vector<Check> HeldOpChecks(const std::vector<OpRow>& ops) {
  return {OpsOfV3(ops), OpsOfGnmt(ops), ProgramsLeftOut(ops)};
}

std::vector<Check> OtherOpChecks(const std::vector<OpRow>& ops) {
  return {OpsOutside(ops), OpsByKind(ops)};
}

}  // namespace podsim::validation
