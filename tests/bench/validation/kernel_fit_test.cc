// Errors of kernels by hand, and a fit that finds what kernels were made with.
#include "bench/validation/kernel_fit.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "interconnect/topology/hardware.h"

namespace podsim::validation {
namespace {

constexpr KernelRates kUnits = {.matrix_flops_per_second = 1e12,
                                .vector_flops_per_second = 1e12,
                                .hbm_bytes_per_second = 1e9,
                                .fixed_seconds = 0};

// A kernel of so many simulated microseconds, measured otherwise.
MeasuredKernel Kernel(double sim_us, double measured_us, int runs) {
  return {{.hbm_bytes = sim_us * 1e3},
          measured_us * 1e-6,
          runs * measured_us * 1e-6};
}

MeasuredProgram ProgramWith(std::vector<MeasuredKernel> kernels) {
  MeasuredProgram program = {.name = "made", .kernels = std::move(kernels)};
  for (const MeasuredKernel& kernel : program.kernels)
    program.seconds += kernel.all_seconds;
  return program;
}

TEST(ErrorsOf, EachKernelCountsByItsMeasuredTime) {
  // 10, 50 and 200 us of measured time with errors of 50, 20 and 30 %.
  const MeasuredProgram program =
      ProgramWith({Kernel(15, 10, 1), Kernel(8, 10, 5), Kernel(130, 100, 2)});
  const TimeErrors errors = ErrorsOf(program, kUnits);
  EXPECT_NEAR(errors.median, 0.3, 1e-9);
  EXPECT_NEAR(errors.within, 50.0 / 260, 1e-9);
  EXPECT_NEAR(errors.seconds, (15 + 5 * 8 + 2 * 130) * 1e-6, 1e-12);
}

OpRow OpOf(const char* category) {
  OpRow op;
  op.category = category;
  op.seconds = 1e-6;
  op.occurrences = 3;
  op.hbm_bytes = 500;
  return op;
}

TEST(MeasuredOf, LeavesOutWhatIsNoKernel) {
  const MeasuredProgram program =
      MeasuredOf({OpOf("loop fusion"), OpOf("all-reduce"), OpOf("while"),
                  OpOf("infeed"), OpOf("outfeed"), OpOf("conditional"),
                  OpOf("after-all"), OpOf("custom-call"), OpOf("reduce")},
                 "two of nine", 128);
  EXPECT_EQ(program.name, "two of nine");
  ASSERT_EQ(program.kernels.size(), 2u);
  EXPECT_EQ(program.kernels[0].work.hbm_bytes, 500);
  EXPECT_DOUBLE_EQ(program.kernels[0].all_seconds, 3e-6);
  EXPECT_DOUBLE_EQ(program.seconds, 6e-6);
}

TEST(ProgramNamed, HasTheKernelsOfThatProgram) {
  std::vector<OpRow> ops = {OpOf("loop fusion"), OpOf("reduce"),
                            OpOf("all-reduce")};
  ops[0].program = "resnet";
  ops[1].program = "bert";
  ops[2].program = "bert";
  const MeasuredProgram bert = ProgramNamed(ops, "bert", "BERT-large", 128);
  EXPECT_EQ(bert.name, "BERT-large");
  EXPECT_EQ(bert.kernels.size(), 1u);
  const std::vector<MeasuredProgram> fitted = FittedPrograms(ops, 128);
  ASSERT_EQ(fitted.size(), 3u);
  EXPECT_EQ(fitted[0].kernels.size(), 1u);
  EXPECT_EQ(fitted[1].kernels.size(), 1u);
  EXPECT_TRUE(fitted[2].kernels.empty());
}

ChipFigures V3() { return FiguresOf(*FindGeneration(ShippedHardware(), "v3")); }

// Products, copies and small kernels, timed by these constants.
MeasuredProgram ProgramMadeWith(const ChipFigures& chip) {
  std::vector<MeasuredKernel> kernels;
  for (const KernelWork& work :
       {KernelWork{.matrix_flops = 2e9}, KernelWork{.matrix_flops = 5e7},
        KernelWork{.hbm_bytes = 9e6}, KernelWork{.hbm_bytes = 2e5},
        KernelWork{}}) {
    const double seconds = PriceKernel(work, RatesOf(chip)).time.seconds();
    kernels.push_back({work, seconds, seconds});
  }
  return ProgramWith(kernels);
}

TEST(RefitTo, FindsTheConstantsThatKernelsWereMadeWith) {
  ChipFigures other = V3();
  other.matrix_share = 0.9;
  other.hbm_share = 0.77;
  other.kernel_seconds = 0.8e-6;
  const MeasuredProgram program = ProgramMadeWith(other);
  const ChipFigures found = RefitTo({&program}, V3());
  EXPECT_DOUBLE_EQ(found.matrix_share, 0.9);
  EXPECT_DOUBLE_EQ(found.hbm_share, 0.77);
  EXPECT_DOUBLE_EQ(found.kernel_seconds, 0.8e-6);
  EXPECT_EQ(ConstantsText(found), "0.90, 0.77, 0.8 us");
}

TEST(RefitWithout, ReadsTheOtherProgramsAlone) {
  std::vector<MeasuredProgram> programs;
  for (const double share : {0.82, 0.9}) {
    ChipFigures chip = V3();
    chip.matrix_share = share;
    programs.push_back(ProgramMadeWith(chip));
  }
  EXPECT_DOUBLE_EQ(RefitWithout(0, programs, V3()).matrix_share, 0.9);
  EXPECT_DOUBLE_EQ(RefitWithout(1, programs, V3()).matrix_share, 0.82);
}

}  // namespace
}  // namespace podsim::validation
