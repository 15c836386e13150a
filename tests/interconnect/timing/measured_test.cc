// The model beside measurements of real pods, which docs/validation.md repeats:
// how wrong it is, row by row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "interconnect/timing/pricing.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

double Microseconds(const Slice& slice, const PriceRequest& request) {
  const auto price = PriceCollective(slice, request);
  EXPECT_TRUE(price.ok()) << price.status();
  return price->time.seconds() * 1e6;
}

struct Errors {
  double mean = 0;
  double worst = 0;
  void Add(double model, double measured) {
    const double error = std::abs(model / measured - 1);
    mean = (mean * count + error) / (count + 1);
    worst = std::max(worst, error);
    ++count;
  }
  int count = 0;
};

// All-reduces of MLPerf v0.7 models on 64 TPU v3 cores (32 chips): op profiles
// in google/paragraph, paragraph/data/*_32_tpuv3_stats.csv, average per call.
struct Row {
  std::int64_t bytes;
  double microseconds;
};
constexpr Row kV3[] = {
    {21'087'748, 467.80},   {38'551'660, 762.57},   {51'106'384, 969.16},
    {64'677'496, 1258.89},  {68'032'648, 1246.16},  {69'033'984, 1275.77},
    {82'960'384, 1552.94},  {111'251'456, 2027.65}, {117'489'664, 2160.96},
    {117'583'872, 2148.55}, {119'537'664, 2164.50}, {121'688'064, 2222.57},
    {122'890'240, 2249.81}, {123'731'968, 2256.61}, {123'805'696, 2266.18},
    {124'125'184, 2241.15}, {124'928'002, 2249.55}};

TEST(Measured, AllReducesOf64V3Cores) {
  const Slice slice = *FindSlice("v3-64");
  Errors errors;
  for (const Row& row : kV3)
    errors.Add(Microseconds(slice, {.bytes = row.bytes}), row.microseconds);
  EXPECT_LE(errors.mean, 0.015);
  EXPECT_LE(errors.worst, 0.04);
  // Nothing is fitted to this one.
  EXPECT_NEAR(Microseconds(slice, {.bytes = 39'424}) / 48.36, 1, 0.3);
}

// GShard, section 5.3: all-reduces of 8 and 32 MB do not grow from 16 to 2,048
// partitions; all-to-all grows ninefold.
TEST(Measured, WhatGrowsWithTheGridOnV3) {
  const Generation& v3 = *FindGeneration(ShippedHardware(), "v3");
  for (const bool wraps : {true, false}) {
    for (const std::int64_t bytes : {8'000'000, 32'000'000}) {
      std::vector<double> sums;
      std::vector<double> exchanges;
      for (const GridSize grid :
           {GridSize{2, 4}, GridSize{4, 4}, GridSize{4, 8}, GridSize{8, 8},
            GridSize{8, 16}, GridSize{16, 16}, GridSize{16, 32},
            GridSize{32, 32}}) {
        ASSERT_OK_AND_ASSIGN(const Slice slice, SliceOfGrid(v3, grid, wraps));
        sums.push_back(Microseconds(
            slice, {.algorithm = ChipAlgorithm::kTorusAll, .bytes = bytes}));
      }
      EXPECT_LE(*std::max_element(sums.begin(), sums.end()) /
                    *std::min_element(sums.begin(), sums.end()),
                1.6)
          << wraps << " " << bytes;
      if (!wraps) continue;  // a mesh of 1,024 chips takes long
      for (const GridSize grid : {GridSize{2, 4}, GridSize{32, 32}})
        exchanges.push_back(Microseconds(
            *SliceOfGrid(v3, grid, wraps),
            {.collective = Collective::kAllToAll, .bytes = bytes}));
      EXPECT_GE(exchanges[1] / exchanges[0], 6);
      EXPECT_LE(exchanges[1] / exchanges[0], 12);
    }
  }
}

// Published: 1.63 and 1.31 times as fast.
TEST(Measured, WhatTheTwistGains) {
  for (const auto& [name, gain] :
       {std::pair("v4-256", 1.63), std::pair("v4-512", 1.31)}) {
    const PriceRequest request = {.collective = Collective::kAllToAll,
                                  .bytes = 64'000'000};
    const double plain = Microseconds(*FindSlice(name), request);
    const double twisted =
        Microseconds(*FindSlice(name, {.twist = true}), request);
    EXPECT_NEAR(plain / twisted / gain, 1, 0.08) << name;
  }
}

TEST(Measured, AllGathersOnALineOfFourV5eChips) {
  Slice line = *FindSlice("v5litepod-16");
  line.grid = {4, 1, 1};
  line.chips = 4;
  const auto gather = [&](std::int64_t bytes) {
    return Microseconds(line,
                        {.collective = Collective::kAllGather, .bytes = bytes});
  };
  EXPECT_NEAR(gather(34'000'000) / 680, 1, 0.15);
  EXPECT_NEAR(gather(128'000) / 8, 1, 0.15);
}

TEST(Measured, CopiesAndSumsOnV6e) {
  const Slice small = *FindSlice("v6e-16");
  const ChipFigures& chip = small.chip();
  const double bytes_time =
      4096 / (chip.link_bytes_per_second * chip.link_share);
  const auto copy = [&](int hops) {
    return (chip.collective_seconds + bytes_time + hops * chip.hop_seconds) *
           1e6;
  };
  Errors errors;
  errors.Add(copy(1), 1.43);
  errors.Add(copy(3), 2.65);
  errors.Add(Microseconds(small, {.bytes = 10'240}), 3.69);
  errors.Add(Microseconds(small, {.bytes = 81'920}), 5.27);
  errors.Add(Microseconds(*FindSlice("v6e-256"),
                          {.bytes = 606'000'000, .element_bytes = 2}),
             5120);
  EXPECT_LE(errors.mean, 0.15);
}

// Rates of the gathered array over the time: 71.8 to 178.8 GB/s.
TEST(Measured, AllGathersOnTpu7x) {
  const Slice slice = *FindSlice("tpu7x-8");
  Errors errors;
  for (const auto& [bytes, rate] :
       {std::pair(1'572'864, 71.8), std::pair(6'291'456, 129.2),
        std::pair(25'165'824, 161.9), std::pair(100'663'296, 174.8),
        std::pair(402'653'184, 178.8)})
    errors.Add(Microseconds(slice, {.collective = Collective::kAllGather,
                                    .bytes = bytes}),
               bytes / rate / 1e3);
  EXPECT_LE(errors.mean, 0.03);
}

}  // namespace
}  // namespace podsim
