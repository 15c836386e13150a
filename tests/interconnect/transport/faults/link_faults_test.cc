// Lines that take a latency or go wrong when they are told to, on a clock that
// only the test moves.
#include "interconnect/transport/faults/link_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/transport/test_pod.h"

namespace podsim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class LinkFaultsTest : public ::testing::Test {
 protected:
  LinkFaultsTest() {
    links_.SetSink(0, &sinks_[0]);
    near_[1]->SetSink(1, &sinks_[1]);
    near_[2]->SetSink(2, &sinks_[2]);
  }

  SendResult Send(int to, std::uint32_t chunk,
                  const std::vector<std::byte>& bytes,
                  Lane lane = Lane::kBulk) {
    const FrameHeader header = {.from = 0,
                                .to = to,
                                .lane = lane,
                                .key = {kGeneration, kGroup, 1, chunk}};
    return *links_.Send(header, bytes, chunk);
  }
  // What can happen without time passing.
  void Settle() {
    for (int moved = 1; moved > 0;) {
      moved = links_.Poll(absl::ZeroDuration());
      for (const int host : {1, 2}) {
        if (near_[host] != nullptr) {
          moved += near_[host]->Poll(absl::ZeroDuration());
        }
      }
    }
  }
  std::vector<std::uint32_t> Chunks(int host) const {
    std::vector<std::uint32_t> chunks;
    for (const auto& frame : sinks_[host].frames) {
      chunks.push_back(frame.header.key.chunk);
    }
    return chunks;
  }

  const std::vector<std::byte> bytes_ = Pattern(1, 1000);
  SimClock clock_;
  InProcessNetwork network_;
  std::unique_ptr<Transport> near_[3] = {network_.Join({0}), network_.Join({1}),
                                         network_.Join({2})};
  LinkFaults faults_{{.seed = 7}};
  ShapedLinks links_{*near_[0], faults_, clock_};
  RecordingSink sinks_[3];
};

TEST_F(LinkFaultsTest, PassesEverythingOnUntilItIsTold) {
  EXPECT_EQ(Send(1, 4, bytes_), SendResult::kQueued);
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(4));
  EXPECT_EQ(sinks_[1].frames[0].bytes, bytes_);
  EXPECT_THAT(sinks_[0].done, ElementsAre(4));
}

TEST_F(LinkFaultsTest, ACutLineTakesWhatItIsGivenAndNothingArrives) {
  Send(1, 1, bytes_);
  faults_.Cut(0, 1);
  Send(1, 2, bytes_);
  Send(2, 3, bytes_);
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(1));
  EXPECT_THAT(Chunks(2), ElementsAre(3));
  EXPECT_THAT(sinks_[0].done, UnorderedElementsAre(1, 2, 3));
  // The other way it still passes.
  ASSERT_TRUE(near_[1]
                  ->Send({.from = 1, .to = 0, .key = {kGeneration}}, bytes_, 9)
                  .ok());
  Settle();
  EXPECT_EQ(sinks_[0].frames.size(), 1);
}

TEST_F(LinkFaultsTest, ADelayKeepsTheOrderAndEnds) {
  faults_.Delay(0, 1, absl::Milliseconds(5));
  Send(1, 1, bytes_);
  Send(2, 2, bytes_);
  clock_.Advance(absl::Milliseconds(2));
  Send(1, 3, bytes_);
  faults_.Delay(0, 1, absl::ZeroDuration());
  Send(1, 4, bytes_);  // behind those that wait
  Settle();
  EXPECT_THAT(Chunks(1), IsEmpty());
  EXPECT_THAT(Chunks(2), ElementsAre(2));
  clock_.Advance(absl::Milliseconds(3));
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(1));
  clock_.Advance(absl::Milliseconds(2));
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(1, 3, 4));
  EXPECT_THAT(sinks_[0].done, UnorderedElementsAre(1, 2, 3, 4));
  Send(1, 5, bytes_);
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(1, 3, 4, 5));
}

TEST_F(LinkFaultsTest, LanesAreDelayedApart) {
  faults_.Delay(0, 1, absl::Milliseconds(5));
  Send(1, 1, bytes_);
  faults_.Delay(0, 1, absl::ZeroDuration());
  Send(1, 2, bytes_, Lane::kExpress);
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(2));
}

