// The time of one kernel: by hand for each part, and by what holds of every
// time on every generation.
#include "chip/kernel_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "interconnect/topology/hardware.h"

namespace podsim {
namespace {

constexpr double kTera = 1e12;
constexpr std::int64_t kMicrosecond = 1'000'000;  // in picoseconds

constexpr KernelRates kRates = {.matrix_flops_per_second = 50 * kTera,
                                .vector_flops_per_second = 1 * kTera,
                                .transcendental_flops = 10,
                                .hbm_bytes_per_second = 0.4 * kTera,
                                .fixed_seconds = 1e-6};

std::int64_t Picoseconds(const KernelWork& work) {
  return PriceKernel(work, kRates).time.picoseconds();
}

KernelBound BoundOf(const KernelWork& work) {
  return PriceKernel(work, kRates).bound;
}

TEST(PriceKernel, TakesEachPartAtItsRateAndTheFixedCost) {
  // 5 GFLOP at 50 TFLOP/s, 0.2 GFLOP at 1, 120 MB at 400 GB/s.
  const KernelWork product = {.matrix_flops = 5e9};
  const KernelWork sums = {.vector_flops = 0.2e9};
  const KernelWork copy = {.hbm_bytes = 120e6};
  EXPECT_EQ(Picoseconds(product), (100 + 1) * kMicrosecond);
  EXPECT_EQ(Picoseconds(sums), (200 + 1) * kMicrosecond);
  EXPECT_EQ(Picoseconds(copy), (300 + 1) * kMicrosecond);
  EXPECT_EQ(BoundOf(product), KernelBound::kCompute);
  EXPECT_EQ(BoundOf(sums), KernelBound::kVector);
  EXPECT_EQ(BoundOf(copy), KernelBound::kHbm);
}

TEST(PriceKernel, PartsOverlap) {
  KernelWork work = {
      .matrix_flops = 5e9, .vector_flops = 0.2e9, .hbm_bytes = 120e6};
  EXPECT_EQ(Picoseconds(work), (300 + 1) * kMicrosecond);
  EXPECT_EQ(BoundOf(work), KernelBound::kHbm);
  work.hbm_bytes = 60e6;  // 150 us
  EXPECT_EQ(Picoseconds(work), (200 + 1) * kMicrosecond);
  EXPECT_EQ(BoundOf(work), KernelBound::kVector);
  work.matrix_flops = 20e9;  // 400 us
  EXPECT_EQ(Picoseconds(work), (400 + 1) * kMicrosecond);
  EXPECT_EQ(BoundOf(work), KernelBound::kCompute);
}

// 0.1 G additions and 0.02 G exponentials of ten operations each: 0.3 GFLOP.
TEST(PriceKernel, ATranscendentalIsSeveralOperationsOfTheVectorUnit) {
  const KernelWork work = {.vector_flops = 0.1e9, .transcendentals = 0.02e9};
  EXPECT_EQ(Picoseconds(work), (300 + 1) * kMicrosecond);
  EXPECT_EQ(BoundOf(work), KernelBound::kVector);
  KernelRates rates = kRates;
  rates.transcendental_flops = 20;
  EXPECT_EQ(PriceKernel(work, rates).time.picoseconds(),
            (500 + 1) * kMicrosecond);
}

TEST(PriceKernel, ASmallKernelTakesItsFixedCost) {
  EXPECT_EQ(Picoseconds({}), kMicrosecond);
  EXPECT_EQ(BoundOf({}), KernelBound::kFixedCost);
  // 4 KB: 10 ns.
  EXPECT_EQ(Picoseconds({.hbm_bytes = 4000}), kMicrosecond + 10'000);
  EXPECT_EQ(BoundOf({.hbm_bytes = 4000}), KernelBound::kFixedCost);
  // As long as the fixed cost, and longer.
  EXPECT_EQ(BoundOf({.vector_flops = 1e6}), KernelBound::kFixedCost);
  EXPECT_EQ(BoundOf({.vector_flops = 1.1e6}), KernelBound::kVector);
}

TEST(KernelBoundName, SaysWhatDecides) {
  EXPECT_EQ(KernelBoundName(KernelBound::kCompute), "compute");
  EXPECT_EQ(KernelBoundName(KernelBound::kVector), "vector");
  EXPECT_EQ(KernelBoundName(KernelBound::kHbm), "HBM");
  EXPECT_EQ(KernelBoundName(KernelBound::kFixedCost), "fixed cost");
}

KernelRates RatesNamed(const char* generation) {
  return RatesOf(FiguresOf(*FindGeneration(ShippedHardware(), generation)));
}

TEST(RatesOf, AreSharesOfTheFigures) {
  // A core of v3: 61.5 TFLOP/s, 450 GB/s, 2,048 adders at 940 MHz.
  const KernelRates v3 = RatesNamed("v3");
  EXPECT_DOUBLE_EQ(v3.matrix_flops_per_second, 0.86 * 61.5e12);
  EXPECT_DOUBLE_EQ(v3.vector_flops_per_second, 1.92512e12);
  EXPECT_DOUBLE_EQ(v3.hbm_bytes_per_second, 0.81 * 450e9);
  EXPECT_DOUBLE_EQ(v3.fixed_seconds, 0.5e-6);
  EXPECT_EQ(v3.transcendental_flops, 10);
  // A chip of v4, whose cores act as one: twice 2,048 adders at 1,050 MHz.
  const KernelRates v4 = RatesNamed("v4");
  EXPECT_DOUBLE_EQ(v4.matrix_flops_per_second, 0.79 * 275e12);
  EXPECT_DOUBLE_EQ(v4.vector_flops_per_second, 4.3008e12);
  EXPECT_DOUBLE_EQ(v4.hbm_bytes_per_second, 0.81 * 1200e9);
}

constexpr double kSizes[] = {0, 1, 1e3, 1e6, 1e9, 1e12, 1e15};

// A time is rounded to picoseconds: half of one is the tolerance.
constexpr double kRounding = 0.5e-12;

TEST(PriceKernel, IsNeverFasterThanThePeaks) {
  for (const Generation& generation : ShippedHardware().generations()) {
    const ChipFigures chip = FiguresOf(generation);
    for (const double flops : kSizes) {
      for (const double bytes : kSizes) {
        const double time =
            PriceKernel({.matrix_flops = flops, .hbm_bytes = bytes},
                        RatesOf(chip))
                .time.seconds();
        EXPECT_GE(time + kRounding, std::max(flops / chip.matrix_flops,
                                             bytes / chip.hbm_bytes_per_second))
            << generation.name() << " " << flops << " FLOPs, " << bytes << " B";
      }
    }
  }
}

// Each way to do more or to be slower, from a kernel that any part may bound.
TEST(PriceKernel, MoreWorkOrLowerRatesNeverTakeLess) {
  const KernelWork work = {
      .matrix_flops = 5e7, .vector_flops = 1e6, .hbm_bytes = 4e5};
  const SimTime before = PriceKernel(work, kRates).time;
  for (double KernelWork::*part :
       {&KernelWork::matrix_flops, &KernelWork::vector_flops,
        &KernelWork::hbm_bytes}) {
    KernelWork more = work;
    more.*part *= 3;
    EXPECT_GT(PriceKernel(more, kRates).time, before);
  }
  for (double KernelRates::*rate : {&KernelRates::matrix_flops_per_second,
                                    &KernelRates::vector_flops_per_second,
                                    &KernelRates::hbm_bytes_per_second}) {
    KernelRates slower = kRates;
    slower.*rate /= 3;
    EXPECT_GT(PriceKernel(work, slower).time, before);
  }
  KernelRates slower = kRates;
  slower.fixed_seconds *= 3;
  EXPECT_GT(PriceKernel(work, slower).time, before);
}

}  // namespace
}  // namespace podsim
