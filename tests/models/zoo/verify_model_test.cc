// What a model's file may not say, each refused in one line with its place.
#include "models/graph/verify_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "base/hash.h"
#include "models/graph/serialize_model.h"
#include "tests/models/zoo/small_model.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::SmallModel;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

struct Damage {
  std::function<void(ModelProto&)> make;
  const char* told;
};

GraphProto::Value& ValueAt(ModelProto& model, int id) {
  return *model.mutable_graph()->mutable_values(id);
}
GraphProto::Node& NodeAt(ModelProto& model, int index) {
  return *model.mutable_graph()->mutable_nodes(index);
}
IntegerList& AddList(ModelProto& model, const char* name) {
  IntegerList& list = *NodeAt(model, 0).mutable_attributes()->add_lists();
  list.set_name(name);
  return list;
}

void ExpectRefused(const Damage& damage) {
  SCOPED_TRACE(damage.told);
  ModelProto model = SmallModel();
  damage.make(model);
  const absl::Status status = VerifyModel(model);
  EXPECT_THAT(status, StatusIs(kInvalid, HasSubstr(damage.told)));
  EXPECT_EQ(status.message().find('\n'), std::string::npos);
}

TEST(VerifyModelTest, AGoodOneIsGood) {
  EXPECT_THAT(VerifyModel(SmallModel()), IsOk());
}

TEST(VerifyModelTest, RefusesAnotherKindOfMessage) {
  const Damage all[] = {
      {[](ModelProto& m) { m.set_version(2); }, "version 2"},
      {[](ModelProto& m) { m.clear_stage(); }, "neither"},
      {[](ModelProto& m) { m.set_stage(ModelProto::PROGRAM); }, "neither"},
      {[](ModelProto& m) { m.mutable_program(); }, "neither"},
      {[](ModelProto& m) { m.clear_name(); }, "no name"},
      {[](ModelProto& m) { m.set_name("a\x1b[2J"); }, "cannot be printed"},
      {[](ModelProto& m) { m.mutable_graph()->clear_values(); }, "no values"}};
  for (const Damage& damage : all) ExpectRefused(damage);
}

TEST(VerifyModelTest, RefusesValues) {
  const Damage all[] = {
      {[](ModelProto& m) { ValueAt(m, 0).clear_kind(); }, "value 0 (features)"},
      {[](ModelProto& m) { ValueAt(m, 2).set_name(""); }, "value 2: it has no"},
      {[](ModelProto& m) { ValueAt(m, 3).set_name("dense_0/kernel"); },
       "two variables"},
      {[](ModelProto& m) { ValueAt(m, 2).mutable_type()->clear_element(); },
       "no element type"},
      {[](ModelProto& m) {
         ValueAt(m, 2).mutable_type()->set_element(DTypeProto::INT32);
       },
       "they are float32"},
      {[](ModelProto& m) {
         ValueAt(m, 2).mutable_type()->mutable_shape()->set_dims(0, 0);
       },
       "a dimension is 0"},
      {[](ModelProto& m) {
         auto& shape = *ValueAt(m, 2).mutable_type()->mutable_shape();
         shape.clear_dims();
         for (int i = 0; i < 3; ++i) shape.add_dims(1 << 20);
       },
       "2^40"},
      {[](ModelProto& m) {
         ValueAt(m, 2).mutable_type()->mutable_shape()->set_batch_axis(7);
       },
       "the batch is dimension 7"},
      {[](ModelProto& m) {
         ValueAt(m, 2).mutable_type()->mutable_shape()->set_batch_axis(0);
       },
       "without a batch"},
      {[](ModelProto& m) {
         ValueAt(m, 0).mutable_type()->mutable_shape()->clear_batch_axis();
       },
       "first dimension is B"},
      {[](ModelProto& m) { ValueAt(m, 0).set_is_example_weight(true); },
       "the examples' weight is features"},
      {[](ModelProto& m) { ValueAt(m, 0).set_is_step_key(true); },
       "the step's key is features"},
      {[](ModelProto& m) { ValueAt(m, 2).set_is_step_key(true); },
       "not the examples' weight or key"},
      {[](ModelProto& m) {
         ValueAt(m, 2).set_initializer(
             static_cast<ProgramProto::Initializer>(9));
       },
       "no initializer"},
      {[](ModelProto& m) {
         *m.mutable_graph()->add_values() = m.graph().values(0);
       },
       "two inputs"},
      {[](ModelProto& m) {
         GraphProto::Value value = m.graph().values(1);
         *m.mutable_graph()->add_values() = value;
       },
       "by no node"}};
  for (const Damage& damage : all) ExpectRefused(damage);
}

TEST(VerifyModelTest, RefusesNodes) {
  const Damage all[] = {
      {[](ModelProto& m) { NodeAt(m, 1).set_op("Frobnicate"); },
       "node 1 (Frobnicate): there is no such op"},
      {[](ModelProto& m) { NodeAt(m, 1).set_op("Update"); }, "of an update"},
      {[](ModelProto& m) { NodeAt(m, 1).set_operands(0, 4); },
       "operand 4 is not made before"},
      {[](ModelProto& m) { NodeAt(m, 1).set_operands(0, -1); }, "operand -1"},
      {[](ModelProto& m) { NodeAt(m, 1).add_operands(0); }, "node 1 (MatMul)"},
      {[](ModelProto& m) { NodeAt(m, 1).set_operands(1, 3); }, "MatMul("},
      {[](ModelProto& m) { NodeAt(m, 1).set_results(0, 3); },
       "result 0 is value 3"},
      {[](ModelProto& m) { NodeAt(m, 1).add_results(5); }, "names 2 results"},
      {[](ModelProto& m) {
         ValueAt(m, 4).mutable_type()->mutable_shape()->set_dims(1, 6);
       },
       "the model says"},
      {[](ModelProto& m) {
         ValueAt(m, 4).set_initializer(ProgramProto::HE_NORMAL);
       },
       "not marked as computed"},
      {[](ModelProto& m) {
         *m.mutable_graph()->add_nodes() = m.graph().nodes(0);
       },
       "are not among the values"}};
  for (const Damage& damage : all) ExpectRefused(damage);
}

