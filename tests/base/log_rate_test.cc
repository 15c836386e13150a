#include "base/log_rate.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(LogRate, TheFirstLineThenOneEverySoOften) {
  LogRate rate(absl::Seconds(10));
  absl::Time now = absl::FromUnixSeconds(1000);
  EXPECT_EQ(rate.Admit(now), 0);
  for (int i = 0; i < 1500; ++i) EXPECT_EQ(rate.Admit(now), std::nullopt);
  now += absl::Seconds(10);
  EXPECT_EQ(rate.Admit(now), 1500);
  EXPECT_EQ(rate.Admit(now), std::nullopt);
  now += absl::Seconds(60);
  EXPECT_EQ(rate.Admit(now), 1);
}

TEST(LogRate, SaysHowManyAreMissing) {
  EXPECT_EQ(LeftOut(0), "");
  EXPECT_EQ(LeftOut(41), " (and 41 more like it)");
}

}  // namespace
}  // namespace podsim
