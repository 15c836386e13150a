// Readers of a job's events over gRPC: what they are given, and that none of
// them disturbs another.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/mutex.h"
#include "base/rpc/credentials.h"
#include "base/rpc/deadline.h"
#include "base/rpc/status.h"
#include "proto/watch.grpc.pb.h"
#include "runtime/coordinator/event_feed.h"
#include "runtime/coordinator/service.h"
#include "runtime/coordinator/watch_stream.h"
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

constexpr std::size_t kLargeBytes = 64 << 10;
constexpr std::chrono::minutes kRoomDeadline(2);

JobEvent WatchedStep(std::int64_t step) {
  JobEvent event;
  event.mutable_step()->set_step(step);
  return event;
}

// As much as a connection takes whose other end does not read.
JobEvent LargeEvent() {
  JobEvent event;
  event.mutable_failed()->set_message(std::string(kLargeBytes, 'x'));
  return event;
}

// One call. It gives up after two minutes: a test's machine may be busy.
class Watcher {
 public:
  Watcher(const std::string& address, const RpcSecurity& security,
          const WatchRequest& request = {}) {
    // Else the window would grow with what nobody reads.
    grpc::ChannelArguments arguments = DefaultChannelArguments();
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    auto channel = OpenChannel(address, security, arguments);
    PODSIM_CHECK(channel.ok());
    if (!security.token.empty()) AttachToken(security, context_);
    SetDeadline(context_, absl::Minutes(2));
    stub_ = JobWatch::NewStub(*channel);
    stream_ = stub_->Watch(&context_, request);
  }

  // Its sequence number, 0 once the stream has ended.
  std::uint64_t Next() {
    last_.Clear();
    return stream_->Read(&last_) ? last_.sequence() : 0;
  }
  const WatchedEvent& last() const { return last_; }
  // Reads what is left; how many that were.
  int ReadAll() {
    int count = 0;
    while (Next() != 0) ++count;
    return count;
  }
  absl::Status Finish() { return FromGrpcStatus(stream_->Finish()); }
  // After Finish: what it was told to go on from; 0: nothing.
  std::uint64_t nearest() const {
    const auto& metadata = context_.GetServerTrailingMetadata();
    const auto it = metadata.find(kNextSequenceKey);
    std::uint64_t number = 0;
    if (it == metadata.end()) return 0;
    EXPECT_TRUE(absl::SimpleAtoi(
        std::string(it->second.data(), it->second.size()), &number));
    return number;
  }
  void Die() { context_.TryCancel(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<JobWatch::Stub> stub_;
  std::unique_ptr<grpc::ClientReader<WatchedEvent>> stream_;
  WatchedEvent last_;
};

WatchRequest ResumeAt(std::uint64_t sequence, std::uint32_t generation) {
  WatchRequest request;
  request.set_from_sequence(sequence);
  request.set_generation(generation);
  return request;
}

class WatchTest : public ::testing::Test {
 protected:
  void Start(const EventFeed::Options& options) {
    feed_ = std::make_unique<EventFeed>(options);
    auto server = CoordinatorServer::Start(
        {.listen = "unix:" + dir_.file("coordinator"),
         .security = security_,
         .make_plan = [](const std::string&) -> absl::StatusOr<JobPlan> {
           return TestPlan(1, 1, 1);
         },
         .isa = "v3",
         .clock = &clock_,
         .feed = feed_.get()});
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
  }
  std::unique_ptr<Watcher> Watch(const WatchRequest& request = {}) {
    return std::make_unique<Watcher>(server_->address(), security_, request);
  }
  // Of somebody who may read as soon as one of the readers is gone.
  std::unique_ptr<Watcher> WatchWhenThereIsRoom() {
    const auto until = std::chrono::steady_clock::now() + kRoomDeadline;
    for (;;) {
      auto watcher = Watch();
      if (watcher->Next() != 0) return watcher;
      const absl::Status status = watcher->Finish();
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted,
                                   HasSubstr("watch this job already")));
      if (!absl::IsResourceExhausted(status)) return watcher;
      if (std::chrono::steady_clock::now() > until) {
        ADD_FAILURE() << "nobody has left";
        return watcher;
      }
      clock_.Advance(kStalledReader);
    }
  }

  TempDir dir_;
  SimClock clock_;
  const RpcSecurity security_{.token = "secret"};
  std::unique_ptr<EventFeed> feed_;
  std::unique_ptr<CoordinatorServer> server_;
};

