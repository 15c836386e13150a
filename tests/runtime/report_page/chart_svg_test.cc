// Drawings that need no script: small, whole, in the colours of the page.
#include "runtime/report_page/chart_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/report/svg.h"
#include "runtime/report_page/assets.h"
#include "tests/runtime/report/run_fixture.h"
#include "tests/runtime/report_page/html_balance.h"

namespace podsim {
namespace {

using ::podsim::testing::EvenRun;
using ::podsim::testing::LoadsOf;
using ::podsim::testing::PlanText;
using ::podsim::testing::RunOf;
using ::podsim::testing::UnbalancedTag;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

int CountIn(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

Chart ChartOf(std::vector<double> values) {
  Chart chart = {.title = "loss & more", .unit = "loss & more"};
  for (std::size_t i = 0; i < values.size(); ++i)
    chart.steps.push_back(static_cast<double>(i + 1));
  chart.series = {{.label = "loss", .values = std::move(values)}};
  return chart;
}

// Every step another loss, and an evaluation every second step.
std::string LongRun(int steps) {
  std::string text = PlanText();
  for (int step = 1; step <= steps; ++step) {
    absl::StrAppend(&text, R"({"event":"step","step":)", step, R"(,"loss":)",
                    1.0 / step + 0.01 * (step * 7919 % 101),
                    R"(,"examples_per_second":)", 1000 + step * 31 % 97,
                    R"(,"simulated_seconds":)", 0.005 + 1e-5 * (step % 7),
                    R"(,"metrics":{"margin":)", step * 13 % 89, R"(,"second":)",
                    step, "}}\n");
    if (step % 2 == 0)
      absl::StrAppend(&text, R"({"event":"eval","step":)", step, R"(,"loss":)",
                      0.5 + 0.01 * (step % 53), "}\n");
  }
  return text;
}

TEST(ChartSvgTest, HasAxesUnitsAndLastValues) {
  const std::string svg = ChartsSvg({ChartOf({2, 1.5, 1})});
  EXPECT_THAT(svg, StartsWith("<svg xmlns="));
  EXPECT_EQ(UnbalancedTag(svg), "");
  for (const char* words :
       {">loss &amp; more<", ">loss: 1<", ">step<", ">0<", ">1<", ">2<", ">3<"})
    EXPECT_THAT(svg, HasSubstr(words)) << words;
  EXPECT_THAT(svg, HasSubstr(LineStyle{0}.color()));
}

TEST(ChartSvgTest, AGapBreaksTheLine) {
  EXPECT_EQ(CountIn(ChartsSvg({ChartOf({4, 3, 2, 1})}), "M"), 1);
  EXPECT_EQ(CountIn(ChartsSvg({ChartOf({4, 3, kNoValue, 1})}), "M"), 2);
  Chart spanned = ChartOf({4, kNoValue, 2, 1});
  spanned.series[0].spans_gaps = true;
  EXPECT_EQ(CountIn(ChartsSvg({spanned}), "M"), 1);
}

TEST(ChartSvgTest, OddValuesAreDrawnToo) {
  Chart flat = ChartOf({5, 5, 5});
  flat.log = true;
  for (const Chart& chart :
       {flat, ChartOf({0, 0, 0}), ChartOf({-3, -2, 1e30}),
        ChartOf({std::numeric_limits<double>::infinity(), 1, 2})}) {
    const std::string svg = ChartsSvg({chart});
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
    EXPECT_THAT(svg, HasSubstr("<path"));
  }
}

TEST(ChartSvgTest, WithoutAValueItSaysSo) {
  EXPECT_THAT(ChartsSvg({}), HasSubstr("fewer than two steps"));
  EXPECT_THAT(ChartsSvg({ChartOf({kNoValue, kNoValue})}),
              HasSubstr("fewer than two steps"));
}

TEST(ChartSvgTest, InAPageItNamesNoAddress) {
  const std::string svg = ChartSvg(ChartOf({2, 1}));
  EXPECT_THAT(svg, StartsWith("<svg width="));
  EXPECT_THAT(LoadsOf(svg), IsEmpty());
}

TEST(ChartsInShortTest, AreLossOneMetricAndThroughput) {
  const RunRecords run = RunOf(LongRun(40));
  std::string titles;
  for (const Chart& chart : ChartsInShort({&run}, {"a"}))
    absl::StrAppend(&titles, chart.title, ";");
  EXPECT_EQ(titles, "loss;margin;throughput;");
}

TEST(ChartsInShortTest, SeveralRunsAreDrawnOnTopOfEachOther) {
  const RunRecords run = RunOf(EvenRun());
  const std::string svg =
      ChartsSvg(ChartsInShort({&run, &run}, {"first", "second"}));
  EXPECT_THAT(svg, HasSubstr(">loss of all runs<"));
  EXPECT_THAT(svg, HasSubstr(">second: "));
}

// A notebook stores its cells.
TEST(ChartsInShortTest, AreSmallOfAnyNumberOfSteps) {
  for (const int steps : {2, 300, 20'000}) {
    const RunRecords run = RunOf(LongRun(steps));
    const std::string svg = ChartsSvg(ChartsInShort({&run}, {"a"}));
    EXPECT_LT(svg.size(), 19'000u) << steps;
    EXPECT_EQ(CountIn(svg, "<g transform"), 3) << steps;
  }
}

// Both name the palette: what is drawn by page.js and what is drawn here is of
// one colour.
TEST(ChartSvgTest, ThePageHasTheSameColours) {
  const std::string css(PageCss());
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_THAT(css, HasSubstr(absl::StrCat("--c", i, ": ",
                                            LineStyle{i}.color(), ";")));
  // Those that its dark theme replaces.
  for (const std::size_t i : {0u, 5u})
    EXPECT_THAT(css,
                HasSubstr(absl::StrCat("svg [stroke=\"", LineStyle{i}.color(),
                                       "\"] { stroke: var(--c", i, ")")));
  EXPECT_THAT(css, HasSubstr(absl::StrCat("svg [", kSvgGrid, "]")));
}

}  // namespace
}  // namespace podsim
