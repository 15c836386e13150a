// A machine that says which slice it is part of is not made part of another.
#include "interconnect/topology/accelerator_type.h"

#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

TEST(AcceleratorTypeTest, MayNotContradictTheSlice) {
  EXPECT_THAT(CheckAcceleratorType("", "v3-32"), IsOk());
  EXPECT_THAT(CheckAcceleratorType("v3-32", "v3-32"), IsOk());
  EXPECT_THAT(CheckAcceleratorType("v3-8", "v3-32"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("\"v3-8\" here, the job's slice is v3-32")));
}

}  // namespace
}  // namespace podsim