TEST_F(LinkFaultsTest, WhatIsDueAndRefusedIsTriedAgain) {
  const std::vector<std::byte> large = Pattern(2, BoundOf(Lane::kBulk) / 8);
  sinks_[1].keep = true;  // gives no credit back
  for (std::uint32_t chunk = 0; chunk < 8; ++chunk) Send(1, chunk, large);
  Settle();
  faults_.Delay(0, 1, absl::Milliseconds(5));
  for (std::uint32_t chunk = 8; chunk < 14; ++chunk) Send(1, chunk, large);
  clock_.Advance(absl::Milliseconds(5));
  Settle();
  EXPECT_EQ(sinks_[1].frames.size(), 8);
  sinks_[1].kept.clear();
  Settle();
  EXPECT_THAT(Chunks(1),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
  sinks_[1].kept.clear();
  Settle();
  EXPECT_EQ(sinks_[0].done.size(), 14);
}

TEST_F(LinkFaultsTest, ADelayedFrameToAPeerThatIsLostFreesItsBytes) {
  faults_.Delay(0, 1, absl::Milliseconds(5));
  Send(1, 1, bytes_);
  near_[1].reset();
  Settle();
  EXPECT_THAT(sinks_[0].done, IsEmpty());
  clock_.Advance(absl::Milliseconds(5));
  Settle();
  EXPECT_THAT(sinks_[0].done, ElementsAre(1));
  EXPECT_EQ(sinks_[0].lost.size(), 1);
}

TEST_F(LinkFaultsTest, WhatASinkThatGoesHadQueuedIsNotSent) {
  faults_.Delay(0, 1, absl::Milliseconds(5));
  Send(1, 1, bytes_);
  links_.SetSink(0, nullptr);
  clock_.Advance(absl::Milliseconds(5));
  Settle();
  EXPECT_THAT(Chunks(1), IsEmpty());
  EXPECT_THAT(sinks_[0].done, IsEmpty());
}

// At a quarter of 1 GB/s a byte takes 3 ns longer.
TEST_F(LinkFaultsTest, ASlowLinkHoldsFramesByTheirBytesOneAfterTheOther) {
  const std::vector<std::byte> large = Pattern(3, 1'000'000);
  faults_.Slow(0, 1, 0.25);
  Send(1, 1, large);
  Send(2, 2, large);
  clock_.Advance(absl::Milliseconds(1));
  Send(1, 3, large);
  Settle();
  EXPECT_THAT(Chunks(1), IsEmpty());
  EXPECT_THAT(Chunks(2), ElementsAre(2));
  clock_.Advance(absl::Milliseconds(2));
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(1));
  clock_.Advance(absl::Milliseconds(2));
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(1));
  clock_.Advance(absl::Milliseconds(1));
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(1, 3));
  EXPECT_EQ(sinks_[1].frames[1].bytes, large);
}

TEST(SlowLink, IsSlowBothWaysAndOneDirectionDoesNotWaitForTheOther) {
  LinkFaults faults({});
  faults.Slow(0, 1, 0.5);
  const absl::Time now = absl::UnixEpoch();
  const auto delay = [&](int from, int to, std::size_t bytes) {
    return faults.FateOf({.from = from, .to = to}, bytes, now).delay;
  };
  EXPECT_EQ(delay(0, 1, 2000), absl::Microseconds(2));
  EXPECT_EQ(delay(1, 0, 2000), absl::Microseconds(2));
  EXPECT_EQ(delay(0, 1, 1000), absl::Microseconds(3));
  EXPECT_EQ(delay(0, 2, 2000), absl::ZeroDuration());
  faults.Slow(0, 2, 1);
  EXPECT_EQ(delay(0, 2, 2000), absl::ZeroDuration());
}

TEST(SlowLink, TakesItsLatencyToo) {
  LinkFaults faults({.latency = absl::Milliseconds(5)});
  faults.Slow(0, 1, 0.25);
  EXPECT_EQ(
      faults.FateOf({.from = 1, .to = 0}, 1'000'000, absl::UnixEpoch()).delay,
      absl::Milliseconds(8));
}

class LatencyTest : public LinkFaultsTest {
 protected:
  static constexpr absl::Duration kLatency = absl::Milliseconds(5);
  LatencyTest() {
    near_[2]->SetSink(2, nullptr);
    far_.SetSink(2, &sinks_[2]);
  }
  void SendFar(std::uint32_t chunk) {
    const FrameHeader header = {
        .from = 2, .to = 1, .key = {kGeneration, kGroup, 1, chunk}};
    ASSERT_EQ(*far_.Send(header, bytes_, chunk), SendResult::kQueued);
  }
  void SettleFar() {
    while (far_.Poll(absl::ZeroDuration()) +
               near_[1]->Poll(absl::ZeroDuration()) >
           0) {
    }
  }

  LinkFaults latency_{{.latency = kLatency}};
  ShapedLinks far_{*near_[2], latency_, clock_};
};

TEST_F(LatencyTest, FramesTakeItOneAfterTheOther) {
  SendFar(7);
  SettleFar();
  clock_.Advance(absl::Milliseconds(2));
  SendFar(8);
  SettleFar();
  clock_.Advance(absl::Milliseconds(2));
  SettleFar();
  EXPECT_THAT(Chunks(1), IsEmpty());
  clock_.Advance(absl::Milliseconds(1));
  SettleFar();
  EXPECT_THAT(Chunks(1), ElementsAre(7));
  EXPECT_EQ(sinks_[1].frames[0].bytes, bytes_);
  clock_.Advance(absl::Milliseconds(4));
  SettleFar();
  EXPECT_THAT(Chunks(1), ElementsAre(7));
  clock_.Advance(absl::Milliseconds(1));
  SettleFar();
  EXPECT_THAT(Chunks(1), ElementsAre(7, 8));
}

