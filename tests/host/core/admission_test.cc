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
using ::testing::Not;

Program MlpOfWidth(int width, bool bfloat16 = true, double momentum = 0) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_example_shape(28);
  config.add_example_shape(28);
  config.add_hidden(width);
  config.set_classes(10);
  auto program = BuildProgram(
      config,
      {.bfloat16_products = bfloat16, .rule_settings = {.momentum = momentum}});
  EXPECT_TRUE(program.ok());
  return *std::move(program);
}

TEST(EstimateHbm, AddsUp) {
  const Program program = MlpOfWidth(512, true, 0.9);
  const HbmUse use = EstimateHbm(program, 100);
  const std::int64_t weights = 785 * 512 + 513 * 10;
  EXPECT_EQ(use.parameters, 4 * weights);
  EXPECT_EQ(use.gradients, 4 * weights);
  EXPECT_EQ(use.optimizer, 4 * weights);
  EXPECT_EQ(use.input, 2 * 100 * 4 * (784 + 1 + 1));
  // The hidden layer and its gradient, the logits' gradient, two results.
  EXPECT_EQ(use.activations, 400 * (2 * 512 + 10 + 2));
  EXPECT_EQ(use.total(), use.parameters + use.gradients + use.optimizer +
                             use.activations + use.input);
  EXPECT_EQ(EstimateHbm(MlpOfWidth(512), 100).optimizer, 0);
}

// The emulator holds copies of the rounded input besides.
TEST(EstimateHbm, IsTheChipsAndNotTheEmulators) {
  EXPECT_LT(EstimateHbm(MlpOfWidth(512), 1).activations, 4 * (784 + 2 * 512));
  EXPECT_GE(EstimateMachine(MlpOfWidth(512), 1, 8).per_host,
            8 * 4 * (784 + 2 * 512));
}

TEST(EstimateHbm, MicrobatchesTradeActivationsForGradients) {
  const Program program = MlpOfWidth(512);
  const HbmUse whole = EstimateHbm(program, 64);
  const HbmUse split = EstimateHbm(program, 64, /*microbatches=*/8);
  EXPECT_EQ(split.gradients, 4 * whole.gradients);  // one, and three levels
  EXPECT_EQ(split.activations, EstimateHbm(program, 8).activations);
  EXPECT_EQ(split.input, whole.input);
  EXPECT_EQ(split.parameters, whole.parameters);
}

TEST(LargestBatch, IsTheLastThatFits) {
  const Program program = MlpOfWidth(512);
  for (const std::int64_t hbm : {16 * kMiB, 100 * kMiB, 16 * kGiB}) {
    const std::int64_t largest = LargestBatch(program, hbm);
    ASSERT_GE(largest, 1);
    EXPECT_LE(EstimateHbm(program, largest).total(), hbm);
    EXPECT_GT(EstimateHbm(program, largest + 1).total(), hbm);
    EXPECT_THAT(AdmitToCore(program, largest, hbm), IsOk());
    EXPECT_THAT(AdmitToCore(program, largest + 1, hbm),
                StatusIs(absl::StatusCode::kResourceExhausted,
                         HasSubstr(FormatCount(largest))));
  }
  EXPECT_EQ(LargestBatch(program, 1 * kMiB), 0);
}

TEST(AdmitToCore, SaysWhatNeedsHowMuch) {
  const absl::Status status =
      AdmitToCore(MlpOfWidth(512), std::int64_t{4} << 20, 16 * kGiB);
  EXPECT_THAT(
      status,
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(HasSubstr("4,194,304 examples per core needs"),
                     HasSubstr("of HBM per core (parameters "),
                     HasSubstr(", gradients "), HasSubstr(", optimizer "),
                     HasSubstr(", activations "), HasSubstr(", input "),
                     HasSubstr("), a core has 16.00 GiB: the largest batch per "
                               "core that fits is"),
                     Not(HasSubstr("\n")))));
}

TEST(AdmitToCore, CallsAReplicaByItsName) {
  EXPECT_THAT(
      AdmitToCore(MlpOfWidth(512), std::int64_t{4} << 20, 16 * kGiB,
                  /*microbatches=*/1, "chip"),
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(HasSubstr("examples per chip needs"),
                     HasSubstr("of HBM per chip (parameters"),
                     HasSubstr("), a chip has 16.00 GiB"),
                     HasSubstr("the largest batch per chip that fits is"))));
}

TEST(AdmitToCore, SaysWhenNoBatchFits) {
  EXPECT_THAT(AdmitToCore(MlpOfWidth(1 << 22), 1, 8 * kGiB),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("not even one example per core fits")));
}

TEST(AdmitToCore, RefusesABatchOfNothing) {
  EXPECT_THAT(AdmitToCore(MlpOfWidth(16), 0, 8 * kGiB),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("must be at least 1")));
}

TEST(EstimateMachine, CountsProcessesAndHosts) {
  const Program program = MlpOfWidth(512);
  const MachineUse use = EstimateMachine(program, 32, 8);
  // Per host at least the gradients; per process weights and rounded copies.
  EXPECT_GE(use.per_host, program.gradient_elements * 4);
  EXPECT_GE(use.per_process, 2 * program.variable_elements * 4);
  EXPECT_LT(EstimateMachine(MlpOfWidth(512, false), 32, 8).per_process,
            use.per_process);
  EXPECT_GT(EstimateMachine(program, 32, 8, /*microbatches=*/4).per_process,
            use.per_process);
  EXPECT_GT(EstimateMachine(program, 33, 8).per_host, use.per_host);
}

}  // namespace
}  // namespace podsim
