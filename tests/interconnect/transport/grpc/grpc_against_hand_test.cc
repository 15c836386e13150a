// A GrpcTransport whose peer sends what no GrpcTransport would.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "interconnect/transport/grpc/grpc_transport.h"
#include "interconnect/transport/grpc/peer_links.h"
#include "interconnect/transport/shared/shared_lane.h"
#include "tests/interconnect/transport/grpc/grpc_group.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Process 1 by hand, so that it can send what a GrpcTransport never would.
// What it sends comes over the stream, or through shared memory.
class GrpcTransportAgainstHand : public ::testing::TestWithParam<bool> {
 protected:
  GrpcTransportAgainstHand() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + dir_.file("hand"),
                             grpc::InsecureServerCredentials());
    builder.RegisterAsyncGenericService(&service_);
    loop_.emplace(builder.AddCompletionQueue());
    server_ = builder.BuildAndStart();
    identity_ = {.security = kSecurity,
                 .pod_tag = PodTag(kSecurity.token),
                 .generation = kGeneration};
    auto transport = GrpcTransport::Start({.process = 0,
                                           .address = "unix:" + dir_.file("a"),
                                           .security = kSecurity});
    EXPECT_THAT(transport, IsOk());
    const std::vector<IciProcess> processes = {
        {.process = 0, .address = (*transport)->address()},
        {.process = 1,
         .address = "unix:" + dir_.file("hand"),
         .first_host = 1}};
    links_.emplace(identity_, *MapPod(processes, 1), /*share=*/GetParam(),
                   service_, *loop_, mailbox_);
    {
      std::jthread other([&] {
        EXPECT_THAT((*transport)->Connect(processes, kGeneration, kTimeout),
                    IsOk());
      });
      EXPECT_THAT(links_->Connect(kTimeout), IsOk());
    }
    Transports members;
    members.push_back(*std::move(transport));
    pod_.emplace(std::move(members));
  }

  ~GrpcTransportAgainstHand() override {
    pod_.reset();
    links_->Close(absl::ZeroDuration());
    server_->Shutdown(std::chrono::system_clock::now());
    links_->Drain(absl::ZeroDuration());
    loop_.reset();
  }

  static WireHeader Good(std::span<const std::byte> payload) {
    return {.frame = {.from = 1, .to = 0, .key = {.generation = kGeneration}},
            .bytes = payload.size(),
            .payload_crc = Crc32c(payload),
            .pod_tag = PodTag(kSecurity.token)};
  }

  // Sends it and polls both ends until the transport has told of it.
  void Send(const WireHeader& header, std::span<const std::byte> payload) {
    const RecordingSink& sink = pod_->sink(0);
    const std::size_t before = sink.frames.size() + sink.bad.size();
    links_->StreamTo(0)->Send(header, payload, 1);
    pod_->PollUntil([&] {
      loop_->RunOne(CompletionLoop::Time());
      return sink.frames.size() + sink.bad.size() > before;
    });
  }

  const TempDir dir_;
  PodIdentity identity_;
  Mailbox mailbox_;
  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::Server> server_;
  std::optional<PeerLinks> links_;
  std::optional<CompletionLoop> loop_;
  std::optional<TestPod> pod_;
};

INSTANTIATE_TEST_SUITE_P(Grpc, GrpcTransportAgainstHand, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "shared_memory" : "stream";
                         });

TEST_P(GrpcTransportAgainstHand, GoesTheWayItSays) {
  EXPECT_EQ(links_->open(), GetParam());
  EXPECT_EQ(links_->StreamTo(0)->sharing(), GetParam());
}

TEST_P(GrpcTransportAgainstHand, BadFramesAreToldAndTheStreamGoesOn) {
  const auto payload = Pattern(1, 1000);
  struct Case {
    std::function<void(WireHeader&)> spoil;
    std::string says;
  };
  const std::vector<Case> cases = {
      {[](WireHeader& it) { it.payload_crc ^= 1; }, "payload damaged"},
      {[](WireHeader& it) { it.bytes = 999; }, "header says 999"},
      {[](WireHeader& it) { it.pod_tag ^= 1; }, "another pod"},
      {[](WireHeader& it) { it.frame.key.generation = 1; }, "generation 1"},
      {[](WireHeader& it) { it.frame.from = 0; }, "from host 0"},
      {[](WireHeader& it) { it.frame.to = 1; }, "to host 1"},
      {[](WireHeader& it) { it.kind = static_cast<FrameKind>(7); }, "kind 7"},
      {[](WireHeader& it) { it.kind = FrameKind::kCredit; }, "credit"}};
  const RecordingSink& sink = pod_->sink(0);
  for (const Case& it : cases) {
    WireHeader header = Good(payload);
    it.spoil(header);
    Send(header, payload);
    ASSERT_FALSE(sink.bad.empty()) << it.says;
    EXPECT_EQ(sink.bad.back().first, 1);
    EXPECT_THAT(std::string(sink.bad.back().second.message()),
                HasSubstr(it.says));
    EXPECT_THAT(sink.lost, IsEmpty());
  }
  Send(Good(payload), payload);
  ASSERT_EQ(sink.frames.size(), 1);
  EXPECT_EQ(sink.frames[0].bytes, payload);
  EXPECT_EQ(sink.bad.size(), cases.size());
}

TEST_P(GrpcTransportAgainstHand, ABrokenStreamIsALostPeer) {
  // Nobody runs the hand's loop meanwhile: it would hang up its other stream.
  links_->StreamTo(0)->Cancel();
  pod_->PollUntil([&] { return !pod_->sink(0).lost.empty(); });
  EXPECT_EQ(pod_->sink(0).lost[0].first, 1);
  EXPECT_THAT(pod_->sink(0).lost[0].second,
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("process 1")));
}

// The control blocks of all rings that this process has mapped: those for
// credits begin at 0 of a lane's memory, those for frames behind them.
std::vector<RingControl*> SharedRings(std::size_t begin_of_ring) {
  constexpr std::uintptr_t kNoncePage = 4096;
  std::vector<RingControl*> rings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("podsim-ici") == std::string::npos) continue;
    const std::uintptr_t begin = std::stoull(line, nullptr, 16);
    rings.push_back(
        reinterpret_cast<RingControl*>(begin + kNoncePage + begin_of_ring));
  }
  return rings;
}

class SharedLanes : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Grpc, SharedLanes,
                         ::testing::Values(0,
                                           RingMemoryBytes(kSharedCreditBytes)),
                         [](const auto& info) {
                           return info.param == 0 ? "credits" : "frames";
                         });

TEST_P(SharedLanes, MemoryThatIsDamagedIsALostPeer) {
  const std::size_t ring_at = GetParam();
  ASSERT_TRUE(SharedRings(ring_at).empty());
  TestPod pod(OverGrpc(Line::kSharedMemory), {{0}, {1}});
  const auto& bytes = pod.Bytes(1, 1000);
  pod.SendPatiently(0, 1, bytes, 0);
  pod.PollUntil([&] { return pod.sink(1).frames.size() == 1; });
  ASSERT_EQ(SharedRings(ring_at).size(), 4)
      << "two lanes, each mapped at both ends";
  for (RingControl* const ring : SharedRings(ring_at)) ring->put += 1;
  pod.PollUntil(
      [&] { return !pod.sink(0).lost.empty() && !pod.sink(1).lost.empty(); });
  EXPECT_THAT(pod.sink(1).lost[0].second,
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("process 0")));
  EXPECT_EQ(pod.sink(1).frames.size(), 1);
}

}  // namespace
}  // namespace podsim::testing
