// Deadlines, budgets and prices as pod_plan takes them.
#include "runtime/plan/ladder_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "interconnect/topology/hardware.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LadderQuestionTest, ADeadlineHasAUnit) {
  const struct {
    const char* text;
    double seconds;
  } taken[] = {{"4h", 14400},   {"90m", 5400},  {"90 min", 5400},
               {"3600s", 3600}, {"1.5h", 5400}, {"2d", 172800}};
  for (const auto& each : taken) {
    ASSERT_OK_AND_ASSIGN(const double seconds, DeadlineSeconds(each.text));
    EXPECT_DOUBLE_EQ(seconds, each.seconds) << each.text;
  }
  for (const char* text : {"h", "soon", "0h", "-1h", "1h30m", "4:00"})
    EXPECT_THAT(DeadlineSeconds(text),
                StatusIs(kInvalid, AllOf(HasSubstr(text), HasSubstr("4h"),
                                         Not(HasSubstr("\n")))));
}

TEST(LadderQuestionTest, ANumberWithoutAUnitIsNoDeadline) {
  EXPECT_THAT(DeadlineSeconds("12"),
              StatusIs(kInvalid,
                       "--deadline is \"12\", a number without a unit: give "
                       "12s for seconds, 12h for hours"));
  EXPECT_THAT(DeadlineSeconds("1.5"),
              StatusIs(kInvalid, HasSubstr("1.5s for seconds, 1.5h")));
  EXPECT_THAT(DeadlineSeconds("-12"),
              StatusIs(kInvalid, HasSubstr("give a time above 0")));
}

TEST(LadderQuestionTest, PricesAreOfEveryGenerationOfTheLadder) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/prices.txt";
  std::ofstream(path) << "currency: 'XTS' "
                         "chip { generation: 'v3' per_hour: 2 } "
                         "chip { generation: 'v5e' per_hour: 1 }";
  PlanSettings settings;
  settings.set_chip_prices(path);
  settings.set_budget(500);
  settings.set_deadline("4h");
  ASSERT_OK_AND_ASSIGN(
      const LadderQuestion asked,
      QuestionOf(settings, ShippedHardware(),
                 {*FindSlice("v3-8"), *FindSlice("v5litepod-16")}));
  EXPECT_EQ(asked.prices.Of("v3"), 2);
  EXPECT_EQ(asked.prices.Of("v5e"), 1);
  EXPECT_EQ(asked.prices.currency, "XTS");
  EXPECT_EQ(asked.limits.budget, 500);
  EXPECT_EQ(asked.limits.deadline_seconds, 14400);
  EXPECT_THAT(
      QuestionOf(settings, ShippedHardware(), {*FindSlice("v4-32")}),
      StatusIs(kInvalid, AllOf(HasSubstr("has no price of v4, which v4-32"),
                               HasSubstr("chip { generation: \"v4\""))));
}

TEST(LadderQuestionTest, ABudgetNeedsPrices) {
  PlanSettings settings;
  settings.set_budget(500);
  EXPECT_THAT(QuestionOf(settings, ShippedHardware(), {*FindSlice("v3-8")}),
              StatusIs(kInvalid, HasSubstr("--chip_prices=FILE")));
  settings.set_price_per_chip_hour(2);
  ASSERT_OK_AND_ASSIGN(
      const LadderQuestion asked,
      QuestionOf(settings, ShippedHardware(), {*FindSlice("v3-8")}));
  EXPECT_EQ(asked.prices.Of("v3"), 2);
  EXPECT_EQ(asked.prices.Of("v6e"), 2);
}

}  // namespace
}  // namespace podsim
