#include "tests/interconnect/transport/conformance.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <thread>

#include "absl/time/clock.h"
#include "base/random.h"
#include "base/units.h"
#include "interconnect/transport/credit.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

constexpr std::size_t kFrame = 256 * kKiB;
constexpr int kFramesInBound = BoundOf(Lane::kBulk) / kFrame;

std::vector<std::uint64_t> UpTo(std::uint64_t count) {
  std::vector<std::uint64_t> tokens(count);
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

// Sends bulk frames from 0 to 1, with tokens from 0 on, until one is refused.
int FillBound(TestPod& pod, std::span<const std::byte> bytes) {
  for (int sent = 0;; ++sent) {
    const auto result = pod.Send(0, 1, bytes, sent);
    EXPECT_THAT(result, IsOk());
    if (!result.ok() || *result == SendResult::kNoCredit) return sent;
  }
}

TEST_P(TransportTest, OrderPerLaneAndExactlyOnce) {
  constexpr std::uint64_t kFrames = 300;
  const auto bytes = [this](std::uint64_t i) -> const auto& {
    return pod_.Bytes(i, i * 37 % 5000);
  };
  const auto lane_of = [](std::uint64_t i) {
    return i % 3 == 0 ? Lane::kExpress : Lane::kBulk;
  };
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    pod_.SendPatiently(0, 1, bytes(i), i, lane_of(i));
    if (i % 16 == 0) pod_.PollOnce();
  }
  pod_.PollUntil([&] {
    return pod_.sink(1).frames.size() >= kFrames &&
           pod_.sink(0).done.size() >= kFrames;
  });
  pod_.Settle();

  std::vector<std::uint64_t> seen;
  std::map<Lane, std::uint64_t> last;
  for (const auto& frame : pod_.sink(1).frames) {
    const std::uint64_t i = frame.header.key.sequence;
    seen.push_back(i);
    EXPECT_EQ(frame.bytes, bytes(i));
    EXPECT_EQ(frame.header.from, 0);
    EXPECT_EQ(frame.header.to, 1);
    EXPECT_EQ(frame.header.lane, lane_of(i));
    const FrameKey key = {
        .generation = kGeneration, .group = kGroup, .sequence = i, .chunk = 9};
    EXPECT_EQ(frame.header.key, key);
    if (last.contains(frame.header.lane)) {
      EXPECT_LT(last[frame.header.lane], i) << "overtaken within its lane";
    }
    last[frame.header.lane] = i;
  }
  EXPECT_THAT(seen, UnorderedElementsAreArray(UpTo(kFrames)));
  EXPECT_THAT(pod_.sink(0).done, UnorderedElementsAreArray(UpTo(kFrames)));
  EXPECT_THAT(pod_.sink(0).frames, IsEmpty());
  EXPECT_THAT(pod_.sink(1).bad, IsEmpty());
}

TEST_P(TransportTest, RandomSizesBothWays) {
  const std::uint64_t seed = 20240611;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::vector<std::size_t> sizes = {0, 1, 3, 63, 64, 65, 16384, kMiB};
  const std::uint64_t key = RandomKey(seed, "sizes");
  for (std::uint64_t i = 0; i < 24; ++i) {
    sizes.push_back(static_cast<std::size_t>(UniformFloat(key, i) *
                                             static_cast<float>(kMiB)));
  }
  std::vector<std::span<const std::byte>> bytes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    bytes.push_back(pod_.Bytes(i, sizes[i]));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    pod_.SendPatiently(0, 1, bytes[i], i);
    pod_.SendPatiently(1, 0, bytes[sizes.size() - 1 - i], i);
  }
  pod_.PollUntil([&] {
    return pod_.sink(0).frames.size() == sizes.size() &&
           pod_.sink(1).frames.size() == sizes.size();
  });
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(pod_.sink(1).frames[i].bytes, bytes[i]))
        << sizes[i];
    EXPECT_TRUE(std::ranges::equal(pod_.sink(0).frames[i].bytes,
                                   bytes[sizes.size() - 1 - i]));
  }
}

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

TEST_P(TransportTest, BytesMayChangeOnceTheSendIsDone) {
  const auto original = Pattern(7, kMiB + 5);
  std::vector<std::byte> buffer;
  pod_.sink(0).on_done = [&](std::uint64_t) {
    std::fill(buffer.begin(), buffer.end(), std::byte{0xEE});
  };
  for (std::uint64_t round = 0; round < 20; ++round) {
    buffer = original;
    pod_.SendPatiently(0, 1, buffer, round);
    pod_.PollUntil([&] { return pod_.sink(0).done.size() == round + 1; });
  }
  pod_.PollUntil([&] { return pod_.sink(1).frames.size() == 20; });
  for (const auto& frame : pod_.sink(1).frames) {
    EXPECT_TRUE(frame.bytes == original);
  }
}

