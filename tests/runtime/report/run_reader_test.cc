// Metrics files as records: whole, torn, resumed, and of other things.
#include "runtime/report/run_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/runtime/report/run_fixture.h"

namespace podsim {
namespace {

using ::podsim::testing::EvenRun;
using ::podsim::testing::PlanText;
using ::podsim::testing::RunOf;
using ::podsim::testing::StepText;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(RunReaderTest, AWholeRun) {
  const RunRecords run = RunOf(EvenRun());
  EXPECT_EQ(run.plan.slice, "v3-32");
  EXPECT_EQ(run.plan.global_batch, 256);
  EXPECT_EQ(SettingText(run.plan, "threads"), "2");
  EXPECT_EQ(SettingText(run.plan, "none", "x"), "x");
  EXPECT_THAT(run.plan.hbm,
              ElementsAre(Pair("input", 24), Pair("parameters", 1000)));
  ASSERT_EQ(run.steps.size(), 40u);
  EXPECT_EQ(run.steps.step[6], 7);
  EXPECT_TRUE(run.steps.begins[0]);
  EXPECT_FALSE(run.steps.begins[1]);
  EXPECT_DOUBLE_EQ(run.steps[StepFigure::kSeconds][6], 0.12);
  EXPECT_DOUBLE_EQ(run.steps[StepFigure::kDecode][6], 0.03);
  EXPECT_TRUE(std::isnan(run.steps[StepFigure::kAccuracy][6]));
  ASSERT_THAT(run.hosts_steps, SizeIs(40));
  EXPECT_THAT(run.hosts_steps[6].compute, ElementsAre(0.1F, 0.1F, 0.1F, 0.1F));
  EXPECT_FALSE(run.summary.has_value());
  EXPECT_FALSE(run.cut_off);
  EXPECT_EQ(run.bad_lines, 0);
  EXPECT_EQ(run.first_bad_line, 0);
  EXPECT_EQ(run.first_wall_time, 1000);
}

TEST(RunReaderTest, UnknownPhasesHaveColumnsByTheirNames) {
  const auto step = [](int number, const std::string& more) {
    return absl::StrCat(R"({"event":"step","step":)", number,
                        R"(,"seconds":1,"seconds_input":0.5,)"
                        R"("seconds_input_read":3,"seconds_products":2)",
                        more, "}\n");
  };
  EXPECT_THAT(RunOf(step(1, "")).steps.phases, IsEmpty())
      << "known ones, and what is no phase";
  const RunRecords run = RunOf(
      step(1, "") + step(2, R"(,"seconds_infeed":0.25)") + step(3, "") +
      step(4, R"(,"seconds_infeed":0.75)") + step(4, R"(,"seconds_infeed":1)"));
  ASSERT_THAT(run.steps.phases, SizeIs(1));
  const std::vector<double>& infeed = run.steps.phases.at("infeed");
  ASSERT_THAT(infeed, SizeIs(4));
  EXPECT_TRUE(std::isnan(infeed[0]));
  EXPECT_EQ(infeed[1], 0.25);
  EXPECT_TRUE(std::isnan(infeed[2]));
  EXPECT_EQ(infeed[3], 1) << "a step that was made again counts once";
}

TEST(RunReaderTest, LinesMayBeSplitAnywhere) {
  const std::string text = PlanText() + StepText(1, 1001, {{0, 0.1}}) +
                           StepText(2, 1002, {{0, 0.1}});
  for (std::size_t size = 1; size < 200; size += 7) {
    RunReader reader("run.jsonl");
    for (std::size_t at = 0; at < text.size(); at += size)
      reader.Add(std::string_view(text).substr(at, size));
    EXPECT_EQ(reader.records(), 3);
    EXPECT_THAT(reader.Finish().steps.step, ElementsAre(1, 2)) << size;
  }
}

TEST(RunReaderTest, TheLastLineMayBeHalfWritten) {
  const std::string text = PlanText() + StepText(1, 1001, {{0, 0.1}});
  const std::string second = StepText(2, 1002, {{0, 0.1}});
  const RunRecords run = RunOf(text + second.substr(0, second.size() / 2));
  EXPECT_TRUE(run.cut_off);
  EXPECT_EQ(run.bad_lines, 0);
  EXPECT_EQ(run.first_bad_line, 3);
  EXPECT_THAT(run.steps.step, ElementsAre(1));
  // Whole but for its newline.
  const RunRecords whole = RunOf(text + second.substr(0, second.size() - 1));
  EXPECT_FALSE(whole.cut_off);
  EXPECT_THAT(whole.steps.step, ElementsAre(1, 2));
}

TEST(RunReaderTest, LinesThatAreNoRecordAreCounted) {
  const RunRecords run =
      RunOf(PlanText() + "{\"event\":\"st\n\n[1]\n{}\n\xff\n" +
            StepText(1, 1001, {{0, 0.1}}));
  EXPECT_EQ(run.bad_lines, 4);
  EXPECT_EQ(run.first_bad_line, 2);
  EXPECT_THAT(run.steps.step, ElementsAre(1));
}

TEST(RunReaderTest, LinesOfOtherKindsAreNoRecords) {
  RunReader reader("a");
  reader.Add("{\"event\":\"user logged in\"}\n");
  EXPECT_EQ(reader.records(), 0);
  EXPECT_TRUE(reader.has_others());
  reader.Add("{\"event\":\"joined\",\"proto\":{\"joined\":{}}}\n");
  EXPECT_EQ(reader.records(), 1);
  EXPECT_EQ(reader.Finish().bad_lines, 0);
}

// A restart goes back to a checkpoint: of steps 3 and 4 the second ones count.
TEST(RunReaderTest, StepsThatAreMadeAgainCountOnce) {
  std::string text = PlanText();
  for (int step = 1; step <= 4; ++step)
    text += StepText(step, 1000 + step, {{0, 0.1}});
  text += "{\"event\":\"restart\",\"wall_time\":1010,\"reason\":\"gone\"}\n";
  text += PlanText();
  for (int step = 3; step <= 5; ++step)
    text += StepText(step, 1020 + step, {{0, 0.2}});
  const RunRecords run = RunOf(text);
  EXPECT_THAT(run.steps.step, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(run.steps.wall_time[2], 1023);
  EXPECT_THAT(run.steps.begins, ElementsAre(true, false, true, false, false));
  EXPECT_EQ(run.steps_lost, 2);
  EXPECT_NEAR(run.seconds_lost, 0.24, 1e-9);
  ASSERT_THAT(run.incidents, SizeIs(1));
  EXPECT_EQ(run.incidents[0].kind, Incident::Kind::kRestart);
  EXPECT_EQ(run.incidents[0].what, "gone");
  EXPECT_EQ(run.incidents[0].step, 4);
}

TEST(RunReaderTest, ARunThatGoesOnAfterItsFailureHasNotFailed) {
  const std::string failed =
      PlanText() + StepText(1, 1001, {{0, 0.1}}) +
      "{\"event\":\"failure\",\"wall_time\":1002,\"process\":\"host2\","
      "\"how\":\"was killed by signal 9 (SIGKILL)\",\"step\":2,\"phase\":"
      "\"compute\",\"message\":\"\"}\n";
  const RunRecords run = RunOf(failed);
  ASSERT_TRUE(run.failure.has_value());
  EXPECT_EQ(run.failure->process, "host2");
  EXPECT_EQ(run.failure->step, 2);
  const RunRecords on =
      RunOf(failed +
            "{\"event\":\"resume\",\"wall_time\":1010,\"checkpoint\":\"m/1\","
            "\"step\":1}\n" +
            PlanText() + StepText(2, 1011, {{0, 0.1}}));
  EXPECT_FALSE(on.failure.has_value());
  ASSERT_THAT(on.incidents, SizeIs(2));
  EXPECT_EQ(on.incidents[0].kind, Incident::Kind::kResume);
  EXPECT_EQ(on.incidents[1].what, "host2 was killed by signal 9 (SIGKILL)");
  EXPECT_THAT(on.steps.step, ElementsAre(1, 2));
}

TEST(RunReaderTest, ALossThatIsNoNumberIsInfinity) {
  const RunRecords run = RunOf(
      "{\"event\":\"step\",\"step\":1,\"loss\":null}\n"
      "{\"event\":\"step\",\"step\":2}\n");
  EXPECT_TRUE(std::isinf(run.steps[StepFigure::kLoss][0]));
  EXPECT_TRUE(std::isnan(run.steps[StepFigure::kLoss][1]));
}

TEST(RunReaderTest, KeysOfAnotherTypeCountAsMissing) {
  const RunRecords run = RunOf(
      "{\"event\":\"plan\",\"settings\":[1],\"slice\":7,\"hosts\":\"x\","
      "\"first_host\":{},\"hbm\":3,\"global_batch\":1e300}\n"
      "{\"event\":\"step\",\"step\":\"x\",\"loss\":\"y\",\"metrics\":[],"
      "\"input_us\":{},\"waited_us\":3}\n"
      "{\"event\":\"summary\",\"goodput\":5,\"recipe_kept\":1}\n"
      "{\"event\":\"forecast\",\"link_faults\":\"z\"}\n"
      "{\"event\":7}\n");
  EXPECT_EQ(run.plan.slice, "");
  EXPECT_EQ(run.plan.hosts, 0);
  EXPECT_EQ(run.plan.global_batch, 0);
  EXPECT_THAT(run.steps.step, IsEmpty());  // of a step without its number
  EXPECT_THAT(run.hosts_steps, IsEmpty());
  EXPECT_EQ(run.bad_lines, 2);
  EXPECT_EQ(run.first_bad_line, 2);
}

TEST(RunReaderTest, AModelsOwnMetricsAreColumnsWithGaps) {
  const RunRecords run = RunOf(
      "{\"event\":\"step\",\"step\":1,\"metrics\":{\"a\":1}}\n"
      "{\"event\":\"step\",\"step\":2,\"metrics\":{\"b\":5}}\n"
      "{\"event\":\"step\",\"step\":3,\"metrics\":{\"a\":2,\"b\":null}}\n");
  ASSERT_THAT(run.steps.own, SizeIs(2));
  const std::vector<double>& a = run.steps.own.at("a");
  const std::vector<double>& b = run.steps.own.at("b");
  EXPECT_EQ(a[0], 1);
  EXPECT_TRUE(std::isnan(a[1]));
  EXPECT_EQ(a[2], 2);
  EXPECT_TRUE(std::isnan(b[0]));
  EXPECT_EQ(b[1], 5);
  EXPECT_TRUE(std::isnan(b[2]));
}

TEST(RunReaderTest, OfManyStepsHostsHaveSome) {
  RunReader reader("run.jsonl");
  for (int step = 1; step <= 20000; ++step)
    reader.Add(absl::StrCat("{\"event\":\"step\",\"step\":", step,
                            ",\"seconds\":1,\"input_us\":[1,2],\"compute_us\":"
                            "[3,4],\"waited_us\":[1,0]}\n"));
  const RunRecords run = reader.Finish();
  EXPECT_EQ(run.steps.size(), 20000u);
  EXPECT_LE(run.hosts_steps.size(), kMostHostsSteps);
  EXPECT_GE(run.hosts_steps.size(), kMostHostsSteps / 2);
  // Evenly: every eighth step.
  for (std::size_t i = 1; i < run.hosts_steps.size(); ++i)
    ASSERT_EQ(run.hosts_steps[i].step - run.hosts_steps[i - 1].step, 8) << i;
}

TEST(RunReaderTest, TheForecast) {
  const RunRecords run = RunOf(
      "{\"event\":\"forecast\",\"simulated_step_seconds\":0.009,"
      "\"simulated_step_seconds_low\":0.008,"
      "\"simulated_step_seconds_high\":0.012,"
      "\"simulated_seconds_exposed_all_reduce\":0.003,"
      "\"simulated_all_reduce_bound_seconds\":0.001,"
      "\"scaling_efficiency\":0.5,\"reference_slice\":\"v3-8\","
      "\"link_faults\":[\"link (0,0)-(1,0) cut\"],"
      "\"simulated_step_seconds_sound_links\":0.006}\n");
  ASSERT_TRUE(run.forecast.has_value());
  EXPECT_EQ(run.forecast->step, 0.009);
  EXPECT_EQ(run.forecast->low, 0.008);
  EXPECT_EQ(run.forecast->high, 0.012);
  EXPECT_EQ(run.forecast->exposed, 0.003);
  EXPECT_EQ(run.forecast->reduce_bound, 0.001);
  EXPECT_EQ(run.forecast->efficiency, 0.5);
  EXPECT_EQ(run.forecast->reference_slice, "v3-8");
  EXPECT_THAT(run.forecast->link_faults, ElementsAre("link (0,0)-(1,0) cut"));
  EXPECT_EQ(run.forecast->sound_step, 0.006);
}

TEST(HostsTextTest, IsOfTheHostsOfAProcess) {
  PlanRecord plan = {.hosts = 8, .processes = 3, .first_host = {0, 1, 4}};
  EXPECT_EQ(HostsText(plan, 0), "host 0");
  EXPECT_EQ(HostsText(plan, 1), "hosts 1-3");
  EXPECT_EQ(HostsText(plan, 2), "hosts 4-7");
  EXPECT_EQ(ProcessOfHost(plan, 0), 0);
  EXPECT_EQ(ProcessOfHost(plan, 3), 1);
  EXPECT_EQ(ProcessOfHost(plan, 7), 2);
  // Of files that do not say it: 3, 3 and 2.
  plan.first_host.clear();
  EXPECT_EQ(HostsText(plan, 0), "hosts 0-2");
  EXPECT_EQ(HostsText(plan, 2), "hosts 6-7");
  EXPECT_EQ(ProcessOfHost(plan, 5), 1);
}

}  // namespace
}  // namespace podsim
