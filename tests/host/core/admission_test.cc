// Admission: HBM per core, this machine's memory, and what is said about them.
#include "host/core/admission.h"

#include "base/units.h"
#include "models/zoo/zoo.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

Program Mlp(int width, bool bfloat16 = true, double momentum = 0) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_example_shape(28);
  config.add_example_shape(28);
  config.add_hidden(width);
  config.set_classes(10);
  auto program = BuildProgram(
      config, {.bfloat16_products = bfloat16, .momentum = momentum});
  EXPECT_TRUE(program.ok());
  return *std::move(program);
}

TEST(EstimateHbm, AddsUp) {
  const Program program = Mlp(512, true, 0.9);
  const HbmUse use = EstimateHbm(program, 100);
  const std::int64_t weights = 785 * 512 + 513 * 10;
  EXPECT_EQ(use.parameters, 4 * weights);
  EXPECT_EQ(use.gradients, 4 * weights);
  EXPECT_EQ(use.optimizer, 4 * weights);
  EXPECT_EQ(use.input, 2 * 100 * 4 * (784 + 1 + 1));
  EXPECT_EQ(use.activations, 400 * (program.batched_elements_per_row + 2));
  EXPECT_EQ(use.total(), use.parameters + use.gradients + use.optimizer +
                             use.activations + use.input);
  EXPECT_EQ(EstimateHbm(Mlp(512), 100).optimizer, 0);
}

// At the least: the input as rounded for the product, and the hidden layer.
TEST(EstimateHbm, ActivationsHoldWhatBackwardReads) {
  EXPECT_GE(EstimateHbm(Mlp(512), 1).activations, 4 * (784 + 2 * 512));
  EXPECT_LE(EstimateHbm(Mlp(512), 1).activations, 4 * (784 + 5 * 512));
}

TEST(EstimateHbm, MicrobatchesTradeActivationsForGradients) {
  const Program program = Mlp(512);
  const HbmUse whole = EstimateHbm(program, 64);
  const HbmUse split = EstimateHbm(program, 64, /*microbatches=*/8);
  EXPECT_EQ(split.gradients, 4 * whole.gradients);  // one, and three levels
  EXPECT_EQ(split.activations, EstimateHbm(program, 8).activations);
  EXPECT_EQ(split.input, whole.input);
  EXPECT_EQ(split.parameters, whole.parameters);
}

TEST(LargestBatch, IsTheLastThatFits) {
  const Program program = Mlp(512);
  for (const std::int64_t hbm : {16 * kMiB, 100 * kMiB, 16 * kGiB}) {
    const std::int64_t largest = LargestBatch(program, hbm);
    ASSERT_GE(largest, 1);
    EXPECT_LE(EstimateHbm(program, largest).total(), hbm);
    EXPECT_GT(EstimateHbm(program, largest + 1).total(), hbm);
    EXPECT_THAT(AdmitToCore(program, largest, hbm), IsOk());
    EXPECT_THAT(AdmitToCore(program, largest + 1, hbm),
                StatusIs(absl::StatusCode::kResourceExhausted,
                         HasSubstr(std::to_string(largest))));
  }
  EXPECT_EQ(LargestBatch(program, 1 * kMiB), 0);
}

TEST(AdmitToCore, SaysWhatNeedsHowMuch) {
  const absl::Status status =
      AdmitToCore(Mlp(512), std::int64_t{4} << 20, 16 * kGiB);
  EXPECT_THAT(
      status,
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(HasSubstr("of HBM per core, a core has 16.00 GiB"),
                     HasSubstr("the largest batch per core that fits is"),
                     HasSubstr("\n  parameters"), HasSubstr("\n  gradients"),
                     HasSubstr("\n  optimizer"), HasSubstr("\n  activations"),
                     HasSubstr("\n  input"), HasSubstr("\n  total"))));
}

TEST(AdmitToCore, SaysWhenNoBatchFits) {
  EXPECT_THAT(AdmitToCore(Mlp(1 << 22), 1, 8 * kGiB),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("not even one row per core fits")));
}

TEST(AdmitToCore, RefusesABatchOfNothing) {
  EXPECT_THAT(AdmitToCore(Mlp(16), 0, 8 * kGiB),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("must be at least 1")));
}

TEST(EstimateMachineBytes, CountsProcessesAndHosts) {
  const Program program = Mlp(512);
  const auto bytes = [&](int hosts, int processes) {
    return EstimateMachineBytes(program, 32, hosts, 8, processes);
  };
  const std::int64_t host = bytes(2, 1) - bytes(1, 1);
  const std::int64_t process = bytes(1, 2) - bytes(1, 1);
  EXPECT_EQ(bytes(256, 8), 256 * host + 8 * process);
  // Per host at least the gradients; per process weights and rounded copies.
  EXPECT_GE(host, program.gradient_elements * 4);
  EXPECT_GE(process, 2 * program.variable_elements * 4);
  EXPECT_LT(EstimateMachineBytes(Mlp(512, false), 32, 1, 8, 2) -
                EstimateMachineBytes(Mlp(512, false), 32, 1, 8, 1),
            process);
}

}  // namespace
}  // namespace podsim
