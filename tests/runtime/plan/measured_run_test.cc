// What of a metrics file stands beside a row.
#include "runtime/plan/measured_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/report/run_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::PlanText;
using ::podsim::testing::RunOf;
using ::podsim::testing::StatusIs;
using ::podsim::testing::StepText;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A step of one process is its computation and 20 ms.
std::string Step(int step, double compute) {
  return StepText(step, 1000 + step, {{.compute = compute}});
}

TEST(MeasuredOfTest, MediansOverTheStepsButTheFirst) {
  const MeasuredRun run =
      MeasuredOf(RunOf(PlanText() + Step(1, 9.98) + Step(2, 0.08) +
                       Step(3, 0.18) + Step(4, 0.38) +
                       R"({"event":"eval","step":4,"loss":0.75})"
                       "\n"));
  EXPECT_EQ(run.path, "run.jsonl");
  EXPECT_EQ(run.model, "mlp");
  EXPECT_EQ(run.dataset, "digits");
  EXPECT_EQ(run.slice, "v3-32");
  EXPECT_EQ(run.global_batch, 256);
  EXPECT_EQ(run.steps, 4);
  ASSERT_TRUE(run.step_seconds.has_value());
  EXPECT_NEAR(*run.step_seconds, 0.2, 1e-9);
  ASSERT_TRUE(run.examples_per_second.has_value());
  EXPECT_NEAR(*run.examples_per_second, 1280, 1e-6);
  EXPECT_EQ(run.sim_step_seconds, 0.005);
  EXPECT_EQ(run.loss, 0.5);  // 2 / step
  EXPECT_EQ(run.eval_loss, 0.75);
}

// Each pod pays for its own start.
TEST(MeasuredOfTest, TheFirstStepBehindARestartIsLeftOutToo) {
  const MeasuredRun run =
      MeasuredOf(RunOf(PlanText() + Step(1, 9.98) + Step(2, 0.08) +
                       R"({"event":"restart","wall_time":1003,"reason":"x"})"
                       "\n" +
                       Step(3, 4.98) + Step(4, 0.08)));
  EXPECT_EQ(run.steps, 4);
  ASSERT_TRUE(run.step_seconds.has_value());
  EXPECT_NEAR(*run.step_seconds, 0.1, 1e-9);
}

TEST(MeasuredOfTest, TheForecastIsAStepWithoutFaults) {
  const MeasuredRun run =
      MeasuredOf(RunOf(PlanText() +
                       R"({"event":"forecast","simulated_step_seconds":0.004})"
                       "\n" +
                       Step(1, 0.1)));
  EXPECT_EQ(run.sim_step_seconds, 0.004);
  EXPECT_EQ(run.step_seconds, std::nullopt);  // the first step alone
  EXPECT_EQ(run.examples_per_second, std::nullopt);
}

TEST(MeasuredOfTest, WhatIsNotThereIsNoFigure) {
  const MeasuredRun none = MeasuredOf(RunOf(PlanText()));
  EXPECT_EQ(none.steps, 0);
  EXPECT_EQ(none.sim_step_seconds, std::nullopt);
  EXPECT_EQ(none.loss, std::nullopt);
  EXPECT_EQ(none.eval_loss, std::nullopt);
  const MeasuredRun infinite = MeasuredOf(
      RunOf(PlanText() + "{\"event\":\"step\",\"step\":1,\"loss\":null}\n"));
  EXPECT_EQ(infinite.steps, 1);
  EXPECT_EQ(infinite.loss, std::nullopt);
}

TEST(MeasuredOfTest, TheSummarysEvaluationIsTheLast) {
  const MeasuredRun run =
      MeasuredOf(RunOf(PlanText() + Step(1, 0.1) +
                       "{\"event\":\"eval\",\"step\":1,\"loss\":0.75}\n"
                       "{\"event\":\"summary\",\"eval_loss\":0.5}\n"));
  EXPECT_EQ(run.eval_loss, 0.5);
}

TEST(ReadMeasuredTest, FilesAndWhatFoldersHold) {
  const auto store = NewMemoryStore();
  for (const char* path : {"b.jsonl", "runs/2.jsonl", "runs/1.jsonl"})
    ASSERT_THAT(store->Write(path, PlanText() + Step(1, 0.1)), IsOk());
  ASSERT_THAT(store->Write("runs/results.jsonl", "hello\n"), IsOk());
  std::vector<std::string> notes;
  ASSERT_OK_AND_ASSIGN(const std::vector<MeasuredRun> runs,
                       ReadMeasured(*store, {"b.jsonl", "runs"}, notes));
  EXPECT_THAT(notes, ElementsAre("passed over runs/results.jsonl: line 1 is no "
                                 "record of a run"));
  EXPECT_THAT(runs, ElementsAre(Field(&MeasuredRun::path, "b.jsonl"),
                                Field(&MeasuredRun::path, "runs/1.jsonl"),
                                Field(&MeasuredRun::path, "runs/2.jsonl")));
  ASSERT_OK_AND_ASSIGN(const std::vector<MeasuredRun> none,
                       ReadMeasured(*store, {}, notes));
  EXPECT_THAT(none, IsEmpty());
}

TEST(ReadMeasuredTest, OtherFilesAreRefusedWithWhatToGive) {
  const auto store = NewMemoryStore();
  std::vector<std::string> notes;
  ASSERT_THAT(store->Write("notes.txt", "hello\n"), IsOk());
  EXPECT_THAT(
      ReadMeasured(*store, {"notes.txt"}, notes),
      StatusIs(kInvalid, AllOf(HasSubstr("notes.txt is no metrics file: line 1 "
                                         "is no record of a run"),
                               HasSubstr("pod_launch --metrics_file=FILE"))));
  ASSERT_THAT(
      store->Write("early.jsonl", "{\"event\":\"joined\",\"proto\":\"\"}\n"),
      IsOk());
  EXPECT_THAT(ReadMeasured(*store, {"early.jsonl"}, notes),
              StatusIs(kInvalid, HasSubstr("early.jsonl has no line of a "
                                           "plan")));
  EXPECT_THAT(ReadMeasured(*store, {"none.jsonl"}, notes),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none.jsonl")));
}

}  // namespace
}  // namespace podsim
