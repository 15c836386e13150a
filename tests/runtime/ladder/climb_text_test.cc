// A climbed ladder as table, JSON and picture.
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
#include "runtime/ladder/climb_plot.h"
#include "runtime/ladder/climb_table.h"
#include "tests/runtime/ladder/made_climb.h"

namespace podsim {
namespace {

using ::podsim::testing::FailedClimb;
using ::podsim::testing::MadeClimb;
using ::podsim::testing::MadeFirst;
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

TEST(ClimbPlotTest, ALadderThatHasNotBegunIsDrawnToo) {
  const std::string svg = PlotClimb(MadeClimb());
  EXPECT_EQ(CountOf(svg, "fill-opacity"), 0u);
  EXPECT_EQ(CountOf(svg, "<title>"), 5u);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace podsim
