// A job whose step must hold more than there is, by a sum of the test's own, is
// refused whatever its settings.
#include "bench/validation/least_hbm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/units.h"
#include "chip/hbm_use.h"
#include "interconnect/topology/hardware.h"
#include "models/zoo/zoo.h"
#include "tests/testing/status_matchers.h"

namespace podsim::validation {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;

// On features of 28 x 28, with momentum.
Program Mlp(const std::vector<int>& hidden) {
  ModelConfig config;
  config.set_name("mlp");
  for (const int dim : {28, 28}) config.add_example_shape(dim);
  for (const int width : hidden) config.add_hidden(width);
  config.set_classes(10);
  auto program = BuildProgram(config, {.rule_settings = {.momentum = 0.9}});
  EXPECT_TRUE(program.ok());
  return *std::move(program);
}

// v3 with so much HBM for programs.
ChipFigures V3With(std::int64_t hbm_bytes) {
  ChipFigures chip = FiguresOf(*FindGeneration(ShippedHardware(), "v3"));
  chip.hbm_bytes = hbm_bytes + chip.hbm_reserved_bytes;
  return chip;
}

TEST(LeastHbmOf, AddsUpInputsVariablesGradientsAndOperands) {
  const Program program = Mlp({512});
  const double weights = 4.0 * (784 * 512 + 512 + 512 * 10 + 10);
  const LeastHbm least =
      LeastHbmOf(program, 128, /*microbatches=*/1, V3With(kGiB));
  EXPECT_EQ(least.inputs, 128.0 * program.input_bytes_per_row());
  EXPECT_EQ(least.variables, 2 * weights);
  EXPECT_EQ(least.gradients, weights);
  // The hidden layer, which the gradient of the weight behind it reads.
  EXPECT_GE(least.operands, 4.0 * 128 * 512);
  EXPECT_EQ(least.total(),
            least.inputs + least.variables + least.gradients + least.operands);
  const LeastHbm split =
      LeastHbmOf(program, 512, /*microbatches=*/4, V3With(kGiB));
  EXPECT_EQ(split.inputs, 4 * least.inputs);
  EXPECT_EQ(split.operands, least.operands);
}

// Multiples of `microbatches`.
std::int64_t FirstBatchBeyond(const Program& program, std::int64_t microbatches,
                              const ChipFigures& chip) {
  const auto exceeds = [&](std::int64_t rows) {
    return LeastHbmOf(program, rows * microbatches, microbatches, chip)
               .total() > static_cast<double>(chip.available_hbm_bytes());
  };
  std::int64_t beyond = 1;
  while (!exceeds(beyond)) beyond *= 2;
  std::int64_t within = beyond / 2;
  while (beyond - within > 1) {
    const std::int64_t middle = within + (beyond - within) / 2;
    (exceeds(middle) ? beyond : within) = middle;
  }
  return beyond * microbatches;
}

TEST(ChipMemory, RefusesABatchBeyondWhatAStepMustHoldAtAnySetting) {
  const ChipFigures chip = V3With(100 * kMiB);
  for (const std::vector<int>& hidden :
       {std::vector<int>{512}, std::vector<int>{256, 1024}}) {
    const Program program = Mlp(hidden);
    for (const std::int64_t microbatches : {1, 4}) {
      const std::int64_t beyond = FirstBatchBeyond(program, microbatches, chip);
      for (const bool recomputes : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << hidden.size() << " hidden, " << microbatches
                     << " microbatches, recomputes " << recomputes);
        const ChipMemory memory(program, chip, recomputes);
        EXPECT_THAT(memory.Admit(beyond, microbatches),
                    StatusIs(kExhausted, HasSubstr("of HBM per core")));
        EXPECT_GT(memory.LargestBatch(microbatches), 0);
        EXPECT_LT(memory.LargestBatch(microbatches), beyond);
      }
    }
  }
}

// 206 MB of weights, as much of momentum and of gradients.
TEST(ChipMemory, RefusesWeightsBeyondHbmAtAnySetting) {
  const Program program = Mlp({1 << 16});
  const ChipFigures chip = V3With(500 * kMiB);
  ASSERT_GT(LeastHbmOf(program, 1, 1, chip).total(), 500.0 * kMiB);
  for (const bool recomputes : {false, true})
    EXPECT_THAT(ChipMemory(program, chip, recomputes).Admit(1),
                StatusIs(kExhausted, HasSubstr("of HBM per core")));
}

}  // namespace
}  // namespace podsim::validation
