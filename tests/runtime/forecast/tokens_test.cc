// Which models have tokens, and how many of them an example has.
#include "runtime/forecast/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "models/zoo/zoo.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

std::int64_t TokensOf(
    const std::string& model, const std::vector<int>& example_shape,
    const std::vector<std::pair<std::string, std::int64_t>>& numbers) {
  ModelConfig config;
  config.set_name(model);
  for (const int side : example_shape) config.add_example_shape(side);
  config.set_classes(10);
  for (const auto& [name, value] : numbers) {
    ModelNumber& number = *config.add_numbers();
    number.set_name(name);
    number.set_value(value);
  }
  const auto program = BuildProgram(config, {});
  EXPECT_THAT(program, testing::IsOk());
  return program.ok() ? TokensPerExample(*program) : -1;
}

TEST(TokensTest, SequencesOfPublishedModelsAreFound) {
  EXPECT_EQ(TokensOf("bert_large", {}, {{"layers", 1}}), 512);
  EXPECT_EQ(
      TokensOf("bert_large", {}, {{"layers", 1}, {"sequence_length", 128}}),
      128);
  EXPECT_EQ(TokensOf("gpt2_small", {}, {{"layers", 1}}), 1024);
  EXPECT_EQ(TokensOf("transformer_big", {}, {{"layers", 1}}), 256);
  EXPECT_EQ(TokensOf("encoder", {8, 8}, {}), 64);
}

TEST(TokensTest, ImagesHaveNone) {
  EXPECT_EQ(TokensOf("mlp", {8, 8}, {}), 0);
  EXPECT_EQ(TokensOf("resnet18", {64, 64, 3}, {}), 0);
}

// An input "ids" [B, 6] of a model; what it looks up is the case's.
class Lookups {
 public:
  Lookups() {
    ids_ = Add("ids", DType::kInt32, {{1, 6}, 0});
    program_.inputs = {{.tensor = ids_}};
  }

  TensorId Add(const std::string& name, DType dtype, const Shape& shape) {
    program_.tensors.push_back({.name = name, .dtype = dtype, .shape = shape});
    return static_cast<TensorId>(program_.tensors.size()) - 1;
  }
  void Run(const char* op, const std::vector<TensorId>& inputs,
           TensorId output) {
    instructions_.push_back(
        {.op = OpCode(op), .inputs = inputs, .outputs = {output}});
  }

  Program& program() { return program_; }
  TensorId ids() const { return ids_; }
  std::int64_t tokens() {
    program_.entries[EntryPoint::kTrainMicrobatch] = {
        {.instructions = instructions_}};
    return TokensPerExample(program_);
  }

 private:
  Program program_;
  TensorId ids_ = kNoTensor;
  std::vector<Instruction> instructions_;
};

TEST(TokensTest, IndicesAreFollowedThroughWholeNumbers) {
  Lookups made;
  const TensorId table = made.Add("table", DType::kFloat32, {{100, 4}});
  const TensorId wrapped = made.Add("wrapped", DType::kInt32, {{1, 6}, 0});
  const TensorId shaped = made.Add("shaped", DType::kInt32, {{1, 6, 1}, 0});
  made.program().tensors[static_cast<std::size_t>(shaped)].view_of = wrapped;
  const TensorId rows = made.Add("rows", DType::kFloat32, {{1, 6, 4}, 0});
  EXPECT_EQ(made.tokens(), 0);  // nobody looks anything up
  made.Run("add", {made.ids(), made.ids()}, wrapped);
  EXPECT_EQ(made.tokens(), 0);
  made.Run("gather", {table, shaped}, rows);
  EXPECT_EQ(made.tokens(), 6);
}

TEST(TokensTest, PlacesOfAnExamplesOwnValuesAreNone) {
  Lookups made;
  const TensorId values = made.Add("values", DType::kFloat32, {{1, 9, 4}, 0});
  const TensorId picked = made.Add("picked", DType::kFloat32, {{1, 6, 4}, 0});
  made.Run("gather", {values, made.ids()}, picked);
  EXPECT_EQ(made.tokens(), 0);
}

// As numbers they are no indices any more.
TEST(TokensTest, RealNumbersMadeOfThemAreNone) {
  Lookups made;
  const TensorId table = made.Add("table", DType::kFloat32, {{100, 4}});
  const TensorId real = made.Add("real", DType::kFloat32, {{1, 6}, 0});
  const TensorId again = made.Add("again", DType::kInt32, {{1, 6}, 0});
  const TensorId rows = made.Add("rows", DType::kFloat32, {{1, 6, 4}, 0});
  made.Run("convert", {made.ids()}, real);
  made.Run("convert", {real}, again);
  made.Run("gather", {table, again}, rows);
  EXPECT_EQ(made.tokens(), 0);
}

// A class of an example, one number each, is no sequence.
TEST(TokensTest, ANumberOfAnExampleIsNone) {
  Lookups made;
  const TensorId city = made.Add("city", DType::kInt32, {{1}, 0});
  made.program().inputs.push_back({.tensor = city});
  const TensorId table = made.Add("table", DType::kFloat32, {{100, 4}});
  const TensorId row = made.Add("row", DType::kFloat32, {{1, 4}, 0});
  made.Run("gather", {table, city}, row);
  EXPECT_EQ(made.tokens(), 0);
}

}  // namespace
}  // namespace podsim
