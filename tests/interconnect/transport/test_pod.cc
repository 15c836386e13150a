#include "tests/interconnect/transport/test_pod.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "absl/time/clock.h"
#include "base/hash.h"
#include "base/random.h"
#include "interconnect/transport/frame.h"

namespace podsim::testing {
namespace {
constexpr absl::Duration kPatience = absl::Seconds(20);
}  // namespace

std::vector<std::byte> Pattern(std::uint64_t seed, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    // 251 is prime, so no two places a power of two apart agree for long.
    bytes[i] = static_cast<std::byte>((i % 251) + 7 * seed + (i >> 16));
  }
  return bytes;
}

void RecordingSink::OnFrame(const FrameHeader& header, Payload payload) {
  Received received = {.header = header, .bytes = {}};
  for (const auto& part : payload.parts()) {
    received.bytes.insert(received.bytes.end(), part.begin(), part.end());
  }
  EXPECT_EQ(payload.size(), received.bytes.size());
  if (payload.checksum()) {
    const absl::Status same =
        CompareChecksum(Crc32c(received.bytes), *payload.checksum());
    if (!same.ok()) return OnBadFrame(header.from, same);
  }
  frames.push_back(std::move(received));
  if (keep) kept.push_back(std::move(payload));
}

void RecordingSink::OnSendDone(std::uint64_t token) {
  if (on_done) on_done(token);
  done.push_back(token);
}

void RecordingSink::OnCredit(int peer) {
  if (on_credit) on_credit(peer);
  credits.push_back(peer);
}

TestPod::TestPod(const TransportKind& kind,
                 const std::vector<std::vector<int>>& processes)
    : TestPod(kind.make(processes)) {}

TestPod::TestPod(Transports transports) : transports_(std::move(transports)) {
  for (std::size_t process = 0; process < transports_.size(); ++process) {
    for (const int host : transports_[process]->local_hosts()) {
      process_of_[host] = process;
      sinks_[host] = std::make_unique<RecordingSink>();
      transports_[process]->SetSink(host, sinks_[host].get());
    }
  }
}

TestPod::~TestPod() {
  for (auto& [host, sink] : sinks_) sink->kept.clear();
  std::vector<std::jthread> threads;
  for (auto& transport : transports_) {
    threads.emplace_back([&transport] { transport.reset(); });
  }
}

void TestPod::Destroy(int host) {
  std::unique_ptr<Transport> victim =
      std::move(transports_[process_of_.at(host)]);
  std::atomic<bool> gone = false;
  std::jthread thread([&] {
    victim.reset();
    gone = true;
  });
  PollUntil([&gone] { return gone.load(); });
}

namespace {

FrameHeader HeaderOf(int from, int to, std::uint64_t token, Lane lane) {
  return {.from = from,
          .to = to,
          .lane = lane,
          .key = {.generation = kGeneration,
                  .group = kGroup,
                  .sequence = token,
                  .chunk = 9}};
}

}  // namespace

absl::StatusOr<SendResult> TestPod::Send(int from, int to,
                                         std::span<const std::byte> bytes,
                                         std::uint64_t token, Lane lane) {
  return of(from).Send(HeaderOf(from, to, token, lane), bytes, token);
}

absl::StatusOr<SendResult> TestPod::SendInPlace(
    int from, int to, std::span<const std::byte> bytes, std::uint64_t token) {
  return of(from).SendInPlace(
      HeaderOf(from, to, token, Lane::kBulk), bytes.size(),
      [bytes](const Places& places) -> absl::StatusOr<std::uint32_t> {
        std::size_t at = 0;
        for (const std::span<std::byte> place : places) {
          std::ranges::copy(bytes.subspan(at, place.size()), place.begin());
          at += place.size();
        }
        EXPECT_EQ(at, bytes.size());
        return Crc32c(bytes);
      },
      token);
}

void TestPod::SendPatiently(int from, int to, std::span<const std::byte> bytes,
                            std::uint64_t token, Lane lane) {
  for (;;) {
    const std::size_t credits = sink(from).credits.size();
    const auto sent = Send(from, to, bytes, token, lane);
    ASSERT_TRUE(sent.ok()) << sent.status();
    if (*sent == SendResult::kQueued) return;
    PollUntil([&] { return sink(from).credits.size() > credits; });
    if (::testing::Test::HasFailure()) return;
  }
}

int TestPod::PollOnce(absl::Duration wait) {
  int delivered = 0;
  for (const auto& transport : transports_) {
    if (transport != nullptr) delivered += transport->Poll(wait);
  }
  return delivered;
}

void TestPod::PollUntil(const std::function<bool()>& happened) {
  const absl::Time limit = absl::Now() + kPatience;
  absl::Duration wait;  // none as long as things happen
  while (!happened()) {
    ASSERT_LT(absl::Now(), limit) << "what was waited for did not happen";
    wait = PollOnce(wait) > 0 ? absl::ZeroDuration() : absl::Milliseconds(1);
  }
}

void TestPod::Settle() {
  for (int quiet = 0; quiet < 5;) {
    quiet = PollOnce(absl::Milliseconds(2)) > 0 ? 0 : quiet + 1;
  }
}

}  // namespace podsim::testing
