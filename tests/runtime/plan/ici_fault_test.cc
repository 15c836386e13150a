#include "runtime/plan/ici_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::StatusIs;

TEST(IciFaultTest, NamesAWireAndARate) {
  ASSERT_OK_AND_ASSIGN(const LinkFault flat,
                       ParseIciFault("link:(3,1)-(4,1):0.25"));
  EXPECT_EQ(flat.from, (Coordinate{3, 1}));
  EXPECT_EQ(flat.to, (Coordinate{4, 1}));
  EXPECT_EQ(flat.rate, 0.25);
  ASSERT_OK_AND_ASSIGN(const LinkFault deep,
                       ParseIciFault("link:(0,0,7)-(0,0,0):0"));
  EXPECT_EQ(deep.from, (Coordinate{0, 0, 7}));
  EXPECT_EQ(deep.rate, 0);
}

TEST(IciFaultTest, SaysHowItIsWritten) {
  for (const char* text :
       {"", "link", "link:", "link:(3,1)-(4,1)", "link:(3,1)-(4,1):",
        "link:(3,1)-(4,1):2", "link:(3,1)-(4,1):-1", "link:(3,1)-(4,1):nan",
        "link:(3)-(4,1):1", "link:(3,1)(4,1):1", "link:(a,b)-(4,1):1",
        "chip:(3,1)-(4,1):1", "link:(1,2,3,4)-(4,1):1", ":)-(:", "\n"}) {
    EXPECT_THAT(ParseIciFault(text),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("link:(3,1)-(4,1):0.25"),
                               Not(HasSubstr("\n")))))
        << text;
  }
}

}  // namespace
}  // namespace podsim
