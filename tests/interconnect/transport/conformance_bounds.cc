// What may be in flight between two hosts, and what a full lane holds back.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "base/units.h"
#include "tests/interconnect/transport/conformance.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::IsEmpty;

TEST_P(TransportTest, ReceiverThatKeepsPayloadsStopsTheSender) {
  const auto& bytes = pod_.Bytes(1, kFrame);
  pod_.sink(1).keep = true;
  EXPECT_EQ(FillBound(pod_, bytes), kFramesInBound);
  pod_.PollUntil(
      [&] { return pod_.sink(1).kept.size() == std::size_t{kFramesInBound}; });
  pod_.Settle();
  EXPECT_THAT(pod_.sink(0).credits, IsEmpty());
  EXPECT_THAT(pod_.Send(0, 1, bytes, 99), IsOk());
  EXPECT_EQ(*pod_.Send(0, 1, bytes, 99), SendResult::kNoCredit);

  pod_.sink(1).kept.clear();
  pod_.PollUntil([&] { return !pod_.sink(0).credits.empty(); });
  EXPECT_EQ(pod_.sink(0).credits.front(), 1);
  EXPECT_EQ(*pod_.Send(0, 1, bytes, 99), SendResult::kQueued);
}

// Credits may be collected, but not while somebody waits for the little there
// is.
TEST_P(TransportTest, OneReleasedFrameLetsOneMoreIn) {
  const auto& bytes = pod_.Bytes(2, kFrame);
  pod_.sink(1).keep = true;
  const int sent = FillBound(pod_, bytes);
  pod_.PollUntil([&] { return pod_.sink(1).kept.size() == sent; });
  for (int round = 0; round < 3; ++round) {
    pod_.Settle();
    ASSERT_EQ(pod_.sink(0).credits.size(), round);
    pod_.sink(1).kept.pop_back();
    pod_.PollUntil([&] { return pod_.sink(0).credits.size() > round; });
    ASSERT_EQ(*pod_.Send(0, 1, bytes, 100 + round), SendResult::kQueued);
    ASSERT_EQ(*pod_.Send(0, 1, bytes, 200 + round), SendResult::kNoCredit);
    pod_.PollUntil([&] { return pod_.sink(1).kept.size() == sent; });
  }
}

TEST_P(TransportTest, EmptyFramesAreBoundedToo) {
  pod_.sink(1).keep = true;
  EXPECT_EQ(FillBound(pod_, {}), BoundOf(Lane::kBulk) / 64);
}

// Frames of all lengths that the lanes have room for, on both, as many as are
// taken, to a host that keeps them and now and then lets go of some.
TEST_P(TransportTest, AFloodNeverHasMoreInFlightThanTheBound) {
  static_assert(kMaxBytesInFlight <= 4 * kMiB);
  constexpr int kRounds = 12;
  constexpr std::uint32_t kSeed = 20261121;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const std::span<const std::byte> bytes =
      pod_.Bytes(17, kMaxExpressBytesInFlight);
  RecordingSink& receiver = pod_.sink(1);
  receiver.keep = true;
  std::int64_t accepted = 0;
  std::int64_t released = 0;
  std::int64_t most = 0;
  std::uint64_t token = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (const Lane lane : {Lane::kBulk, Lane::kExpress}) {
      // A refused length may be followed by one that fits: 50 refusals.
      for (int refused = 0; refused < 50;) {
        const std::size_t longest = random() % 2 == 0 ? bytes.size() : 2000;
        const std::size_t size = random() % longest;
        const auto sent = pod_.Send(0, 1, bytes.first(size), token, lane);
        ASSERT_THAT(sent, IsOk());
        if (*sent == SendResult::kNoCredit) {
          ++refused;
        } else {
          ++token;
          accepted += ChargeOf(size);
          most = std::max(most, accepted - released);
        }
        ASSERT_LE(accepted - released, kMaxBytesInFlight) << "round " << round;
      }
    }
    pod_.PollUntil([&] { return receiver.frames.size() == token; });
    while (random() % 16 != 0 && !receiver.kept.empty()) {
      released += ChargeOf(receiver.kept.front().size());
      receiver.kept.erase(receiver.kept.begin());
    }
    pod_.Settle();
  }
  EXPECT_GT(most, kMaxBytesInFlight * 9 / 10) << "no flood";
  EXPECT_GT(accepted, 2 * kMaxBytesInFlight);
}

