// Who gets the blame for silence and standstill.
#include "runtime/coordinator/lease.h"

#include <gtest/gtest.h>

#include <vector>

namespace podsim {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(100);
constexpr LeaseLimits kLimits = {.heartbeat_timeout = absl::Seconds(5),
                                 .stall_timeout = absl::Seconds(10)};

// A process that beat and moved so many seconds ago.
Lease At(double beat, double progress, const char* phase = "compute") {
  return {.beating = true,
          .working = true,
          .last_beat = kNow - absl::Seconds(beat),
          .last_progress = kNow - absl::Seconds(progress),
          .phase = phase};
}
constexpr char kWait[] = "all-reduce of bucket 3";

TEST(LeaseTest, AllMovingIsFine) {
  const std::vector<Lease> leases = {At(0.2, 0.2), At(4.9, 9.9)};
  EXPECT_FALSE(JudgeLeases(leases, kNow, kLimits));
}

TEST(LeaseTest, LimitsAreInclusive) {
  EXPECT_EQ(JudgeLeases(std::vector{At(5, 5)}, kNow, kLimits)->breach,
            LeaseBreach::kNoHeartbeat);
  EXPECT_EQ(JudgeLeases(std::vector{At(0, 10)}, kNow, kLimits)->breach,
            LeaseBreach::kFrozen);
}

TEST(LeaseTest, TheLongestSilenceIsToBlame) {
  const std::vector<Lease> leases = {At(5.5, 1), At(6, 1), At(5.2, 1)};
  const auto verdict = JudgeLeases(leases, kNow, kLimits);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->process, 1);
  EXPECT_EQ(verdict->silent_for, absl::Seconds(6));
}

TEST(LeaseTest, SilenceGoesBeforeStandstill) {
  const std::vector<Lease> leases = {At(0, 20), At(5, 5)};
  const auto verdict = JudgeLeases(leases, kNow, kLimits);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->process, 1);
  EXPECT_EQ(verdict->breach, LeaseBreach::kNoHeartbeat);
}

TEST(LeaseTest, OneWhoWaitsIsNotBlamedForOneWhoIsFrozen) {
  // The waiters stopped before the frozen one did, as waiters do.
  const std::vector<Lease> leases = {At(0, 14, kWait), At(0, 12),
                                     At(0, 13, kWait)};
  const auto verdict = JudgeLeases(leases, kNow, kLimits);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->process, 1);
  EXPECT_EQ(verdict->breach, LeaseBreach::kFrozen);
}

TEST(LeaseTest, WaitingForASlowButMovingHostIsFine) {
  const std::vector<Lease> leases = {At(0, 300, kWait), At(0, 9)};
  EXPECT_FALSE(JudgeLeases(leases, kNow, kLimits));
}

TEST(LeaseTest, AStalePhaseIsNoAlibi) {
  // With a heartbeat limit above the stall limit, a stopped process is found by
  // its standstill, although its last word was that it waits.
  const LeaseLimits patient = {.heartbeat_timeout = absl::Seconds(60),
                               .stall_timeout = absl::Seconds(10)};
  const std::vector<Lease> leases = {At(0, 11, kWait), At(10.5, 10.5, kWait)};
  const auto verdict = JudgeLeases(leases, kNow, patient);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->process, 1);
  EXPECT_EQ(verdict->breach, LeaseBreach::kFrozen);
}

TEST(LeaseTest, WhenAllWaitItIsADeadlock) {
  std::vector<Lease> leases = {At(0, 11, kWait), At(0, 12, kWait),
                               At(0, 9, kWait)};
  EXPECT_FALSE(JudgeLeases(leases, kNow, kLimits));
  leases[2] = At(0, 10, kWait);
  const auto verdict = JudgeLeases(leases, kNow, kLimits);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->process, 1);
  EXPECT_EQ(verdict->breach, LeaseBreach::kDeadlock);
}

TEST(LeaseTest, InADeadlockTheOneToBlameIsWhomTheFirstWaiterWaitsFor) {
  // A ring of four in which process 1 lost a frame for process 2.
  std::vector<Lease> leases = {At(0, 11, kWait), At(0, 10.5, kWait),
                               At(0, 12, kWait), At(0, 11.5, kWait)};
  for (int p = 0; p < 4; ++p) {
    leases[p].awaited = (p + 3) % 4;
    leases[p].waiting_since = leases[p].last_progress;
  }
  const auto verdict = JudgeLeases(leases, kNow, kLimits);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->breach, LeaseBreach::kDeadlock);
  EXPECT_EQ(verdict->process, 1);
  EXPECT_EQ(verdict->silent_for, absl::Seconds(12));
}

TEST(LeaseTest, WhoHasFinishedMustBeatButNeedNotMove) {
  Lease finished = At(0, 60);
  finished.working = false;
  EXPECT_FALSE(JudgeLeases(std::vector{finished, At(0, 0)}, kNow, kLimits));
  // A waiter is not excused by one that has finished.
  const auto stuck =
      JudgeLeases(std::vector{finished, At(0, 10, kWait)}, kNow, kLimits);
  ASSERT_TRUE(stuck);
  EXPECT_EQ(stuck->process, 1);
  finished.last_beat = kNow - absl::Seconds(5);
  EXPECT_TRUE(JudgeLeases(std::vector{finished, At(0, 0)}, kNow, kLimits));
}

TEST(LeaseTest, WhoDoesNotBeatIsNotJudged) {
  Lease gone = At(60, 60);
  gone.beating = false;
  EXPECT_FALSE(JudgeLeases(std::vector{gone, At(0, 0)}, kNow, kLimits));
  EXPECT_FALSE(JudgeLeases({}, kNow, kLimits));
}

TEST(LeaseTest, WaitingPhasesAreKnownByName) {
  EXPECT_TRUE(IsWaitingPhase("all-reduce #12 (bucket 0)"));
  EXPECT_TRUE(IsWaitingPhase("waiting for the other hosts"));
  EXPECT_FALSE(IsWaitingPhase("compute"));
  EXPECT_FALSE(IsWaitingPhase("input"));
  EXPECT_FALSE(IsWaitingPhase(""));
}

}  // namespace
}  // namespace podsim