TEST_F(LatencyTest, AHeldFrameKeepsTheSendersBytes) {
  SendFar(7);
  SettleFar();
  EXPECT_THAT(sinks_[2].done, IsEmpty());
  clock_.Advance(kLatency);
  SettleFar();
  EXPECT_THAT(sinks_[2].done, ElementsAre(7));
}

TEST_F(LatencyTest, ADelayComesOnTopOfIt) {
  latency_.Delay(2, 1, absl::Milliseconds(10));
  SendFar(7);
  clock_.Advance(absl::Milliseconds(14));
  SettleFar();
  EXPECT_THAT(Chunks(1), IsEmpty());
  clock_.Advance(absl::Milliseconds(1));
  SettleFar();
  EXPECT_THAT(Chunks(1), ElementsAre(7));
}

TEST(Latency, PollSleepsUntilAFrameIsDueAndWakes) {
  SystemClock clock;
  InProcessNetwork network;
  const auto near = network.Join({0});
  LinkFaults latency({.latency = absl::Milliseconds(20)});
  ShapedLinks far(*near, latency, clock);
  RecordingSink sink;
  far.SetSink(0, &sink);
  const auto bytes = Pattern(1, 10);
  const absl::Time begin = clock.Now();
  ASSERT_EQ(*far.Send({.from = 0, .to = 0, .key = {kGeneration, kGroup, 1, 0}},
                      bytes, 1),
            SendResult::kQueued);
  while (sink.done.empty()) far.Poll(absl::Minutes(10));
  EXPECT_GE(clock.Now() - begin, absl::Milliseconds(20));
  EXPECT_EQ(sink.frames.size(), 1);
  far.Wake();
  EXPECT_EQ(far.Poll(absl::Minutes(10)), 0) << "or this waits for 10 min";
  far.SetSink(0, nullptr);
}

// Hears what was said about a frame that came over no wire.
class ClaimingTransport final : public Transport {
 public:
  const std::vector<int>& local_hosts() const override { return hosts_; }
  void SetSink(int, FrameSink*) override {}
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t) override {
    if (refuse) return SendResult::kNoCredit;
    claimed.push_back(header.checksum);
    sent.emplace_back(payload.begin(), payload.end());
    return SendResult::kQueued;
  }
  int Poll(absl::Duration) override { return 0; }
  void Wake() override {}

  bool refuse = false;
  std::vector<std::optional<std::uint32_t>> claimed;
  std::vector<std::vector<std::byte>> sent;

 private:
  const std::vector<int> hosts_ = {0};
};

int BitsApart(const std::vector<std::byte>& a,
              const std::vector<std::byte>& b) {
  int bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    bits += std::popcount(std::to_integer<std::uint8_t>(a[i] ^ b[i]));
  }
  return bits;
}

TEST(FlippedBit, BreaksTheChecksumOfOneFrameThatIsNotEmpty) {
  const SimClock clock;
  const std::vector<std::byte> bytes = Pattern(3, 500);
  ClaimingTransport inner;
  LinkFaults faults({.seed = 7});
  ShapedLinks links(inner, faults, clock);
  faults.FlipNext(0, 1);
  const FrameHeader header = {.from = 0, .to = 1};
  EXPECT_TRUE(links.Send(header, {}, 0).ok());
  FrameHeader with_checksum = header;
  with_checksum.checksum = Crc32c(bytes);
  inner.refuse = true;
  EXPECT_EQ(*links.Send(with_checksum, bytes, 1), SendResult::kQueued);
  EXPECT_EQ(inner.sent.size(), 1) << "it waits for credit";
  inner.refuse = false;
  links.Poll(absl::ZeroDuration());
  EXPECT_TRUE(links.Send(header, bytes, 2).ok());
  ASSERT_EQ(inner.sent.size(), 3);
  EXPECT_EQ(BitsApart(inner.sent[1], bytes), 1);
  EXPECT_EQ(inner.claimed[1], Crc32c(bytes));
  EXPECT_NE(inner.claimed[1], Crc32c(inner.sent[1]));
  EXPECT_EQ(inner.sent[2], bytes);
  EXPECT_EQ(inner.claimed[2], std::nullopt);
}

TEST(FlippedBit, IsMadeAChecksumWhereTheSenderHasNone) {
  const SimClock clock;
  const std::vector<std::byte> bytes = Pattern(3, 500);
  ClaimingTransport inner;
  LinkFaults faults({.seed = 8});
  ShapedLinks links(inner, faults, clock);
  faults.FlipNext(0, 1);
  faults.FlipNext(0, 1);
  EXPECT_TRUE(links.Send({.from = 0, .to = 1}, bytes, 0).ok());
  EXPECT_TRUE(links.Send({.from = 0, .to = 1}, bytes, 1).ok());
  EXPECT_EQ(inner.claimed[0], Crc32c(bytes));
  EXPECT_EQ(inner.claimed[1], Crc32c(bytes));
  EXPECT_EQ(BitsApart(inner.sent[0], bytes), 1);
  EXPECT_EQ(BitsApart(inner.sent[1], bytes), 1);
}

}  // namespace
}  // namespace podsim::testing
