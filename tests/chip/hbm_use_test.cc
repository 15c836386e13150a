// Admission to a core's HBM, and what is said about it.
#include "chip/hbm_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

// On features of 28 x 28.
Program MlpOfWidth(int width, double momentum = 0) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_example_shape(28);
  config.add_example_shape(28);
  config.add_hidden(width);
  config.set_classes(10);
  auto program =
      BuildProgram(config, {.rule_settings = {.momentum = momentum}});
  EXPECT_TRUE(program.ok());
  return *std::move(program);
}

ChipFigures ChipOf(std::int64_t hbm_bytes) {
  ChipFigures chip;
  chip.hbm_bytes = hbm_bytes;
  return chip;
}

// Weights of 784 x 512 fill 784 x 512 elements' tiles, those of 512 x 10 lie in
// 16 sublanes of 512 lanes; vectors of 512 and 10 in tiles of 2 and 1 KiB.
TEST(ChipMemory, AddsUpTheFullestMoment) {
  const Program program = MlpOfWidth(512, 0.9);
  const HbmUse use = ChipMemory(program, ChipOf(16 * kGiB)).At(128);
  const std::int64_t weights = 4 * (784 * 512 + 16 * 512 + 512 + 256);
  EXPECT_EQ(use.parameters, weights);
  EXPECT_EQ(use.optimizer, weights);
  EXPECT_LE(use.gradients, weights);
  EXPECT_GT(use.gradients, 0);
  EXPECT_EQ(use.total(), use.parameters + use.gradients + use.optimizer +
                             use.activations + use.input);
  const Program without = MlpOfWidth(512);
  EXPECT_EQ(ChipMemory(without, ChipOf(16 * kGiB)).At(128).optimizer, 0);
}

TEST(ChipMemory, MicrobatchesTradeActivationsForGradients) {
  const Program program = MlpOfWidth(512);
  const ChipMemory memory(program, ChipOf(16 * kGiB));
  const HbmUse part = memory.At(128);
  const HbmUse split = memory.At(1024, /*microbatches=*/8);
  EXPECT_EQ(split.gradients,  // and three levels of partial sums
            part.gradients + 3 * 4 * program.gradient_elements);
  EXPECT_EQ(split.activations, part.activations);
  EXPECT_EQ(split.input, part.input + 7 * 128 * program.input_bytes_per_row());
  EXPECT_EQ(split.parameters, part.parameters);
}

// The hidden layer's [4096, 512] take 8 MiB, and so do their gradients.
TEST(ChipMemory, WhatStaysOnChipTakesNoHbm) {
  const Program program = MlpOfWidth(512);
  ChipFigures chip = ChipOf(100 * kMiB);
  const ChipMemory without(program, chip);
  chip.on_chip_bytes = 64 * kMiB;
  const ChipMemory with(program, chip);
  EXPECT_EQ(with.At(4096).parameters, without.At(4096).parameters);
  EXPECT_LE(with.At(4096).activations, without.At(4096).activations - 8 * kMiB);
  EXPECT_LT(with.At(4096).total(), without.At(4096).total());
  const std::int64_t largest = with.LargestBatch();
  EXPECT_GE(largest, without.LargestBatch());
  EXPECT_LE(with.At(largest).total(), 100 * kMiB);
}

TEST(ChipMemory, TheLargestBatchIsTheLastThatFits) {
  const Program program = MlpOfWidth(512);
  for (const std::int64_t hbm : {16 * kMiB, 100 * kMiB, 16 * kGiB}) {
    const ChipMemory memory(program, ChipOf(hbm));
    const std::int64_t largest = memory.LargestBatch();
    ASSERT_GE(largest, 1);
    EXPECT_LE(memory.At(largest).total(), hbm);
    EXPECT_GT(memory.At(largest + 1).total(), hbm);
    EXPECT_THAT(memory.Admit(largest), IsOk());
    EXPECT_THAT(memory.Admit(largest + 1),
                StatusIs(absl::StatusCode::kResourceExhausted,
                         HasSubstr(FormatCount(largest))));
  }
  EXPECT_EQ(ChipMemory(program, ChipOf(1 * kMiB)).LargestBatch(), 0);
}

