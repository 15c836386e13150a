// Named models: names, errors, determinism, and the whole MLP's gradient
// against central differences.
#include "models/zoo/zoo.h"

#include <cmath>
#include <cstddef>
#include <map>
#include <random>

#include "models/graph/exchanges.h"
#include "tests/models/graph/bounded_machine.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BoundedMachine;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelConfig Mlp(const std::vector<int>& example, const std::vector<int>& hidden,
                int classes) {
  ModelConfig config;
  config.set_name("mlp");
  for (const int dim : example) config.add_example_shape(dim);
  for (const int width : hidden) config.add_hidden(width);
  config.set_classes(classes);
  return config;
}

std::vector<std::string> ModelVariables(const Program& program) {
  std::vector<std::string> names;
  for (const ProgramVariable& variable : program.variables)
    if (!variable.is_slot)
      names.push_back(program.tensor(variable.tensor).name + " " +
                      ToString(program.tensor(variable.tensor).shape));
  return names;
}

TEST(Zoo, KnowsItsModels) {
  EXPECT_THAT(TrainedModelNames(),
              ElementsAre("mlp", "logistic_regression", "lenet5", "lenet5_bn",
                          "encoder"));
  EXPECT_THAT(
      ModelNames(),
      ElementsAre("mlp", "logistic_regression", "lenet5", "lenet5_bn",
                  "encoder", "resnet", "resnet18", "resnet34", "resnet50",
                  "resnet101", "resnet152", "bert_base", "bert_large",
                  "transformer_base", "transformer_big", "gpt2_small",
                  "gpt2_medium", "gpt2_large", "gpt2_xl"));
}

ModelConfig Named(const std::string& name, std::vector<int> example) {
  ModelConfig config = Mlp(std::move(example), {}, 10);
  config.set_name(name);
  return config;
}

TEST(Zoo, LogisticRegressionIsOneLayer) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       BuildProgram(Named("logistic_regression", {8, 8}), {}));
  EXPECT_THAT(ModelVariables(program),
              ElementsAre("dense_0/kernel [64, 10]", "dense_0/bias [10]"));
  ModelConfig hidden = Named("logistic_regression", {8, 8});
  hidden.add_hidden(3);
  EXPECT_THAT(BuildProgram(hidden, {}),
              StatusIs(kInvalid, HasSubstr("has no hidden layer")));
}

TEST(Zoo, Lenet5FramesSmallImages) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       BuildProgram(Named("lenet5", {8, 8}), {}));
  EXPECT_THAT(ModelVariables(program),
              ElementsAre("conv_0/kernel [5, 5, 1, 6]", "conv_0/bias [6]",
                          "conv_1/kernel [5, 5, 6, 16]", "conv_1/bias [16]",
                          "dense_0/kernel [256, 120]", "dense_0/bias [120]",
                          "dense_1/kernel [120, 84]", "dense_1/bias [84]",
                          "dense_2/kernel [84, 10]", "dense_2/bias [10]"));
  EXPECT_THAT(BuildProgram(Named("lenet5", {64}), {}),
              StatusIs(kInvalid, HasSubstr("takes images")));
}

TEST(Zoo, EncoderReadsTokens) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       BuildProgram(Named("encoder", {8, 8}), {}));
  const TensorId tokens = program.input("tokens");
  ASSERT_NE(tokens, kNoTensor);
  EXPECT_EQ(ToString(TypeOf(program.tensor(tokens))), "int32 [B, 64]");
  EXPECT_EQ(program.input("keys"), kNoTensor) << "nothing is dropped";
  const std::vector<std::string> variables = ModelVariables(program);
  EXPECT_EQ(variables.size(), 2U + 2 * 15 + 4);
  for (const char* variable :
       {"embed/tokens [17, 32]", "embed/positions [64, 32]",
        "layer_0/norm_0/scale [32]", "layer_0/attention/query/bias [32]",
        "layer_0/attention/key/kernel [32, 32]", "layer_0/norm_1/bias [32]",
        "layer_1/dense_0/kernel [32, 64]", "layer_1/dense_1/kernel [64, 32]",
        "norm/scale [32]", "head/kernel [32, 10]", "head/bias [10]"})
    EXPECT_THAT(variables, Contains(variable));
}