TEST(VerifyModelTest, RefusesAttributes) {
  const Damage all[] = {
      {[](ModelProto& m) { AddList(m, "Sizes"); }, "a list is called 'Sizes'"},
      {[](ModelProto& m) {
         AddList(m, "b");
         AddList(m, "a");
       },
       "in the order of their names"},
      {[](ModelProto& m) { AddList(m, "a").add_values(std::int64_t{1} << 31); },
       "from -2^31"},
      {[](ModelProto& m) {
         NodeAt(m, 0).mutable_attributes()->set_word("a\nb");
       },
       "its word"},
      {[](ModelProto& m) {
         NodeAt(m, 0).mutable_attributes()->set_element(
             static_cast<DTypeProto::Kind>(77));
       },
       "no element type"},
      {[](ModelProto& m) {
         NodeAt(m, 1).mutable_attributes()->set_data("12345");
       },
       "its type takes 4"},
      {[](ModelProto& m) {
         NodeAt(m, 1).mutable_attributes()->set_data_sha256("beef");
       },
       "not among the constants"},
      {[](ModelProto& m) {
         ConstantProto& constant = *m.add_constants();
         constant.set_data(std::string((1 << 20) + 4, 'x'));
         constant.set_sha256(Sha256Hex("something else"));
       },
       "not those of its hash"},
      {[](ModelProto& m) {
         ConstantProto& constant = *m.add_constants();
         constant.set_data(std::string((1 << 20) + 4, 'x'));
         constant.set_sha256(Sha256Hex(constant.data()));
       },
       "nobody reads the constant"},
      {[](ModelProto& m) { m.add_constants()->set_data("small"); },
       "up to 1 MiB"}};
  for (const Damage& damage : all) ExpectRefused(damage);
}

TEST(VerifyModelTest, RefusesWhatIsWanted) {
  const Damage all[] = {
      {[](ModelProto& m) { m.mutable_graph()->clear_loss(); },
       "weights of a loss, but no loss"},
      {[](ModelProto& m) { m.mutable_graph()->set_loss(999); },
       "loss: there is no value 999"},
      {[](ModelProto& m) { m.mutable_graph()->set_loss(-1); }, "no value -1"},
      {[](ModelProto& m) { m.mutable_graph()->set_loss(4); }, "must be [B]"},
      {[](ModelProto& m) { m.mutable_graph()->set_loss(m.graph().weights()); },
       "computed by no op"},
      {[](ModelProto& m) {
         m.mutable_graph()->mutable_metrics(0)->set_name("loss");
       },
       "another metric has that name"},
      {[](ModelProto& m) {
         m.mutable_graph()->mutable_metrics(0)->set_value(0);
       },
       "metric 0 (accuracy)"},
      {[](ModelProto& m) {
         m.mutable_graph()->mutable_metrics(0)->set_combine(
             static_cast<MetricSum::Combine>(9));
       },
       "no rule of combination"},
      {[](ModelProto& m) { m.mutable_graph()->mutable_eval_loss(); },
       "two losses of an evaluation"},
      {[](ModelProto& m) {
         m.mutable_graph()->set_loss_passes(MetricSum::TRAINING_ALONE);
         m.mutable_graph()->mutable_eval_loss()->add_sums("accuracy");
       },
       "the evaluation's loss: its formula names"},
      {[](ModelProto& m) {
         m.mutable_graph()->set_loss_passes(MetricSum::TRAINING_ALONE);
         m.mutable_graph()->mutable_eval_loss();
       },
       "the evaluation's loss: its formula has 0 nodes"},
      {[](ModelProto& m) { m.mutable_graph()->add_results(0); },
       "result 0 is no computed value"}};
  for (const Damage& damage : all) ExpectRefused(damage);
}

TEST(ParseModelTest, RefusesBytesThatAreNoModel) {
  const std::string good = ModelBytes(SmallModel());
  EXPECT_THAT(ParseModel(""), StatusIs(kInvalid, HasSubstr("version 0")));
  EXPECT_THAT(ParseModel("\xff\xff\xff"), StatusIs(kInvalid, HasSubstr("")));
  for (std::size_t size = 1; size < good.size(); size += 7)
    EXPECT_FALSE(ParseModel(good.substr(0, size)).ok()) << size;
  // Field 99, of a later version.
  EXPECT_THAT(ParseModel(good + "\x98\x06\x01"),
              StatusIs(kInvalid, HasSubstr("a field 99 that is not known")));
}

// Two bytes each in the file, a hundred in memory.
TEST(ParseModelTest, RefusesManyEmptyPartsBeforeItMakesThem) {
  std::string values;
  for (int i = 0; i < 1 << 24; ++i) values += std::string("\x0a\x00", 2);
  std::string bytes = "\x22";  // graph
  for (std::size_t size = values.size(); size > 0; size >>= 7)
    bytes += static_cast<char>((size & 0x7f) | (size >= 0x80 ? 0x80 : 0));
  EXPECT_THAT(ParseModel(bytes + values),
              StatusIs(kInvalid, HasSubstr("parts")));
}

TEST(ParseModelTest, RefusesMoreThan256MiB) {
  const std::string large((std::size_t{256} << 20) + 1, '\0');
  EXPECT_THAT(ParseModel(large), StatusIs(kInvalid, HasSubstr("256 MiB")));
}

}  // namespace
}  // namespace podsim
