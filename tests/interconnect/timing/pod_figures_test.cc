// What bounds a collective, and pods' figures that are published.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interconnect/timing/pricing.h"

namespace podsim {
namespace {

// The smallest halving of 4x4x8: 32 wires across z; twisted the ways round the
// short axes lead to the other half of z, and 64 across x are the fewest.
TEST(PodFigures, ATwistDoublesTheBisection) {
  EXPECT_DOUBLE_EQ(BisectionBandwidth(*FindSlice("v4-256")), 32 * 50e9);
  EXPECT_DOUBLE_EQ(BisectionBandwidth(*FindSlice("v4-256", {.twist = true})),
                   64 * 50e9);
}

TEST(Bounds, NothingIsBoundByNothing) {
  const Slice slice = *FindSlice("v6e-256");
  EXPECT_EQ(BoundsOf(slice, {.bytes = 0}).most(), SimTime());
  EXPECT_GT(BoundsOf(slice, {.collective = Collective::kBarrier}).most(),
            SimTime());
}

// A corner of a mesh has two links, and needs all of the buffer once in and
// once out; all chips together send it 2 (n - 1) times, over all links.
TEST(Bounds, AMeshIsBoundByItsCornersOrByAllOfIt) {
  const Slice slice = *FindSlice("v3-32");
  const double rate = slice.chip().link_bytes_per_second;
  const double all = 2.0 * 15 / 48;
  EXPECT_NEAR(BoundsOf(slice, {.bytes = 1 << 30}).chip_links.seconds(),
              all * (1 << 30) / rate, 1e-12);
}

// Pod figures that vendors print, out of chips, links and rates.
TEST(PodFigures, AreWhatIsPublished) {
  struct Row {
    const char* slice;
    double all_reduce;  // TB/s; 0: not published
    double bisection;
  };
  for (const Row& row :
       {Row{"v2-512", 0, 15.9 / 8}, Row{"v3-2048", 340, 42.3 / 8},
        Row{"v4-8192", 0, 24}, Row{"v5litepod-256", 51.2, 1.6},
        Row{"v6e-256", 102.4, 3.2}}) {
    const Slice slice = *FindSlice(row.slice);
    if (row.all_reduce > 0) {
      EXPECT_NEAR(AllReduceBandwidth(slice) / 1e12 / row.all_reduce, 1, 0.1)
          << row.slice;
    }
    EXPECT_NEAR(BisectionBandwidth(slice) / 1e12 / row.bisection, 1, 0.1)
        << row.slice;
  }
}

}  // namespace
}  // namespace podsim
