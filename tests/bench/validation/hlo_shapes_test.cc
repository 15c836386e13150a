// Shapes in the text of instructions, as profiles have it.
#include "bench/validation/hlo_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podsim::validation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ShapesOf, ResultsStandBeforeTheOpCode) {
  const HloShapes shapes = ShapesOf(
      "(f32[256]{0:T(256)}, bf16[128,56,56,256]{3,0,2,1:T(8,128)(2,1)}) "
      "fusion(bf16[128,56,56,64]{0,3,2,1:T(8,128)(2,1)}, f32[1,1,64,256]"
      "{3,2,1,0:T(8,128)}, f32[]{:T(256)}), kind=kOutput");
  EXPECT_THAT(shapes.results,
              ElementsAre(ElementsAre(256), ElementsAre(128, 56, 56, 256)));
  EXPECT_THAT(shapes.operands,
              ElementsAre(ElementsAre(128, 56, 56, 64),
                          ElementsAre(1, 1, 64, 256), IsEmpty()));
  EXPECT_THAT(ShapesOf("").results, IsEmpty());
}

// The sums of a product's epilogue are beside it.
TEST(LargestOf, IsTheResultOfTheProduct) {
  EXPECT_EQ(LargestOf({{1024}, {4096}, {4096, 1024}}), (Dims{4096, 1024}));
  EXPECT_EQ(LargestOf({{256, 4096}, {16, 256, 4096}}), (Dims{16, 256, 4096}));
  EXPECT_EQ(LargestOf({{2, 3}, {3, 2}}), (Dims{2, 3}));
  EXPECT_EQ(LargestOf({}), Dims{});
}

TEST(DimsText, IsRead) { EXPECT_EQ(DimsText({128, 7, 7, 512}), "128x7x7x512"); }

}  // namespace
}  // namespace podsim::validation
