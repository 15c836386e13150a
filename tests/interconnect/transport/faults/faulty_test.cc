#include "interconnect/transport/faults/faulty.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "base/clock.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/transport/conformance.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const SystemClock& WallClock() {
  static const auto* const clock = new SystemClock;
  return *clock;
}

Transports MakeFaulty(const std::vector<std::vector<int>>& processes,
                      const FrameFaults& plan, const Clock& clock) {
  InProcessNetwork network;
  Transports transports;
  for (const auto& hosts : processes) {
    transports.push_back(
        std::make_unique<FaultyTransport>(network.Join(hosts), plan, clock));
  }
  return transports;
}

FaultyTransport& Faulty(TestPod& pod, int host) {
  return dynamic_cast<FaultyTransport&>(pod.of(host));
}

// In virtual time: polls, and moves the clock when nothing happens any more.
void RunFor(TestPod& pod, SimClock& clock, absl::Duration length) {
  for (const absl::Time end = clock.Now() + length; clock.Now() < end;) {
    while (pod.PollOnce() > 0) {
    }
    clock.Advance(absl::Milliseconds(1));
  }
  while (pod.PollOnce() > 0) {
  }
}

std::map<std::uint64_t, int> TimesSeen(const RecordingSink& sink) {
  std::map<std::uint64_t, int> seen;
  for (const auto& frame : sink.frames) ++seen[frame.header.key.sequence];
  return seen;
}

// A plan without faults changes nothing; neither do delays, but for time.
TEST(FaultyTransport, WithoutFaultsFramesPassInOrder) {
  SimClock clock;
  TestPod pod(MakeFaulty({{0}, {1}}, {}, clock));
  const auto bytes = Pattern(1, 1000);
  for (int i = 0; i < 50; ++i) pod.SendPatiently(0, 1, bytes, i);
  while (pod.PollOnce() > 0) {
  }
  ASSERT_EQ(pod.sink(1).frames.size(), 50);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(pod.sink(1).frames[i].header.key.sequence, i);
    EXPECT_EQ(pod.sink(1).frames[i].bytes, bytes);
  }
  EXPECT_EQ(pod.sink(0).done.size(), 50);
}

TEST(FaultyTransport, DelayKeepsOrderAndTakesVirtualTime) {
  SimClock clock;
  TestPod pod(MakeFaulty(
      {{0}, {1}}, {.seed = 5, .delay = 1, .max_delay = absl::Milliseconds(50)},
      clock));
  const auto bytes = Pattern(1, 100);
  for (int i = 0; i < 50; ++i) pod.SendPatiently(0, 1, bytes, i);
  while (pod.PollOnce() > 0) {
  }
  EXPECT_LT(pod.sink(1).frames.size(), 50) << "before the clock moves";
  RunFor(pod, clock, absl::Milliseconds(60));
  ASSERT_EQ(pod.sink(1).frames.size(), 50);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(pod.sink(1).frames[i].header.key.sequence, i);
  }
}

TEST(FaultyTransport, FlippedBitsAreNoticed) {
  SimClock clock;
  TestPod pod(MakeFaulty({{0}, {1}}, {.seed = 11, .flip = 0.5}, clock));
  const auto bytes = Pattern(1, 40);
  for (int i = 0; i < 400; ++i) pod.SendPatiently(0, 1, bytes, i);
  while (pod.PollOnce() > 0) {
  }
  EXPECT_EQ(pod.sink(1).frames.size() + pod.sink(1).bad.size(), 400);
  EXPECT_GT(pod.sink(1).bad.size(), 100);
  EXPECT_GT(pod.sink(1).frames.size(), 100);
  for (const auto& frame : pod.sink(1).frames) EXPECT_EQ(frame.bytes, bytes);
  for (const auto& [peer, why] : pod.sink(1).bad) EXPECT_EQ(peer, 0);
  EXPECT_EQ(pod.sink(0).done.size(), 400);
}

TEST(FaultyTransport, DropsDuplicatesAndReordersAsPlanned) {
  SimClock clock;
  const FrameFaults plan = {
      .seed = 3, .drop = 0.2, .duplicate = 0.2, .reorder = 0.2};
  TestPod pod(MakeFaulty({{0}, {1}}, plan, clock));
  const auto bytes = Pattern(1, 40);
  constexpr std::uint64_t kFrames = 300;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    pod.SendPatiently(0, 1, bytes, i);
  }
  RunFor(pod, clock, absl::Milliseconds(400));
  auto seen = TimesSeen(pod.sink(1));
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    const FrameFault fault =
        DecideFault(plan, {.from = 0, .to = 1}, i, 64 + 40);
    EXPECT_EQ(seen[i], fault.drop ? 0 : fault.duplicate ? 2 : 1) << i;
  }
  const auto& frames = pod.sink(1).frames;
  EXPECT_FALSE(std::is_sorted(
      frames.begin(), frames.end(), [](const auto& a, const auto& b) {
        return a.header.key.sequence < b.header.key.sequence;
      }));
  EXPECT_EQ(pod.sink(0).done.size(), kFrames) << "each told once";
}

