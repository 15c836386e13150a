// The metrics file: whole lines of JSON with the documented keys.
#include "runtime/report/metrics_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::nlohmann::json;
using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::HasSubstr;

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(MetricsFileTest, EachWriteIsOneWholeLineAtOnce) {
  TempDir dir;
  ASSERT_OK_AND_ASSIGN(MetricsFile file,
                       MetricsFile::Create(dir.file("run.jsonl")));
  EXPECT_THAT(file.Write("{\"a\":1}"), IsOk());
  EXPECT_EQ(ReadAll(dir.file("run.jsonl")), "{\"a\":1}\n");
  EXPECT_THAT(file.Write("{\"b\":2}"), IsOk());
  EXPECT_EQ(ReadAll(dir.file("run.jsonl")), "{\"a\":1}\n{\"b\":2}\n");
}

TEST(MetricsFileTest, ANewRunReplacesTheOld) {
  TempDir dir;
  const std::string path = dir.file("run.jsonl");
  std::ofstream(path) << "old\n";
  ASSERT_OK_AND_ASSIGN(MetricsFile file, MetricsFile::Create(path));
  EXPECT_EQ(ReadAll(path), "");
}

TEST(MetricsFileTest, RefusesAnUnwritablePathByName) {
  TempDir dir;
  EXPECT_THAT(
      MetricsFile::Create(dir.file("no/such/run.jsonl")),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("no/such/run.jsonl")));
}

TEST(MetricsFileTest, KeepsTheFirstWriteError) {
  ASSERT_OK_AND_ASSIGN(MetricsFile file, MetricsFile::Create("/dev/full"));
  EXPECT_THAT(file.Write("{}"), StatusIs(absl::StatusCode::kResourceExhausted,
                                         HasSubstr("/dev/full")));
  EXPECT_FALSE(file.status().ok());
}

TEST(MetricsLineTest, PlanCarriesTheRunsContext) {
  JobPlan plan;
  plan.set_hash("abc");
  plan.set_global_batch(1024);
  plan.mutable_bits()->set_slice("v3-32");
  plan.mutable_bits()->set_hosts(4);
  plan.mutable_bits()->set_cores_per_host(8);
  const json line =
      json::parse(PlanLine(plan, 12.5, {"pod_launch --x='\xff'", "cpu", 2}));
  EXPECT_EQ(line["event"], "plan");
  EXPECT_EQ(line["plan_hash"], "abc");
  EXPECT_EQ(line["cores"], 32);
  EXPECT_EQ(line["global_batch"], 1024);
  EXPECT_EQ(line["cpus"], 2);
  EXPECT_EQ(line["wall_time"], 12.5);
}

TEST(MetricsLineTest, StepAndEval) {
  StepDone step;
  step.set_step(7);
  step.set_examples(7168);
  step.set_loss(0.25);
  const json step_line = json::parse(StepLine(step, 1));
  EXPECT_EQ(step_line["event"], "step");
  EXPECT_EQ(step_line["step"], 7);
  EXPECT_EQ(step_line["examples"], 7168);
  EXPECT_EQ(step_line["loss"], 0.25);

  EvalDone eval;
  eval.set_correct(9);
  const json eval_line = json::parse(EvalLine(eval, 1));
  EXPECT_EQ(eval_line["event"], "eval");
  EXPECT_EQ(eval_line["correct"], 9);
}

TEST(MetricsLineTest, ANanLossIsNullNotBrokenJson) {
  StepDone step;
  step.set_loss(std::nan(""));
  EXPECT_TRUE(json::parse(StepLine(step, 1))["loss"].is_null());
}

TEST(MetricsLineTest, SummaryHasOptionalPartsOnlyWhenKnown) {
  RunSummary summary;
  summary.weights_hash = "feed";
  json line = json::parse(SummaryLine(summary));
  EXPECT_EQ(line["event"], "summary");
  EXPECT_EQ(line["weights_hash"], "feed");
  EXPECT_FALSE(line.contains("eval_accuracy"));
  EXPECT_FALSE(line.contains("simulated_step_seconds"));
  EXPECT_FALSE(line.contains("goodput"));
  EXPECT_FALSE(line.contains("faults"));
  summary.eval.emplace().set_accuracy(0.5);
  summary.goodput = {.wall = 4, .productive = 3};
  (*summary.goodput)[LostTo::kWastedProgress] = 1;
  summary.faults = {.injected = 2, .complaints = {"x"}};
  summary.simulated_step = SimTime::Seconds(0.5);
  line = json::parse(SummaryLine(summary));
  EXPECT_EQ(line["eval_accuracy"], 0.5);
  EXPECT_EQ(line["simulated_step_seconds"], 0.5);
  EXPECT_EQ(line["goodput"]["fraction"], 0.75);
  EXPECT_EQ(line["goodput"]["seconds_wall"], 4);
  EXPECT_EQ(line["goodput"]["WASTED_PROGRESS_FROM_DISRUPTION"], 1);
  EXPECT_EQ(line["goodput"]["OTHER"], 0);
  EXPECT_EQ(line["faults"]["injected"], 2);
  EXPECT_EQ(line["faults"]["complaints"][0], "x");
}

TEST(MetricsLineTest, FailureNamesTheCulprit) {
  const json line = json::parse(FailureLine({.when = absl::FromUnixSeconds(9),
                                             .name = "host2",
                                             .pid = 12,
                                             .how = "exited with code 3",
                                             .exit_code = 3}));
  EXPECT_EQ(line["event"], "failure");
  EXPECT_EQ(line["process"], "host2");
  EXPECT_EQ(line["wall_time"], 9);
  EXPECT_EQ(line["exit_code"], 3);
}

}  // namespace
}  // namespace podsim
