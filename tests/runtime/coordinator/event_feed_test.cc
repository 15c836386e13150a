// Several readers of one job: the same events for all, at their own pace.
#include "runtime/coordinator/event_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

JobEvent FedStep(std::int64_t step) {
  JobEvent event;
  event.mutable_step()->set_step(step);
  return event;
}

// For what a test waits for and does not judge, on a machine that is busy.
std::chrono::steady_clock::time_point FeedDeadline() {
  return std::chrono::steady_clock::now() + std::chrono::minutes(2);
}

// Reads all there is whenever it is told; until `awake` it only listens.
class TestReader final : public EventReader {
 public:
  explicit TestReader(const EventFeed& feed, bool awake = true)
      : feed_(feed), awake_(awake) {}

  void Begin(const EventFeed::Entry& entry) {
    MutexLock lock(mutex_);
    place_ = entry.place;
    begun_ = entry.status.ok();
  }
  void WakeUp() {
    MutexLock lock(mutex_);
    awake_ = true;
  }
  void OnMore() override {
    MutexLock lock(mutex_);
    ++told_;
    while (begun_ && awake_ && !over_) {
      EventFeed::Found found = feed_.Next(place_);
      status_ = found.status;
      nearest_ = found.nearest;
      over_ = found.ended || !found.status.ok();
      if (found.bytes == nullptr) break;
      texts_.push_back(*found.bytes);
    }
    changed_.NotifyAll();
  }
  // Waits until it has been told once more, or has read `count`, or all.
  void AwaitTold() {
    MutexLock lock(mutex_);
    const auto until = FeedDeadline();
    for (const int told = told_; told_ == told && WaitUntil(until);) {
    }
  }
  void Await(std::size_t count) {
    MutexLock lock(mutex_);
    const auto until = FeedDeadline();
    while (texts_.size() < count && WaitUntil(until)) {
    }
  }
  void AwaitEnd() {
    MutexLock lock(mutex_);
    const auto until = FeedDeadline();
    while (!over_ && WaitUntil(until)) {
    }
  }
  std::vector<std::string> texts() {
    MutexLock lock(mutex_);
    return texts_;
  }
  absl::Status status() {
    MutexLock lock(mutex_);
    return status_;
  }
  std::uint64_t nearest() {
    MutexLock lock(mutex_);
    return nearest_;
  }

 private:
  // False: the time has passed, and the test fails.
  bool WaitUntil(std::chrono::steady_clock::time_point until)
      PODSIM_REQUIRES(mutex_) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= left.zero()) {
      ADD_FAILURE() << "nothing more has come; " << texts_.size() << " read";
      return false;
    }
    changed_.WaitFor(mutex_, left);
    return true;
  }

  const EventFeed& feed_;
  Mutex mutex_;
  CondVar changed_;
  bool awake_ PODSIM_GUARDED_BY(mutex_);
  bool begun_ PODSIM_GUARDED_BY(mutex_) = false;
  bool over_ PODSIM_GUARDED_BY(mutex_) = false;
  int told_ PODSIM_GUARDED_BY(mutex_) = 0;
  LogPlace place_ PODSIM_GUARDED_BY(mutex_);
  std::vector<std::string> texts_ PODSIM_GUARDED_BY(mutex_);
  absl::Status status_ PODSIM_GUARDED_BY(mutex_);
  std::uint64_t nearest_ PODSIM_GUARDED_BY(mutex_) = 0;
};

std::shared_ptr<TestReader> ReaderOf(EventFeed& feed, bool awake = true) {
  auto reader = std::make_shared<TestReader>(feed, awake);
  const EventFeed::Entry entry = feed.Enter(reader, WatchRequest());
  EXPECT_THAT(entry.status, IsOk());
  reader->Begin(entry);
  return reader;
}

TEST(EventFeedTest, AllReadersReadTheSame) {
  EventFeed feed({.generation = 1});
  const auto first = ReaderOf(feed);
  for (int step = 1; step <= 50; ++step) feed.Publish(FedStep(step));
  const auto second = ReaderOf(feed);
  for (int step = 51; step <= 100; ++step) feed.Publish(FedStep(step));
  feed.End();
  for (const auto& reader : {first, second}) {
    reader->AwaitEnd();
    EXPECT_THAT(reader->status(), IsOk());
  }
  EXPECT_EQ(first->texts().size(), 100);
  EXPECT_EQ(first->texts(), second->texts());
}