TEST_F(WatchTest, TwoReadersReadTheSameToTheEnd) {
  Start({.generation = 2});
  feed_->Publish(WatchedStep(1));
  feed_->Publish(WatchedStep(2));
  const auto first = Watch();
  EXPECT_EQ(first->Next(), 1);
  EXPECT_EQ(first->last().generation(), 2);
  EXPECT_EQ(first->last().event().step().step(), 1);
  EXPECT_EQ(first->last().newest(), 2);
  const auto second = Watch();
  EXPECT_EQ(second->Next(), 1);
  feed_->Publish(WatchedStep(3));
  for (Watcher* watcher : {first.get(), second.get()}) {
    EXPECT_EQ(watcher->Next(), 2);
    EXPECT_EQ(watcher->Next(), 3);
    EXPECT_EQ(watcher->last().event().step().step(), 3);
  }
  server_.reset();
  EXPECT_EQ(first->Next(), 0);
  EXPECT_THAT(first->Finish(), IsOk());
  EXPECT_EQ(second->Next(), 0);
  EXPECT_THAT(second->Finish(), IsOk());
}

TEST_F(WatchTest, WithoutTheTokenNothingIsTold) {
  Start({});
  feed_->Publish(WatchedStep(1));
  Watcher without(server_->address(), {});
  EXPECT_EQ(without.Next(), 0);
  EXPECT_THAT(without.Finish(), StatusIs(absl::StatusCode::kUnauthenticated,
                                         HasSubstr("PODSIM_TOKEN")));
  Watcher wrong(server_->address(), {.token = "guess"});
  EXPECT_EQ(wrong.Next(), 0);
  EXPECT_THAT(wrong.Finish(), StatusIs(absl::StatusCode::kUnauthenticated,
                                       HasSubstr("another pod")));
}

TEST_F(WatchTest, AReaderResumesWhereItWas) {
  Start({.generation = 1});
  for (int step = 1; step <= 3; ++step) feed_->Publish(WatchedStep(step));
  const auto broken = Watch();
  EXPECT_EQ(broken->Next(), 1);
  broken->Die();
  const auto resumed = Watch(ResumeAt(2, 1));
  EXPECT_EQ(resumed->Next(), 2);
  EXPECT_EQ(resumed->Next(), 3);
  feed_->Publish(WatchedStep(4));
  EXPECT_EQ(resumed->Next(), 4);
}

TEST_F(WatchTest, WhatIsGoneIsSaidWithWhereToGoOn) {
  Start({.generation = 1, .max_bytes = 1});
  for (int step = 1; step <= 5; ++step) feed_->Publish(WatchedStep(step));
  const auto late = Watch(ResumeAt(2, 1));
  EXPECT_EQ(late->Next(), 0);
  EXPECT_THAT(late->Finish(),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("from 5")));
  ASSERT_EQ(late->nearest(), 5);
  EXPECT_EQ(Watch(ResumeAt(late->nearest(), 1))->Next(), 5);
  // A reader of the generation before, whose numbers mean nothing here.
  EXPECT_EQ(Watch(ResumeAt(2, 7))->Next(), 5);
}

TEST_F(WatchTest, WhoeverDoesNotReadHoldsUpNobody) {
  Start({.generation = 1, .max_bytes = 16 * kLargeBytes});
  feed_->Publish(LargeEvent());
  const auto sleeper = Watch();
  EXPECT_EQ(sleeper->Next(), 1);
  const auto reader = Watch();
  EXPECT_EQ(reader->Next(), 1);
  constexpr int kEvents = 40;
  for (int event = 2; event <= kEvents; ++event) {
    feed_->Publish(LargeEvent());
    ASSERT_EQ(reader->Next(), event);
  }
  const int read = 1 + sleeper->ReadAll();
  EXPECT_LT(read, kEvents - 16);
  EXPECT_THAT(sleeper->Finish(), StatusIs(absl::StatusCode::kResourceExhausted,
                                          HasSubstr("too slow")));
  const std::uint64_t nearest = sleeper->nearest();
  EXPECT_GT(nearest, read + 1);
  const auto again = Watch(ResumeAt(nearest, 1));
  for (std::uint64_t event = nearest; event <= kEvents; ++event)
    ASSERT_EQ(again->Next(), event);
}

