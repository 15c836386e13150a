// Tokens: fresh ones differ, odd ones are refused, comparison is exact.
#include "base/rpc/token.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

TEST(TokenTest, GeneratedOnesAreHexAndFresh) {
  ASSERT_OK_AND_ASSIGN(const std::string a, GenerateToken());
  ASSERT_OK_AND_ASSIGN(const std::string b, GenerateToken());
  EXPECT_THAT(a, MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(a.size(), 32);
  EXPECT_NE(a, b);
  EXPECT_THAT(CheckTokenShape(a), IsOk());
}

TEST(TokenTest, EqualityIsExactAndNeverEmpty) {
  EXPECT_TRUE(TokensEqual("abc", "abc"));
  EXPECT_FALSE(TokensEqual("abc", "abd"));
  EXPECT_FALSE(TokensEqual("abc", "ab"));
  EXPECT_FALSE(TokensEqual("abc", "abcd"));
  EXPECT_FALSE(TokensEqual("", ""));
}

TEST(TokenTest, ShapeIsCheckedWithoutRepeatingTheToken) {
  for (const std::string& bad :
       {std::string(), std::string("se cret"), std::string("secret\n"),
        std::string("s\xc3\xa9"
                    "cret"),
        std::string(257, 'x')}) {
    EXPECT_THAT(
        CheckTokenShape(bad),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("printable"), Not(HasSubstr("cret")))));
  }
  EXPECT_THAT(CheckTokenShape(std::string(256, 'x')), IsOk());
}

TEST(TokenTest, ComesFromTheEnvironment) {
  unsetenv(kTokenVariable);
  EXPECT_THAT(TokenFromEnvironment(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("export PODSIM_TOKEN=")));
  setenv(kTokenVariable, "with blank", 1);
  EXPECT_THAT(
      TokenFromEnvironment(),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("PODSIM_TOKEN")));
  setenv(kTokenVariable, "0123456789abcde", 1);
  EXPECT_THAT(
      TokenFromEnvironment(),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("15 characters"), HasSubstr("16 or more"),
                     Not(HasSubstr("0123456789")))));
  setenv(kTokenVariable, "0123456789abcdef", 1);
  ASSERT_OK_AND_ASSIGN(const std::string token, TokenFromEnvironment());
  EXPECT_EQ(token, "0123456789abcdef");
  unsetenv(kTokenVariable);
}

}  // namespace
}  // namespace podsim