int CountOf(const Program& program, EntryPoint entry, const char* op) {
  int count = 0;
  for (const Segment& segment : program.entries.at(entry))
    for (const Instruction& instruction : segment.instructions)
      count += instruction.op.name() == op ? 1 : 0;
  return count;
}

TEST(Zoo, EncoderDropsInTrainingAlone) {
  ModelConfig config = Named("encoder", {8, 8});
  ASSERT_OK_AND_ASSIGN(const Program without, BuildProgram(config, {}));
  config.set_dropout(0.1);
  ASSERT_OK_AND_ASSIGN(const Program program, BuildProgram(config, {}));
  EXPECT_NE(program.input("keys"), kNoTensor);
  EXPECT_EQ(CountOf(program, EntryPoint::kTrainMicrobatch, "random_bits"), 5);
  EXPECT_EQ(CountOf(program, EntryPoint::kEval, "random_bits"), 0);
  EXPECT_EQ(ModelVariables(program), ModelVariables(without));
  EXPECT_EQ(CountOf(program, EntryPoint::kEval, "dot_general"),
            CountOf(without, EntryPoint::kEval, "dot_general"));
  EXPECT_EQ(program.metrics.size(), 2U);
  EXPECT_THAT(BuildProgram(
                  [] {
                    ModelConfig mlp = Mlp({8, 8}, {}, 10);
                    mlp.set_dropout(0.1);
                    return mlp;
                  }(),
                  {}),
              StatusIs(kInvalid, HasSubstr("model mlp drops nothing")));
}

TEST(Zoo, BatchNormOverSeveralCoresJoinsThemInTraining) {
  ModelConfig config = Named("lenet5_bn", {8, 8});
  config.set_batch_norm_group(16);
  ASSERT_OK_AND_ASSIGN(const Program program, BuildProgram(config, {}));
  // Of each of two norms: sum and squares, forward and backward.
  EXPECT_EQ(CountOf(program, EntryPoint::kTrainMicrobatch, "all_reduce"), 8);
  EXPECT_EQ(CountOf(program, EntryPoint::kEval, "all_reduce"), 0);
  const std::vector<const Segment*> exchanges = ExchangesOf(program);
  ASSERT_EQ(exchanges.size(), 8U);
  for (const Segment* exchange : exchanges) EXPECT_EQ(exchange->group, 16);
  config.set_name("mlp");
  EXPECT_THAT(BuildProgram(config, {}),
              StatusIs(kInvalid, HasSubstr("mlp has no batch norm")));
}

TEST(Zoo, RefusesUnknownNamesAndNamesTheKnown) {
  ModelConfig config = Mlp({8, 8}, {}, 10);
  config.set_name("resnet51");
  EXPECT_THAT(BuildProgram(config, {}),
              StatusIs(kInvalid, AllOf(HasSubstr("'resnet51'; did you mean "),
                                       HasSubstr("known: mlp"))));
}

TEST(Zoo, RefusesSizesThatAreNotPositive) {
  EXPECT_THAT(BuildProgram(Mlp({8, 8}, {32, 0}, 10), {}),
              StatusIs(kInvalid, HasSubstr("width is 0")));
  EXPECT_THAT(BuildProgram(Mlp({8, -8}, {32}, 10), {}),
              StatusIs(kInvalid, HasSubstr("example shape is -8")));
  EXPECT_THAT(BuildProgram(Mlp({8, 8}, {32}, 0), {}),
              StatusIs(kInvalid, HasSubstr("classes is 0")));
}

TEST(Zoo, MlpHasALayerPerWidthAndTheLogits) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       BuildProgram(Mlp({28, 28}, {512, 256}, 10), {}));
  EXPECT_THAT(ModelVariables(program),
              ElementsAre("dense_0/kernel [784, 512]", "dense_0/bias [512]",
                          "dense_1/kernel [512, 256]", "dense_1/bias [256]",
                          "dense_2/kernel [256, 10]", "dense_2/bias [10]"));
  EXPECT_EQ(program.gradient_elements, 785 * 512 + 513 * 256 + 257 * 10);
  EXPECT_EQ(program.variable_elements, program.gradient_elements);
  ASSERT_OK_AND_ASSIGN(const Program with_slots,
                       BuildProgram(Mlp({28, 28}, {512, 256}, 10),
                                    {.rule_settings = {.momentum = 0.9}}));
  EXPECT_EQ(with_slots.variable_elements, 2 * program.gradient_elements);
}