TEST_F(WatchTest, WhoeverTakesNothingLosesItsPlace) {
  Start({.generation = 1, .max_readers = 1});
  feed_->Publish(LargeEvent());
  const auto sleeper = Watch();
  EXPECT_EQ(sleeper->Next(), 1);
  for (int event = 2; event <= 20; ++event) feed_->Publish(LargeEvent());
  EXPECT_NE(WatchWhenThereIsRoom()->last().sequence(), 0);
  sleeper->ReadAll();
  EXPECT_TRUE(absl::IsCancelled(sleeper->Finish()));
}

// Counts how often the feed has looked after all of its readers.
class LookedAfter final : public EventReader {
 public:
  void OnMore() override {
    MutexLock lock(mutex_);
    ++times_;
    changed_.NotifyAll();
  }
  // The last but one of these looks has ended for every reader.
  void AwaitMore(int times) {
    MutexLock lock(mutex_);
    const int until = times_ + times;
    while (times_ < until) changed_.WaitFor(mutex_, std::chrono::seconds(1));
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int times_ PODSIM_GUARDED_BY(mutex_) = 0;
};

TEST_F(WatchTest, WhoeverTakesNothingIsToldIfItWakesUp) {
  Start({.generation = 1, .max_readers = 3});
  feed_->Publish(LargeEvent());
  const auto sleeper = Watch();
  EXPECT_EQ(sleeper->Next(), 1);
  constexpr int kEvents = 20;
  for (int event = 2; event <= kEvents; ++event) feed_->Publish(LargeEvent());
  const auto looked = std::make_shared<LookedAfter>();
  ASSERT_THAT(feed_->Enter(looked, {}).status, IsOk());
  looked->AwaitMore(5);  // until its window is full
  clock_.Advance(kStalledReader);
  looked->AwaitMore(3);
  const int read = 1 + sleeper->ReadAll();
  EXPECT_LT(read, kEvents);
  EXPECT_THAT(sleeper->Finish(), StatusIs(absl::StatusCode::kResourceExhausted,
                                          HasSubstr("taken nothing for 30 s")));
  EXPECT_EQ(sleeper->nearest(), read + 1);
  EXPECT_EQ(Watch(ResumeAt(sleeper->nearest(), 1))->Next(), read + 1);
}

TEST_F(WatchTest, TheDeadAreReadersNoMore) {
  Start({.generation = 1, .max_readers = 1});
  feed_->Publish(WatchedStep(1));
  const auto reader = Watch();
  EXPECT_EQ(reader->Next(), 1);
  reader->Die();
  EXPECT_EQ(WatchWhenThereIsRoom()->last().sequence(), 1);
}

// Each of whom connects on its own; nobody of them reads on.
TEST_F(WatchTest, AFloodOfStreamsIsBoundedAndTold) {
  constexpr int kStreams = 40;
  Start({.generation = 1});
  feed_->Publish(WatchedStep(1));
  const auto reader = Watch();
  ASSERT_EQ(reader->Next(), 1);
  std::vector<std::unique_ptr<Watcher>> flood;
  for (int i = 0; i < kStreams; ++i) flood.push_back(Watch());
  int let_in = 0;
  for (const auto& one : flood) {
    if (one->Next() != 0) {
      ++let_in;
      continue;
    }
    EXPECT_THAT(one->Finish(), StatusIs(absl::StatusCode::kResourceExhausted,
                                        HasSubstr("16 readers")));
    EXPECT_EQ(one->nearest(), 0);
  }
  EXPECT_EQ(let_in, kMaxEventReaders - 1);
  // Who was there before reads on.
  for (int step = 2; step <= 100; ++step) {
    feed_->Publish(WatchedStep(step));
    ASSERT_EQ(reader->Next(), step);
  }
}

TEST_F(WatchTest, ManyWhoComeAndGoLeaveNothing) {
  Start({.generation = 1, .max_readers = 2});
  feed_->Publish(WatchedStep(1));
  const auto reader = Watch();
  EXPECT_EQ(reader->Next(), 1);
  for (int call = 0; call < 100; ++call) Watch()->Die();
  feed_->Publish(WatchedStep(2));
  EXPECT_EQ(reader->Next(), 2);
  EXPECT_EQ(WatchWhenThereIsRoom()->last().sequence(), 1);
}

}  // namespace
}  // namespace podsim
