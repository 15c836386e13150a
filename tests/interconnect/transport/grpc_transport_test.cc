#include "interconnect/transport/grpc_transport.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/hash.h"
#include "interconnect/transport/faulty_links.h"
#include "interconnect/transport/peer_links.h"
#include "tests/interconnect/transport/conformance.h"
#include "tests/interconnect/transport/grpc_group.h"
#include "tests/interconnect/transport/muxed.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto AllKinds() {
  return ::testing::Values(OverGrpc("unix_socket", true),
                           OverGrpc("tcp", false),
                           Muxed(OverGrpc("unix_socket", true)));
}

INSTANTIATE_TEST_SUITE_P(Grpc, TransportTest,
                         ::testing::Combine(AllKinds(), ::testing::Bool()),
                         TransportName);
INSTANTIATE_TEST_SUITE_P(Grpc, TwoProcessTest, AllKinds(), KindName);

TEST(GrpcTransport, FourProcessesConnect) {
  const TempDir dir;
  Group group;
  for (int i = 0; i < 4; ++i) {
    group.Add(absl::StrCat("unix:", dir.path(), "/", i), 2 * i, 2);
  }
  for (const auto& status : group.Connect({1, 1, 1, 1})) {
    EXPECT_THAT(status, IsOk());
  }
  EXPECT_EQ(group.transports[3]->local_hosts(), (std::vector<int>{6, 7}));
  std::vector<std::jthread> goodbye;
  for (auto& it : group.transports) {
    goodbye.emplace_back([&it] { it.reset(); });
  }
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

TEST(GrpcTransport, ABitFlippedOnTheLineBreaksTheChecksum) {
  const auto bytes = Pattern(1, 100'000);
  const SystemClock clock;
  Transports pod = OverGrpc("unix_socket", true).make({{0}, {1}});
  {
    FaultyLinks links(*pod[0], clock, 7);
    RecordingSink sender;
    CheckingSink receiver;
    links.SetSink(0, &sender);
    pod[1]->SetSink(1, &receiver);
    for (std::uint32_t chunk = 0; chunk < 3; ++chunk) {
      if (chunk == 1) links.FlipNext(0, 1);
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

TEST(GrpcTransport, WrongTokenIsRefused) {
  const TempDir dir;
  Group group;
  group.Add("unix:" + dir.file("a"), 0, 1);
  group.Add("unix:" + dir.file("b"), 1, 1, {.token = "another-token"});
  for (const auto& status : group.Connect({1, 1})) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnauthenticated,
                                 AllOf(HasSubstr("another pod's token"),
                                       HasSubstr("unix:"))));
  }
}

TEST(GrpcTransport, OtherGenerationIsRefused) {
  const TempDir dir;
  Group group;
  group.Add("unix:" + dir.file("a"), 0, 1);
  group.Add("unix:" + dir.file("b"), 1, 1);
  for (const auto& status : group.Connect({4, 5})) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition,
                                 HasSubstr("generation")));
  }
}

// A stranger at the door must not disturb a pod that runs.
TEST(GrpcTransport, StrangersLeaveTheOthersAlone) {
  const TempDir dir;
  Group group;
  group.Add("unix:" + dir.file("a"), 0, 1);
  group.Add("unix:" + dir.file("b"), 1, 1);
  for (const auto& status : group.Connect({kGeneration, kGeneration})) {
    ASSERT_THAT(status, IsOk());
  }
  std::vector<IciProcess> processes = group.processes;
  Transports members;
  for (auto& it : group.transports) members.push_back(std::move(it));
  TestPod pod(std::move(members));

  for (const RpcSecurity& security :
       {RpcSecurity{.token = "another-token"}, kSecurity}) {
    ASSERT_OK_AND_ASSIGN(
        auto stranger, GrpcTransport::Start({.process = 1,
                                             .address = "unix:" + dir.file("c"),
                                             .security = security}));
    processes[1].address = stranger->address();
    absl::Status result;
    std::atomic<bool> finished = false;
    std::jthread thread([&] {
      result = stranger->Connect(processes, kGeneration, kTimeout);
      finished = true;
    });
    pod.PollUntil([&] { return finished.load(); });
    EXPECT_THAT(result.code(),
                ::testing::AnyOf(absl::StatusCode::kUnauthenticated,
                                 absl::StatusCode::kAlreadyExists));
  }
  const auto& bytes = pod.Bytes(1, 1000);
  pod.SendPatiently(0, 1, bytes, 1);
  pod.PollUntil([&] { return pod.sink(1).frames.size() == 1; });
  EXPECT_THAT(pod.sink(0).lost, IsEmpty());
}

