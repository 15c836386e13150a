// ShownTaps against a loop over all places and taps.
#include "models/ops/window_taps.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace podsim {
namespace {

double LoopOver(const WindowDimension& window) {
  double shown = 0;
  for (std::int64_t place = 0; place < window.Outputs(); ++place)
    for (std::int64_t tap = 0; tap < window.taps; ++tap)
      if (window.At(place, tap) >= 0) ++shown;
  return shown;
}

// Every stride, dilation and padding of small operands, cut edges among them.
TEST(ShownTaps, IsWhatALoopCounts) {
  WindowDimension window;
  for (window.base = 0; window.base <= 7; ++window.base)
    for (window.base_dilation = 1; window.base_dilation <= 4;
         ++window.base_dilation)
      for (window.low = -2; window.low <= 3; ++window.low)
        for (window.high = -1; window.high <= 3; ++window.high)
          for (window.taps = 1; window.taps <= 5; ++window.taps)
            for (window.dilation = 1; window.dilation <= 3; ++window.dilation)
              for (window.stride = 1; window.stride <= 4; ++window.stride)
                ASSERT_EQ(ShownTaps(window), LoopOver(window))
                    << window.base << " by " << window.base_dilation << ", "
                    << window.low << " and " << window.high << ", "
                    << window.taps << " by " << window.dilation << ", stride "
                    << window.stride;
}

// Three taps over five elements with a frame of one: all but two.
TEST(ShownTaps, LeavesAFrameOut) {
  EXPECT_EQ(ShownTaps({.base = 5, .low = 1, .high = 1, .taps = 3}), 13);
  EXPECT_EQ(ShownTaps({.base = 5, .low = 1, .high = 1, .taps = 3, .stride = 2}),
            7);
}

TEST(ShownTaps, AreAProductOverDimensions) {
  const std::vector<WindowDimension> windows = {
      {.base = 5, .low = 1, .high = 1, .taps = 3}, {.base = 4}, {.base = 9}};
  EXPECT_EQ(ShownTaps(windows), 13 * 4 * 9);
  EXPECT_EQ(ShownTaps(std::vector<WindowDimension>()), 1);
}

// As many as shapes may have: no sum leaves 64 bits, and nothing takes long.
TEST(ShownTaps, TakesTheLargestSizes) {
  constexpr std::int64_t kMost = kMostShapeElements;
  EXPECT_EQ(ShownTaps({.base = kMost}), 0x1p40);
  EXPECT_EQ(ShownTaps({.base = kMost, .low = kMost, .high = kMost, .taps = 2}),
            0x1p41);
  EXPECT_EQ(ShownTaps({.base = 2, .base_dilation = kMost / 2, .taps = 1}), 2);
  // Of 2^39 places and taps each; half of all pairs show an element.
  const double shown =
      ShownTaps({.base = kMost / 2, .high = kMost / 2 - 1, .taps = kMost / 2});
  EXPECT_NEAR(shown / 0x1p78, 0.5, 1e-5);
}

}  // namespace
}  // namespace podsim
