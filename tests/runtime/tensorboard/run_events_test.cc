#include "runtime/tensorboard/run_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "proto/third_party/tensorboard/hparams.pb.h"
#include "tests/runtime/tensorboard/values.h"

namespace podsim {
namespace {

using ::podsim::testing::ScalarsOf;
using ::podsim::testing::ValueOf;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// As the tensorboard package serializes it.
TEST(RunEventsTest, TheHeaderHasTensorBoardsOwnBytes) {
  EXPECT_EQ(absl::BytesToHexString(HeaderEvent(1).SerializeAsString()),
            "09000000000000f03f1a0d627261696e2e4576656e743a3252080a06706f647369"
            "6d");
}

TEST(RunEventsTest, AJobThatGoesOnBeginsBehindItsCheckpoint) {
  StartPoint start;
  EXPECT_EQ(FirstStep(start), 0);
  start.set_step(10);
  EXPECT_EQ(FirstStep(start), 11);
  const tensorboard::Event event = BeginEvent(11, 2);
  EXPECT_EQ(event.step(), 11);
  EXPECT_EQ(event.session_log().status(), tensorboard::SessionLog::START);
}

TEST(RunEventsTest, ThePlanIsATextThatKeepsItsLines) {
  tensorboard::Event event;
  AddPlanText("slice  v3-8\nmodel  mlp\n", event);
  const auto value = ValueOf(event, "plan");
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "text");
  EXPECT_EQ(value.metadata().data_class(), tensorboard::DATA_CLASS_TENSOR);
  EXPECT_EQ(value.tensor().dtype(), tensorboard::DT_STRING);
  EXPECT_TRUE(value.tensor().has_tensor_shape());
  EXPECT_EQ(value.tensor().tensor_shape().dim_size(), 0);
  ASSERT_EQ(value.tensor().string_val_size(), 1);
  EXPECT_EQ(value.tensor().string_val(0),
            "```\nslice  v3-8\nmodel  mlp\n```\n");
}

TEST(RunEventsTest, HparamsAreWhatThePlanDecided) {
  JobPlan plan;
  plan.set_hash("abc");
  plan.set_global_batch(64);
  plan.mutable_bits()->set_slice("v3-8");
  plan.mutable_bits()->mutable_learning_rate()->set_peak(0.5);
  tensorboard::Event event;
  AddHparams(plan, 3, event);
  const auto value = ValueOf(event, "_hparams_/session_start_info");
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "hparams");
  EXPECT_EQ(value.tensor().dtype(), tensorboard::DT_FLOAT);
  ASSERT_EQ(value.tensor().tensor_shape().dim_size(), 1);
  EXPECT_EQ(value.tensor().tensor_shape().dim(0).size(), 0);
  tensorboard::hparams::HParamsPluginData data;
  ASSERT_TRUE(data.ParseFromString(value.metadata().plugin_data().content()));
  const auto& start = data.session_start_info();
  EXPECT_EQ(start.group_name(), "abc");
  EXPECT_EQ(start.start_time_secs(), 3);
  EXPECT_EQ(start.hparams().at("topology").string_value(), "v3-8");
  EXPECT_EQ(start.hparams().at("train_batch_size").number_value(), 64);
  EXPECT_EQ(start.hparams().at("learning_rate").number_value(), 0.5);
  EXPECT_EQ(start.hparams().count("model"), 0u) << "it names none";
}

TEST(RunEventsTest, ASessionThatEndsWellSaysSo) {
  tensorboard::Event event;
  AddSessionEnd(4, event);
  tensorboard::hparams::HParamsPluginData data;
  ASSERT_TRUE(data.ParseFromString(ValueOf(event, "_hparams_/session_end_info")
                                       .metadata()
                                       .plugin_data()
                                       .content()));
  EXPECT_EQ(data.session_end_info().status(),
            tensorboard::hparams::STATUS_SUCCESS);
  EXPECT_EQ(data.session_end_info().end_time_secs(), 4);
}

TEST(RunEventsTest, MemoryAndGoodputAreScalars) {
  CoreMemory memory;
  memory.set_hbm(1024);
  memory.set_parameters(100);
  memory.set_input(28);
  tensorboard::Event event;
  AddMemory(memory, event);
  EXPECT_THAT(ScalarsOf(event),
              UnorderedElementsAre(Pair("memory/hbm_bytes_per_core", 128),
                                   Pair("memory/hbm_bytes_available", 1024)));
  Goodput goodput;
  goodput.wall = 8;
  goodput.productive = 6;
  goodput[LostTo::kProgramStartup] = 2;
  tensorboard::Event of_goodput;
  AddGoodput(goodput, of_goodput);
  EXPECT_THAT(ScalarsOf(of_goodput),
              UnorderedElementsAre(Pair("goodput/fraction", 0.75F),
                                   Pair("goodput/PRODUCTIVE", 6),
                                   Pair("goodput/PROGRAM_STARTUP", 2)));
}

}  // namespace
}  // namespace podsim
