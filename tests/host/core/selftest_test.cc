// The self-test passes with every kernel table, and fails when it should.
#include "host/core/selftest.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/text_layout.h"
#include "models/kernels/reference.h"
#include "tests/host/core/core_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;

TEST(SelfTest, PassesWithEveryKernelTable) {
  for (const std::string& name : testing::KernelNames()) {
    const SelfTestResult result = RunSelfTest(testing::KernelsNamed(name));
    EXPECT_TRUE(result.pass) << result.text;
    EXPECT_THAT(result.text, HasSubstr("[0.17405128, 0.09669876], "
                                       "[0.21180916, 0.10805416]"));
    EXPECT_THAT(result.text, HasSubstr("jax#9973"));
    EXPECT_THAT(result.text, HasSubstr("self-test passed"));
  }
}

// As pod_launch prints it.
TEST(SelfTest, FitsNarrowTerminals) {
  const std::string whole = RunSelfTest(ReferenceKernels()).text;
  for (const int width : {60, 80}) {
    const std::string text = WrapText(whole, width, LongWords::kOverflow);
    const std::vector<std::string> lines = absl::StrSplit(text, '\n');
    for (const std::string& line : lines)
      EXPECT_LE(ColumnsOf(line), width) << line;
    EXPECT_THAT(text, HasSubstr("  known [0.17405128, 0.09669876], "
                                "[0.21180916, 0.10805416]"));
  }
}

TEST(SelfTest, FailsWhenOperandsAreNotRounded) {
  PodsimKernels kernels = ReferenceKernels();
  kernels.bfloat16 = kernels.float32;  // packs without rounding
  const SelfTestResult result = RunSelfTest(kernels);
  EXPECT_FALSE(result.pass);
  EXPECT_THAT(result.text, HasSubstr("FAIL bfloat16 matrix unit"));
  EXPECT_THAT(result.text, HasSubstr("ok   one row that is not a batch"));
}

TEST(SelfTest, FailsWhenProductsAreWrong) {
  PodsimKernels kernels = ReferenceKernels();
  kernels.float32.multiply =
      [](std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
         std::int64_t lda, const float* packed, float* c, std::int64_t ldc) {
        ReferenceKernels().float32.multiply(m, n, k, a, lda, packed, c, ldc);
        c[0] *= 1 + 1e-6F;
      };
  EXPECT_FALSE(RunSelfTest(kernels).pass);
  PodsimKernels wrong_unit = ReferenceKernels();
  wrong_unit.bfloat16.multiply = kernels.float32.multiply;
  const SelfTestResult result = RunSelfTest(wrong_unit);
  EXPECT_FALSE(result.pass);
  EXPECT_THAT(result.text, HasSubstr("FAIL bfloat16 matrix unit"));
  EXPECT_THAT(result.text, HasSubstr("ok   float32 products"));
}

}  // namespace
}  // namespace podsim
