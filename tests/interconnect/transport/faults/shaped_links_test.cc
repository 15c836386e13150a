// Links that suffer what a seed says, beneath a wire, on a clock that only the
// test moves.
#include "interconnect/transport/faults/shaped_links.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/transport/conformance.h"
#include "tests/interconnect/transport/faults/frame_faults.h"
#include "tests/interconnect/transport/faults/wire.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A wire over shaped links over a line in process; owns all three.
class SpoiledWire final : public Transport {
 public:
  SpoiledWire(std::unique_ptr<Transport> line, LinkShape& shape,
              const Clock& clock)
      : line_(std::move(line)), links_(*line_, shape, clock), wire_(links_) {}

  const std::vector<int>& local_hosts() const override {
    return line_->local_hosts();
  }
  void SetSink(int local_host, FrameSink* sink) override {
    wire_.SetSink(local_host, sink);
  }
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override {
    return wire_.Send(header, payload, token);
  }
  int Poll(absl::Duration max_wait) override { return wire_.Poll(max_wait); }
  void Wake() override { wire_.Wake(); }

 private:
  const std::unique_ptr<Transport> line_;
  ShapedLinks links_;
  WireTransport wire_;
};

Transports MakeSpoiled(const std::vector<std::vector<int>>& processes,
                       LinkShape& shape, const Clock& clock) {
  InProcessNetwork network;
  Transports transports;
  for (const auto& hosts : processes) {
    transports.push_back(
        std::make_unique<SpoiledWire>(network.Join(hosts), shape, clock));
  }
  return transports;
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
TEST(ShapedLinks, WithoutFaultsFramesPassInOrder) {
  SimClock clock;
  RandomFaults faults({}, clock);
  TestPod pod(MakeSpoiled({{0}, {1}}, faults, clock));
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

TEST(ShapedLinks, DelayKeepsOrderAndTakesVirtualTime) {
  SimClock clock;
  RandomFaults faults(
      {.seed = 5, .delay = 1, .max_delay = absl::Milliseconds(50)}, clock);
  TestPod pod(MakeSpoiled({{0}, {1}}, faults, clock));
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

TEST(ShapedLinks, FlippedBitsAreNoticed) {
  SimClock clock;
  RandomFaults faults({.seed = 11, .flip = 0.5}, clock);
  TestPod pod(MakeSpoiled({{0}, {1}}, faults, clock));
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

TEST(ShapedLinks, DropsDuplicatesAndReordersAsPlanned) {
  SimClock clock;
  const FrameFaults plan = {
      .seed = 3, .drop = 0.2, .duplicate = 0.2, .reorder = 0.2};
  RandomFaults faults(plan, clock);
  TestPod pod(MakeSpoiled({{0}, {1}}, faults, clock));
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

TEST(ShapedLinks, OneSeedOneRun) {
  const auto run = [](std::uint64_t seed) {
    SimClock clock;
    RandomFaults faults({.seed = seed, .drop = 0.3, .duplicate = 0.3}, clock);
    TestPod pod(MakeSpoiled({{0}, {1}}, faults, clock));
    const auto bytes = Pattern(1, 10);
    for (int i = 0; i < 50; ++i) pod.SendPatiently(0, 1, bytes, i);
    RunFor(pod, clock, absl::Milliseconds(5));
    return TimesSeen(pod.sink(1));
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(ShapedLinks, BoundHoldsForWhatIsHeldBack) {
  SimClock clock;
  RandomFaults faults({.seed = 1, .reorder = 1}, clock);
  TestPod pod(MakeSpoiled({{0}, {1}}, faults, clock));
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

TEST(ShapedLinks, ACutTakesWhatIsOnItsWayAndTellsTheSenderThatItWasSent) {
  SimClock clock;
  FrameFaults plan = {.delay = 1, .max_delay = absl::Milliseconds(1)};
  plan.cuts.push_back({.peer = 1, .at = absl::Milliseconds(10)});
  RandomFaults faults(plan, clock);
  TestPod pod(MakeSpoiled({{0}, {1}, {2}}, faults, clock));
  const auto bytes = Pattern(1, 10);
  pod.SendPatiently(0, 1, bytes, 0);
  RunFor(pod, clock, absl::Milliseconds(9));
  EXPECT_EQ(pod.sink(1).frames.size(), 1);
  faults.CutOff(0);
  pod.SendPatiently(1, 2, bytes, 0);
  clock.Advance(absl::Milliseconds(1));
  pod.SendPatiently(2, 1, bytes, 0);
  pod.SendPatiently(2, 0, bytes, 1);
  RunFor(pod, clock, absl::Milliseconds(20));
  for (const int host : {0, 1, 2}) {
    EXPECT_EQ(pod.sink(host).frames.size(), host == 1 ? 1 : 0) << host;
    EXPECT_THAT(pod.sink(host).lost, IsEmpty()) << host;
    EXPECT_EQ(pod.sink(host).done.size(), host == 2 ? 2 : 1) << host;
  }
}

TEST(ShapedLinks, LossOfTheInnerPeerIsPassedOn) {
  const SystemClock clock;
  RandomFaults faults({}, clock);
  TestPod pod(MakeSpoiled({{0}, {1}}, faults, clock));
  pod.Destroy(1);
  pod.PollUntil([&] { return pod.sink(0).lost.size() == 1; });
  EXPECT_THAT(pod.Send(0, 1, {}, 0),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::_));
}

TEST(ShapedLinks, WhatTheInnerTransportRefusesIsRefused) {
  SimClock clock;
  RandomFaults faults({}, clock);
  TestPod pod(MakeSpoiled({{0}, {1}}, faults, clock));
  EXPECT_THAT(pod.Send(0, 7, {}, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("7")));
  pod.SendPatiently(0, 1, {}, 1);
  RunFor(pod, clock, absl::Milliseconds(1));
  EXPECT_EQ(pod.sink(1).frames.size(), 1);
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