TEST_P(TransportTest, WithoutSinkFramesAreDroppedAndCreditsReturn) {
  const auto& bytes = pod_.Bytes(8, kFrame);
  pod_.of(1).SetSink(1, nullptr);
  for (int i = 0; i < 2 * kFramesInBound; ++i) {
    pod_.SendPatiently(0, 1, bytes, i);
  }
  pod_.PollUntil(
      [&] { return pod_.sink(0).done.size() == 2 * kFramesInBound; });
  EXPECT_THAT(pod_.sink(1).frames, IsEmpty());
}

// An executor that is given up takes its buffer with it.
TEST_P(TransportTest, WithoutItsSinkAHostsBytesAreReadNoMore) {
  const auto original = Pattern(15, kFrame);
  {
    auto bytes = std::make_unique<std::vector<std::byte>>(original);
    EXPECT_EQ(FillBound(pod_, *bytes), kFramesInBound);
    // Under way, but no payload is held: only then may the bytes go.
    pod_.of(0).Poll(absl::ZeroDuration());
    pod_.of(0).SetSink(0, nullptr);
    std::fill(bytes->begin(), bytes->end(), std::byte{0xDD});
  }
  pod_.Settle();
  for (const auto& frame : pod_.sink(1).frames) {
    EXPECT_TRUE(frame.bytes == original);
  }
  EXPECT_LE(pod_.sink(1).frames.size(), kFramesInBound);
}

TEST_P(TransportTest, HostsThatAreNotThereAreRefused) {
  const auto& bytes = pod_.Bytes(9, 10);
  const FrameHeader stranger = {
      .from = 7, .to = 1, .key = {.generation = kGeneration, .group = kGroup}};
  EXPECT_THAT(pod_.of(0).Send(stranger, bytes, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("7")));
  EXPECT_THAT(pod_.Send(0, 8, bytes, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("8")));
}

TEST_P(TransportTest, PollWithoutEventsReturnsZero) {
  pod_.Settle();
  EXPECT_EQ(pod_.of(0).Poll(absl::ZeroDuration()), 0);
  const absl::Time start = absl::Now();
  EXPECT_EQ(pod_.of(0).Poll(absl::Milliseconds(20)), 0);
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(19));
}

TEST_P(TransportTest, WakeEndsAPollInProgressOrTheNext) {
  pod_.Settle();
  const absl::Time start = absl::Now();
  pod_.of(0).Wake();
  EXPECT_EQ(pod_.of(0).Poll(absl::Seconds(30)), 0);
  for (int round = 0; round < 20; ++round) {
    std::jthread poller([this] { pod_.of(0).Poll(absl::Seconds(30)); });
    pod_.of(0).Wake();
  }
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
}

TEST_P(TransportTest, SinksMaySendAndBeReplacedFromWithinACall) {
  const auto& bytes = pod_.Bytes(10, 1000);
  // Token n done: send n + 1, so one Poll must not run for ever.
  pod_.sink(0).on_done = [&](std::uint64_t token) {
    if (token < 50) pod_.SendPatiently(0, 1, bytes, token + 1);
    if (token == 50) pod_.of(0).SetSink(0, nullptr);
  };
  pod_.SendPatiently(0, 1, bytes, 0);
  pod_.PollUntil([&] { return pod_.sink(1).frames.size() == 51; });
  pod_.Settle();
  EXPECT_EQ(pod_.sink(0).done.size(), 51);
}

TEST_P(TwoProcessTest, LossOfAProcessIsToldOncePerHost) {
  pod_.Destroy(1);
  pod_.PollUntil([&] { return pod_.sink(0).lost.size() >= 2; });
  pod_.Settle();
  ASSERT_EQ(pod_.sink(0).lost.size(), 2);
  EXPECT_EQ(pod_.sink(0).lost[0].first, 1);
  EXPECT_EQ(pod_.sink(0).lost[1].first, 2);
  const auto& bytes = pod_.Bytes(11, 10);
  EXPECT_THAT(pod_.Send(0, 1, bytes, 0),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("host 1")));
  EXPECT_THAT(pod_.Send(0, 2, bytes, 0),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("host 2")));
}

