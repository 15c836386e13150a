// Figures that follow from others in the table agree with what is published.
#include "interconnect/topology/chip.h"

#include <gtest/gtest.h>

#include "interconnect/topology/slice.h"

namespace podsim {
namespace {

constexpr double kTera = 1e12;

ChipFigures Chip(const char* generation) {
  return FiguresOf(*FindGeneration(ShippedHardware(), generation));
}

struct Published {
  const char* name;
  double tera_flops;  // bfloat16, of a chip
  double memory;      // bytes/s, of a chip
  double link;        // bytes/s, one direction
  int replicas;       // of a chip
};

class ChipTest : public ::testing::TestWithParam<Published> {};

TEST_P(ChipTest, IsAsPublished) {
  const Published& row = GetParam();
  const ChipFigures chip = Chip(row.name);
  EXPECT_EQ(chip.name, row.name);
  EXPECT_EQ(chip.replicas_per_chip, row.replicas);
  EXPECT_DOUBLE_EQ(chip.matrix_flops * row.replicas / kTera, row.tera_flops);
  EXPECT_DOUBLE_EQ(chip.hbm_bytes_per_second * row.replicas, row.memory);
  EXPECT_DOUBLE_EQ(chip.hbm_bytes_per_second_per_chip, row.memory);
  EXPECT_DOUBLE_EQ(chip.link_bytes_per_second, row.link);
}

// Where units and clock are published too they give the peak: rounded to the
// TFLOP/s by the vendor, and v5e's clock is "about".
TEST_P(ChipTest, UnitsAndClockGiveThePeak) {
  const Generation& generation =
      *FindGeneration(ShippedHardware(), GetParam().name);
  if (generation.clock_hz().grade() == ASSUMED) {
    EXPECT_FALSE(generation.clock_hz().note().empty());
    return;
  }
  const ChipFigures chip = FiguresOf(generation);
  const double peak = 2.0 * chip.matrix_units * chip.matrix_unit_side *
                      chip.matrix_unit_side * chip.clock_hz;
  EXPECT_NEAR(peak / chip.matrix_flops, 1, 0.01);
}

INSTANTIATE_TEST_SUITE_P(
    All, ChipTest,
    ::testing::Values(Published{"v2", 46, 700e9, 62e9, 2},
                      Published{"v3", 123, 900e9, 82e9, 2},
                      Published{"v4", 275, 1200e9, 50e9, 1},
                      Published{"v5e", 197, 819e9, 50e9, 1},
                      Published{"v5p", 459, 2765e9, 100e9, 1},
                      Published{"v6e", 918, 1638e9, 100e9, 1},
                      Published{"tpu7x", 2307, 7380e9, 100e9, 2}));

// Of one core, also where those of a chip act as one.
TEST(ChipTest, VectorUnitsHaveSublanesLanesAndAdders) {
  EXPECT_EQ(Chip("v3").vector_flops_per_cycle_per_core, 8 * 128 * 2);
  EXPECT_EQ(Chip("v4").vector_flops_per_cycle_per_core, 8 * 128 * 2);
  EXPECT_EQ(Chip("v5e").vector_flops_per_cycle_per_core, 8 * 128 * 4);
}

// Two generations have one of a kernel's constants to themselves.
TEST(ChipTest, KernelsReachWhatTheTableSays) {
  const ChipFigures v3 = Chip("v3");
  EXPECT_EQ(v3.matrix_share, 0.86);
  EXPECT_EQ(v3.hbm_share, 0.81);
  EXPECT_EQ(v3.kernel_seconds, 0.5e-6);
  EXPECT_EQ(Chip("v4").matrix_share, 0.79);
  EXPECT_EQ(Chip("tpu7x").kernel_seconds, 1.6e-6);
}

// Of one replica: v4 and v5p have one a chip, tpu7x two.
TEST(ChipTest, RoomForValuesIsBesideTheTilesOfAKernel) {
  constexpr double kMebibyte = 1024 * 1024;
  EXPECT_EQ(Chip("v2").on_chip_bytes, 0);
  EXPECT_EQ(Chip("v3").on_chip_bytes, 0);
  EXPECT_EQ(Chip("v4").on_chip_bytes, 128 * kMebibyte);
  EXPECT_EQ(Chip("v5e").on_chip_bytes, 112 * kMebibyte);
  EXPECT_EQ(Chip("v5p").on_chip_bytes, 2 * 48 * kMebibyte);
  EXPECT_EQ(Chip("v6e").on_chip_bytes, 96 * kMebibyte);
  EXPECT_EQ(Chip("tpu7x").on_chip_bytes, 32 * kMebibyte);
}

// Of a core's HBM, or of a chip's whose cores act as one: what the compilers'
// errors print as reserved and, but for v3's older one, as there for programs.
TEST(ChipTest, TheSystemKeepsAPartOfHbm) {
  constexpr std::int64_t kMebibyte = 1024 * 1024;
  EXPECT_EQ(Chip("v2").hbm_reserved_bytes, 530 * kMebibyte);
  EXPECT_EQ(Chip("v3").hbm_reserved_bytes, 528 * kMebibyte);
  EXPECT_EQ(Chip("v4").hbm_reserved_bytes, 1280 * kMebibyte);
  EXPECT_EQ(Chip("v2").available_hbm_bytes(), (8192 - 530) * kMebibyte);
  EXPECT_EQ(Chip("v3").available_hbm_bytes(), (16384 - 528) * kMebibyte);
  EXPECT_EQ(Chip("v4").available_hbm_bytes(), (32768 - 1280) * kMebibyte);
  for (const Generation& generation : ShippedHardware().generations()) {
    const ChipFigures chip = FiguresOf(generation);
    EXPECT_GT(chip.hbm_reserved_bytes, 0) << generation.name();
    EXPECT_EQ(chip.available_hbm_bytes() + chip.hbm_reserved_bytes,
              chip.hbm_bytes)
        << generation.name();
  }
}

TEST(ChipTest, BisectionOfTheV3PodIsAsPublished) {
  // 64 links of 656 Gbit/s cross the middle of a 32x32 torus: 42 Tbit/s; 42.3
  // is published. 1% covers its rounding.
  const double bits = 2.0 * 32 * Chip("v3").link_bytes_per_second * 8;
  EXPECT_NEAR(bits / kTera, 42.3, 0.01 * 42.3);
}

}  // namespace
}  // namespace podsim
