// The model beside measurements of real pods: not a proof that it is right but
// a statement of how wrong it is, which docs/timing-model.md repeats.
#include <gtest/gtest.h>

#include <vector>

#include "interconnect/timing/pricing.h"
#include "interconnect/topology/slice.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

// All-reduces of MLPerf v0.7 models on 64 TPU v3 cores (32 chips): op profiles
// in google/paragraph, paragraph/data/*_32_tpuv3_stats.csv, average per call.
struct Measured {
  std::int64_t bytes;
  double microseconds;
};
const std::vector<Measured>& MeasuredOnV3() {
  static const auto* const kMeasured = new std::vector<Measured>{
      {39'424, 48.36},        {21'087'748, 467.80},   {38'551'660, 762.57},
      {51'106'384, 969.16},   {64'677'496, 1258.89},  {68'032'648, 1246.16},
      {69'033'984, 1275.77},  {82'960'384, 1552.94},  {111'251'456, 2027.65},
      {117'489'664, 2160.96}, {117'583'872, 2148.55}, {119'537'664, 2164.50},
      {121'688'064, 2222.57}, {122'890'240, 2249.81}, {123'731'968, 2256.61},
      {123'805'696, 2266.18}, {124'125'184, 2241.15}, {124'928'002, 2249.55}};
  return *kMeasured;
}

TEST(MeasuredAllReduce, TheModelIsSixToThirtyTwoPercentSlow) {
  const Slice slice = *FindSlice("v3-64");
  for (const Measured& measured : MeasuredOnV3()) {
    ASSERT_OK_AND_ASSIGN(const SimTime time,
                         PriceAllReduce(slice, measured.bytes / 4));
    const double ratio = time.seconds() * 1e6 / measured.microseconds;
    EXPECT_GE(ratio, 1.06) << measured.bytes;
    EXPECT_LE(ratio, 1.32) << measured.bytes;
  }
}

}  // namespace
}  // namespace podsim
