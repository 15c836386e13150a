// Two processes, one of them with two hosts: whose frames are whose, and what
// is heard of a process that goes.
#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "tests/interconnect/transport/conformance.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

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
