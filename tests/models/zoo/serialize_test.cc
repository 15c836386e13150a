// Models and Programs as messages, and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "models/graph/serialize_model.h"
#include "models/optimizer/optimizer.h"
#include "models/rules/update_rules.h"
#include "tests/models/zoo/small_model.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::SmallModel;
using ::podsim::testing::SmallProgram;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

TEST(SerializeModelTest, ComesBackAsItWas) {
  const ModelProto model = SmallModel();
  ASSERT_OK_AND_ASSIGN(const Model parts, FromProto(model));
  ASSERT_OK_AND_ASSIGN(const ModelProto again,
                       ToProto(parts.graph, parts.input));
  EXPECT_EQ(ModelBytes(again), ModelBytes(model));
  ASSERT_OK_AND_ASSIGN(const ModelProto parsed, ParseModel(ModelBytes(model)));
  EXPECT_EQ(parsed.DebugString(), model.DebugString());
  EXPECT_EQ(ModelHash(parsed), ModelHash(model));
  EXPECT_EQ(ModelHash(model).size(), 64);
}

TEST(SerializeModelTest, CompilesToTheSameProgramAsItsGraph) {
  ASSERT_OK_AND_ASSIGN(Model parts, FromProto(SmallModel()));
  parts.input.update = Optimizer;
  ASSERT_OK_AND_ASSIGN(const Program direct,
                       Compile(parts.graph, parts.input, {}));
  ASSERT_OK_AND_ASSIGN(const Program carried, CompileModel(SmallModel(), {}));
  EXPECT_EQ(ToText(carried), ToText(direct));
}

TEST(SerializeModelTest, KeepsMetricsAndResults) {
  Graph graph("wide");
  const Value x = graph.Input("x", DType::kFloat32, {{4}});
  const Value w = graph.Variable("w", {{4, 3}}, Initializer::kGlorotUniform);
  const auto head = graph.SoftmaxXent(graph.MatMul(x, w), graph.Labels());
  ASSERT_OK_AND_ASSIGN(
      const ModelProto model,
      ToProto(graph, {.loss = head.loss,
                      .weights = graph.ExampleWeights(),
                      .metrics = {{.name = "worst",
                                   .value = head.loss,
                                   .combine = MetricCombine::kMax}},
                      .results = {head.prob}}));
  ASSERT_OK_AND_ASSIGN(const Model parts, FromProto(model));
  ASSERT_EQ(parts.input.metrics.size(), 1);
  EXPECT_EQ(parts.input.metrics[0].name, "worst");
  EXPECT_EQ(parts.input.metrics[0].combine, MetricCombine::kMax);
  ASSERT_EQ(parts.input.results.size(), 1);
  EXPECT_EQ(parts.input.results[0], head.prob);
  EXPECT_EQ(parts.graph.value(w).initializer, Initializer::kGlorotUniform);
}

TEST(SerializeModelTest, AGraphWithAnErrorIsRefused) {
  Graph graph("broken");
  graph.Variable("w", {{0}}, Initializer::kZeros);
  EXPECT_THAT(ToProto(graph, {}), StatusIs(kInvalid, HasSubstr("broken")));
}

TEST(SerializeProgramTest, ComesBackAsItWas) {
  const Program program = SmallProgram();
  ASSERT_GT(program.buckets.size(), 1);
  const ModelProto model = ToProto(program);
  ASSERT_OK_AND_ASSIGN(const Program again, ParseProgram(ModelBytes(model)));
  EXPECT_EQ(ToText(again), ToText(program));
  EXPECT_EQ(ModelBytes(ToProto(again)), ModelBytes(model));
}

TEST(SerializeProgramTest, EveryRuleComesBack) {
  for (const UpdateRule& rule : UpdateRules()) {
    SCOPED_TRACE(rule.info.name);
    for (const bool bfloat16 : {false, true}) {
      ASSERT_OK_AND_ASSIGN(
          const Program program,
          CompileModel(SmallModel(), {.bfloat16_products = bfloat16,
                                      .rule = rule.info.name,
                                      .rule_settings = rule.info.defaults,
                                      .clip_norm = 1}));
      ASSERT_OK_AND_ASSIGN(const Program again,
                           ParseProgram(ModelBytes(ToProto(program))));
      EXPECT_EQ(ToText(again), ToText(program));
    }
  }
}

TEST(SerializeProgramTest, AProgramForInferenceComesBack) {
  ASSERT_OK_AND_ASSIGN(Model parts, FromProto(SmallModel()));
  parts.input.loss = kNone;
  parts.input.weights = kNone;
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Compile(parts.graph, parts.input, {}));
  ASSERT_OK_AND_ASSIGN(const Program again,
                       ParseProgram(ModelBytes(ToProto(program))));
  EXPECT_EQ(ToText(again), ToText(program));
}

TEST(SerializeProgramTest, TheStagesAreNotMistaken) {
  EXPECT_THAT(ProgramFrom(SmallModel()),
              StatusIs(kInvalid, HasSubstr("is no Program")));
  EXPECT_THAT(FromProto(ToProto(SmallProgram())),
              StatusIs(kInvalid, HasSubstr("this is a Program")));
}

}  // namespace
}  // namespace podsim
