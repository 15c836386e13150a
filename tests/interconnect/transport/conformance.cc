// Frames arrive whole, in order and once; sinks come and go; polls end.
#include "tests/interconnect/transport/conformance.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>

#include "absl/time/clock.h"
#include "base/random.h"
#include "base/units.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {

std::vector<std::uint64_t> UpTo(std::uint64_t count) {
  std::vector<std::uint64_t> tokens(count);
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

int FillBound(TestPod& pod, std::span<const std::byte> bytes) {
  for (int sent = 0;; ++sent) {
    const auto result = pod.Send(0, 1, bytes, sent);
    EXPECT_THAT(result, IsOk());
    if (!result.ok() || *result == SendResult::kNoCredit) return sent;
  }
}

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

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

// Made in place where there is one, sent where not: in one order.
TEST_P(TransportTest, FramesMadeInPlaceAreFramesLikeOthers) {
  constexpr std::uint64_t kFrames = 200;
  std::vector<std::span<const std::byte>> bytes;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    bytes.push_back(pod_.Bytes(i, i * i * 7919 % (300 * kKiB)));
    for (bool in_place = i % 4 != 0;;) {
      ASSERT_OK_AND_ASSIGN(const SendResult sent,
                           in_place ? pod_.SendInPlace(0, 1, bytes[i], i)
                                    : pod_.Send(0, 1, bytes[i], i));
      if (sent == SendResult::kQueued) break;
      if (sent == SendResult::kNoPlace) {
        ASSERT_TRUE(in_place);
        in_place = false;
      } else {
        pod_.PollOnce();
      }
    }
  }
  pod_.PollUntil([&] {
    return pod_.sink(1).frames.size() == kFrames &&
           pod_.sink(0).done.size() == kFrames;
  });
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    EXPECT_EQ(pod_.sink(1).frames[i].header.key.sequence, i);
    EXPECT_TRUE(std::ranges::equal(pod_.sink(1).frames[i].bytes, bytes[i]));
  }
  EXPECT_THAT(pod_.sink(0).done, UnorderedElementsAreArray(UpTo(kFrames)));
  EXPECT_THAT(pod_.sink(1).bad, IsEmpty());
}

TEST_P(TransportTest, WhatCannotBeMadeInPlaceIsNotSentAndCostsNoCredit) {
  FrameHeader header = {
      .from = 0, .to = 1, .key = {.generation = kGeneration, .group = kGroup}};
  for (int i = 0; i < 2 * kFramesInBound; ++i) {
    const auto sent = pod_.of(0).SendInPlace(
        header, kFrame,
        [](const Places&) { return absl::DataLossError("it is torn"); }, 0);
    if (!sent.ok()) {
      EXPECT_THAT(sent.status().message(), HasSubstr("it is torn"));
    } else {
      EXPECT_EQ(*sent, SendResult::kNoPlace);
    }
    pod_.PollOnce();
  }
  EXPECT_EQ(FillBound(pod_, pod_.Bytes(1, kFrame)), kFramesInBound);
  pod_.PollUntil([&] {
    return pod_.sink(1).frames.size() == std::size_t{kFramesInBound};
  });
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

}  // namespace
}  // namespace podsim::testing
