// The coordinator over gRPC on a Unix socket, with hosts faked by plain stubs.
#include "runtime/coordinator/service.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/build.h"
#include "base/mutex.h"
#include "base/rpc/credentials.h"
#include "base/rpc/deadline.h"
#include "base/rpc/status.h"
#include "proto/coordinator.grpc.pb.h"
#include "runtime/coordinator/read_bound.h"
#include "tests/runtime/coordinator/pod_script.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::BeatMessage;
using ::podsim::testing::DoneMessage;
using ::podsim::testing::FailureMessage;
using ::podsim::testing::IsOk;
using ::podsim::testing::JoinOf;
using ::podsim::testing::ReadyMessage;
using ::podsim::testing::StartOf;
using ::podsim::testing::StatusIs;
using ::podsim::testing::StepMessage;
using ::podsim::testing::TempDir;
using ::podsim::testing::TestPlan;
using ::testing::HasSubstr;

// One process's stream. Every call gives up after ten seconds.
class FakeHost {
 public:
  FakeHost(const std::string& address, const RpcSecurity& security,
           bool with_token = true) {
    auto channel = OpenChannel(address, security);
    PODSIM_CHECK(channel.ok());
    if (with_token) AttachToken(security, context_);
    SetDeadline(context_, absl::Seconds(10));
    stub_ = Coordinator::NewStub(*channel);
    stream_ = stub_->Attach(&context_);
  }

