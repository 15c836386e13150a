// Lines that go wrong where frames are sent, on a clock that only the test
// moves.
#include "interconnect/transport/faults/faulty_links.h"

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

class FaultyLinksTest : public ::testing::Test {
 protected:
  FaultyLinksTest() {
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
  FaultyLinks links_{*near_[0], clock_, 7};
  RecordingSink sinks_[3];
};

TEST_F(FaultyLinksTest, PassesEverythingOnUntilItIsTold) {
  EXPECT_EQ(Send(1, 4, bytes_), SendResult::kQueued);
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(4));
  EXPECT_EQ(sinks_[1].frames[0].bytes, bytes_);
  EXPECT_THAT(sinks_[0].done, ElementsAre(4));
}

TEST_F(FaultyLinksTest, ACutLineTakesWhatItIsGivenAndNothingArrives) {
  Send(1, 1, bytes_);
  links_.Cut(0, 1);
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

TEST_F(FaultyLinksTest, ADelayKeepsTheOrderAndEnds) {
  links_.Delay(0, 1, absl::Milliseconds(5));
  Send(1, 1, bytes_);
  Send(2, 2, bytes_);
  clock_.Advance(absl::Milliseconds(2));
  Send(1, 3, bytes_);
  links_.Delay(0, 1, absl::ZeroDuration());
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

TEST_F(FaultyLinksTest, LanesAreDelayedApart) {
  links_.Delay(0, 1, absl::Milliseconds(5));
  Send(1, 1, bytes_);
  links_.Delay(0, 1, absl::ZeroDuration());
  Send(1, 2, bytes_, Lane::kExpress);
  Settle();
  EXPECT_THAT(Chunks(1), ElementsAre(2));
}

TEST_F(FaultyLinksTest, WhatIsDueAndRefusedIsTriedAgain) {
  const std::vector<std::byte> large = Pattern(2, kMaxBytesInFlight / 2);
  sinks_[1].keep = true;  // gives no credit back
  links_.Delay(0, 1, absl::Milliseconds(5));
  for (std::uint32_t chunk = 0; chunk < 6; ++chunk) Send(1, chunk, large);
  clock_.Advance(absl::Milliseconds(5));
  Settle();
  EXPECT_LT(sinks_[1].frames.size(), 6);
  EXPECT_FALSE(sinks_[1].frames.empty());
  for (int i = 0; i < 6; ++i) {
    sinks_[1].kept.clear();
    Settle();
  }
  EXPECT_THAT(Chunks(1), ElementsAre(0, 1, 2, 3, 4, 5));
  sinks_[1].kept.clear();
  Settle();
  EXPECT_EQ(sinks_[0].done.size(), 6);
}

TEST_F(FaultyLinksTest, ADelayedFrameToAPeerThatIsLostFreesItsBytes) {
  links_.Delay(0, 1, absl::Milliseconds(5));
  Send(1, 1, bytes_);
  near_[1].reset();
  Settle();
  EXPECT_THAT(sinks_[0].done, IsEmpty());
  clock_.Advance(absl::Milliseconds(5));
  Settle();
  EXPECT_THAT(sinks_[0].done, ElementsAre(1));
  EXPECT_EQ(sinks_[0].lost.size(), 1);
}

TEST_F(FaultyLinksTest, WhatASinkThatGoesHadQueuedIsNotSent) {
  links_.Delay(0, 1, absl::Milliseconds(5));
  Send(1, 1, bytes_);
  links_.SetSink(0, nullptr);
  clock_.Advance(absl::Milliseconds(5));
  Settle();
  EXPECT_THAT(Chunks(1), IsEmpty());
  EXPECT_THAT(sinks_[0].done, IsEmpty());
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
  FaultyLinks links(inner, clock, 7);
  links.FlipNext(0, 1);
  const FrameHeader header = {.from = 0, .to = 1};
  EXPECT_TRUE(links.Send(header, {}, 0).ok());
  inner.refuse = true;
  EXPECT_EQ(*links.Send(header, bytes, 1), SendResult::kNoCredit);
  inner.refuse = false;
  FrameHeader with_checksum = header;
  with_checksum.checksum = Crc32c(bytes);
  EXPECT_TRUE(links.Send(with_checksum, bytes, 1).ok());
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
  FaultyLinks links(inner, clock, 8);
  links.FlipNext(0, 1);
  links.FlipNext(0, 1);
  EXPECT_TRUE(links.Send({.from = 0, .to = 1}, bytes, 0).ok());
  EXPECT_TRUE(links.Send({.from = 0, .to = 1}, bytes, 1).ok());
  EXPECT_EQ(inner.claimed[0], Crc32c(bytes));
  EXPECT_EQ(inner.claimed[1], Crc32c(bytes));
  EXPECT_EQ(BitsApart(inner.sent[0], bytes), 1);
  EXPECT_EQ(BitsApart(inner.sent[1], bytes), 1);
}

}  // namespace
}  // namespace podsim::testing
