// Matchers for absl::Status and StatusOr:
//   EXPECT_THAT(Parse(x), IsOk());
//   EXPECT_THAT(Parse(x), StatusIs(absl::StatusCode::kNotFound,
//                                  HasSubstr("x")));
//   ASSERT_OK_AND_ASSIGN(auto slice, FindSlice("v3-32"));
#ifndef PODSIM_TESTS_TESTING_STATUS_MATCHERS_H_
#define PODSIM_TESTS_TESTING_STATUS_MATCHERS_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status.h"

namespace podsim::testing {

// The codes that tests name most.
inline constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
inline constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;
inline constexpr auto kDataLoss = absl::StatusCode::kDataLoss;

inline const absl::Status& GetStatus(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, "is OK") {
  const absl::Status& status = GetStatus(arg);
  *result_listener << status.ToString();
  return status.ok();
}

MATCHER_P2(StatusIs, code, message_matcher, "") {
  const absl::Status& status = GetStatus(arg);
  *result_listener << status.ToString();
  return status.code() == code &&
         ::testing::ExplainMatchResult(
             message_matcher, std::string(status.message()), result_listener);
}

}  // namespace podsim::testing

#define ASSERT_OK_AND_ASSIGN(declaration, expression)                      \
  ASSERT_OK_AND_ASSIGN_INNER(PODSIM_CONCAT(podsim_test_result_, __LINE__), \
                             declaration, expression)
#define ASSERT_OK_AND_ASSIGN_INNER(result, declaration, expression) \
  auto result = (expression);                                       \
  ASSERT_TRUE(result.ok()) << result.status();                      \
  declaration = *std::move(result)

#endif  // PODSIM_TESTS_TESTING_STATUS_MATCHERS_H_
