// A climbed ladder as table, JSON, picture and page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/text_table.h"
#include "nlohmann/json.hpp"
#include "runtime/ladder/climb_json.h"
#include "runtime/ladder/climb_page.h"
#include "runtime/ladder/climb_plot.h"
#include "runtime/ladder/climb_table.h"
#include "runtime/report/run_reader.h"
#include "tests/runtime/ladder/made_climb.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::FailedClimb;
using ::podsim::testing::MadeClimb;
using ::podsim::testing::MadeFirst;
using ::podsim::testing::TempDir;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Lines are broken at words: one space for each end of a comment's line.
std::string Joined(const std::string& text) {
  std::string joined;
  for (const absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \n#"), absl::SkipEmpty()))
    absl::StrAppend(&joined, joined.empty() ? "" : " ", word);
  return joined;
}

TEST(ClimbTableTest, SaysWhatFailedAndWhatToChange) {
  const std::string text = FormatClimb(FailedClimb(), 80);
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    EXPECT_LE(line.size(), 80u) << line;
  const std::string joined = Joined(text);
  EXPECT_THAT(joined, StartsWith("mlp on digits, trained on 12,800 examples on "
                                 "every slice"));
  EXPECT_THAT(joined, HasSubstr("eval loss must be 0.11 +- 0.03: the mean of 3 "
                                "seeds on v3-8, and 3 standard deviations"));
  EXPECT_THAT(text, HasSubstr("FAILED: loss"));
  EXPECT_THAT(joined, HasSubstr("v3-32 failed: eval loss 0.5 is above 0.11"));
  EXPECT_THAT(joined, HasSubstr("change --batch_per_core: 8 leaves 50 steps"));
  EXPECT_THAT(text, HasSubstr("# not run: v3-128\n"));
}

// For whoever keeps the table in a file.
TEST(ClimbTableTest, OnlyAFirstRungThatFailedIsALineOfItsOwn) {
  EXPECT_EQ(FirstFailedText(MadeClimb()), "");
  EXPECT_EQ(FirstFailedText(FailedClimb()), "");
  Climb climb = MadeClimb();
  climb.verdicts = {{RungFault::kMemory, "no core holds it", ""}};
  EXPECT_EQ(FirstFailedText(climb), "v3-8 failed: no core holds it");
  climb.verdicts[0].change = "--batch_per_core: try 4";
  EXPECT_EQ(FirstFailedText(climb),
            "v3-8 failed: no core holds it; change --batch_per_core: try 4");
}

TEST(ClimbTableTest, TheFirstRungShowsTheMeanOfItsSeeds) {
  const std::string text = FormatClimb(FailedClimb(), kAllColumns);
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StartsWith(line, "v3-8 ")) continue;
    EXPECT_THAT(std::string(line), HasSubstr("0.11"));
    EXPECT_THAT(std::string(line), HasSubstr("96.00%"));
    EXPECT_THAT(std::string(line), HasSubstr("5 ms"));
    EXPECT_THAT(std::string(line), HasSubstr("passed"));
  }
  EXPECT_THAT(text, HasSubstr("learning rate"));
}

TEST(ClimbTableTest, WithoutARungThereIsNoTable) {
  const std::string text = FormatClimb(MadeClimb(), 80);
  EXPECT_THAT(text, HasSubstr("# not run: v3-8, v3-32, v3-128\n"));
  EXPECT_THAT(text, Not(HasSubstr("verdict")));
}

TEST(ClimbJsonTest, HasEveryRung) {
  const auto json = nlohmann::json::parse(FormatClimbJson(FailedClimb()));
  EXPECT_EQ(json["examples"], 12800);
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["stopped_at"], "v3-32");
  EXPECT_NEAR(json["band"]["high"].get<double>(), 0.14, 1e-12);
  ASSERT_EQ(json["rungs"].size(), 3u);
  EXPECT_EQ(json["rungs"][0]["verdict"], "passed");
  EXPECT_EQ(json["rungs"][0]["runs"].size(), 3u);
  EXPECT_EQ(json["rungs"][1]["verdict"], "loss");
  EXPECT_EQ(json["rungs"][1]["runs"][0]["eval_loss"], 0.5);
  EXPECT_EQ(json["rungs"][2]["verdict"], "not run");
  EXPECT_TRUE(json["rungs"][2]["reason"].is_null());
}