TEST(GrpcTransport, ConnectNamesWhoIsMissing) {
  const TempDir dir;
  Group group;
  group.Add("unix:" + dir.file("a"), 0, 1);
  group.processes.push_back(
      {.process = 1, .address = "unix:" + dir.file("nobody"), .first_host = 1});
  const absl::Time start = absl::Now();
  EXPECT_THAT(
      group.Connect({1}, absl::Milliseconds(200))[0],
      StatusIs(absl::StatusCode::kDeadlineExceeded,
               AllOf(HasSubstr("process 1 at unix:"), HasSubstr("nobody"))));
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
}

TEST(GrpcTransport, WakeEndsConnect) {
  const TempDir dir;
  Group group;
  group.Add("unix:" + dir.file("a"), 0, 1);
  group.processes.push_back(
      {.process = 1, .address = "unix:" + dir.file("nobody"), .first_host = 1});
  group.transports[0]->Wake();
  EXPECT_THAT(group.Connect({1})[0],
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("process 1")));
}

TEST(GrpcTransport, WrongOptionsAreRefused) {
  const TempDir dir;
  const auto start = [](const std::string& address, const std::string& token) {
    return GrpcTransport::Start(
               {.address = address, .security = {.token = token}})
        .status();
  };
  using absl::StatusCode;
  EXPECT_THAT(start("127.0.0.1:0", ""),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("token")));
  EXPECT_THAT(start("nonsense", "t"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("nonsense")));
  EXPECT_THAT(start("0.0.0.0:0", "t"),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("leaves this machine")));
  EXPECT_THAT(start("unix:" + dir.file("no/such/place"), "t"),
              StatusIs(StatusCode::kUnavailable, HasSubstr("cannot listen")));
  ASSERT_OK_AND_ASSIGN(
      const auto first,
      GrpcTransport::Start({.address = "127.0.0.1:0", .security = kSecurity}));
  EXPECT_THAT(start(first->address(), "t"),
              StatusIs(StatusCode::kUnavailable, HasSubstr("in use")));
}

TEST(GrpcTransport, FramesOfAnotherGenerationAreNotSent) {
  TestPod pod(OverGrpc("unix_socket", true), {{0}, {1}});
  EXPECT_THAT(
      pod.of(0).Send({.from = 0, .to = 1, .key = {.generation = 99}}, {}, 0),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("99")));
}

// The last frames of a process that has finished, and gone, still count.
TEST(GrpcTransport, FramesSentBeforeGoodbyeAreHeardBeforeTheLoss) {
  for (int round = 0; round < 5; ++round) {
    TestPod pod(OverGrpc("unix_socket", true), {{0}, {1}});
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
  TestPod pod(OverGrpc("unix_socket", true, kTimeout), {{0}, {1}});
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

TEST(GrpcTransport, PollsWithoutWaitDoNotWait) {
  TestPod pod(OverGrpc("unix_socket", true), {{0}, {1}});
  pod.Settle();
  const absl::Time start = absl::Now();
  for (int i = 0; i < 1000; ++i) pod.of(0).Poll(absl::ZeroDuration());
  // A wait rounded up to gRPC's millisecond would make it more than a second.
  EXPECT_LT(absl::Now() - start, absl::Milliseconds(400));
}

TEST(GrpcTransport, DestructionDoesNotWaitForWhoDoesNotPoll) {
  TestPod pod(OverGrpc("unix_socket", true), {{0}, {1}});
  const auto& bytes = pod.Bytes(1, 1000000);
  for (int i = 0; i < 4; ++i) ASSERT_THAT(pod.Send(0, 1, bytes, i), IsOk());
  pod.of(0).Poll(absl::ZeroDuration());
  const absl::Time start = absl::Now();
  pod.sink(1).keep = true;  // payloads outlive their transport
  pod.Destroy(0);
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST(GrpcTransport, PayloadsMayOutliveTheTransport) {
  std::vector<Payload> kept;
  const auto bytes = Pattern(3, 300000);
  {
    TestPod pod(OverGrpc("unix_socket", true), {{0}, {1}});
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

// Process 1 by hand, so that it can send what a GrpcTransport never would.
class GrpcTransportAgainstHand : public ::testing::Test {
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
    links_.emplace(identity_, *MapPod(processes, 1), service_, *loop_,
                   mailbox_);
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

TEST_F(GrpcTransportAgainstHand, BadFramesAreToldAndTheStreamGoesOn) {
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

TEST_F(GrpcTransportAgainstHand, ABrokenStreamIsALostPeer) {
  // Nobody runs the hand's loop meanwhile: it would hang up its other stream.
  links_->StreamTo(0)->Cancel();
  pod_->PollUntil([&] { return !pod_->sink(0).lost.empty(); });
  EXPECT_EQ(pod_->sink(0).lost[0].first, 1);
  EXPECT_THAT(pod_->sink(0).lost[0].second,
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("process 1")));
}

}  // namespace
}  // namespace podsim::testing
