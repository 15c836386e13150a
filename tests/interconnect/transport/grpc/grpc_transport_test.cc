// What every transport must do, and what this one promises beyond that of
// frames and of a process that leaves.
#include "interconnect/transport/grpc/grpc_transport.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <thread>

#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/hash.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/faults/link_faults.h"
#include "interconnect/transport/shared/shared_lane.h"
#include "tests/interconnect/transport/conformance.h"
#include "tests/interconnect/transport/grpc/grpc_group.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto AllKinds() {
  return ::testing::Values(OverGrpc(Line::kSharedMemory),
                           OverGrpc(Line::kUnixSocket), OverGrpc(Line::kTcp));
}

INSTANTIATE_TEST_SUITE_P(Grpc, TransportTest,
                         ::testing::Combine(AllKinds(), ::testing::Bool()),
                         TransportName);
INSTANTIATE_TEST_SUITE_P(Grpc, TwoProcessTest, AllKinds(), KindName);

class GrpcLine : public ::testing::TestWithParam<Line> {};
INSTANTIATE_TEST_SUITE_P(
    Grpc, GrpcLine, ::testing::Values(Line::kSharedMemory, Line::kUnixSocket),
    [](const auto& info) { return OverGrpc(info.param).name; });

// A place is found over shared memory, and over no other line.
TEST_P(GrpcLine, PlacesAreInSharedMemory) {
  TestPod pod(OverGrpc(GetParam()), {{0}, {1}});
  const auto& bytes = pod.Bytes(1, 70 * kKiB);
  ASSERT_OK_AND_ASSIGN(const SendResult sent, pod.SendInPlace(0, 1, bytes, 4));
  if (GetParam() != Line::kSharedMemory) {
    EXPECT_EQ(sent, SendResult::kNoPlace);
    return;
  }
  EXPECT_EQ(sent, SendResult::kQueued);
  pod.PollUntil([&] { return pod.sink(1).frames.size() == 1; });
  EXPECT_TRUE(pod.sink(1).frames[0].bytes == bytes);
  EXPECT_THAT(pod.sink(0).done, ::testing::ElementsAre(4));
}

// Compares checksums, as whoever uses the bytes must.
struct CheckingSink final : FrameSink {
  void OnFrame(const FrameHeader& header, Payload payload) override {
    std::uint32_t crc = 0;
    for (const auto& part : payload.parts()) crc = Crc32c(part, crc);
    ASSERT_TRUE(payload.checksum().has_value());
    (crc == *payload.checksum() ? good : bad).push_back(header.key.chunk);
  }
  void OnSendDone(std::uint64_t) override {}
  void OnCredit(int) override {}
  void OnPeerLost(int, const absl::Status&) override {}
  void OnBadFrame(int, const absl::Status&) override {}

  std::vector<std::uint32_t> good;
  std::vector<std::uint32_t> bad;
};

