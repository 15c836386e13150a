#include "runtime/monitor/monitor_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/runtime/monitor/watched_job.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::podsim::testing::TrainingState;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MonitorTableTest, CellsArePaddedAndRowsCounted) {
  const MonitorTable table = {.title = "T",
                              .columns = {"A", "Bee"},
                              .rows = {{"1", "x"}, {"22", "yyyy"}}};
  EXPECT_EQ(FormatMonitorTable(table),
            "T\n"
            "| A  | Bee  |\n"
            "|----|------|\n"
            "| 1  | x    |\n"
            "| 22 | yyyy |\n");
  EXPECT_EQ(FormatMonitorTable(table, 1),
            "T\n"
            "| A | Bee |\n"
            "|---|-----|\n"
            "| 1 | x   |\n"
            "and 1 more: --host=N shows a host's, --json all\n");
}

TEST(MonitorTextTest, LooksAsTpuInfoDoes) {
  const auto text = MonitorText(TrainingState(), 2);
  ASSERT_THAT(text, podsim::testing::IsOk());
  EXPECT_THAT(
      *text,
      AllOf(
          HasSubstr("v3-32  mlp  training  step 12/100  loss 0.2500  100 "
                    "ms/step wall  640 examples/s\n"),
          HasSubstr("TPU Chips\n"
                    "| Chip        | Type        | Devices | PID  | Host |\n"
                    "|-------------|-------------|---------|------|------|\n"
                    "| /dev/accel0 | TPU v3 chip | 2       | 4712 | 2    |\n"),
          HasSubstr("TPU Runtime Utilization\n"
                    "| Chip | HBM Usage (GiB, sim) | Duty cycle (wall) | "
                    "Host |\n"),
          HasSubstr("| 7    | 1.50 GiB / 16.00 GiB | 50.00%            | 2  "
                    "  |\n"),
          HasSubstr("| 2    | 4712 | box     | 8     | 12   | 50.00%     | "
                    "20.00% | 30.00% |\n"),
          HasSubstr("ICI links: 4 a chip, "), Not(HasSubstr("4711"))));
}

TEST(MonitorTextTest, TextOfOthersMovesNoCursor) {
  JobState state = TrainingState();
  state.phase = JobPhase::kFailed;
  state.failure = "bad \x1b[2J";
  state.processes[0].set_hostname("b\nx");
  EXPECT_THAT(*MonitorText(state, 0),
              AllOf(HasSubstr("failed"), HasSubstr("bad \\x1b[2J"),
                    HasSubstr("b\\nx"), Not(HasSubstr("\x1b"))));
}

TEST(MonitorTextTest, BeforeThePodFormsItSaysWhatItWaitsFor) {
  JobState state;
  state.waits_for = "checkpoints in runs/a";
  EXPECT_EQ(*MonitorText(state, std::nullopt),
            "forming  waits for checkpoints in runs/a\n");
}

TEST(MonitorTextTest, AHostThatIsNotThereIsRefused) {
  for (const auto& shown :
       {MonitorText(TrainingState(), 4), MonitorJson(TrainingState(), 4)})
    EXPECT_THAT(shown.status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("--host is 4, and v3-32 has hosts 0 to 3")));
  JobState one = TrainingState();
  one.plan->mutable_bits()->set_slice("v3-8");
  EXPECT_THAT(std::string(MonitorText(one, 1).status().message()),
              HasSubstr("--host is 1, and v3-8 has host 0 alone"));
}

TEST(MonitorJsonTest, HasAllOfIt) {
  const auto json =
      nlohmann::json::parse(*MonitorJson(TrainingState(), std::nullopt));
  EXPECT_EQ(json["phase"], "training");
  EXPECT_EQ(json["slice"], "v3-32");
  EXPECT_EQ(json["step"], 12);
  EXPECT_EQ(json["metrics"]["loss"], 0.25);
  ASSERT_EQ(json["hosts"].size(), 4u);
  EXPECT_EQ(json["hosts"][3]["process"], 1);
  EXPECT_EQ(json["hosts"][3]["pid"], 4712);
  EXPECT_NEAR(json["hosts"][3]["duty_cycle"].get<double>(), 0.5, 1e-6);
  ASSERT_EQ(json["hosts"][3]["devices"].size(), 8u);
  EXPECT_EQ(json["hosts"][3]["devices"][7]["hbm_used_bytes_sim"], 1610612736);
  const auto one = nlohmann::json::parse(*MonitorJson(TrainingState(), 1));
  EXPECT_EQ(one["hosts"].size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(*MonitorJson({}, std::nullopt))["phase"],
            "forming");
}

// What a step moves is the plan's, how fast is the job's.
TEST(MonitorTextTest, LinksHaveWhatAStepMoves) {
  JobEvent formed = testing::FormedJob();
  PlanBits& bits = *formed.mutable_formed()->mutable_plan()->mutable_bits();
  bits.set_hosts(4);
  bits.set_batch_per_core(2);
  bits.add_buckets()->set_count(1 << 20);
  JobState state;
  Fold(testing::Watched(1, formed), state);
  const auto forming = MonitorText(state, std::nullopt);
  ASSERT_TRUE(forming.ok());
  EXPECT_THAT(*forming,
              ::testing::AllOf(HasSubstr("ICI links by axis"), HasSubstr("N/A"),
                               HasSubstr("each sends 6.00 MiB a step, N/A")));
  Fold(testing::Watched(2, testing::StepOfJob(1)), state);
  const auto training = MonitorText(state, std::nullopt);
  ASSERT_TRUE(training.ok());
  EXPECT_THAT(*training, HasSubstr("each sends 6.00 MiB a step, 60.00 MiB/s"));
  const auto json = MonitorJson(state, std::nullopt);
  ASSERT_TRUE(json.ok());
  EXPECT_THAT(
      *json,
      ::testing::AllOf(HasSubstr("\"axis\":\"x\""), HasSubstr("\"axis\":\"y\""),
                       HasSubstr("\"host_bytes_per_step\":6291456")));
}

}  // namespace
}  // namespace podsim
