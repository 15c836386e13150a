// Scales and labels of pictures.
#include "runtime/report/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace podsim {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SvgTest, ALogarithmicScaleGoesFromPowerToPower) {
  const Scale scale = LogScale(10, {0.03, 500}, 100, 600);
  EXPECT_EQ(scale.from, -2);
  EXPECT_EQ(scale.to, 3);
  EXPECT_NEAR(scale.At(0.01), 100, 1e-9);
  EXPECT_NEAR(scale.At(1), 300, 1e-9);
  EXPECT_NEAR(scale.At(1000), 600, 1e-9);
  // Of one value that is a power itself.
  const Scale one = LogScale(2, {8}, 0, 1);
  EXPECT_EQ(one.from, 3);
  EXPECT_EQ(one.to, 4);
}

TEST(SvgTest, ALinearScaleIsAStraightLine) {
  const Scale scale = {.from = 0, .to = 1, .begin = 200, .end = 100};
  EXPECT_EQ(scale.At(0), 200);
  EXPECT_EQ(scale.At(0.25), 175);
  EXPECT_EQ(scale.At(1), 100);
}

TEST(SvgTest, TicksAreRound) {
  EXPECT_THAT(RoundTicks(0, 1), ElementsAre(0, DoubleEq(0.2), DoubleEq(0.4),
                                            DoubleEq(0.6), DoubleEq(0.8), 1));
  EXPECT_THAT(RoundTicks(-0.5, 19), ElementsAre(0, 5, 10, 15));
  for (const auto& [low, high] :
       {std::pair(0.0, 7.3), std::pair(-3.0, 1e6), std::pair(0.0, 2e-7),
        std::pair(0.2, 0.9), std::pair(1.0, 2.0)}) {
    const std::vector<double> ticks = RoundTicks(low, high);
    EXPECT_GE(ticks.size(), 2u) << low << " " << high;
    EXPECT_LE(ticks.size(), 7u) << low << " " << high;
    EXPECT_GE(ticks.front(), low);
    EXPECT_LE(ticks.back(), high);
  }
}

TEST(SvgTest, TicksOfALogarithmicAxis) {
  const auto near = [](double value) {
    return DoubleNear(value, 1e-6 * value);
  };
  EXPECT_THAT(LogTicks(0.5, 20'000),
              ElementsAre(near(1), near(10), near(100), near(1e3), near(1e4)));
  EXPECT_THAT(LogTicks(15, 300),
              ElementsAre(near(20), near(50), near(100), near(200)));
  EXPECT_GE(LogTicks(1010, 1020).size(), 2u);
}

TEST(SvgTest, NumbersAreShort) {
  EXPECT_EQ(ShortNumber(1.2e6), "1.2M");
  EXPECT_EQ(ShortNumber(-45'600), "-45.6k");
  EXPECT_EQ(ShortNumber(0.012345), "0.01235");
  EXPECT_EQ(ShortNumber(2e9), "2G");
  EXPECT_EQ(ShortNumber(0), "0");
}

TEST(SvgTest, APictureInAPageNamesNoAddress) {
  const std::string picture = SvgPicture(10, 20, "<g></g>");
  EXPECT_THAT(picture, HasSubstr("http://www.w3.org"));
  EXPECT_THAT(SvgInPage(picture), Not(HasSubstr("http:")));
  EXPECT_THAT(SvgInPage(picture), HasSubstr("viewBox=\"0 0 10 20\""));
}

TEST(SvgTest, LabelsKeepApart) {
  // Those in each other's way are moved, the others stay.
  EXPECT_THAT(KeptApart({50, 10, 52}, 10, 0, 100), ElementsAre(50, 10, 60));
  // At the lower end upwards.
  EXPECT_THAT(KeptApart({100, 99, 20}, 10, 0, 100), ElementsAre(100, 90, 20));
  EXPECT_THAT(KeptApart({}, 10, 0, 100), ElementsAre());
}

TEST(SvgTest, SevenLinesDifferInColourAndMarker) {
  std::set<std::string> colors;
  std::set<std::string> markers;
  for (std::size_t i = 0; i < 7; ++i) {
    const LineStyle style = {i};
    colors.insert(style.color());
    const std::string marker = style.Marker(1, 2, "x");
    markers.insert(marker.substr(marker.find('>')));
  }
  EXPECT_EQ(colors.size(), 7u);
  EXPECT_EQ(markers.size(), 7u);
  EXPECT_STREQ(LineStyle{7}.color(), LineStyle{0}.color());
}

TEST(SvgTest, NamesAreEscaped) {
  EXPECT_THAT(SvgWords(1, 2, "a<b & \"c\"", "end"),
              HasSubstr(">a&lt;b &amp; &quot;c&quot;</text>"));
}

}  // namespace
}  // namespace podsim