// Heads and headers take more room than such frames, so what a transport keeps
// them in may fill before the bound does: some then travel another way.
TEST_P(TransportTest, AFloodOfSmallFramesKeepsItsOrder) {
  const std::span<const std::byte> bytes = pod_.Bytes(8, 200);
  RecordingSink& receiver = pod_.sink(1);
  receiver.keep = true;
  std::uint64_t token = 0;
  for (int round = 0; round < 4; ++round) {
    while (*pod_.Send(0, 1, bytes.first(token % 200), token) ==
           SendResult::kQueued) {
      ++token;
    }
    pod_.PollUntil([&] { return receiver.frames.size() == token; });
    // Every third stays, among those that go.
    std::vector<Payload> kept;
    for (std::size_t i = 0; i < receiver.kept.size(); i += 3) {
      kept.push_back(std::move(receiver.kept[i]));
    }
    receiver.kept = std::move(kept);
    pod_.Settle();
  }
  for (std::size_t i = 0; i < token; ++i) {
    ASSERT_EQ(receiver.frames[i].header.key.sequence, i);
    ASSERT_EQ(receiver.frames[i].bytes,
              std::vector<std::byte>(bytes.begin(), bytes.begin() + i % 200));
  }
}

TEST_P(TransportTest, FullBulkLaneLeavesTheExpressLaneOpen) {
  const auto& bytes = pod_.Bytes(3, kFrame);
  const auto& small = pod_.Bytes(4, 100);
  pod_.sink(1).keep = true;
  const int sent = FillBound(pod_, bytes);
  ASSERT_EQ(*pod_.Send(0, 1, small, 1000, Lane::kExpress), SendResult::kQueued);
  pod_.PollUntil([&] { return pod_.sink(1).frames.size() == sent + 1; });
  // Never behind more than the one frame that is being written.
  const auto& frames = pod_.sink(1).frames;
  const auto express = std::find_if(
      frames.begin(), frames.end(),
      [](const auto& frame) { return frame.header.lane == Lane::kExpress; });
  EXPECT_LE(express - frames.begin(), 1);
  EXPECT_EQ(express->bytes, small);
}

TEST_P(TransportTest, OversizedFramePassesAlone) {
  const auto& large = pod_.Bytes(5, kMaxBytesInFlight + kMiB + 1);
  const auto& small = pod_.Bytes(6, 10);
  pod_.sink(1).keep = true;
  ASSERT_EQ(*pod_.Send(0, 1, large, 0), SendResult::kQueued);
  EXPECT_EQ(*pod_.Send(0, 1, small, 1), SendResult::kNoCredit);
  pod_.PollUntil([&] { return pod_.sink(1).frames.size() == 1; });
  EXPECT_TRUE(pod_.sink(1).frames[0].bytes == large);
  pod_.sink(1).kept.clear();
  pod_.PollUntil([&] { return !pod_.sink(0).credits.empty(); });

  ASSERT_EQ(*pod_.Send(0, 1, small, 2), SendResult::kQueued);
  EXPECT_EQ(*pod_.Send(0, 1, large, 3), SendResult::kNoCredit);
  pod_.sink(1).keep = false;
  pod_.SendPatiently(0, 1, large, 3);
  pod_.PollUntil([&] { return pod_.sink(1).frames.size() >= 3; });
}

}  // namespace
}  // namespace podsim::testing
