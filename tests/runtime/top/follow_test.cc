// A job is followed through whatever breaks: servers here, readers there.
#include "runtime/top/follow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "runtime/coordinator/event_feed.h"
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kToken[] = "0123456789abcdef";

JobEvent StepNumbered(std::int64_t step) {
  JobEvent event;
  event.mutable_step()->set_step(step);
  return event;
}

JobEvent DoneEvent() {
  JobEvent event;
  event.mutable_done()->set_steps(1);
  return event;
}

// One generation of a pod whose events are told.
class Pod {
 public:
  Pod(const std::string& listen, std::uint32_t generation, const Clock& clock)
      : feed_({.generation = generation}) {
    auto server = CoordinatorServer::Start(
        {.listen = listen,
         .security = {.token = kToken},
         .make_plan = [](const std::string&) -> absl::StatusOr<JobPlan> {
           return TestPlan(1, 1, 1);
         },
         .isa = "v3",
         .generation = generation,
         .clock = &clock,
         .feed = &feed_});
    PODSIM_CHECK(server.ok());
    server_ = *std::move(server);
    place_.set_address(server_->address());
    place_.set_token(kToken);
  }
  EventFeed& feed() { return feed_; }
  const WatchPlace& place() const { return place_; }

 private:
  EventFeed feed_;
  std::unique_ptr<CoordinatorServer> server_;
  WatchPlace place_;
};

class FollowTest : public ::testing::Test {
 protected:
  std::unique_ptr<Pod> NewPod(std::uint32_t generation) {
    auto pod = std::make_unique<Pod>(
        "unix:" + dir_.file("c" + std::to_string(generation)), generation,
        clock_);
    SetPlace(pod->place());
    return pod;
  }
  void SetPlace(const absl::StatusOr<WatchPlace>& place) {
    MutexLock lock(mutex_);
    place_ = place;
  }
  void Begin() {
    follower_ = std::jthread([this](const std::stop_token& stop) {
      const absl::Status status = Follow(
          {.find =
               [this] {
                 MutexLock lock(mutex_);
                 return place_;
               },
           .on_event =
               [this](const WatchedEvent& event) {
                 MutexLock lock(mutex_);
                 seen_.emplace_back(event.generation(), event.sequence());
                 changed_.NotifyAll();
               },
           .pause = std::chrono::milliseconds(1),
           .most_failures = 1000000},
          stop);
      MutexLock lock(mutex_);
      status_ = status;
    });
  }
  void Await(std::size_t count) {
    MutexLock lock(mutex_);
    while (seen_.size() < count)
      changed_.WaitFor(mutex_, std::chrono::seconds(1));
  }
  absl::Status End() {
    follower_.join();
    MutexLock lock(mutex_);
    return status_;
  }
  std::vector<std::pair<int, int>> seen() {
    MutexLock lock(mutex_);
    return seen_;
  }

  TempDir dir_;
  const SystemClock clock_;
  Mutex mutex_;
  CondVar changed_;
  absl::StatusOr<WatchPlace> place_ PODSIM_GUARDED_BY(mutex_) =
      absl::NotFoundError("nobody is here");
  std::vector<std::pair<int, int>> seen_ PODSIM_GUARDED_BY(mutex_);
  absl::Status status_ PODSIM_GUARDED_BY(mutex_);
  std::jthread follower_;
};

TEST_F(FollowTest, ToTheEndOfTheJob) {
  auto pod = NewPod(1);
  pod->feed().Publish(StepNumbered(1));
  Begin();
  Await(1);
  pod->feed().Publish(DoneEvent());
  pod.reset();
  EXPECT_THAT(End(), IsOk());
  EXPECT_THAT(seen(), ElementsAre(std::pair(1, 1), std::pair(1, 2)));
}