  static HostMessage JoinFor(int process) {
    HostMessage message;
    *message.mutable_join() = JoinOf(process);
    message.mutable_join()->set_build_id(BuildId());
    return message;
  }
  void Join(int process) { Send(JoinFor(process)); }
  void Send(const HostMessage& message) { stream_->Write(message); }
  // The next message but for answers to beats, empty once the stream has ended.
  CoordinatorMessage Next() {
    CoordinatorMessage message;
    do {
      if (!stream_->Read(&message)) return {};
      if (!message.has_heard()) continue;
      ++heard_;
      last_heard_ = message.heard();
    } while (message.has_heard());
    return message;
  }
  int heard() const { return heard_; }
  const podsim::Heard& last_heard() const { return last_heard_; }
  // Half-closes and waits for the coordinator's end.
  absl::Status Leave() {
    stream_->WritesDone();
    while (Next().message_case() != CoordinatorMessage::MESSAGE_NOT_SET) {
    }
    return FromGrpcStatus(stream_->Finish());
  }
  // As if the process were killed.
  void Die() { context_.TryCancel(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<Coordinator::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<HostMessage, CoordinatorMessage>>
      stream_;
  int heard_ = 0;
  podsim::Heard last_heard_;
};

// Beats of one host from a thread, as long as this object lives.
class Beating {
 public:
  explicit Beating(FakeHost& host)
      : thread_([this, &host](const std::stop_token& stop) {
          MutexLock lock(mutex_);
          for (std::uint64_t beat = 0; !stop.stop_requested(); ++beat) {
            host.Send(BeatMessage(beat, 1, "compute"));
            idle_.WaitFor(mutex_, std::chrono::milliseconds(20));
          }
        }) {}
  void Stop() {
    thread_.request_stop();
    thread_.join();
  }

 private:
  Mutex mutex_;
  CondVar idle_;
  std::jthread thread_;
};

class ServiceTest : public ::testing::Test {
 protected:
  void Start(int hosts, int processes, int steps) {
    plan_ = TestPlan(hosts, processes, steps);
    StartOn("unix:" + dir_.file("coordinator"));
  }
  void StartOn(const std::string& listen) {
    auto server = CoordinatorServer::Start(
        {.listen = listen,
         .security = security_,
         .make_plan = [plan = plan_](const std::string&)
             -> absl::StatusOr<JobPlan> { return plan; },
         .isa = "v3",
         .on_event =
             [this](const JobEvent& event) {
               MutexLock lock(mutex_);
               events_.push_back(event);
             },
         .looking = "checkpoints in m",
         .clock = &clock_});
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
    if (begins_) server_->Begin(RunStart{.point = StartOf(plan_)});
  }
  std::unique_ptr<FakeHost> Host() {
    return std::make_unique<FakeHost>(server_->address(), security_);
  }
  // Hosts that have joined, are assigned, ready and started.
  std::vector<std::unique_ptr<FakeHost>> RunningHosts(int processes) {
    std::vector<std::unique_ptr<FakeHost>> hosts;
    for (int p = 0; p < processes; ++p) {
      hosts.push_back(Host());
      hosts[p]->Join(p);
    }
    for (auto& host : hosts) {
      EXPECT_TRUE(host->Next().has_assignment());
      host->Send(ReadyMessage());
    }
    for (auto& host : hosts) EXPECT_TRUE(host->Next().has_start());
    return hosts;
  }
  std::vector<JobEvent> events() {
    MutexLock lock(mutex_);
    return events_;
  }

  TempDir dir_;
  const SystemClock clock_;
  const RpcSecurity security_{.token = "secret"};
  JobPlan plan_ = TestPlan(1, 1, 1);
  bool begins_ = true;  // it is known at once where
  Mutex mutex_;
  std::vector<JobEvent> events_ PODSIM_GUARDED_BY(mutex_);
  std::unique_ptr<CoordinatorServer> server_;
};

TEST_F(ServiceTest, AWholeJob) {
  Start(/*hosts=*/4, /*processes=*/2, /*steps=*/2);
  auto hosts = RunningHosts(2);
  for (int step = 1; step <= 2; ++step) {
    for (int h = 0; h < 4; ++h) hosts[h / 2]->Send(StepMessage(h, step));
  }
  for (auto& host : hosts) host->Send(DoneMessage("abc"));
  for (auto& host : hosts) EXPECT_TRUE(host->Next().has_finish());
  for (auto& host : hosts) EXPECT_THAT(host->Leave(), IsOk());
  EXPECT_THAT(server_->Wait(), IsOk());

  std::vector<JobEvent::EventCase> kinds;
  for (const JobEvent& event : events()) kinds.push_back(event.event_case());
  EXPECT_THAT(kinds, ::testing::ElementsAre(
                         JobEvent::kJoined, JobEvent::kJoined,
                         JobEvent::kFormed, JobEvent::kStarted, JobEvent::kStep,
                         JobEvent::kStep, JobEvent::kDone));
  EXPECT_EQ(events().back().done().weights_hash(), "abc");
}

TEST_F(ServiceTest, TheAssignmentSaysWhoIsWhere) {
  Start(4, 2, 1);
  auto first = Host();
  first->Join(1);
  auto second = Host();
  second->Join(0);
  const CoordinatorMessage message = first->Next();
  ASSERT_TRUE(message.has_assignment());
  ASSERT_EQ(message.assignment().peers_size(), 2);
  EXPECT_EQ(message.assignment().peers(1).ici_address(), "unix:/ici/1");
  EXPECT_EQ(message.assignment().plan().spec().processes(), 2);
  EXPECT_EQ(message.assignment().generation(), 1);
}

TEST_F(ServiceTest, HostsMayJoinBeforeItIsKnownWhereToBegin) {
  begins_ = false;
  Start(1, 1, 1);
  auto host = Host();
  host->Join(0);
  EXPECT_EQ(host->Next().looking().what(), "checkpoints in m");
  server_->GiveSignOfLife();
  EXPECT_EQ(host->Next().looking().what(), "checkpoints in m");
  RunStart start = {.point = StartOf(plan_), .stamp = 9};
  start.point.set_checkpoint("m/20");
  server_->Begin(std::move(start));
  EXPECT_EQ(host->Next().looking().what(), "");
  const CoordinatorMessage message = host->Next();
  EXPECT_EQ(message.assignment().start().checkpoint(), "m/20");
  EXPECT_EQ(message.assignment().stamp(), 9);
}

TEST_F(ServiceTest, WhereNothingCanBeginAllAreToldWhy) {
  begins_ = false;
  Start(1, 1, 1);
  auto host = Host();
  host->Join(0);
  EXPECT_TRUE(host->Next().has_looking());
  const absl::Status why = absl::NotFoundError("no checkpoint is there");
  server_->Begin(why);
  EXPECT_THAT(host->Next().abort().reason(), HasSubstr(why.message()));
  EXPECT_THAT(host->Leave(), IsOk());
  EXPECT_EQ(server_->Wait(), why);
}

TEST_F(ServiceTest, WithoutTheTokenNothingHappens) {
  Start(1, 1, 1);
  FakeHost without(server_->address(), security_, /*with_token=*/false);
  without.Join(0);
  EXPECT_THAT(without.Leave(), StatusIs(absl::StatusCode::kUnauthenticated,
                                        HasSubstr("PODSIM_TOKEN")));
  FakeHost wrong(server_->address(), {.token = "guess"});
  wrong.Join(0);
  EXPECT_THAT(wrong.Leave(), StatusIs(absl::StatusCode::kUnauthenticated,
                                      HasSubstr("another pod")));
  RunningHosts(1);  // the place is still free
  // Before anybody has joined, but not of every call at once.
  for (const JobEvent& event : events()) {
    if (event.has_joined()) break;
    EXPECT_THAT(event.refused().reason(), HasSubstr("token"));
  }
}

TEST_F(ServiceTest, AHostThatLeavesBeforeThePodFormsIsReplaced) {
  Start(2, 2, 1);
  auto gone = Host();
  gone->Join(1);
  EXPECT_THAT(gone->Leave(), IsOk());
  const auto hosts = RunningHosts(2);  // the pod fails as they go
  for (const JobEvent& event : events()) EXPECT_FALSE(event.has_failed());
}

// A host takes a coordinator that answers no beat for frozen.
TEST_F(ServiceTest, EveryBeatIsAnswered) {
  Start(1, 1, 1);
  auto host = Host();
  host->Join(0);
  EXPECT_TRUE(host->Next().has_assignment());
  for (int beat = 0; beat < 3; ++beat) {
    HostMessage message = BeatMessage(beat, 0, "starting");
    message.mutable_heartbeat()->set_sent_ns(1000 + beat);
    host->Send(message);
  }
  host->Send(ReadyMessage());
  EXPECT_TRUE(host->Next().has_start());
  EXPECT_EQ(host->heard(), 3);
  // With what tells how far apart the clocks are.
  EXPECT_EQ(host->last_heard().sent_ns(), 1002);
  EXPECT_GT(host->last_heard().heard_ns(), 0);
  EXPECT_GE(host->last_heard().answered_ns(), host->last_heard().heard_ns());
}

// The loop stands still meanwhile, and more comes than may wait for it.
TEST_F(ServiceTest, ReadsOnWhatWasLeftUnreadWhenTheLoopCatchesUp) {
  constexpr int kBeats = 3 * kMostWaiting / 2;
  Start(1, 1, 1);
  auto hosts = RunningHosts(1);
  {
    MutexLock lock(mutex_);
    hosts[0]->Send(StepMessage(0, 1));  // its event waits for the lock
    for (int beat = 0; beat < kBeats; ++beat)
      hosts[0]->Send(BeatMessage(beat, 1, "compute"));
  }
  hosts[0]->Send(DoneMessage("abc"));
  EXPECT_TRUE(hosts[0]->Next().has_finish());
  EXPECT_EQ(hosts[0]->heard(), kBeats);
  EXPECT_THAT(hosts[0]->Leave(), IsOk());
  EXPECT_THAT(server_->Wait(), IsOk());
}

TEST_F(ServiceTest, OtherBuildsAreRefusedAndThePodGoesOn) {
  Start(1, 1, 1);
  auto stranger = Host();
  HostMessage join = FakeHost::JoinFor(0);
  join.mutable_join()->set_build_id("other");
  stranger->Send(join);
  EXPECT_THAT(
      stranger->Leave(),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               ::testing::AllOf(HasSubstr("other"), HasSubstr(BuildId()))));
  RunningHosts(1);
}

TEST_F(ServiceTest, TheFirstMessageMustBeJoin) {
  Start(1, 1, 1);
  auto host = Host();
  host->Send(ReadyMessage());
  EXPECT_THAT(host->Leave(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Join")));
}

TEST_F(ServiceTest, ARefusedStreamStaysRefused) {
  Start(1, 1, 1);
  auto host = Host();
  host->Send(ReadyMessage());
  host->Join(0);
  EXPECT_THAT(host->Leave(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Join")));
  RunningHosts(1);
}

// Long before any wait would have ended: only the stream can have told.
TEST_F(ServiceTest, ABrokenStreamFailsTheJobAtOnce) {
  plan_ = TestPlan(3, 3, 5);
  plan_.mutable_spec()->set_heartbeat_timeout(3600);
  plan_.mutable_spec()->set_stall_timeout(3600);
  StartOn("unix:" + dir_.file("coordinator"));
  auto hosts = RunningHosts(3);
  hosts[1]->Send(BeatMessage(1, 2, "compute"));
  hosts[1]->Send(StepMessage(1, 1));
  hosts[1]->Die();
  // The others stay attached until told to end, then say nothing more.
  EXPECT_TRUE(hosts[0]->Next().has_abort());
  const CoordinatorMessage abort = hosts[2]->Next();
  ASSERT_TRUE(abort.has_abort());
  EXPECT_THAT(abort.abort().reason(), HasSubstr("host 1"));
  for (const int p : {0, 2}) EXPECT_THAT(hosts[p]->Leave(), IsOk());
  EXPECT_THAT(server_->Wait(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("host 1")));
  ASSERT_TRUE(events().back().has_failed());
  EXPECT_TRUE(events().back().failed().lost());
  EXPECT_EQ(events().back().failed().process(), 1);
  EXPECT_EQ(events().back().failed().pid(), 101);
}

TEST_F(ServiceTest, AFailureIsReportedWithItsWords) {
  Start(2, 2, 5);
  auto hosts = RunningHosts(2);
  hosts[0]->Send(FailureMessage(0, absl::StatusCode::kInvalidArgument,
                                "loss became nan at step 3 on core 5"));
  EXPECT_THAT(hosts[0]->Leave(), IsOk());
  EXPECT_TRUE(hosts[1]->Next().has_abort());
  hosts[1]->Leave().IgnoreError();
  EXPECT_THAT(server_->Wait(), StatusIs(absl::StatusCode::kInvalidArgument,
                                        HasSubstr("core 5")));
  EXPECT_FALSE(events().back().failed().lost());
}

TEST_F(ServiceTest, ASilentHostIsNotWaitedFor) {
  plan_ = TestPlan(2, 2, 5);
  plan_.mutable_spec()->set_heartbeat_timeout(
      2);  // a hundred beats of the other
  plan_.mutable_spec()->set_shutdown_timeout(3600);
  StartOn("unix:" + dir_.file("coordinator"));
  auto hosts = RunningHosts(2);
  // Host 0 beats until it is told; host 1 never says a word.
  Beating beating(*hosts[0]);
  EXPECT_TRUE(hosts[0]->Next().has_abort());
  beating.Stop();
  EXPECT_THAT(hosts[0]->Leave(), IsOk());
  EXPECT_THAT(server_->Wait(), StatusIs(absl::StatusCode::kDeadlineExceeded,
                                        HasSubstr("no heartbeat")));
  EXPECT_EQ(events().back().failed().process(), 1);
}

TEST_F(ServiceTest, StopEndsTheJob) {
  Start(2, 2, 5);
  auto hosts = RunningHosts(2);
  server_->Stop("told to end");
  for (auto& host : hosts) {
    EXPECT_TRUE(host->Next().has_abort());
    EXPECT_THAT(host->Leave(), IsOk());
  }
  EXPECT_THAT(server_->Wait(),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("told to end")));
}

TEST_F(ServiceTest, DestructionWithHostsAttachedEnds) {
  Start(2, 2, 5);
  auto hosts = RunningHosts(2);
  auto unjoined = Host();
  server_.reset();
  EXPECT_TRUE(hosts[0]->Next().has_abort());
}

TEST_F(ServiceTest, TcpBindsAFreePortAndRefusesATakenOne) {
  plan_ = TestPlan(1, 1, 1);
  StartOn("127.0.0.1:0");
  EXPECT_THAT(server_->address(), HasSubstr("127.0.0.1:"));
  EXPECT_NE(server_->address(), "127.0.0.1:0");
  RunningHosts(1);
  const auto make_plan = [this](const std::string&) -> absl::StatusOr<JobPlan> {
    return plan_;
  };
  EXPECT_THAT(
      CoordinatorServer::Start({.listen = server_->address(),
                                .security = security_,
                                .make_plan = make_plan,
                                .isa = "v3",
                                .clock = &clock_}),
      StatusIs(absl::StatusCode::kUnavailable, HasSubstr(server_->address())));
}

TEST_F(ServiceTest, ATakenUnixSocketIsRefusedAndAStaleOneIsNot) {
  Start(1, 1, 1);
  const std::string address = server_->address();
  const auto make_plan = [this](const std::string&) -> absl::StatusOr<JobPlan> {
    return plan_;
  };
  EXPECT_THAT(CoordinatorServer::Start({.listen = address,
                                        .security = security_,
                                        .make_plan = make_plan,
                                        .isa = "v3",
                                        .clock = &clock_}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("another")));
  RunningHosts(1);  // it is still ours
  server_.reset();
  StartOn(address);
}

TEST_F(ServiceTest, BadAddressesAndPlansAreRefusedAtTheStart) {
  const auto start = [this](const std::string& listen,
                            absl::StatusOr<JobPlan> plan) {
    return CoordinatorServer::Start(
               {.listen = listen,
                .security = security_,
                .make_plan = [plan](const std::string&) { return plan; },
                .isa = "v3",
                .clock = &clock_})
        .status();
  };
  EXPECT_THAT(start("nonsense", plan_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("port")));
  EXPECT_THAT(start("0.0.0.0:0", plan_),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("--allow_plaintext_network")));
  EXPECT_THAT(start("unix:" + dir_.file("no/such/dir"), plan_),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("give a path in one that exists")));
  EXPECT_THAT(
      start("unix:" + dir_.file("x"),
            absl::InvalidArgumentError("batch does not divide")),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("divide")));
}

}  // namespace
}  // namespace podsim