TEST_P(TwoProcessTest, WhatWasToldAsSentArrivesThoughItsSenderLeaves) {
  constexpr int kFrames = 40;
  const auto& bytes = pod_.Bytes(13, 500);
  for (int token = 0; token < kFrames; ++token) {
    pod_.SendPatiently(0, 1, bytes, token);
  }
  pod_.PollUntil([&] { return pod_.sink(0).done.size() == kFrames; });
  pod_.Destroy(0);
  pod_.PollUntil([&] { return !pod_.sink(1).lost.empty(); });
  EXPECT_EQ(pod_.sink(1).frames.size(), kFrames);
}

TEST_P(TwoProcessTest, LossGivesBackTheBytesOfWhatWasQueued) {
  const auto& bytes = pod_.Bytes(12, kFrame);
  const int sent = FillBound(pod_, bytes);  // nothing is polled yet
  pod_.sink(1).keep = false;
  pod_.Destroy(1);
  pod_.PollUntil([&] {
    return pod_.sink(0).lost.size() == 2 && pod_.sink(0).done.size() == sent;
  });
  EXPECT_THAT(pod_.sink(0).done, UnorderedElementsAreArray(UpTo(sent)));
}

TEST_P(TwoProcessTest, ALaterSinkHearsOfTheLoss) {
  pod_.Destroy(0);
  pod_.PollUntil([&] { return !pod_.sink(2).lost.empty(); });
  RecordingSink later;
  pod_.of(1).SetSink(1, &later);
  pod_.PollUntil([&] { return !later.lost.empty(); });
  EXPECT_EQ(later.lost[0].first, 0);
  pod_.of(1).SetSink(1, nullptr);
}

TEST_P(TwoProcessTest, HostsOfOneProcessAreApart) {
  const auto& bytes = pod_.Bytes(13, 5000);
  pod_.SendPatiently(0, 1, bytes, 10);
  pod_.SendPatiently(0, 2, bytes, 20);
  pod_.SendPatiently(1, 2, bytes, 30);
  pod_.PollUntil([&] {
    return pod_.sink(1).frames.size() == 1 && pod_.sink(2).frames.size() == 2;
  });
  EXPECT_EQ(pod_.sink(1).frames[0].header.key.sequence, 10);
  pod_.PollUntil([&] {
    return pod_.sink(0).done.size() == 2 && pod_.sink(1).done.size() == 1;
  });
  EXPECT_THAT(pod_.sink(1).done, ElementsAre(30));
}

// Each transport on a thread of its own; every host sends to every other.
TEST_P(TwoProcessTest, EachTransportOnItsOwnThread) {
  constexpr std::uint64_t kFrames = 100;
  const auto& bytes = pod_.Bytes(14, 40000);
  const std::vector<std::vector<int>> processes = {{0}, {1, 2}};
  std::atomic<int> unfinished = 2;
  const auto drive = [&](const std::vector<int>& hosts) {
    Transport& transport = pod_.of(hosts[0]);
    std::map<std::pair<int, int>, std::uint64_t> sent;
    const absl::Time limit = absl::Now() + absl::Seconds(20);
    bool counted = false;
    while (unfinished > 0 && absl::Now() < limit) {
      bool complete = true;
      for (const int from : hosts) {
        for (int to = 0; to < 3; ++to) {
          std::uint64_t& next = sent[{from, to}];
          while (to != from && next < kFrames) {
            const FrameHeader header = {.from = from,
                                        .to = to,
                                        .key = {.generation = kGeneration,
                                                .group = kGroup,
                                                .sequence = next}};
            const auto result = transport.Send(header, bytes, next);
            if (!result.ok() || *result == SendResult::kNoCredit) break;
            ++next;
          }
        }
        complete = complete && pod_.sink(from).frames.size() == 2 * kFrames &&
                   pod_.sink(from).done.size() == 2 * kFrames;
      }
      if (complete && !std::exchange(counted, true)) --unfinished;
      transport.Poll(absl::Milliseconds(1));
    }
  };
  {
    std::jthread first([&] { drive(processes[0]); });
    std::jthread second([&] { drive(processes[1]); });
  }
  for (int host = 0; host < 3; ++host) {
    EXPECT_EQ(pod_.sink(host).frames.size(), 2 * kFrames);
    EXPECT_EQ(pod_.sink(host).done.size(), 2 * kFrames);
    for (const auto& frame : pod_.sink(host).frames) {
      EXPECT_TRUE(frame.bytes == bytes);
    }
  }
}

}  // namespace
}  // namespace podsim::testing