TEST_P(GrpcLine, ABitFlippedOnTheLineBreaksTheChecksum) {
  const auto bytes = Pattern(1, 100'000);
  const SystemClock clock;
  Transports pod = OverGrpc(GetParam()).make({{0}, {1}});
  {
    LinkFaults faults({.seed = 7});
    ShapedLinks links(*pod[0], faults, clock);
    RecordingSink sender;
    CheckingSink receiver;
    links.SetSink(0, &sender);
    pod[1]->SetSink(1, &receiver);
    for (std::uint32_t chunk = 0; chunk < 3; ++chunk) {
      if (chunk == 1) faults.FlipNext(0, 1);
      ASSERT_TRUE(
          links
              .Send({.from = 0, .to = 1, .key = {kGeneration, 0, 1, chunk}},
                    bytes, chunk)
              .ok());
    }
    const absl::Time deadline = clock.Now() + kTimeout;
    while (receiver.good.size() + receiver.bad.size() < 3 &&
           clock.Now() < deadline) {
      links.Poll(absl::Milliseconds(1));
      pod[1]->Poll(absl::Milliseconds(1));
    }
    EXPECT_EQ(receiver.good, (std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(receiver.bad, (std::vector<std::uint32_t>{1}));
    pod[1]->SetSink(1, nullptr);
  }
  TestPod goodbye(std::move(pod));
}

// One that finds no room in shared memory goes over the stream, and one behind
// it, which does, must not come first.
TEST(GrpcTransport, FramesThatGoTwoWaysKeepTheirOrder) {
  TestPod pod(OverGrpc(Line::kSharedMemory), {{0, 1}, {2}});
  RecordingSink& receiver = pod.sink(2);
  receiver.keep = true;
  const auto& filling = pod.Bytes(1, kMaxExpressBytesInFlight);
  for (std::uint64_t token = 0; token < BoundOf(Lane::kBulk) / filling.size();
       ++token) {
    ASSERT_EQ(*pod.Send(0, 2, filling, token), SendResult::kQueued);
  }
  ASSERT_EQ(*pod.Send(0, 2, filling, 100, Lane::kExpress), SendResult::kQueued);
  pod.PollUntil([&] { return receiver.frames.size() == 9; });

  const auto& long_one = pod.Bytes(2, kSharedFrameBytes - kMaxBytesInFlight);
  const auto& short_one = pod.Bytes(3, 100);
  ASSERT_EQ(*pod.Send(1, 2, long_one, 7), SendResult::kQueued);
  const absl::Time deadline = absl::Now() + kTimeout;
  while (pod.sink(1).done.empty() && absl::Now() < deadline) {
    pod.of(1).Poll(absl::Milliseconds(1));  // it is written, and not read
  }
  ASSERT_EQ(*pod.Send(1, 2, short_one, 8), SendResult::kQueued);
  pod.PollUntil([&] { return receiver.frames.size() == 11; });
  EXPECT_EQ(receiver.frames[9].header.key.sequence, 7);
  EXPECT_EQ(receiver.frames[9].bytes, long_one);
  EXPECT_EQ(receiver.frames[10].header.key.sequence, 8);
  EXPECT_EQ(receiver.frames[10].bytes, short_one);
}

TEST(GrpcTransport, FramesOfAnotherGenerationAreNotSent) {
  TestPod pod(OverGrpc(Line::kUnixSocket), {{0}, {1}});
  EXPECT_THAT(
      pod.of(0).Send({.from = 0, .to = 1, .key = {.generation = 99}}, {}, 0),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("99")));
}

// The last frames of a process that has finished, and gone, still count.
TEST_P(GrpcLine, FramesSentBeforeGoodbyeAreHeardBeforeTheLoss) {
  for (int round = 0; round < 5; ++round) {
    TestPod pod(OverGrpc(GetParam()), {{0}, {1}});
    const auto& bytes = pod.Bytes(round, 100000);
    for (int i = 0; i < 10; ++i) pod.SendPatiently(0, 1, bytes, i);
    pod.PollUntil([&] { return pod.sink(0).done.size() == 10; });
    pod.Destroy(0);
    pod.PollUntil([&] { return !pod.sink(1).lost.empty(); });
    EXPECT_EQ(pod.sink(1).frames.size(), 10);
  }
}

// What a host has queued is taken back; only a frame being written is waited
// for, and a peer that reads it is not lost.
TEST(GrpcTransport, AHostThatLeavesCostsNoPeerThatReads) {
  // Patient, so that a reader who gets no CPU for a while still reads.
  TestPod pod(OverGrpc(Line::kUnixSocket, kTimeout), {{0}, {1}});
  const auto& bytes = pod.Bytes(1, kMaxBytesInFlight / 5);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(*pod.Send(0, 1, bytes, i), SendResult::kQueued);
  }
  {
    std::jthread reader([&pod](const std::stop_token& stop) {
      while (!stop.stop_requested()) pod.of(1).Poll(absl::Milliseconds(1));
    });
    pod.of(0).SetSink(0, nullptr);
  }
  pod.of(0).SetSink(0, &pod.sink(0));
  pod.SendPatiently(0, 1, bytes, 9);
  pod.PollUntil([&] { return !pod.sink(0).done.empty(); });
  pod.Settle();
  EXPECT_EQ(pod.sink(1).frames.size(), 2) << "the one being written, and 9";
  EXPECT_THAT(pod.sink(0).lost, IsEmpty());
  pod.Destroy(0);
}

// How often this thread has given its CPU away of its own accord.
std::int64_t TimesAsleep() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

TEST_P(GrpcLine, PollsWithoutWaitDoNotWait) {
  TestPod pod(OverGrpc(GetParam()), {{0}, {1}});
  pod.Settle();
  // A wait, were it rounded up to gRPC's millisecond, gives the CPU away.
  const std::int64_t before = TimesAsleep();
  for (int i = 0; i < 1000; ++i) pod.of(0).Poll(absl::ZeroDuration());
  EXPECT_LT(TimesAsleep() - before, 500);
}

TEST_P(GrpcLine, DestructionDoesNotWaitForWhoDoesNotPoll) {
  TestPod pod(OverGrpc(GetParam()), {{0}, {1}});
  const auto& bytes = pod.Bytes(1, 1000000);
  for (int i = 0; i < 4; ++i) ASSERT_THAT(pod.Send(0, 1, bytes, i), IsOk());
  pod.of(0).Poll(absl::ZeroDuration());
  const absl::Time start = absl::Now();
  pod.sink(1).keep = true;  // payloads outlive their transport
  pod.Destroy(0);
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST_P(GrpcLine, PayloadsMayOutliveTheTransport) {
  std::vector<Payload> kept;
  const auto bytes = Pattern(3, 300000);
  {
    TestPod pod(OverGrpc(GetParam()), {{0}, {1}});
    pod.sink(1).keep = true;
    pod.SendPatiently(0, 1, bytes, 1);
    pod.PollUntil([&] { return pod.sink(1).kept.size() == 1; });
    kept = std::move(pod.sink(1).kept);
  }
  std::vector<std::byte> read;
  for (const auto& part : kept[0].parts()) {
    read.insert(read.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(read == bytes);
}

}  // namespace
}  // namespace podsim::testing
