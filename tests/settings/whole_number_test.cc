#include "settings/whole_number.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(WholeNumberTest, ExponentsWhereTheyAreExact) {
  EXPECT_EQ(ParseWholeNumber("100"), 100);
  EXPECT_EQ(ParseWholeNumber("-1"), -1);
  EXPECT_EQ(ParseWholeNumber("1e4"), 10'000);
  EXPECT_EQ(ParseWholeNumber("2.5e3"), 2'500);
  EXPECT_EQ(ParseWholeNumber("2.50E+1"), 25);
  EXPECT_EQ(ParseWholeNumber("9007199254740993e0"), 9'007'199'254'740'993);
}

TEST(WholeNumberTest, NothingElse) {
  for (const char* text : {"", "x", "1.5", "1.5e0", "1e-3", "1e", "e3", "1e99",
                           "1e18e1", "1.e", "0x10", "1 2", "-1e4", ".5e1"}) {
    EXPECT_EQ(ParseWholeNumber(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace podsim