TEST_F(FollowTest, IntoTheNextGeneration) {
  auto pod = NewPod(1);
  pod->feed().Publish(StepNumbered(1));
  Begin();
  Await(1);
  pod.reset();  // it ends, and the job is not done
  pod = NewPod(2);
  pod->feed().Publish(StepNumbered(1));
  Await(2);
  pod->feed().Publish(DoneEvent());
  pod.reset();
  EXPECT_THAT(End(), IsOk());
  EXPECT_THAT(seen(),
              ElementsAre(std::pair(1, 1), std::pair(2, 1), std::pair(2, 2)));
}

// Old checkpoints are deleted after the end, and told of.
TEST_F(FollowTest, WhatComesAfterTheEndIsNoBeginning) {
  auto pod = NewPod(1);
  pod->feed().Publish(DoneEvent());
  JobEvent deleted;
  deleted.mutable_deleted()->set_step(5);
  pod->feed().Publish(deleted);
  Begin();
  Await(2);
  pod.reset();
  EXPECT_THAT(End(), IsOk());
}

TEST_F(FollowTest, WithoutALauncherAFailureIsTheEnd) {
  auto pod = NewPod(1);
  JobEvent failed;
  failed.mutable_failed()->set_message("host 1 is lost");
  pod->feed().Publish(failed);
  Begin();
  Await(1);
  pod.reset();
  EXPECT_THAT(End(), IsOk());
}

TEST_F(FollowTest, UntilTheJobIsNowhere) {
  auto pod = NewPod(1);
  pod->feed().Publish(StepNumbered(1));
  Begin();
  Await(1);
  SetPlace(absl::NotFoundError("the launcher has ended"));
  pod.reset();
  EXPECT_THAT(End(), IsOk());
}

TEST_F(FollowTest, WhatIsNotThereAtAllIsAnError) {
  Begin();
  EXPECT_THAT(End(), StatusIs(absl::StatusCode::kNotFound,
                              HasSubstr("nobody is here")));
}

TEST_F(FollowTest, AnotherPodsTokenIsRefusedAtOnce) {
  auto pod = NewPod(1);
  WatchPlace wrong = pod->place();
  wrong.set_token("fedcba9876543210");
  SetPlace(wrong);
  Begin();
  EXPECT_THAT(End(), StatusIs(absl::StatusCode::kUnauthenticated,
                              HasSubstr("another pod")));
}

TEST_F(FollowTest, AStopEndsTheCallThatWaits) {
  auto pod = NewPod(1);
  pod->feed().Publish(StepNumbered(1));
  Begin();
  Await(1);
  follower_.request_stop();
  EXPECT_THAT(End(), IsOk());
}

TEST(FollowLimitTest, WhoeverDoesNotAnswerIsGivenUp) {
  WatchPlace place;
  place.set_address("unix:/nonexistent/coordinator");
  place.set_token(kToken);
  EXPECT_THAT(Follow({.find = [place] { return place; },
                      .on_event = [](const WatchedEvent&) {},
                      .pause = std::chrono::milliseconds(1),
                      .most_failures = 2},
                     std::stop_token()),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("unix:/nonexistent/coordinator")));
}

TEST(DecideAfterCallTest, WhatEndsAndWhatGoesOn) {
  EXPECT_EQ(DecideAfterCall({}, true), AfterCall::kEnd);
  EXPECT_EQ(DecideAfterCall({}, false), AfterCall::kAskAgain);
  EXPECT_EQ(DecideAfterCall({absl::ResourceExhaustedError("slow"), 7}, false),
            AfterCall::kAskThere);
  EXPECT_EQ(DecideAfterCall({absl::OutOfRangeError("gone"), 7}, false),
            AfterCall::kAskThere);
  EXPECT_EQ(DecideAfterCall({absl::ResourceExhaustedError("many"), 0}, false),
            AfterCall::kEnd);
  EXPECT_EQ(DecideAfterCall({absl::UnavailableError("broken"), 0}, false),
            AfterCall::kAskAgain);
  EXPECT_EQ(DecideAfterCall({absl::CancelledError("stalled"), 0}, false),
            AfterCall::kAskAgain);
}

}  // namespace
}  // namespace podsim