TEST(FaultyTransport, OneSeedOneRun) {
  const auto run = [](std::uint64_t seed) {
    SimClock clock;
    TestPod pod(MakeFaulty(
        {{0}, {1}}, {.seed = seed, .drop = 0.3, .duplicate = 0.3}, clock));
    const auto bytes = Pattern(1, 10);
    for (int i = 0; i < 50; ++i) pod.SendPatiently(0, 1, bytes, i);
    RunFor(pod, clock, absl::Milliseconds(5));
    return TimesSeen(pod.sink(1));
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(FaultyTransport, BoundHoldsForWhatIsHeldBack) {
  SimClock clock;
  TestPod pod(MakeFaulty({{0}, {1}}, {.seed = 1, .reorder = 1}, clock));
  const auto bytes = Pattern(1, kMaxBytesInFlight / 4);
  // One is held, each further one overtakes it: let nothing be received.
  int sent = 0;
  while (*pod.Send(0, 1, bytes, sent) == SendResult::kQueued) ++sent;
  EXPECT_LE(sent, 8) << "the bound held, and the bound in flight";
  EXPECT_THAT(pod.sink(0).credits, IsEmpty());
  RunFor(pod, clock, absl::Milliseconds(100));
  EXPECT_FALSE(pod.sink(0).credits.empty());
  EXPECT_EQ(pod.sink(1).frames.size(), sent);
}

TEST(FaultyTransport, ACutPeerIsLost) {
  SimClock clock;
  FrameFaults plan;
  plan.cuts.push_back({.peer = 1, .at = absl::Milliseconds(10)});
  TestPod pod(MakeFaulty({{0}, {1}, {2}}, plan, clock));
  const auto bytes = Pattern(1, 10);
  pod.SendPatiently(0, 1, bytes, 0);
  RunFor(pod, clock, absl::Milliseconds(5));
  EXPECT_EQ(pod.sink(1).frames.size(), 1);
  EXPECT_THAT(pod.sink(0).lost, IsEmpty());
  RunFor(pod, clock, absl::Milliseconds(20));
  ASSERT_EQ(pod.sink(0).lost.size(), 1);
  EXPECT_EQ(pod.sink(0).lost[0].first, 1);
  EXPECT_EQ(pod.sink(2).lost.size(), 1);
  EXPECT_THAT(pod.Send(0, 1, bytes, 1),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("cut off")));
  pod.SendPatiently(0, 2, bytes, 2);
  RunFor(pod, clock, absl::Milliseconds(1));
  EXPECT_EQ(pod.sink(2).frames.size(), 1) << "the others are not";
}

TEST(FaultyTransport, ASilentCutTellsNobody) {
  SimClock clock;
  TestPod pod(MakeFaulty({{0}, {1}}, {}, clock));
  const auto bytes = Pattern(1, 10);
  Faulty(pod, 0).CutPeer(1, /*silent=*/true);
  ASSERT_EQ(*pod.Send(0, 1, bytes, 0), SendResult::kQueued);
  ASSERT_EQ(*pod.Send(1, 0, bytes, 0), SendResult::kQueued);
  RunFor(pod, clock, absl::Seconds(1));
  EXPECT_THAT(pod.sink(1).frames, IsEmpty());
  EXPECT_THAT(pod.sink(0).frames, IsEmpty());
  EXPECT_THAT(pod.sink(0).lost, IsEmpty());
  EXPECT_EQ(pod.sink(0).done.size(), 1);
}

TEST(FaultyTransport, LossOfTheInnerPeerIsPassedOn) {
  TestPod pod(MakeFaulty({{0}, {1}}, {}, WallClock()));
  pod.Destroy(1);
  pod.PollUntil([&] { return pod.sink(0).lost.size() == 1; });
  EXPECT_THAT(pod.Send(0, 1, {}, 0),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::_));
}

TEST(DecideFault, ChancesComeOutAndFaultsAreIndependent) {
  const FrameFaults plan = {.seed = 9, .drop = 0.25, .flip = 1, .delay = 0.5};
  FrameFaults without = plan;
  without.drop = 0;
  int drops = 0;
  constexpr int kFrames = 4000;
  for (int i = 0; i < kFrames; ++i) {
    const FrameFault fault = DecideFault(plan, {.from = 1, .to = 2}, i, 100);
    drops += fault.drop;
    EXPECT_LT(*fault.flip_bit, 800);
    EXPECT_LE(fault.delay, plan.max_delay);
    const FrameFault same = DecideFault(without, {.from = 1, .to = 2}, i, 100);
    EXPECT_EQ(fault.flip_bit, same.flip_bit);
    EXPECT_EQ(fault.delay, same.delay);
  }
  // Binomial: mean 1000, deviation 27; six deviations either side.
  EXPECT_NEAR(drops, kFrames / 4, 165);
}

}  // namespace
}  // namespace podsim::testing
