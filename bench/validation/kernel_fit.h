// Measured kernels beside what chip/kernel_time.h makes of their work, and the
// fit of its three constants to them. Pure.
#ifndef PODSIM_BENCH_VALIDATION_KERNEL_FIT_H_
#define PODSIM_BENCH_VALIDATION_KERNEL_FIT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "bench/validation/op_profiles.h"
#include "chip/kernel_time.h"
#include "interconnect/topology/chip.h"

namespace podsim::validation {

struct MeasuredKernel {
  KernelWork work;
  double seconds = 0;      // of one run
  double all_seconds = 0;  // of all its runs
};

struct MeasuredProgram {
  std::string name;  // "ResNet-50"
  std::vector<MeasuredKernel> kernels;
  double seconds = 0;  // of all runs of all kernels
};

// The kernels among `ops`: not collectives, feeds, control flow and calls of
// the compiler's own library.
MeasuredProgram MeasuredOf(const std::vector<OpRow>& ops, std::string name,
                           int matrix_unit_side);

// Those of one program of the profiles, by its name there.
MeasuredProgram ProgramNamed(const std::vector<OpRow>& ops,
                             const std::string& program, std::string name,
                             int matrix_unit_side);

// The programs that the core's constants are fitted to.
struct FittedProgram {
  const char* program;  // in the profiles
  const char* name;
  const char* zoo;  // podsim's own name of the model
};
inline constexpr FittedProgram kFittedPrograms[] = {
    {"resnet", "ResNet-50", "resnet50"},
    {"bert", "BERT-large", "bert_large"},
    {"transformer", "Transformer-big", "transformer_big"}};

// Their kernels, in that order.
std::vector<MeasuredProgram> FittedPrograms(const std::vector<OpRow>& ops,
                                            int matrix_unit_side);

// Errors are of simulated over measured time; each kernel counts by its
// measured time. REQUIRES: the program has kernels.
struct TimeErrors {
  double median = 0;
  double within = 0;   // share of the time whose error is at most 25 %
  double seconds = 0;  // simulated, of all runs
};
TimeErrors ErrorsOf(const MeasuredProgram& program, const KernelRates& rates);

// The place in kFittedPrograms of the model by podsim's name. REQUIRES: it is
// one of them.
std::size_t PlaceAmongFitted(const std::string& zoo);

// `chip` with matrix_share, hbm_share (by steps of 0.01) and kernel_seconds (of
// 0.1 us) for which the mean error over the programs, each of which counts the
// same, is least: of 0.80 to 0.92, 0.74 to 0.88 and 0.2 to 1 us.
ChipFigures RefitTo(const std::vector<const MeasuredProgram*>& programs,
                    ChipFigures chip);
// To all but one of them.
ChipFigures RefitWithout(std::size_t left_out,
                         const std::vector<MeasuredProgram>& programs,
                         const ChipFigures& chip);

// "0.86, 0.81, 0.5 us": the three constants of a chip.
std::string ConstantsText(const ChipFigures& chip);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_KERNEL_FIT_H_