TEST(Zoo, MlpHasAReluPerHiddenLayer) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       BuildProgram(Mlp({8, 8}, {32, 16}, 10), {}));
  std::vector<std::string> relus;
  for (const Instruction& instruction :
       program.entries.at(EntryPoint::kEval)[0].instructions)
    if (instruction.op == OpCode::kRelu)
      relus.push_back(program.tensor(instruction.outputs[0]).name);
  EXPECT_THAT(relus, ElementsAre("dense_0/relu", "dense_1/relu"));
}

TEST(Zoo, NoWidthsMeanNoHiddenLayer) {
  ASSERT_OK_AND_ASSIGN(const Program program,
                       BuildProgram(Mlp({8, 8}, {}, 10), {}));
  EXPECT_THAT(ModelVariables(program),
              ElementsAre("dense_0/kernel [64, 10]", "dense_0/bias [10]"));
}

TEST(Zoo, EqualInputsGiveEqualPrograms) {
  const ModelConfig config = Mlp({8, 8}, {128, 64}, 10);
  ASSERT_OK_AND_ASSIGN(const Program a, BuildProgram(config, {}));
  ASSERT_OK_AND_ASSIGN(const Program b, BuildProgram(config, {}));
  EXPECT_EQ(ToText(a), ToText(b));
}

// A model too large to run can still be compiled.
TEST(Zoo, CompilesWhatNoMachineHolds) {
  ASSERT_OK_AND_ASSIGN(
      const Program program,
      BuildProgram(Mlp({1 << 17}, {1 << 17, 1 << 17}, 1000), {}));
  EXPECT_GT(program.gradient_elements, std::int64_t{1} << 35);
}

// As in tests/models/graph/gradient_test.cc, for the model as a whole: the
// difference quotient errs by about h^2 + epsilon / h.
class MlpGradient : public ::testing::TestWithParam<std::vector<int>> {};

TEST_P(MlpGradient, EqualsCentralDifferences) {
  constexpr std::int64_t kRows = 3;
  constexpr double kStep = 1e-5;
  ASSERT_OK_AND_ASSIGN(
      const Program program,
      BuildProgram(Mlp({3, 2}, GetParam(), 4), {.bfloat16_products = false}));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto draw = [&](std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = uniform(random);
    return values;
  };
  std::map<TensorId, std::vector<double>> variables;
  for (const ProgramVariable& variable : program.variables)
    variables[variable.tensor] =
        draw(program.tensor(variable.tensor).shape.elements());
  const std::vector<double> features = draw(kRows * 6);
  const std::vector<double> weights = {0.5, 0.3, 0.2};
  const auto machine = [&](EntryPoint entry) {
    BoundedMachine result(program, kRows);
    for (const auto& [id, values] : variables) result.Set(id, values);
    result.Set(program.input("features"), features);
    result.Set(program.example_weight(), weights);
    result.SetLabels({2, 0, 3});
    result.Run(entry);
    return result;
  };
  const auto loss = [&] {
    const BoundedMachine done = machine(EntryPoint::kEval);
    double sum = 0;
    for (std::size_t row = 0; row < kRows; ++row)
      sum += weights[row] * done.Get(program.loss)[row].value;
    return sum;
  };
  const BoundedMachine backward = machine(EntryPoint::kTrainMicrobatch);
  for (const GradientBucket& bucket : program.buckets)
    for (std::size_t v = 0; v < bucket.variables.size(); ++v) {
      std::vector<double>& values = variables.at(bucket.variables[v]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double kept = values[i];
        values[i] = kept + kStep;
        const double above = loss();
        values[i] = kept - kStep;
        const double below = loss();
        values[i] = kept;
        EXPECT_NEAR(backward.Get(bucket.gradients[v])[i].value,
                    (above - below) / (2 * kStep), 1e-8)
            << program.tensor(bucket.variables[v]).name << "[" << i << "]";
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Widths, MlpGradient,
                         ::testing::Values(std::vector<int>{},
                                           std::vector<int>{7},
                                           std::vector<int>{7, 5}));

}  // namespace
}  // namespace podsim
