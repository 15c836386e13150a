// What the page says of results, and which of them fail the test that holds it.
#include "bench/validation/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace podsim::validation {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A check with one result, between its goal and its floor.
std::vector<Check> Between(bool held_to_floor) {
  Check check = {
      .title = "Made up", .source = "none", .note = "", .fitted = "all"};
  check.rows = {{"a row", "us", 10.0, 11.0, {9.0, 13.0}}};
  check.results = {
      {"worst error", true, 0.1, {0, 0.08}, {0, 0.15}, held_to_floor}};
  return {check};
}

TEST(MissesOf, AGoalIsHeldUnlessItsFloorIs) {
  EXPECT_THAT(MissesOf(Between(false)),
              HasSubstr("Made up: worst error is 10.0 %, must be at most 8.0"));
  EXPECT_THAT(MissesOf(Between(true)), Not(HasSubstr("Made up")));
  std::vector<Check> below = Between(true);
  below[0].results[0].value = 0.2;
  EXPECT_THAT(MissesOf(below),
              HasSubstr("Made up: worst error is 20.0 %, must be at most 15"));
}

TEST(PageOf, ShowsBothBoundsAndWhichWasReached) {
  EXPECT_THAT(PageOf(Between(true), {}),
              HasSubstr("| Made up | all | worst error | 10.0 % | at most 8.0 "
                        "% | at most 15.0 % | floor |\n"));
}

// Two rows of a check to which nothing is fitted, one of them outside, and one
// of a check that is fitted.
TEST(CoverageOf, WeighsChecksAlikeOrRowsAlike) {
  Check loose = {.title = "loose", .source = "", .note = "", .fitted = "no"};
  loose.rows = {{"in", "us", 10.0, 10.0, {9.0, 11.0}},
                {"out", "us", 12.0, 10.0, {8.0, 11.0}}};
  Check narrow = loose;
  narrow.rows = {{"in", "us", 10.0, 10.0, {9.5, 10.5}}};
  Check fitted = narrow;
  fitted.fitted = "all";
  const std::vector<Check> checks = {loose, narrow, fitted};
  EXPECT_DOUBLE_EQ(CoverageOf(checks).inside, 0.75);
  EXPECT_DOUBLE_EQ(CoverageOf(checks).median_half, 0.05);
  EXPECT_DOUBLE_EQ(CoverageOfRows(checks).inside, 0.75);
  EXPECT_DOUBLE_EQ(CoverageOfRows({loose, fitted, fitted}).inside, 0.75);
  EXPECT_DOUBLE_EQ(CoverageOfRows({loose, fitted}).median_half, 0.1);
}

}  // namespace
}  // namespace podsim::validation
