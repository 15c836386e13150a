// Models to plan on one core of v3 beside the same models as JAX lowers them
// from flax in bfloat16: the work and the kernels' time of one training step,
// without anything that is recomputed for lack of HBM.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "bench/validation/published_models.h"
#include "chip/step.h"
#include "interconnect/topology/chip.h"
#include "interconnect/topology/hardware.h"
#include "models/rules/update_rules.h"
#include "models/zoo/zoo.h"
#include "tests/testing/status_matchers.h"

namespace podsim::validation {
namespace {

using ::podsim::testing::IsOk;

constexpr int kBFloat16 = 2;
constexpr int kFloat32 = 4;

// As the recipe has it: images of ImageNet's size, a tenth dropped of tokens;
// of GPT-2 nothing, as in the file.
ModelConfig ConfigOf(const std::string& name, int activation_bytes) {
  ModelConfig config;
  config.set_name(name);
  config.set_classes(1000);
  if (name == "resnet50") {
    for (const int dim : {224, 224, 3}) config.add_example_shape(dim);
  } else if (name != "gpt2_small") {
    config.set_dropout(0.1);
  }
  ModelNumber& bytes = *config.add_numbers();
  bytes.set_name("activation_bytes");
  bytes.set_value(activation_bytes);
  return config;
}

Program ProgramOf(const std::string& name, const std::string& rule,
                  int activation_bytes) {
  const auto program = BuildProgram(
      ConfigOf(name, activation_bytes),
      {.rule = rule, .rule_settings = FindUpdateRule(rule)->info.defaults});
  EXPECT_THAT(program, IsOk());
  return program.ok() ? *program : Program();
}

struct Totals {
  double flops = 0;  // of products, without padding
  double hbm_bytes = 0;
  double seconds = 0;
};

Totals TotalsOf(const Program& program, std::int64_t rows) {
  const ChipFigures v3 = FiguresOf(*FindGeneration(ShippedHardware(), "v3"));
  const ChipStep step = ChipStepOf(program, rows, v3);
  Totals totals;
  for (const ChipKernel& kernel : step.program.kernels) {
    totals.hbm_bytes += kernel.hbm_bytes();
    for (const ChipProduct& product : kernel.products)
      totals.flops += 2 * product.multiply_adds;
  }
  for (const KernelTime& kernel : TimesOf(step.program, v3))
    totals.seconds += kernel.time.seconds();
  return totals;
}

TEST(PlannedProfiles, AreThoseOfTheSameModelsInFlax) {
  ASSERT_OK_AND_ASSIGN(auto models,
                       ReadPublishedModels(PODSIM_VALIDATION_DATA));
  ASSERT_EQ(models.size(), 3U);
  ASSERT_OK_AND_ASSIGN(models.emplace_back(),
                       ReadGpt2OfFlax(PODSIM_VALIDATION_DATA));
  for (const PublishedModel& model : models) {
    SCOPED_TRACE(model.what);
    const Totals flax = TotalsOf(model.program, model.rows);
    const Totals own =
        TotalsOf(ProgramOf(model.zoo, model.rule, kBFloat16), model.rows);
    EXPECT_DOUBLE_EQ(own.flops, flax.flops);
    EXPECT_NEAR(own.seconds / flax.seconds, 1, 0.02)
        << own.seconds << " s beside " << flax.seconds << " s; "
        << own.hbm_bytes << " B beside " << flax.hbm_bytes << " B";
  }
}

// Activations move half the bytes; weights and the optimizer's state as many.
TEST(PlannedProfiles, BFloat16MovesLittleMoreThanHalf) {
  constexpr std::int64_t kRows = 8;
  const Totals half =
      TotalsOf(ProgramOf("gpt2_small", "adamw", kBFloat16), kRows);
  const Totals full =
      TotalsOf(ProgramOf("gpt2_small", "adamw", kFloat32), kRows);
  EXPECT_EQ(half.flops, full.flops);
  EXPECT_LT(half.hbm_bytes, 0.7 * full.hbm_bytes);
  EXPECT_GT(half.hbm_bytes, 0.45 * full.hbm_bytes);
  EXPECT_LT(half.seconds, 0.8 * full.seconds);
}

}  // namespace
}  // namespace podsim::validation
