// Scales and labels of pictures.
#include "runtime/plan/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
