#include "base/status.h"

#include <memory>
#include <string>
#include <utility>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::Eq;

TEST(Annotate, PutsTheContextBeforeTheMessage) {
  const absl::Status inner = absl::DataLossError("file x: offset 4");
  EXPECT_THAT(Annotate(Annotate(inner, "host 2"), "step 7"),
              StatusIs(absl::StatusCode::kDataLoss,
                       Eq("step 7: host 2: file x: offset 4")));
}

TEST(BlameHost, PassesThroughAnnotate) {
  const absl::Status lost = BlameHost(absl::UnavailableError("gone"), 3);
  EXPECT_EQ(BlamedHost(Annotate(Annotate(lost, "ring"), "step 7")), 3);
  EXPECT_EQ(BlamedHost(absl::UnavailableError("gone")), -1);
  EXPECT_EQ(BlamedHost(absl::OkStatus()), -1);
}

TEST(Annotate, LeavesOkAlone) {
  EXPECT_THAT(Annotate(absl::OkStatus(), "step 7"), IsOk());
}

absl::Status ReturnIfError(const absl::Status& status, bool* passed) {
  PODSIM_RETURN_IF_ERROR(status);
  *passed = true;
  return absl::OkStatus();
}

TEST(ReturnIfError, ReturnsErrorsAndPassesOk) {
  bool passed = false;
  EXPECT_THAT(ReturnIfError(absl::AbortedError("no"), &passed),
              StatusIs(absl::StatusCode::kAborted, Eq("no")));
  EXPECT_FALSE(passed);
  EXPECT_THAT(ReturnIfError(absl::OkStatus(), &passed), IsOk());
  EXPECT_TRUE(passed);
}

absl::StatusOr<std::unique_ptr<int>> Make(int value) {
  if (value < 0) return absl::OutOfRangeError("negative");
  return std::make_unique<int>(value);
}

absl::StatusOr<int> Sum(int a, int b) {
  PODSIM_ASSIGN_OR_RETURN(const std::unique_ptr<int> first, Make(a));
  int second = 0;
  PODSIM_ASSIGN_OR_RETURN(std::unique_ptr<int> made, Make(b));
  second = *std::move(made);
  return *first + second;
}

TEST(AssignOrReturn, MovesTheValueOrReturnsTheError) {
  EXPECT_EQ(Sum(2, 3).value(), 5);
  EXPECT_THAT(Sum(-1, 3),
              StatusIs(absl::StatusCode::kOutOfRange, Eq("negative")));
  EXPECT_THAT(Sum(1, -3),
              StatusIs(absl::StatusCode::kOutOfRange, Eq("negative")));
}

TEST(CheckDeathTest, NamesFileAndCondition) {
  const int two = 2;
  PODSIM_CHECK(two == 2);
  EXPECT_DEATH(PODSIM_CHECK(two == 3),
               "status_test.cc:[0-9]+: check failed: two == 3");
}

}  // namespace
}  // namespace podsim