TEST(ClimbJsonTest, ALadderThatPassedStoppedNowhere) {
  Climb climb = MadeClimb();
  climb.rungs = {MadeFirst()};
  climb.verdicts = {{}};
  const auto json = nlohmann::json::parse(FormatClimbJson(climb));
  EXPECT_EQ(json["passed"], true);
  EXPECT_TRUE(json["stopped_at"].is_null());
}

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(ClimbPlotTest, DrawsRunsBandAndEfficiency) {
  const std::string svg = PlotClimb(FailedClimb());
  EXPECT_THAT(svg, StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, HasSubstr("shaded: what passes"));
  EXPECT_THAT(svg, HasSubstr("v3-32, seed 0: 0.5"));
  // Four runs, three efficiencies, two of the legend.
  EXPECT_EQ(CountOf(svg, "<title>"), 9u);
  EXPECT_EQ(CountOf(svg, "fill-opacity"), 1u);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

// A run of v3-8 as its metrics file has it.
RunRecords MadeRecords(double loss) {
  RunReader reader("metrics.jsonl");
  reader.Add(R"({"event":"plan","slice":"v3-8","model":"mlp"})"
             "\n");
  for (int step = 1; step <= 3; ++step)
    reader.Add(absl::StrCat(R"({"event":"step","step":)", step, R"(,"loss":)",
                            loss / step, R"(,"examples_per_second":100})",
                            "\n"));
  return reader.Finish();
}

TEST(ClimbPageTest, WhatFailedComesFirstThenTableDrawingAndRuns) {
  const std::string page =
      ClimbPage(FailedClimb(),
                {{"v3-8, seed 0", MadeRecords(1)}, {"v3-32", MadeRecords(2)}});
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  std::size_t last = 0;
  for (const char* part :
       {"v3-32 failed: eval loss 0.5 is above 0.11",
        "change --batch_per_core: 8 leaves 50 steps",
        "<th>slice</th><th>verdict</th>", "FAILED: loss", "not run: v3-128",
        "scaling efficiency (sim)", "v3-8, seed 0: ", "Side by side",
        "loss of all runs", "<h2>v3-8, seed 0</h2>", "<h2>v3-32</h2>"}) {
    const std::size_t at = page.find(part, last);
    ASSERT_NE(at, page.npos) << part;
    last = at;
  }
  EXPECT_THAT(page, HasSubstr("class=\"verdict sick\">v3-32 failed"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST(ClimbPageTest, OfOneThatPassedAndOfOneThatWasStopped) {
  Climb passed = MadeClimb();
  passed.rungs = {MadeFirst()};
  passed.verdicts = {{}};
  EXPECT_THAT(ClimbPage(passed, {}),
              HasSubstr("class=\"verdict well\">every slice passed"));
  EXPECT_THAT(ClimbPage(MadeClimb(), {}), HasSubstr("stopped before v3-8"));
}

TEST(ClimbPageTest, ReadsTheRunsThatHaveMetrics) {
  const TempDir folder;
  const auto files = RungFiles::Open(folder.file("ladder"));
  ASSERT_TRUE(files.ok()) << files.status();
  const Climb climb = FailedClimb();
  const auto store = NewLocalStore();
  EXPECT_TRUE(RunsOfClimb(climb, *files, *store).empty());
  const auto write = [&](const std::string& slice, std::uint64_t seed,
                         bool is_first) {
    const auto made = files->ForRun(slice, seed, is_first);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(made->metrics, files->MetricsOf(slice, seed, is_first));
    ASSERT_TRUE(store
                    ->Write(made->metrics,
                            R"({"event":"step","step":1,"loss":1})"
                            "\n")
                    .ok());
  };
  write("v3-8", 0, true);
  write("v3-8", 2, false);
  write("v3-32", 0, true);
  std::string names;
  for (const auto& [name, run] : RunsOfClimb(climb, *files, *store))
    absl::StrAppend(&names, name, ": ", run.steps.size(), ";");
  EXPECT_EQ(names, "v3-8, seed 0: 1;v3-8, seed 2: 1;v3-32: 1;");
}

TEST(ClimbPlotTest, ALadderThatHasNotBegunIsDrawnToo) {
  const std::string svg = PlotClimb(MadeClimb());
  EXPECT_EQ(CountOf(svg, "fill-opacity"), 0u);
  EXPECT_EQ(CountOf(svg, "<title>"), 5u);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace podsim
