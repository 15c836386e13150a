// A job is followed through whatever breaks: servers here, readers there.
#include "runtime/top/follow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "runtime/coordinator/event_feed.h"
#include "tests/runtime/top/told_pod.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kToldToken;
using ::podsim::testing::MadeTeller;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::podsim::testing::ToldPod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What a test waits for and does not judge, on a machine that is busy.
constexpr std::chrono::seconds kFollowDeadline(120);

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

class FollowTest : public ::testing::Test {
 protected:
  std::unique_ptr<ToldPod> NewPod(std::uint32_t generation) {
    auto pod = std::make_unique<ToldPod>(
        "unix:" + dir_.file("c" + std::to_string(generation)), generation);
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
           .pause = pause_,
           .most_pause = most_pause_,
           .most_failures = most_failures_},
          stop);
      MutexLock lock(mutex_);
      status_ = status;
    });
  }
  void Await(std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + kFollowDeadline;
    MutexLock lock(mutex_);
    while (seen_.size() < count) {
      const auto left = until - std::chrono::steady_clock::now();
      ASSERT_GT(left.count(), 0) << seen_.size() << " of " << count;
      changed_.WaitFor(mutex_, left);
    }
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

  std::chrono::milliseconds pause_{1};
  std::chrono::milliseconds most_pause_{5};
  int most_failures_ = 1000000;
  TempDir dir_;
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

TEST_F(FollowTest, AnotherServerIsToldApart) {
  const MadeTeller teller(
      "unix:" + dir_.file("teller"),
      [](grpc::ServerContext&, grpc::ServerWriter<WatchedEvent>&) {
        return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "no such page");
      });
  SetPlace(teller.place());
  Begin();
  EXPECT_THAT(End(), StatusIs(absl::StatusCode::kUnimplemented,
                              HasSubstr("is no coordinator of podsim")));
}

// As of a coordinator whose events go faster than anybody reads.
grpc::Status CutOff(grpc::ServerContext& context) {
  context.AddTrailingMetadata("podsim-next-sequence", "7");
  return {grpc::StatusCode::OUT_OF_RANGE, "this reader was too slow"};
}

TEST_F(FollowTest, WhoeverIsCutOffAgainAndAgainGivesUp) {
  const MadeTeller teller(
      "unix:" + dir_.file("teller"),
      [](grpc::ServerContext& context, grpc::ServerWriter<WatchedEvent>&) {
        return CutOff(context);
      });
  SetPlace(teller.place());
  most_failures_ = 3;
  Begin();
  EXPECT_THAT(End(), StatusIs(absl::StatusCode::kOutOfRange,
                              HasSubstr("this reader was too slow")));
  EXPECT_EQ(teller.calls(), 4);
}

// A pause of an hour, which the test would not see the end of.
TEST_F(FollowTest, AStopEndsThePauseOfWhoeverWasCutOff) {
  const MadeTeller teller("unix:" + dir_.file("teller"),
                          [](grpc::ServerContext& context,
                             grpc::ServerWriter<WatchedEvent>& writer) {
                            WatchedEvent event;
                            event.set_generation(1);
                            event.set_sequence(1);
                            writer.Write(event);
                            return CutOff(context);
                          });
  SetPlace(teller.place());
  pause_ = most_pause_ = std::chrono::hours(1);
  Begin();
  Await(1);
  follower_.request_stop();
  EXPECT_THAT(End(), IsOk());
  EXPECT_EQ(teller.calls(), 1);
}

TEST(PauseAfterTest, GrowsToItsBound) {
  using std::chrono::milliseconds;
  const FollowOptions options = {.find = {},
                                 .on_event = {},
                                 .pause = milliseconds(200),
                                 .most_pause = milliseconds(1000)};
  EXPECT_EQ(PauseAfter(0, options), milliseconds(200));  // one came
  EXPECT_EQ(PauseAfter(1, options), milliseconds(200));
  EXPECT_EQ(PauseAfter(2, options), milliseconds(400));
  EXPECT_EQ(PauseAfter(3, options), milliseconds(800));
  EXPECT_EQ(PauseAfter(4, options), milliseconds(1000));
  EXPECT_EQ(PauseAfter(1000000, options), milliseconds(1000));
}

// A coordinator that is started again may plan its job for most of a minute.
TEST(PauseAfterTest, AMinutePassesBeforeItIsGivenUp) {
  const FollowOptions options;
  std::chrono::milliseconds all(0);
  for (int failures = 1; failures <= options.most_failures; ++failures)
    all += PauseAfter(failures, options);
  EXPECT_GE(all, std::chrono::seconds(60));
  EXPECT_LE(all, std::chrono::seconds(90));
}

TEST(FollowLimitTest, WhoeverDoesNotAnswerIsGivenUp) {
  WatchPlace place;
  place.set_address("unix:/nonexistent/coordinator");
  place.set_token(kToldToken);
  EXPECT_THAT(Follow({.find = [place] { return place; },
                      .on_event = [](const WatchedEvent&) {},
                      .pause = std::chrono::milliseconds(1),
                      .most_failures = 2},
                     std::stop_token()),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("unix:/nonexistent/coordinator")));
}

// Of an address that was given: no launcher says that a pod will be there.
TEST(FollowLimitTest, WhereNobodyListensIsSaidAtOnce) {
  WatchPlace place;
  place.set_address("unix:/nonexistent/coordinator");
  place.set_token(kToldToken);
  int asked = 0;
  EXPECT_THAT(Follow({.find =
                          [&] {
                            ++asked;
                            return place;
                          },
                      .on_event = [](const WatchedEvent&) {},
                      .pause = std::chrono::hours(1)},
                     std::stop_token()),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("where nobody answers")));
  EXPECT_EQ(asked, 1);
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
