// Lines with a latency, on a clock that only the test moves.
#include "interconnect/transport/faults/delayed.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/clock.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/transport/test_pod.h"

namespace podsim::testing {
namespace {

constexpr absl::Duration kLatency = absl::Milliseconds(5);

class DelayedTest : public ::testing::Test {
 protected:
  DelayedTest() {
    far_[0].SetSink(0, &sinks_[0]);
    far_[1].SetSink(1, &sinks_[1]);
  }

  void Send(std::uint32_t chunk, std::uint64_t token) {
    const FrameHeader header = {
        .from = 0, .to = 1, .key = {kGeneration, kGroup, 1, chunk}};
    ASSERT_EQ(*far_[0].Send(header, bytes_, token), SendResult::kQueued);
  }
  // What can happen without time passing.
  void Settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const int host : {0, 1}) {
        if (near_[host] == nullptr) continue;
        moved = far_[host].Poll(absl::ZeroDuration()) > 0 || moved;
      }
    }
  }

  const std::vector<std::byte> bytes_ = Pattern(1, 1000);
  SimClock clock_;
  InProcessNetwork network_;
  std::unique_ptr<Transport> near_[2] = {network_.Join({0}),
                                         network_.Join({1})};
  DelayedTransport far_[2] = {{*near_[0], kLatency, clock_},
                              {*near_[1], kLatency, clock_}};
  RecordingSink sinks_[2];
};

TEST_F(DelayedTest, FramesTakeALatencyOneAfterTheOther) {
  Send(0, 7);
  Settle();
  clock_.Advance(absl::Milliseconds(2));
  Send(1, 8);
  Settle();
  clock_.Advance(absl::Milliseconds(2));
  Settle();
  EXPECT_TRUE(sinks_[1].frames.empty());
  clock_.Advance(absl::Milliseconds(1));
  Settle();
  ASSERT_EQ(sinks_[1].frames.size(), 1u);
  EXPECT_EQ(sinks_[1].frames[0].header.key.chunk, 0u);
  EXPECT_EQ(sinks_[1].frames[0].bytes, bytes_);
  clock_.Advance(absl::Milliseconds(4));
  Settle();
  EXPECT_EQ(sinks_[1].frames.size(), 1u);
  clock_.Advance(absl::Milliseconds(1));
  Settle();
  ASSERT_EQ(sinks_[1].frames.size(), 2u);
  EXPECT_EQ(sinks_[1].frames[1].header.key.chunk, 1u);
}

TEST_F(DelayedTest, AHeldFrameKeepsTheSendersBytes) {
  Send(0, 7);
  Settle();
  EXPECT_TRUE(sinks_[0].done.empty());
  clock_.Advance(kLatency);
  Settle();
  EXPECT_EQ(sinks_[0].done, std::vector<std::uint64_t>{7});
}

TEST_F(DelayedTest, TheLossOfAPeerStaysBehindItsFrames) {
  Send(0, 7);
  Settle();
  far_[0].SetSink(0, nullptr);
  near_[0].reset();
  Settle();
  EXPECT_TRUE(sinks_[1].lost.empty());
  clock_.Advance(kLatency);
  Settle();
  EXPECT_EQ(sinks_[1].frames.size(), 1u);
  EXPECT_TRUE(sinks_[1].lost.empty());
  clock_.Advance(kLatency);
  Settle();
  ASSERT_EQ(sinks_[1].lost.size(), 1u);
  EXPECT_EQ(sinks_[1].lost[0].first, 0);
}

TEST_F(DelayedTest, ASinkThatGoesHearsNothingMore) {
  Send(0, 7);
  Settle();
  far_[1].SetSink(1, nullptr);
  clock_.Advance(kLatency);
  Settle();
  EXPECT_TRUE(sinks_[1].frames.empty());
  EXPECT_EQ(sinks_[0].done, std::vector<std::uint64_t>{7}) << "it was dropped";
}

TEST(Delayed, PollSleepsUntilAFrameIsDueAndWakes) {
  SystemClock clock;
  InProcessNetwork network;
  const auto near = network.Join({0});
  DelayedTransport far(*near, absl::Milliseconds(20), clock);
  RecordingSink sink;
  far.SetSink(0, &sink);
  const auto bytes = Pattern(1, 10);
  const absl::Time begin = clock.Now();
  ASSERT_EQ(*far.Send({.from = 0, .to = 0, .key = {kGeneration, kGroup, 1, 0}},
                      bytes, 1),
            SendResult::kQueued);
  while (sink.done.empty()) far.Poll(absl::Seconds(10));
  EXPECT_GE(clock.Now() - begin, absl::Milliseconds(20));
  far.Wake();
  EXPECT_EQ(far.Poll(absl::Seconds(10)), 0) << "or this waits for 10 s";
  EXPECT_LT(clock.Now() - begin, absl::Seconds(9));
  far.SetSink(0, nullptr);
}

}  // namespace
}  // namespace podsim::testing
