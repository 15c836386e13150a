#include "host/storage/store_waits.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr absl::Duration kMost = absl::Minutes(2);

class StoreWaitsTest : public ::testing::Test {
 protected:
  StoreWaitsTest()
      : waiter_(testing::VirtualWaiter(&clock_)),
        waits_(
            {.often = absl::Seconds(10),
             .seldom = absl::Seconds(30),
             .say = [this](const std::string& text) { said_.push_back(text); },
             .over =
                 [this](const std::string& text) { over_.push_back(text); }},
            waiter_) {}

  StoreWaits::Call Begin() { return {&waits_, "list gs://b/a", kMost}; }

  SimClock clock_;
  Waiter waiter_;
  std::vector<std::string> said_;
  std::vector<std::string> over_;
  StoreWaits waits_;
};

TEST_F(StoreWaitsTest, AWaitIsToldWithinASecondAndThenEverMoreSeldom) {
  {
    StoreWaits::Call call = Begin();
    call.Awaits("no answer from http://host yet");
    clock_.Advance(absl::Milliseconds(800));
    EXPECT_TRUE(call.GoOn(0));
    EXPECT_THAT(said_, IsEmpty());
    clock_.Advance(absl::Milliseconds(200));
    EXPECT_TRUE(call.GoOn(0));
    EXPECT_THAT(said_, ElementsAre("waiting: list gs://b/a (attempt 1, 1 s of "
                                   "120 s): no answer from http://host yet"));
    call.Failed("reset");
    EXPECT_TRUE(call.Pause(absl::Seconds(99), waiter_));  // 11, 31, 61, 91 s
    EXPECT_THAT(said_, SizeIs(5));
    EXPECT_EQ(said_.back(),
              "waiting: list gs://b/a (attempt 2, 91 s of 120 s): reset");
    call.Answered();
    EXPECT_THAT(over_, IsEmpty());
  }
  EXPECT_THAT(over_, ElementsAre("the store answers again, after 100 s"));
}

TEST_F(StoreWaitsTest, ManyCallsAreOneLine) {
  std::optional<StoreWaits::Call> calls[3];
  for (auto& call : calls) call.emplace(&waits_, "read gs://b/a", kMost);
  clock_.Advance(absl::Seconds(1));
  for (auto& call : calls) call->GoOn(0);
  EXPECT_THAT(said_, SizeIs(1));
  for (auto& call : calls) call.reset();
  EXPECT_THAT(over_, ElementsAre(""));  // their callers tell of the failure
  // What begins anew is told anew.
  StoreWaits::Call call = Begin();
  clock_.Advance(absl::Seconds(1));
  call.GoOn(0);
  EXPECT_THAT(said_, SizeIs(2));
}

