// Parts of a trace that hosts of other machines hand to the coordinator.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/rpc/credentials.h"
#include "base/rpc/deadline.h"
#include "base/rpc/status.h"
#include "host/process/send_trace_part.h"
#include "host/process/trace_part.h"
#include "proto/trace.grpc.pb.h"
#include "runtime/coordinator/service.h"
#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::podsim::testing::TestPlan;
using ::testing::HasSubstr;

constexpr std::uint32_t kGeneration = 3;
constexpr absl::Duration kPatience = absl::Minutes(2);

TracePart PartWith(int process, int spans) {
  TracePart part;
  part.set_process(process);
  part.set_generation(kGeneration);
  part.set_first_host(process);
  part.set_hosts(1);
  part.set_cores_per_host(8);
  part.set_offset_ns(-5);
  part.set_uncertainty_ns(7);
  part.set_round_trips(9);
  part.set_dropped(11);
  for (int i = 0; i < spans; ++i) {
    TraceSpan& span = *part.add_spans();
    span.set_step(i);
    span.set_name("chunk");
  }
  return part;
}

// One call, piece by piece.
class Bringer {
 public:
  Bringer(const std::string& address, const RpcSecurity& security) {
    auto channel = OpenChannel(address, security);
    PODSIM_CHECK(channel.ok());
    AttachToken(security, context_);
    SetDeadline(context_, kPatience);
    stub_ = TraceKeeper::NewStub(*channel);
    stream_ = stub_->Keep(&context_, &kept_);
  }
  bool Bring(const TracePart& piece) { return stream_->Write(piece); }
  void Die() { context_.TryCancel(); }
  absl::Status Finish() {
    stream_->WritesDone();
    return FromGrpcStatus(stream_->Finish());
  }

 private:
  grpc::ClientContext context_;
  TraceKept kept_;
  std::unique_ptr<TraceKeeper::Stub> stub_;
  std::unique_ptr<grpc::ClientWriter<TracePart>> stream_;
};

class TraceKeeperTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(dir_.path() + "/parts"); }

  void Start(const std::string& folder) {
    server_.reset();
    folder_ = folder;
    if (!folder.empty()) std::filesystem::create_directories(folder);
    auto server = CoordinatorServer::Start(
        {.listen = "unix:" + dir_.file("coordinator"),
         .security = security_,
         .make_plan = [](const std::string&) -> absl::StatusOr<JobPlan> {
           return TestPlan(2, 2, 1);
         },
         .isa = "v3",
         .generation = kGeneration,
         .clock = &clock_,
         .trace_parts = folder});
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
  }

  absl::Status Send(const TracePart& part) {
    return SendTracePart(server_->address(), security_, part);
  }
  std::unique_ptr<Bringer> Begin() {
    return std::make_unique<Bringer>(server_->address(), security_);
  }
  std::vector<std::string> Kept() const {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder_))
      names.push_back(file.path().filename());
    return names;
  }
  TracePart Read(int process) const {
    std::ifstream file(
        TracePartFile(folder_, {.process = process, .generation = kGeneration}),
        std::ios::binary);
    TracePart part;
    EXPECT_TRUE(file && part.ParseFromIstream(&file));
    part.clear_last();
    return part;
  }

  TempDir dir_;
  SystemClock clock_;
  const RpcSecurity security_{.token = "secret"};
  std::string folder_;
  std::unique_ptr<CoordinatorServer> server_;
};

// Of several pieces, of one, and of none.
TEST_F(TraceKeeperTest, APartIsKeptAsItWasMade) {
  for (const int spans : {10'000, 4096, 1, 0}) {
    int pieces = 0;
    const TracePart part = PartWith(1, spans);
    ASSERT_THAT(
        SendTracePart(server_->address(), security_, part, [&] { ++pieces; }),
        IsOk());
    EXPECT_EQ(Read(1).SerializeAsString(), part.SerializeAsString());
    EXPECT_EQ(pieces, spans > 4096 ? 3 : 1);
  }
  EXPECT_EQ(Kept().size(), 1U) << "the last takes the place of the others";
}

TEST_F(TraceKeeperTest, WhoIsNotOfThePodBringsNothing) {
  EXPECT_THAT(
      SendTracePart(server_->address(), {.token = "guess"}, PartWith(1, 1)),
      StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("token")));
  for (const int process : {-1, 2})
    EXPECT_THAT(Send(PartWith(process, 1)),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("2 processes of generation 3")));
  TracePart late = PartWith(1, 1);
  late.set_generation(2);
  EXPECT_THAT(Send(late), StatusIs(absl::StatusCode::kInvalidArgument,
                                   HasSubstr("generation 2")));
  EXPECT_TRUE(Kept().empty());
}

TEST_F(TraceKeeperTest, WhatIsCutOffIsNoPart) {
  const auto cut = Begin();
  EXPECT_TRUE(cut->Bring(PartWith(0, 5)));
  EXPECT_THAT(cut->Finish(), StatusIs(absl::StatusCode::kInvalidArgument,
                                      HasSubstr("last piece")));
  const auto dead = Begin();
  EXPECT_TRUE(dead->Bring(PartWith(0, 5)));
  dead->Die();
  EXPECT_FALSE(dead->Finish().ok());
  // Its place is free once the coordinator has heard of it.
  const absl::Time until = absl::Now() + kPatience;
  absl::Status status = Send(PartWith(0, 6));
  while (absl::IsAlreadyExists(status) && absl::Now() < until)
    status = Send(PartWith(0, 6));
  EXPECT_THAT(status, IsOk());
  EXPECT_EQ(Read(0).spans_size(), 6);
  EXPECT_EQ(Kept().size(), 1U);
}

TEST_F(TraceKeeperTest, OneCallBringsOnePart) {
  const auto both = Begin();
  EXPECT_TRUE(both->Bring(PartWith(0, 1)));
  both->Bring(PartWith(1, 1));
  EXPECT_THAT(both->Finish(), StatusIs(absl::StatusCode::kInvalidArgument,
                                       HasSubstr("two parts")));
  TracePart whole = PartWith(0, 1);
  whole.set_last(true);
  const auto more = Begin();
  EXPECT_TRUE(more->Bring(whole));
  more->Bring(PartWith(0, 1));
  EXPECT_THAT(more->Finish(), StatusIs(absl::StatusCode::kInvalidArgument,
                                       HasSubstr("two parts")));
  EXPECT_TRUE(Kept().empty());
}

TEST_F(TraceKeeperTest, WithoutAFolderNothingIsKept) {
  Start("");
  EXPECT_THAT(Send(PartWith(0, 1)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("no trace is kept here")));
  EXPECT_TRUE(server_->WaitForTrace(kPatience)) << "hosts were not asked";
}

TEST_F(TraceKeeperTest, NobodyWaitsForPartsOfAPodThatNeverFormed) {
  EXPECT_TRUE(server_->WaitForTrace(kPatience));
}

TEST_F(TraceKeeperTest, AFolderThatCannotBeWrittenIsNamed) {
  std::filesystem::remove(folder_);
  EXPECT_THAT(Send(PartWith(0, 1)).message(), HasSubstr(folder_));
}

}  // namespace
}  // namespace podsim
