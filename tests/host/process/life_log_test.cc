// What a host's log says while it lives.
#include "host/process/life_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <utility>

namespace podsim {
namespace {

TEST(LifeTextTest, SaysWhereTheHostIsAndWhomItWaitsFor) {
  Progress::Snapshot now;
  EXPECT_EQ(LifeText(now), "before the first step");
  now.step = 120;
  now.phase = "all-reduce #3";
  EXPECT_EQ(LifeText(now), "step 120, all-reduce #3");
  now.waiting = {.host = 1, .what = "chunk 4", .since = absl::Seconds(2)};
  EXPECT_EQ(LifeText(now),
            "step 120, all-reduce #3; waits 2s for host 1: chunk 4");
}

TEST(WaitTextTest, SaysForHowLong) {
  EXPECT_EQ(
      WaitText({.what = "still calling node-a:8476"}, absl::Seconds(15.02)),
      "still calling node-a:8476, 15 s");
}

TEST(WaitTextTest, SaysUntilWhenAndWhy) {
  EXPECT_EQ(WaitText({.what = "still calling node-a:8476",
                      .most = absl::Seconds(60),
                      .why = [] { return "nobody listens there"; }},
                     absl::Seconds(1.5)),
            "still calling node-a:8476, 1 s of 60 s: nobody listens there");
}

TEST(WaitLogTest, TellsAgainAndAgain) {
  std::promise<std::string> second;
  int lines = 0;
  const WaitLog log({.what = "still calling"}, absl::Milliseconds(1),
                    absl::Milliseconds(1), [&](const std::string& line) {
                      if (++lines == 2) second.set_value(line);
                    });
  EXPECT_THAT(second.get_future().get(),
              ::testing::StartsWith("still calling, "));
}

TEST(LifeLogTest, TellsAgainAndAgain) {
  Progress progress;
  progress.Enter(7, "computing");
  std::promise<std::string> second;
  int lines = 0;
  const LifeLog log(progress, absl::Milliseconds(1),
                    [&](const std::string& line) {
                      if (++lines == 2) second.set_value(line);
                    });
  EXPECT_EQ(second.get_future().get(), "step 7, computing");
}

}  // namespace
}  // namespace podsim