TEST_F(StoreWaitsTest, WhatComesSlowlyIsAWaitAndWhatComesFastIsNone) {
  StoreWaits::Call fast = Begin();
  StoreWaits::Call slow = Begin();
  for (int second = 1; second <= 5; ++second) {
    clock_.Advance(absl::Seconds(1));
    fast.GoOn(second * 100'000);
  }
  EXPECT_THAT(said_, IsEmpty());
  slow.GoOn(10'000);
  EXPECT_THAT(said_, SizeIs(1));
}

TEST_F(StoreWaitsTest, SilenceIsCountedUntilBytesMoveOrAnAnswerComes) {
  EXPECT_EQ(waits_.silence(), absl::ZeroDuration());
  std::optional<StoreWaits::Call> call(std::in_place, &waits_, "x", kMost);
  clock_.Advance(absl::Seconds(5));
  EXPECT_EQ(waits_.silence(), absl::ZeroDuration()) << "nobody has looked";
  call->GoOn(0);
  clock_.Advance(absl::Seconds(5));
  EXPECT_EQ(waits_.silence(), absl::Seconds(5.9));
  call->GoOn(1 << 20);  // bytes
  EXPECT_EQ(waits_.silence(), absl::ZeroDuration());
  EXPECT_TRUE(call->Pause(absl::Minutes(10), waiter_));
  EXPECT_GT(waits_.silence(), absl::Minutes(1));
  call->Answered();
  call.reset();
  EXPECT_EQ(waits_.silence(), absl::ZeroDuration());
}

TEST_F(StoreWaitsTest, ALimitIsForAllCallsTogether) {
  StoreWaits::Call before = Begin();
  {
    const StoreWaits::Limit limit(waits_, absl::Seconds(8), "a plan");
    clock_.Advance(absl::Seconds(5));
    StoreWaits::Call first = Begin();
    EXPECT_TRUE(first.GoOn(0));
    EXPECT_FALSE(first.Pause(absl::Seconds(60), waiter_));
    EXPECT_EQ(first.why_ended(), "a plan");
    EXPECT_EQ(clock_.Now(), SimClock().Now() + absl::Seconds(8));
    EXPECT_EQ(Begin().why_ended(), "a plan");  // not even one attempt
  }
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(before.GoOn(0));
  EXPECT_EQ(Begin().why_ended(), "");
}

TEST_F(StoreWaitsTest, WhoHurriesWaitsForNoSilentStore) {
  std::optional<StoreWaits::Call> call(std::in_place, &waits_, "x", kMost);
  clock_.Advance(absl::Seconds(30));
  waits_.Hurry(absl::Seconds(6), "the job ends");
  EXPECT_FALSE(call->Pause(absl::Minutes(1), waiter_));
  EXPECT_EQ(call->why_ended(), "the job ends");
  EXPECT_EQ(clock_.Now(), SimClock().Now() + absl::Seconds(36));
  call.reset();
  // It is as silent to whoever comes next.
  EXPECT_EQ(Begin().why_ended(), "the job ends");
}

TEST_F(StoreWaitsTest, WhoHurriesWaitsForAStoreThatAnswers) {
  waits_.Hurry(absl::Seconds(6), "the job ends");
  clock_.Advance(absl::Minutes(5));  // a long step: nobody asked
  StoreWaits::Call save = Begin();
  EXPECT_EQ(save.why_ended(), "");
  for (int second = 1; second <= 60; ++second) {  // bytes come
    clock_.Advance(absl::Seconds(1));
    EXPECT_TRUE(save.GoOn(second * 100'000)) << second;
  }
  StoreWaits::Call busy = Begin();
  for (int i = 0; i < 20; ++i) {  // others have answers
    clock_.Advance(absl::Seconds(5));
    StoreWaits::Call other = Begin();
    other.Answered();
    EXPECT_TRUE(busy.GoOn(0)) << i;
  }
  clock_.Advance(absl::Seconds(7));
  EXPECT_FALSE(busy.GoOn(0));
}

TEST_F(StoreWaitsTest, BytesOfAnAttemptThatFailedAreNoSignOfLife) {
  waits_.Hurry(absl::Seconds(3), "the job ends");
  StoreWaits::Call call = Begin();
  for (int second = 1; second <= 5; ++second) {
    clock_.Advance(absl::Seconds(1));
    EXPECT_TRUE(call.GoOn(second << 20)) << second;
  }
  call.Failed("the store answers 503");
  EXPECT_FALSE(call.Pause(absl::Seconds(1), waiter_));
  EXPECT_EQ(call.why_ended(), "the job ends");
}

// A call of several, each of which is answered.
TEST_F(StoreWaitsTest, WhoHurriesWaitsForNoAnswersThatBringNothing) {
  StoreWaits::Call races(&waits_, "write gs://b/a", absl::InfiniteDuration(),
                         StoreWaits::Signs::kOwn);
  waits_.Hurry(absl::Seconds(3), "the job ends");
  for (int second = 1; second <= 2; ++second) {
    Begin().Answered();
    EXPECT_TRUE(races.Pause(absl::Seconds(1), waiter_)) << second;
    races.Failed("another wrote it first");
  }
  EXPECT_THAT(said_, Contains("waiting: write gs://b/a (attempt 1, 0 s)"));
  Begin().Answered();
  EXPECT_FALSE(races.Pause(absl::Seconds(2), waiter_));
  EXPECT_EQ(races.why_ended(), "the job ends");
  EXPECT_EQ(Begin().why_ended(), "") << "the store answers";
}

TEST_F(StoreWaitsTest, WhatTakesSeveralCallsIsDoneAfterThem) {
  {
    StoreWaits::Call list(&waits_, "list gs://b/a", absl::InfiniteDuration(),
                          StoreWaits::Signs::kOwn);
    list.Awaits("12 pages so far");
    clock_.Advance(absl::Seconds(1));
    EXPECT_TRUE(list.GoOn(0));
    EXPECT_THAT(said_, ElementsAre("waiting: list gs://b/a (attempt 1, 1 s): "
                                   "12 pages so far"));
    list.Answered();
  }
  EXPECT_THAT(over_, ElementsAre("list gs://b/a: done, after 1 s"));
}

TEST_F(StoreWaitsTest, ASignalEndsAWait) {
  bool told = false;
  waits_.EndWhen([&] { return told; }, "told to end");
  StoreWaits::Call call = Begin();
  EXPECT_TRUE(call.Pause(absl::Seconds(3), waiter_));
  told = true;
  EXPECT_FALSE(call.Pause(absl::Seconds(3), waiter_));
  EXPECT_EQ(call.why_ended(), "told to end");
  EXPECT_LE(clock_.Now(), SimClock().Now() + absl::Milliseconds(3100));
  waits_.EndWhen({}, "");
  EXPECT_EQ(Begin().why_ended(), "");
}

TEST_F(StoreWaitsTest, NobodyNeedBeTold) {
  StoreWaits::Call call(nullptr, "list gs://b/a", kMost);
  EXPECT_TRUE(call.Pause(absl::Seconds(99), waiter_));
  EXPECT_TRUE(call.GoOn(0));
  EXPECT_EQ(clock_.Now(), SimClock().Now() + absl::Seconds(99));
  EXPECT_THAT(said_, IsEmpty());
}

}  // namespace
}  // namespace podsim
