// Golden runs: 20 steps of training are as near to float64 as those of JAX in
// float32. README.md says how the files were made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "tests/golden/golden_setup.h"
#include "tests/job/set_metric.h"
#include "tests/testing/run_count.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::TestWithParam;

constexpr GoldenSlice kOneCore = {"one_core", 1, 1};
constexpr GoldenSlice kV3x8 = {"v3_8", 1, 8};
constexpr GoldenSlice kV3x8InTurn = {"v3_8_core_by_core", 1, 8, 8};
constexpr GoldenSlice kV3x32 = {"v3_32", 4, 8};

// What is stored of a tensor, as podsim made it; empty if it has none.
std::vector<double> PartOf(const PodSetup& setup, const PodResult& result,
                           const std::string& name,
                           const GoldenTensor& tensor) {
  if (name == kGoldenLosses) {
    std::vector<double> losses;
    for (const StepReport& step : result.steps) losses.push_back(LossOf(step));
    return losses;
  }
  const auto values = FindVariable(*setup.program, result.variables, name);
  if (values.empty()) return {};
  return tensor.PartOf(values);
}

class GoldenRun
    : public TestWithParam<std::tuple<std::string, std::string, GoldenSlice>> {
};

TEST_P(GoldenRun, IsAsNearToFloat64AsJax) {
  const auto& [name, rule, slice] = GetParam();
  ASSERT_OK_AND_ASSIGN(const GoldenModel model, ReadGolden(name));
  ASSERT_TRUE(model.cases.contains(rule));
  const GoldenCase& golden = model.cases.at(rule);
  ASSERT_OK_AND_ASSIGN(const PodSetup setup, GoldenSetup(model, golden, slice));
  ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
  EXPECT_EQ(golden.tensors.size(), setup.program->variables.size() + 1)
      << "one for each variable and slot, and the losses";
  for (const auto& [tensor_name, tensor] : golden.tensors) {
    const double distance =
        tensor.DistanceOf(PartOf(setup, result, tensor_name, tensor));
    EXPECT_LE(distance, tensor.allowed()) << tensor_name;
    std::printf("%-40s %.2e, %.2e allowed\n", tensor_name.c_str(), distance,
                tensor.allowed());
  }
}

using Run = std::tuple<std::string, std::string, GoldenSlice>;

// Under sanitizers each rule on one slice, and one rule core by core.
bool IsRun(const std::string& rule, const GoldenSlice& slice) {
  if (!kSanitized) return true;
  const std::string name = slice.name;
  return name == kV3x32.name || (name == kV3x8InTurn.name && rule == "lamb");
}

std::vector<Run> Runs() {
  std::vector<Run> runs;
  for (const char* model : {"mlp", "logistic_regression", "lenet5", "encoder"})
    for (const char* rule : {"momentum", "adamw", "lamb"})
      for (const GoldenSlice& slice : {kOneCore, kV3x8, kV3x8InTurn, kV3x32})
        if (IsRun(rule, slice)) runs.emplace_back(model, rule, slice);
  return runs;
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenRun, ::testing::ValuesIn(Runs()),
                         [](const auto& info) {
                           return absl::StrCat(std::get<0>(info.param), "_",
                                               std::get<1>(info.param), "_",
                                               std::get<2>(info.param).name);
                         });

// The tolerance is worth something.
TEST(GoldenTest, NoticesARateThatIsOffByOneInTenThousand) {
  ASSERT_OK_AND_ASSIGN(const GoldenModel model, ReadGolden("mlp"));
  for (const auto& [rule, golden] : model.cases) {
    SCOPED_TRACE(rule);
    ASSERT_OK_AND_ASSIGN(PodSetup setup, GoldenSetup(model, golden, kOneCore));
    LearningRate& rate = *setup.plan.mutable_bits()->mutable_learning_rate();
    rate.set_peak(rate.peak() * 1.0001);
    ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
    for (const GoldenVariable& variable : model.variables) {
      const GoldenTensor& tensor = golden.tensors.at(variable.name);
      EXPECT_GT(tensor.DistanceOf(PartOf(setup, result, variable.name, tensor)),
                tensor.allowed())
          << variable.name;
    }
  }
}

// Weights and examples are not in the files: both sides make them.
TEST(GoldenTest, DrawsTheNumbersThatTheGeneratorDrew) {
  for (const char* name : {"mlp", "logistic_regression", "lenet5", "encoder"}) {
    SCOPED_TRACE(name);
    ASSERT_OK_AND_ASSIGN(const GoldenModel model, ReadGolden(name));
    Sha256 weights;
    for (const GoldenVariable& variable : model.variables) {
      const std::vector<float> drawn = DrawWeights(model.seed, variable);
      weights.Update(std::as_bytes(std::span(drawn)));
    }
    EXPECT_EQ(weights.HexDigest(), model.weights_sha256);
    const GoldenExamples examples =
        DrawExamples(model.seed, model.steps * model.batch);
    Sha256 inputs;
    for (const std::string& input : model.inputs)
      inputs.Update(
          input == "features" ? std::as_bytes(std::span(examples.features))
          : input == "tokens" ? std::as_bytes(std::span(examples.tokens))
                              : std::as_bytes(std::span(examples.labels)));
    EXPECT_EQ(inputs.HexDigest(), model.inputs_sha256);
  }
}

}  // namespace
}  // namespace podsim::testing
