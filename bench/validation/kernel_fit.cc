#include "bench/validation/kernel_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "bench/validation/op_work.h"

namespace podsim::validation {
namespace {

constexpr double kNear = 0.25;

// XLA's names for what is no kernel.
constexpr const char* kNoKernels[] = {"all-reduce", "infeed",      "outfeed",
                                      "while",      "conditional", "after-all",
                                      "custom-call"};

bool IsKernel(const OpRow& op) {
  return std::find(std::begin(kNoKernels), std::end(kNoKernels), op.category) ==
         std::end(kNoKernels);
}

double ErrorOf(const MeasuredKernel& kernel, const KernelRates& rates) {
  const double sim = PriceKernel(kernel.work, rates).time.seconds();
  return std::abs(sim / kernel.seconds - 1);
}

double MeanErrorOf(const MeasuredProgram& program, const KernelRates& rates) {
  double sum = 0;
  for (const MeasuredKernel& kernel : program.kernels)
    sum += ErrorOf(kernel, rates) * kernel.all_seconds;
  return sum / program.seconds;
}

}  // namespace

MeasuredProgram MeasuredOf(const std::vector<OpRow>& ops, std::string name,
                           int matrix_unit_side) {
  MeasuredProgram program = {.name = std::move(name)};
  for (const OpRow& op : ops) {
    if (!IsKernel(op)) continue;
    program.kernels.push_back(
        {WorkOfOp(op, matrix_unit_side), op.seconds, op.all_seconds()});
    program.seconds += op.all_seconds();
  }
  return program;
}

MeasuredProgram ProgramNamed(const std::vector<OpRow>& ops,
                             const std::string& program, std::string name,
                             int matrix_unit_side) {
  std::vector<OpRow> of_program;
  for (const OpRow& op : ops)
    if (op.program == program) of_program.push_back(op);
  return MeasuredOf(of_program, std::move(name), matrix_unit_side);
}

std::vector<MeasuredProgram> FittedPrograms(const std::vector<OpRow>& ops,
                                            int matrix_unit_side) {
  std::vector<MeasuredProgram> programs;
  for (const FittedProgram& fitted : kFittedPrograms)
    programs.push_back(
        ProgramNamed(ops, fitted.program, fitted.name, matrix_unit_side));
  return programs;
}

TimeErrors ErrorsOf(const MeasuredProgram& program, const KernelRates& rates) {
  TimeErrors result;
  std::vector<std::pair<double, double>> errors;  // and the time with them
  for (const MeasuredKernel& kernel : program.kernels) {
    errors.emplace_back(ErrorOf(kernel, rates), kernel.all_seconds);
    if (errors.back().first <= kNear) result.within += kernel.all_seconds;
    result.seconds += PriceKernel(kernel.work, rates).time.seconds() *
                      (kernel.all_seconds / kernel.seconds);
  }
  result.within /= program.seconds;
  std::sort(errors.begin(), errors.end());
  double below = 0;
  for (const auto& [error, seconds] : errors) {
    result.median = error;
    below += seconds;
    if (2 * below >= program.seconds) break;
  }
  return result;
}

ChipFigures RefitTo(const std::vector<const MeasuredProgram*>& programs,
                    ChipFigures chip) {
  ChipFigures best = chip;
  double least = std::numeric_limits<double>::infinity();
  for (int matrix = 80; matrix <= 92; ++matrix) {
    for (int hbm = 74; hbm <= 88; ++hbm) {
      for (int fixed = 2; fixed <= 10; ++fixed) {
        chip.matrix_share = matrix / 100.0;
        chip.hbm_share = hbm / 100.0;
        chip.kernel_seconds = fixed * 1e-7;
        double error = 0;
        for (const MeasuredProgram* program : programs)
          error += MeanErrorOf(*program, RatesOf(chip));
        if (error >= least) continue;
        least = error;
        best = chip;
      }
    }
  }
  return best;
}

std::size_t PlaceAmongFitted(const std::string& zoo) {
  for (std::size_t i = 0; i < std::size(kFittedPrograms); ++i)
    if (zoo == kFittedPrograms[i].zoo) return i;
  PODSIM_CHECK(false);
}

ChipFigures RefitWithout(std::size_t left_out,
                         const std::vector<MeasuredProgram>& programs,
                         const ChipFigures& chip) {
  std::vector<const MeasuredProgram*> others;
  for (std::size_t i = 0; i < programs.size(); ++i)
    if (i != left_out) others.push_back(&programs[i]);
  return RefitTo(others, chip);
}

std::string ConstantsText(const ChipFigures& chip) {
  return absl::StrFormat("%.2f, %.2f, %.1f us", chip.matrix_share,
                         chip.hbm_share, chip.kernel_seconds * 1e6);
}

}  // namespace podsim::validation