TEST(EventFeedTest, ASleeperHoldsUpNobodyAndIsToldSo) {
  EventFeed feed({.generation = 1, .max_bytes = 200});
  const auto sleeper = ReaderOf(feed, /*awake=*/false);
  const auto reader = ReaderOf(feed);
  for (std::size_t step = 1; step <= 100; ++step) {
    feed.Publish(FedStep(static_cast<std::int64_t>(step)));
    reader->Await(step);
  }
  EXPECT_EQ(reader->texts().size(), 100);
  sleeper->WakeUp();
  sleeper->AwaitEnd();
  EXPECT_TRUE(sleeper->texts().empty());
  EXPECT_THAT(sleeper->status(), StatusIs(absl::StatusCode::kResourceExhausted,
                                          HasSubstr("go on from")));

  WatchRequest request;
  request.set_generation(1);
  request.set_from_sequence(sleeper->nearest());
  feed.Leave(*sleeper);
  const auto again = std::make_shared<TestReader>(feed);
  const EventFeed::Entry entry = feed.Enter(again, request);
  ASSERT_THAT(entry.status, IsOk());
  again->Begin(entry);
  feed.End();
  again->AwaitEnd();
  EXPECT_EQ(again->texts().size(), 101 - sleeper->nearest());
  EXPECT_EQ(again->texts().back(), reader->texts().back());
}

TEST(EventFeedTest, WhatIsGoneIsSaid) {
  EventFeed feed({.generation = 1, .max_bytes = 1});
  for (int step = 1; step <= 9; ++step) feed.Publish(FedStep(step));
  WatchRequest request;
  request.set_generation(1);
  request.set_from_sequence(3);
  const EventFeed::Entry entry =
      feed.Enter(std::make_shared<TestReader>(feed), request);
  EXPECT_THAT(entry.status, StatusIs(absl::StatusCode::kOutOfRange,
                                     HasSubstr("events from 9 on")));
  EXPECT_EQ(entry.nearest, 9);
}

TEST(EventFeedTest, SoManyReadersAndNoMore) {
  EventFeed feed({.generation = 1, .max_readers = 2});
  const auto first = ReaderOf(feed);
  const auto second = ReaderOf(feed);
  const auto third = std::make_shared<TestReader>(feed);
  EXPECT_THAT(
      feed.Enter(third, WatchRequest()).status,
      StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("2 readers")));
  feed.Leave(*third);  // was none: nobody leaves
  EXPECT_THAT(feed.Enter(third, WatchRequest()).status,
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("2")));
  feed.Leave(*first);
  EXPECT_THAT(feed.Enter(third, WatchRequest()).status, IsOk());
}

TEST(EventFeedTest, AReaderMayLeaveWhileItIsTold) {
  class Leaver final : public EventReader {
   public:
    explicit Leaver(EventFeed& feed) : feed_(feed) {}
    void OnMore() override { feed_.Leave(*this); }

   private:
    EventFeed& feed_;
  };
  EventFeed feed({.generation = 1});
  std::weak_ptr<EventReader> gone;
  {
    auto leaver = std::make_shared<Leaver>(feed);
    gone = leaver;
    feed.Enter(std::move(leaver), WatchRequest());
  }
  const auto reader = ReaderOf(feed);
  feed.Publish(FedStep(1));
  reader->Await(1);
  reader->AwaitTold();  // the round before is over
  EXPECT_TRUE(gone.expired());
}

TEST(EventFeedTest, NothingIsToldAfterTheEnd) {
  EventFeed feed({.generation = 1});
  feed.Publish(FedStep(1));
  feed.End();
  feed.Publish(FedStep(2));
  const auto reader = ReaderOf(feed);
  reader->AwaitEnd();
  EXPECT_EQ(reader->texts().size(), 1);
}

}  // namespace
}  // namespace podsim
