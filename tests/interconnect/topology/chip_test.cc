// Figures that follow from others in the table agree with what is published.
#include <gtest/gtest.h>

#include "interconnect/topology/slice.h"

namespace podsim {
namespace {

constexpr double kTera = 1e12;

TEST(ChipTest, PeakIsAsPublishedPerChip) {
  // 46 and 123 TFLOP/s: rounded to the TFLOP/s by the vendor, so within half a
  // TFLOP/s of what units and clock give.
  EXPECT_NEAR(FiguresOf("v2").matrix_flops_per_core * kCoresPerChip / kTera, 46,
              0.5);
  EXPECT_NEAR(FiguresOf("v3").matrix_flops_per_core * kCoresPerChip / kTera,
              123, 0.5);
}

TEST(ChipTest, PodsHaveThePublishedNumberOfChips) {
  EXPECT_EQ(FiguresOf("v2").pod_x * FiguresOf("v2").pod_y, 256);
  EXPECT_EQ(FiguresOf("v3").pod_x * FiguresOf("v3").pod_y, 1024);
}

TEST(ChipTest, BisectionOfTheV3PodIsAsPublished) {
  // 64 links of 656 Gbit/s cross the middle of a 32x32 torus: 42 Tbit/s; 42.3
  // is published. 1% covers its rounding.
  const ChipFigures& chip = FiguresOf("v3");
  const double bits = 2.0 * chip.pod_x * chip.link_bytes_per_second * 8;
  EXPECT_NEAR(bits / kTera, 42.3, 0.01 * 42.3);
}

TEST(ChipTest, BandwidthsPerChipAreAsPublished) {
  for (const auto& [name, memory, link] :
       {std::tuple("v2", 700e9, 62e9), std::tuple("v3", 900e9, 82e9)}) {
    const ChipFigures& chip = FiguresOf(name);
    EXPECT_EQ(chip.name, name);
    EXPECT_DOUBLE_EQ(chip.hbm_bytes_per_second_per_core * kCoresPerChip,
                     memory);
    EXPECT_DOUBLE_EQ(chip.link_bytes_per_second, link);
    EXPECT_GT(chip.hop_seconds, 0);
  }
}

}  // namespace
}  // namespace podsim
