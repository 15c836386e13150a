// A small network as a message, for this folder's tests.
#ifndef PODSIM_TESTS_MODELS_ZOO_SMALL_MODEL_H_
#define PODSIM_TESTS_MODELS_ZOO_SMALL_MODEL_H_

#include "base/status.h"
#include "models/graph/serialize_program.h"
#include "models/zoo/zoo.h"

namespace podsim::testing {

// Values: 0 features [B, 3, 2], 1 flatten, 2 dense_0/kernel, 3 dense_0/bias, 4
// dense_0/matmul, 5 dense_0/add_bias, 6 dense_0/relu, 7 dense_1/kernel, ...
inline ModelProto SmallModel() {
  ModelConfig config;
  config.set_name("mlp");
  config.add_hidden(5);
  config.add_example_shape(3);
  config.add_example_shape(2);
  config.set_classes(4);
  const auto model = BuildModel(config);
  PODSIM_CHECK(model.ok());
  return *model;
}

// Compiled with two slots per variable and two buckets.
inline Program SmallProgram() {
  const auto program = CompileModel(
      SmallModel(),
      {.rule = "adam",
       .rule_settings = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8},
       .bucket_bytes = 64});
  PODSIM_CHECK(program.ok());
  return *program;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_ZOO_SMALL_MODEL_H_
