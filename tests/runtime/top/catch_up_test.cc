// When a reader has caught up with its job, and when the job is too silent.
#include "runtime/top/catch_up.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace podsim {
namespace {

using std::chrono::seconds;

constexpr CatchUp::Time kBegin;

WatchedEvent ToldEvent(std::uint64_t sequence, std::uint64_t newest,
                       std::uint32_t generation = 1) {
  WatchedEvent event;
  event.set_generation(generation);
  event.set_sequence(sequence);
  event.set_newest(newest);
  return event;
}

TEST(CatchUpTest, AJobThatRunsAheadIsCaughtUpWith) {
  CatchUp catch_up(kBegin);
  EXPECT_FALSE(catch_up.current());
  for (std::uint64_t sequence = 1; sequence < 100; ++sequence) {
    // A hundred more have happened whenever one is sent.
    catch_up.OnEvent(ToldEvent(sequence, sequence + 99), kBegin);
    EXPECT_FALSE(catch_up.current()) << sequence;
  }
  catch_up.OnEvent(ToldEvent(100, 199), kBegin);
  EXPECT_TRUE(catch_up.current());
}

TEST(CatchUpTest, TheLastPodFormedIsNoNews) {
  CatchUp catch_up(kBegin);
  catch_up.OnEvent(ToldEvent(3, 1000), kBegin);  // however old it is
  EXPECT_FALSE(catch_up.current());
  // The numbers between are no longer kept.
  catch_up.OnEvent(ToldEvent(1001, 1001), kBegin);
  EXPECT_TRUE(catch_up.current());
}

TEST(CatchUpTest, AnotherGenerationsNumbersCount) {
  CatchUp catch_up(kBegin);
  catch_up.OnEvent(ToldEvent(1, 500), kBegin);
  catch_up.OnEvent(ToldEvent(1, 2, 2), kBegin);
  EXPECT_FALSE(catch_up.current());
  catch_up.OnEvent(ToldEvent(2, 9, 2), kBegin);
  EXPECT_TRUE(catch_up.current());
  catch_up.OnEvent(ToldEvent(1, 500, 3), kBegin);
  EXPECT_TRUE(catch_up.current());
}

TEST(CatchUpTest, EveryEventBreaksTheSilence) {
  CatchUp catch_up(kBegin);
  EXPECT_EQ(catch_up.PatienceLeft(kBegin + seconds(29)), seconds(1));
  catch_up.OnEvent(ToldEvent(1, 1000), kBegin + seconds(29));
  EXPECT_EQ(catch_up.PatienceLeft(kBegin + seconds(58)), seconds(1));
  EXPECT_LE(catch_up.PatienceLeft(kBegin + seconds(59)), seconds(0));
}

}  // namespace
}  // namespace podsim
