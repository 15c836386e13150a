// From rung to rung, with trainers that train nothing.
#include "runtime/ladder/climb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/runtime/ladder/made_climb.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::FailedClimb;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::MadeClimb;
using ::podsim::testing::MadeRun;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string>& Hashes() {
  static const auto* const kHashes =
      new std::vector<std::string>{"hash", "hash", "hash"};
  return *kHashes;
}

// Trains to these losses, in turn, and keeps what it was asked.
struct Fake {
  std::vector<double> losses;
  std::vector<std::string> asked = {};

  absl::StatusOr<RungRun> operator()(const Rung& rung, std::uint64_t seed) {
    asked.push_back(absl::StrCat(rung.plan.slice, "/", seed));
    if (asked.size() > losses.size()) return absl::CancelledError("stopped");
    return MadeRun(losses[asked.size() - 1], 0.96, seed);
  }
};

absl::Status Nothing(const Climb& /*climb*/) { return absl::OkStatus(); }

TEST(ClimbTest, TheFirstRungHasThreeSeeds) {
  Climb climb = MadeClimb();
  Fake fake = {{0.10, 0.11, 0.12, 0.11, 0.12}};
  int ended = 0;
  ASSERT_THAT(ClimbOn(
                  std::ref(fake),
                  [&](const Climb& now) {
                    ++ended;
                    EXPECT_EQ(now.verdicts.size(), ended);
                    return absl::OkStatus();
                  },
                  climb),
              IsOk());
  EXPECT_THAT(fake.asked,
              ElementsAre("v3-8/0", "v3-8/1", "v3-8/2", "v3-32/0", "v3-128/0"));
  EXPECT_EQ(ended, 3);
  EXPECT_TRUE(climb.done());
  EXPECT_FALSE(climb.failed());
}

TEST(ClimbTest, StopsAtTheFirstRungThatFails) {
  Climb climb = MadeClimb();
  Fake fake = {{0.10, 0.11, 0.12, 0.5}};
  ASSERT_THAT(ClimbOn(std::ref(fake), Nothing, climb), IsOk());
  EXPECT_EQ(fake.asked.size(), 4u);
  ASSERT_EQ(climb.verdicts.size(), 2u);
  EXPECT_TRUE(climb.failed());
  EXPECT_EQ(climb.verdicts.back().fault, RungFault::kLoss);
}

TEST(ClimbTest, ARungWhosePlanFailsIsNotTrained) {
  Climb climb = MadeClimb();
  climb.limits.least_efficiency = 0.8;
  climb.rungs[1].plan.efficiency = 0.7;
  Fake fake = {{0.10, 0.11, 0.12}};
  ASSERT_THAT(ClimbOn(std::ref(fake), Nothing, climb), IsOk());
  EXPECT_EQ(fake.asked.size(), 3u);
  EXPECT_EQ(climb.verdicts.back().fault, RungFault::kEfficiency);
}

TEST(ClimbTest, WhatStopsItLeavesTheRungUnrun) {
  Climb climb = MadeClimb();
  Fake fake = {{0.10, 0.11, 0.12}};  // stopped on v3-32
  EXPECT_THAT(ClimbOn(std::ref(fake), Nothing, climb),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("stopped")));
  EXPECT_EQ(climb.verdicts.size(), 1u);
  EXPECT_TRUE(climb.rungs[1].runs.empty());
  EXPECT_FALSE(climb.done());
  // On the first rung, behind its second seed.
  climb = MadeClimb();
  fake = {{0.10, 0.11}};
  EXPECT_FALSE(ClimbOn(std::ref(fake), Nothing, climb).ok());
  EXPECT_TRUE(climb.rungs[0].runs.empty());
}

TEST(ClimbTest, GoesOnBehindTheLastRungThatPassed) {
  Climb climb = MadeClimb();
  ASSERT_THAT(TakeResults(ResultsOf(FailedClimb(), {}), Hashes(), climb),
              IsOk());
  ASSERT_EQ(climb.verdicts.size(), 1u);
  EXPECT_EQ(climb.rungs[0].runs.size(), 3u);
  Fake fake = {{0.11, 0.11}};
  ASSERT_THAT(ClimbOn(std::ref(fake), Nothing, climb), IsOk());
  EXPECT_THAT(fake.asked, ElementsAre("v3-32/0", "v3-128/0"));
}

TEST(ClimbTest, JudgesAnewWhatWasMeasured) {
  Climb passed = FailedClimb();
  passed.rungs[1].runs[0].eval_loss = 0.11;
  passed.rungs[1].plan.efficiency = 0.7;
  passed.verdicts[1] = {};
  Climb climb = MadeClimb();
  climb.limits.least_efficiency = 0.8;
  ASSERT_THAT(TakeResults(ResultsOf(passed, {}), Hashes(), climb), IsOk());
  EXPECT_EQ(climb.verdicts.size(), 1u);
  climb = MadeClimb();
  ASSERT_THAT(TakeResults(ResultsOf(passed, {}), Hashes(), climb), IsOk());
  EXPECT_EQ(climb.verdicts.size(), 2u);
}

TEST(ClimbTest, GoesOnWithTheSameLadderAlone) {
  const LadderResults results = ResultsOf(FailedClimb(), {});
  Climb climb = MadeClimb();
  climb.rungs[1].plan.slice = "v3-64";
  EXPECT_THAT(TakeResults(results, Hashes(), climb),
              StatusIs(kInvalid, HasSubstr("topology is v3-8, v3-64, v3-128, "
                                           "and was v3-8, v3-32 there")));
  climb = MadeClimb();
  EXPECT_THAT(TakeResults(results, {"other", "hash", "hash"}, climb),
              StatusIs(kInvalid, HasSubstr("the plan of v3-8 has another")));
}

}  // namespace
}  // namespace podsim
