// What this machine needs of memory for a job.
#include "host/core/machine_use.h"

#include <gtest/gtest.h>

#include "models/zoo/zoo.h"

namespace podsim {
namespace {

Program MlpOfWidth(int width, bool bfloat16 = true) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_example_shape(28);
  config.add_example_shape(28);
  config.add_hidden(width);
  config.set_classes(10);
  auto program = BuildProgram(config, {.bfloat16_products = bfloat16});
  EXPECT_TRUE(program.ok());
  return *std::move(program);
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

// The emulator holds copies of the rounded input besides what a chip holds.
TEST(EstimateMachine, HoldsInputAndLayersOfEachCore) {
  EXPECT_GE(EstimateMachine(MlpOfWidth(512), 1, 8).per_host,
            8 * 4 * (784 + 2 * 512));
}

}  // namespace
}  // namespace podsim
