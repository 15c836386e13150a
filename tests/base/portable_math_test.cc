// The series against the C library, which is good to an ulp or so.
#include "base/portable_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace podsim {
namespace {

TEST(PortableMathTest, LogIsTheLibrarys) {
  for (double x = 1; x > 1e-300; x *= 0.37)
    EXPECT_NEAR(PortableLog(x), std::log(x), 4e-16 * (1 - std::log(x)));
}

TEST(PortableMathTest, PowerIsTheLibrarys) {
  EXPECT_EQ(PortablePower(0, 2), 0);
  EXPECT_EQ(PortablePower(1, 0.3), 1);
  for (const double p : {0.5, 1.0, 2.0, 3.7, 40.0})
    for (double x = 0.999; x > 1e-6; x *= 0.61)
      EXPECT_NEAR(PortablePower(x, p) / std::pow(x, p), 1,
                  4e-15 * (1 - p * std::log(x)));
  EXPECT_EQ(PortablePower(1e-300, 900), 0);
}

TEST(PortableMathTest, CircleIsTheLibrarys) {
  for (int i = 0; i <= 64; ++i) {
    const double t = i / 64.0;
    const PointOnCircle point = PortableCircle(t);
    EXPECT_NEAR(point.cosine, std::cos(2 * std::numbers::pi * t), 1e-15);
    EXPECT_NEAR(point.sine, std::sin(2 * std::numbers::pi * t), 1e-15);
  }
  EXPECT_EQ(PortableCircle(0).cosine, 1);
}

}  // namespace
}  // namespace podsim
