// What data sets offer, and which inputs of a model it fills.
#include "host/input/fields.h"

#include <functional>
#include <map>
#include <string>

#include "google/protobuf/text_format.h"
#include "models/graph/compile.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

DatasetConfig Config(const std::string& text) {
  DatasetConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config));
  return config;
}

DatasetConfig Digits() {
  return Config("name: 'digits' example_shape: [8, 8] classes: 10");
}

DatasetConfig Sequences() {
  return Config(
      "name: 'tokens' "
      "fields { name: 'ids' dtype: 'int32' shape: 16 } "
      "fields { name: 'mask' dtype: 'bool' shape: 16 }");
}

// A model that does nothing with its inputs but to have them.
Program Reading(const std::function<void(Graph&)>& inputs) {
  Graph g("reader");
  inputs(g);
  auto program = Compile(g, {}, {});
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

TEST(FieldsOf, FeaturesAndLabelsUnlessItSaysOtherwise) {
  ASSERT_OK_AND_ASSIGN(const auto fields, FieldsOf(Digits()));
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0].name, "features");
  EXPECT_EQ(ToString(fields[0].type), "[B, 8, 8]");
  EXPECT_EQ(fields[1].name, "labels");
  EXPECT_EQ(ToString(fields[1].type), "int32 [B]");
  ASSERT_OK_AND_ASSIGN(const auto others, FieldsOf(Sequences()));
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[1].name, "mask");
  EXPECT_EQ(ToString(others[1].type), "bool [B, 16]");
}

TEST(FieldsOf, RefusesWhatCannotBe) {
  EXPECT_THAT(
      FieldsOf(Config("name: 'x' fields { name: 'a' dtype: 'float64' }")),
      StatusIs(kInvalid, HasSubstr("data set x, field a: no type is called "
                                   "'float64'; there are float32, bfloat16, "
                                   "int32, uint32, uint8, bool")));
  EXPECT_THAT(
      FieldsOf(Config("fields { name: 'a' dtype: 'bool' shape: [2, 0] }")),
      StatusIs(kInvalid, HasSubstr("at least 1")));
  EXPECT_THAT(FieldsOf(Config("fields { name: 'a' dtype: 'bool' } "
                              "fields { name: 'a' dtype: 'uint8' }")),
              StatusIs(kInvalid, HasSubstr("two fields a")));
}

TEST(InputFields, FollowNamesNotPlaces) {
  const Program program = Reading([](Graph& g) {
    g.Labels();
    g.ExampleWeights();
    g.Features({{8, 8}});
  });
  ASSERT_OK_AND_ASSIGN(const auto filled_by, InputFields(program, Digits()));
  EXPECT_THAT(filled_by, ElementsAre(1, kExampleWeight, 0));
}

TEST(InputFields, KeysAreTheStreams) {
  const Program program = Reading([](Graph& g) {
    g.ExampleKeys();
    g.ExampleWeights();
    g.StepKeys();
    g.Labels();
  });
  ASSERT_OK_AND_ASSIGN(const auto filled_by, InputFields(program, Digits()));
  EXPECT_THAT(filled_by, ElementsAre(kExampleKey, kExampleWeight, kStepKey, 1));
}

TEST(InputFields, ADataSetMayOfferMoreThanIsRead) {
  const Program program =
      Reading([](Graph& g) { g.Input("mask", DType::kBool, {{16}}); });
  ASSERT_OK_AND_ASSIGN(const auto filled_by, InputFields(program, Sequences()));
  EXPECT_THAT(filled_by, ElementsAre(1));
}

TEST(InputFields, SayWhatIsOfferedInstead) {
  const auto refusal = [](const std::function<void(Graph&)>& inputs) {
    return InputFields(Reading(inputs), Digits()).status();
  };
  EXPECT_THAT(
      refusal([](Graph& g) { g.Input("mask", DType::kUint8, {{64}}); }),
      StatusIs(kInvalid,
               HasSubstr("model reader reads input mask (uint8 [B, 64]), but "
                         "data set digits offers features (float32 [B, 8, "
                         "8]), labels (int32 [B]); take another data set, or a "
                         "model that reads what is offered")));
  EXPECT_THAT(refusal([](Graph& g) { g.Features({{64}}); }),
              StatusIs(kInvalid, HasSubstr("features (float32 [B, 64])")));
  EXPECT_THAT(refusal([](Graph& g) { g.Input("labels", DType::kUint8, {}); }),
              StatusIs(kInvalid, HasSubstr("labels (uint8 [B])")));
  // A second float of a row is not the examples' weight.
  EXPECT_THAT(refusal([](Graph& g) { g.Input("scale", DType::kFloat32, {}); }),
              StatusIs(kInvalid, HasSubstr("input scale (float32 [B])")));
}

TEST(InputFields, SayWhatToCallAFieldOfAnotherName) {
  const DatasetConfig config = Config(
      "name: 'csv' fields { name: 'features' dtype: 'float32' shape: 2 } "
      "fields { name: 'label' dtype: 'int32' }");
  const Program program = Reading([](Graph& g) {
    g.Features({{2}});
    g.Labels();
  });
  for (const auto& [given, offered] : std::map<std::string, std::string>{
           {"features=a..b:float32[2],label=kind:int64",
            "call it labels: --features='features=a..b:float32[2],"
            "labels=kind:int64'"},
           {"label=int64,features=a..b:float32[2]",
            "call it labels: --features='labels=label:int64,"
            "features=a..b:float32[2]'"},
           {"", "call label labels there"}})
    EXPECT_THAT(InputFields(program, config, given),
                StatusIs(kInvalid, HasSubstr("label (int32 [B]); " + offered)))
        << given;
  EXPECT_THAT(
      InputFields(Reading([](Graph& g) { g.Features({{3}}); }), config),
      StatusIs(kInvalid, HasSubstr("label (int32 [B]); give features that type "
                                   "and shape in --features, or a model that "
                                   "reads what is offered")));
  // One that is read is left to its name.
  EXPECT_THAT(InputFields(Reading([](Graph& g) {
                            g.Features({{2}});
                            g.Input("scale", DType::kFloat32, {{2}});
                          }),
                          config),
              StatusIs(kInvalid, Not(HasSubstr("call"))));
}

}  // namespace
}  // namespace podsim