TEST(ChipMemory, ProgramsDoNotGetWhatTheSystemKeeps) {
  const Program program = MlpOfWidth(512);
  ChipFigures chip = ChipOf(128 * kMiB);
  chip.hbm_reserved_bytes = 28 * kMiB;
  const ChipMemory memory(program, chip);
  const std::int64_t largest = memory.LargestBatch();
  EXPECT_EQ(largest, ChipMemory(program, ChipOf(100 * kMiB)).LargestBatch());
  EXPECT_EQ(RoomForPass(program, 128, /*microbatches=*/1, chip), 100 * kMiB);
  EXPECT_THAT(memory.Admit(largest), IsOk());
  EXPECT_THAT(
      memory.Admit(largest + 1),
      StatusIs(absl::StatusCode::kResourceExhausted,
               HasSubstr("a core has 100.00 MiB beside the 28.00 MiB that "
                         "the system keeps: the largest batch")));
}

TEST(ChipMemory, TheLargestBatchIsAMultipleOfTheMicrobatches) {
  const Program program = MlpOfWidth(512);
  const ChipMemory memory(program, ChipOf(100 * kMiB));
  const std::int64_t largest = memory.LargestBatch(/*microbatches=*/8);
  EXPECT_GT(largest, memory.LargestBatch());
  EXPECT_EQ(largest % 8, 0);
  EXPECT_LE(memory.At(largest, 8).total(), 100 * kMiB);
  EXPECT_GT(memory.At(largest + 8, 8).total(), 100 * kMiB);
}

TEST(ChipMemory, SaysWhatNeedsHowMuch) {
  const Program program = MlpOfWidth(512);
  const ChipMemory memory(program, ChipOf(16 * kGiB));
  EXPECT_THAT(
      memory.Admit(std::int64_t{4} << 20),
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(HasSubstr("4,194,304 examples per core needs"),
                     HasSubstr("of HBM per core (parameters "),
                     HasSubstr(", gradients "), HasSubstr(", optimizer "),
                     HasSubstr(", activations "), HasSubstr(", input "),
                     HasSubstr("), a core has 16.00 GiB: the largest batch per "
                               "core that fits is"),
                     Not(HasSubstr("\n")))));
  EXPECT_THAT(
      memory.Admit(std::int64_t{4} << 20, /*microbatches=*/1, "chip"),
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(HasSubstr("examples per chip needs"),
                     HasSubstr("of HBM per chip (parameters"),
                     HasSubstr("), a chip has 16.00 GiB"),
                     HasSubstr("the largest batch per chip that fits is"))));
}

TEST(ChipMemory, ABatchBeyondCountingIsSaidToBe) {
  const Program program = MlpOfWidth(16);
  const ChipMemory memory(program, ChipOf(16 * kGiB));
  for (const std::int64_t batch :
       {std::int64_t{1} << 33, std::int64_t{1} << 62})
    EXPECT_THAT(memory.Admit(batch),
                StatusIs(absl::StatusCode::kResourceExhausted,
                         AllOf(HasSubstr("far beyond the HBM of a core"),
                               HasSubstr("a core has 16.00 GiB"),
                               Not(HasSubstr("(parameters")))));
}

TEST(ChipMemory, SaysWhenNoBatchFits) {
  const Program program = MlpOfWidth(1 << 22);
  EXPECT_THAT(ChipMemory(program, ChipOf(8 * kGiB)).Admit(1),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("not even one example per core fits")));
}

// Neither activations for a backward pass nor gradients.
TEST(ChipMemory, AnEvaluationHoldsLess) {
  const Program program = MlpOfWidth(512, 0.9);
  const ChipFigures chip = ChipOf(16 * kGiB);
  const HbmUse training = ChipMemory(program, chip).At(128);
  const HbmUse evaluation =
      ChipMemory(program, chip, /*recomputes=*/true, EntryPoint::kEval).At(128);
  EXPECT_EQ(evaluation.parameters, training.parameters);
  EXPECT_EQ(evaluation.optimizer, training.optimizer);
  EXPECT_EQ(evaluation.gradients, 0);
  EXPECT_LT(evaluation.activations, training.activations);
  EXPECT_GT(evaluation.activations, 0);
}

TEST(ChipMemory, RefusesABatchOfNothing) {
  const Program program = MlpOfWidth(16);
  EXPECT_THAT(ChipMemory(program, ChipOf(8 * kGiB)).Admit(0),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("must be at least 1")));
}

}  // namespace
}  // namespace podsim
