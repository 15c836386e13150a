// How processes find each other, and who is turned away.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "interconnect/transport/grpc/grpc_transport.h"
#include "tests/interconnect/transport/grpc/grpc_group.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

// Process 1 tells the others a wrong address: each end knows whose it is.
TEST(GrpcTransport, AnAddressThatNobodyReachesIsItsOwners) {
  const TempDir dir;
  Group group;
  group.Add("unix:" + dir.file("a"), 0, 2);
  group.Add("unix:" + dir.file("b"), 2, 2);
  group.processes[1].address = "unix:" + dir.file("nobody");
  const auto ends = group.Connect({1, 1}, absl::Milliseconds(500));
  EXPECT_EQ(BlamedHost(ends[0]), 2) << ends[0];
  EXPECT_THAT(std::string(ends[0].message()),
              AllOf(HasSubstr("process 1 is there"), HasSubstr("nobody"),
                    HasSubstr("--ici_advertise")));
  EXPECT_EQ(BlamedHost(ends[1]), -1) << "its own";
  EXPECT_THAT(std::string(ends[1].message()),
              AllOf(HasSubstr("has not reached"), HasSubstr("nobody")));
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

}  // namespace
}  // namespace podsim::testing
