// Each model is compiled once for each way to compile it.
#include "runtime/job/compiled_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "models/graph/serialize_model.h"
#include "models/zoo/zoo.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

ModelConfig MlpOf(int hidden) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_hidden(hidden);
  config.add_example_shape(8);
  config.set_classes(10);
  return config;
}

TEST(CompiledModelsTest, OneSourceAndOneSetOfOptionsAreCompiledOnce) {
  CompiledModels models;
  ASSERT_OK_AND_ASSIGN(const auto first, models.Of({.config = MlpOf(16)}, {}));
  ASSERT_OK_AND_ASSIGN(const auto again, models.Of({.config = MlpOf(16)}, {}));
  EXPECT_EQ(first, again);
  EXPECT_EQ(models.made(), 1);
  ASSERT_OK_AND_ASSIGN(const auto wider, models.Of({.config = MlpOf(32)}, {}));
  ASSERT_OK_AND_ASSIGN(
      const auto exact,
      models.Of({.config = MlpOf(16)}, {.bfloat16_products = false}));
  EXPECT_EQ(models.made(), 3);
  EXPECT_NE(wider->model_hash, first->model_hash);
  EXPECT_EQ(exact->model_hash, first->model_hash);
  EXPECT_NE(exact->bytes.hash, first->bytes.hash);
}

TEST(CompiledModelsTest, IsWhatCompilingAloneGives) {
  CompiledModels models;
  ASSERT_OK_AND_ASSIGN(const auto kept, models.Of({.config = MlpOf(16)}, {}));
  ASSERT_OK_AND_ASSIGN(const ModelProto model, BuildModel(MlpOf(16)));
  ASSERT_OK_AND_ASSIGN(const Program program, CompileModel(model, {}));
  EXPECT_EQ(kept->model_hash, ModelHash(model));
  EXPECT_EQ(ToText(kept->program), ToText(program));
  EXPECT_EQ(kept->bytes.bytes, BytesOf(program).bytes);
  EXPECT_EQ(kept->bytes.hash, BytesOf(program).hash);
}

// Of a file what was read counts, whatever stands beside it.
TEST(CompiledModelsTest, AModelThatWasReadIsKnownAgain) {
  CompiledModels models;
  ASSERT_OK_AND_ASSIGN(ModelProto model, BuildModel(MlpOf(16)));
  const auto read = std::make_shared<const ModelProto>(std::move(model));
  ASSERT_OK_AND_ASSIGN(const auto first, models.Of({.read = read}, {}));
  ASSERT_OK_AND_ASSIGN(const auto again,
                       models.Of({.config = MlpOf(32), .read = read}, {}));
  EXPECT_EQ(first, again);
  ASSERT_OK_AND_ASSIGN(const auto named, models.Of({.config = MlpOf(16)}, {}));
  EXPECT_EQ(models.made(), 2);
  EXPECT_EQ(named->bytes.bytes, first->bytes.bytes);
}

TEST(CompiledModelsTest, ARefusalIsKeptToo) {
  CompiledModels models;
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(
        models.Of({.config = MlpOf(-1)}, {}).status(),
        testing::StatusIs(absl::StatusCode::kInvalidArgument, ::testing::_));
  EXPECT_EQ(models.made(), 1);
}

TEST(CompiledModelsTest, CallersAtOnceShareOne) {
  CompiledModels models;
  std::vector<std::jthread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back(
        [&models] { (void)models.Of({.config = MlpOf(16)}, {}); });
  callers.clear();
  EXPECT_EQ(models.made(), 1);
}

}  // namespace
}  // namespace podsim
