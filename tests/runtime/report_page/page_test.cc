// The page: whole, in itself, small, and with what each part is for.
#include "runtime/report_page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "job/phases.h"
#include "runtime/report/metrics_lines.h"
#include "runtime/report_page/html.h"
#include "runtime/report_page/run_times.h"
#include "tests/runtime/report/run_fixture.h"
#include "tests/runtime/report_page/html_balance.h"

namespace podsim {
namespace {

using ::nlohmann::json;
using ::podsim::testing::EvenRun;
using ::podsim::testing::LoadsOf;
using ::podsim::testing::PlanText;
using ::podsim::testing::RunOf;
using ::podsim::testing::RunText;
using ::podsim::testing::StepText;
using ::podsim::testing::Took;
using ::podsim::testing::UnbalancedTag;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

JudgedRun Judged(RunRecords run, const std::string& name = "a run") {
  std::vector<Finding> found = Diagnose(run);
  return {std::move(run), name, std::move(found)};
}

std::string PageOf(const std::string& text) {
  return ReportPage({Judged(RunOf(text))});
}

// All that a metrics file may hold.
std::string FullRun() {
  return EvenRun() +
         "{\"event\":\"forecast\",\"wall_time\":1000,"
         "\"simulated_step_seconds\":0.005,"
         "\"simulated_step_seconds_low\":0.004,"
         "\"simulated_step_seconds_high\":0.007,"
         "\"simulated_seconds_all_reduce\":0.002,"
         "\"simulated_seconds_exposed_all_reduce\":0.001,"
         "\"simulated_all_reduce_bound_seconds\":0.0005,"
         "\"scaling_efficiency\":0.9,\"reference_slice\":\"v3-8\"}\n"
         "{\"event\":\"eval\",\"step\":20,\"loss\":0.3,\"accuracy\":0.8}\n"
         "{\"event\":\"eval\",\"step\":40,\"loss\":0.2,\"accuracy\":0.9}\n"
         "{\"event\":\"checkpoint\",\"wall_time\":1002.5,\"step\":20,"
         "\"bytes\":2048,\"seconds_paused\":0.001,\"seconds_written\":0.1}\n"
         "{\"event\":\"fault\",\"wall_time\":1001,\"kind\":\"SLOW\",\"host\":2,"
         "\"step\":5}\n"
         "{\"event\":\"summary\",\"eval_accuracy\":0.9,\"goodput\":{"
         "\"fraction\":0.8,\"seconds_wall\":5,\"seconds_productive\":4,"
         "\"steps_lost\":0,\"PROGRAM_STARTUP\":0.7,\"OTHER\":0.3}}\n";
}

TEST(PageTest, IsWholeAndLoadsNothing) {
  for (const std::string& text :
       {FullRun(), EvenRun(), PlanText(), std::string("{\"event\":\"x\"}\n")}) {
    const std::string page = PageOf(text);
    EXPECT_EQ(UnbalancedTag(page), "");
    EXPECT_THAT(LoadsOf(page), IsEmpty());
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
    EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
    EXPECT_LT(page.size(), 300'000u);
  }
}

TEST(PageTest, WhatIsWrongComesFirst) {
  const std::string page = PageOf(
      RunText([](int, int p) { return Took{.compute = p == 2 ? 0.2 : 0.1}; }));
  const std::size_t verdict = page.find("host 2 is slow");
  ASSERT_NE(verdict, page.npos);
  EXPECT_LT(verdict, page.find("class=\"facts\""));
  EXPECT_LT(page.find("class=\"facts\""), page.find("class=\"chart\""));
  EXPECT_THAT(PageOf(EvenRun()), HasSubstr("nothing stands out"));
}

TEST(PageTest, HasEveryPart) {
  const std::string page = PageOf(FullRun());
  for (const char* part :
       {"<figcaption>loss<", "<figcaption>accuracy<",
        "<figcaption>learning rate<", "<figcaption>throughput<",
        "Where each host&#39;s step went", "Stragglers",
        "All-reduce against its bound", "Input pipeline", "Goodput",
        "Checkpoints and failures", "Memory", "<h3>Plan<", "all settings",
        "examples/s wall", "examples/s sim", "forecast, slowest (sim)"})
    EXPECT_THAT(page, HasSubstr(part)) << part;
  // 0.5 of 2 ms.
  EXPECT_THAT(page, HasSubstr("25% of the all-reduce"));
}

// From the event to the page, by way of the metrics file.
TEST(PageTest, APhaseThatNobodyKnowsIsThereByItsName) {
  std::string text = PlanText(1);
  for (int number = 1; number <= 4; ++number) {
    StepDone step;
    step.set_step(number);
    step.set_seconds(0.5);
    AddSeconds(kComputePhase, 0.25, *step.mutable_phases());
    AddSeconds({"infeed", "infeed"}, 0.25, *step.mutable_phases());
    for (const KnownPhase& phase : {kInputPhase, kComputePhase})
      AddOfProcess(phase, 0.25, step);
    text += StepLine(step, 1000 + number) + "\n";
  }
  const RunRecords run = RunOf(text);
  EXPECT_THAT(ProcessStepsOf(run).at(0).parts,
              ::testing::Contains(::testing::Pair("infeed", 0.25)));
  // In the chart of phases, beside the bars.
  EXPECT_THAT(ReportPage({Judged(run)}), HasSubstr("\"infeed\""));
}

// A run that is not over has no summary, and its time is estimated.
TEST(PageTest, OfARunThatIsNotOver) {
  const std::string page = PageOf(EvenRun());
  EXPECT_THAT(page, HasSubstr("not over, or cut off, at step 40 of 40"));
  EXPECT_THAT(page, HasSubstr("estimated"));
  EXPECT_THAT(page, HasSubstr("the file has no forecast"));
}

TEST(PageTest, WhatAFileSaysIsNoHtml) {
  const std::string evil = "</script><script>alert(1)</script><!--\"'&";
  json plan = json::parse(PlanText());
  plan["model"] = evil;
  plan["command"] = evil;
  plan["settings"][evil] = evil;
  plan["warnings"] = json::array({evil});
  json step = json::parse(StepText(1, 1001, {{0, 0.1}}));
  step["metrics"][evil] = 1.5;
  std::string text = plan.dump() + "\n" + step.dump() + "\n";
  step["step"] = 2;
  text += step.dump() + "\n";
  const std::string page = PageOf(text);
  EXPECT_EQ(UnbalancedTag(page), "");
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cscript>alert"));
}

// Of each curve the lowest and the highest values are drawn.
TEST(PageTest, AHundredThousandStepsStaySmall) {
  RunReader reader("long.jsonl");
  reader.Add(PlanText());
  for (int step = 1; step <= 100'000; ++step) {
    const double compute = 0.1 + 0.001 * ((step * 7919) % 101);
    reader.Add(StepText(step, 1000 + 0.2 * step,
                        {{0.001, compute}, {0.002, 0.1}, {0, 0.1}, {0, 0.1}}));
  }
  const std::string page = ReportPage({Judged(reader.Finish())});
  EXPECT_LT(page.size(), 5'000'000u);
  EXPECT_GT(page.size(), 60'000u);
  EXPECT_EQ(UnbalancedTag(page), "");
}

// Who has no scripts sees a drawing of each chart; page.css hides it from
// others.
TEST(PageTest, EveryChartIsDrawnWithoutScriptsToo) {
  const std::string page = PageOf(FullRun());
  const auto count = [&](const std::string& part) {
    int found = 0;
    for (std::size_t at = page.find(part); at != page.npos;
         at = page.find(part, at + 1))
      ++found;
    return found;
  };
  EXPECT_GT(count("class=\"chart\""), 3);
  EXPECT_EQ(count("class=\"still\"><svg "), count("class=\"chart\""));
  EXPECT_THAT(page, HasSubstr(".js .still, .js .data { display: none; }"));
}

TEST(PageTest, ContentOfAnotherStandsFirst) {
  const std::string page = PageOfRuns("a <title>", "<p>first</p>",
                                      {Judged(RunOf(EvenRun()), "a run")});
  EXPECT_EQ(UnbalancedTag(page), "");
  EXPECT_THAT(page, HasSubstr("<h1>a &lt;title&gt;</h1>"));
  EXPECT_LT(page.find("<p>first</p>"), page.find("<h2>a run</h2>"));
  EXPECT_EQ(UnbalancedTag(PageOfRuns("none", "", {})), "");
}

TEST(PageTest, SeveralRunsStandSideBySide) {
  const std::string slow =
      RunText([](int, int p) { return Took{.compute = p == 2 ? 0.2 : 0.1}; });
  const std::string page = ReportPage({Judged(RunOf(EvenRun()), "first"),
                                       Judged(RunOf(slow), "second"),
                                       Judged(RunOf(PlanText()), "third")});
  EXPECT_EQ(UnbalancedTag(page), "");
  EXPECT_THAT(page, HasSubstr("Side by side"));
  EXPECT_THAT(page, HasSubstr("loss of all runs"));
  EXPECT_THAT(page, HasSubstr("first: nothing stands out"));
  EXPECT_THAT(page, HasSubstr("second: host 2 is slow"));
  EXPECT_LT(page.find("second: host 2"), page.find("Side by side"));
}

TEST(NamesOfRunsTest, AreWhatSetsThePathsApart) {
  RunRecords a;
  RunRecords b;
  a.path = "runs/a/metrics.jsonl";
  b.path = "runs/b/metrics.jsonl";
  EXPECT_THAT(NamesOfRuns({a}), ElementsAre("metrics.jsonl"));
  EXPECT_THAT(NamesOfRuns({a, b}),
              ElementsAre("a/metrics.jsonl", "b/metrics.jsonl"));
  a.plan.settings["run_name"] = "nightly";
  b.plan.settings["run_name"] = "nightly";
  EXPECT_THAT(NamesOfRuns({a, b}),
              ElementsAre("nightly", "nightly (b/metrics.jsonl)"));
  EXPECT_THAT(NamesOfRuns({}), IsEmpty());
}

TEST(DiagnosisJsonTest, HasEveryFinding) {
  const json all =
      json::parse(DiagnosisJson({Judged(RunOf(RunText([](int, int p) {
                                   return Took{.compute = p == 2 ? 0.2 : 0.1};
                                 }))),
                                 Judged(RunOf(EvenRun()))}));
  ASSERT_EQ(all["runs"].size(), 2u);
  const json& sick = all["runs"][0];
  EXPECT_EQ(sick["path"], "run.jsonl");
  EXPECT_EQ(sick["steps"], 40);
  ASSERT_EQ(sick["findings"].size(), 1u);
  EXPECT_EQ(sick["findings"][0]["kind"], "slow_host");
  EXPECT_EQ(sick["findings"][0]["sentence"], sick["verdict"]);
  EXPECT_EQ(all["runs"][1]["verdict"], "nothing stands out");
  EXPECT_TRUE(all["runs"][1]["findings"].empty());
}

TEST(HtmlTest, TextHasNoMarkup) {
  EXPECT_EQ(HtmlText("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(HtmlText("a\x1b"), "a\\x1b");
  EXPECT_EQ(HtmlElement("p", {{"title", "\""}}, "<b></b>"),
            "<p title=\"&quot;\"><b></b></p>");
  EXPECT_EQ(JsonForHtml("{\"a\":\"</script><!--\"}"),
            "{\"a\":\"\\u003c/script>\\u003c!--\"}");
}

TEST(HtmlBalanceTest, SeesWhatIsOpen) {
  EXPECT_EQ(UnbalancedTag("<p>a</p>"), "");
  EXPECT_EQ(UnbalancedTag("<p><b>a</p>"), "/p");
  EXPECT_EQ(UnbalancedTag("<p title=\">\"><b></b>"), "p");
  EXPECT_EQ(UnbalancedTag("<script>a<b</script>"), "");
  EXPECT_EQ(UnbalancedTag("</p>"), "/p");
  EXPECT_EQ(UnbalancedTag("<svg><line x=\"1\"/></svg>"), "");
  EXPECT_THAT(LoadsOf("<img src=\"http://a\">"),
              ElementsAre("src=", "<img", "http://"));
}

}  // namespace
}  // namespace podsim
