// What a host says of itself.
#include "host/process/host_messages.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace podsim {
namespace {

TEST(HeartbeatOfTest, SaysHowFarTheHostIsAndWhomItWaitsFor) {
  Progress::Snapshot now = {.count = 9, .step = 4, .phase = "all-reduce"};
  const Heartbeat busy = HeartbeatOf(now);
  EXPECT_EQ(busy.progress(), 9);
  EXPECT_EQ(busy.step(), 4);
  EXPECT_EQ(busy.phase(), "all-reduce");
  EXPECT_FALSE(busy.has_waiting());
  now.waiting = {
      .host = 0, .what = "chunk 2", .since = absl::Milliseconds(1500)};
  const Heartbeat waiting = HeartbeatOf(now);
  ASSERT_TRUE(waiting.has_waiting());
  EXPECT_EQ(waiting.waiting().host(), 0);
  EXPECT_EQ(waiting.waiting().what(), "chunk 2");
  EXPECT_EQ(waiting.waiting().seconds(), 1.5);
}

TEST(FailureOfTest, SaysWhoFailedWhereAndOfWhat) {
  const Failure failure = FailureOf(
      absl::NotFoundError("no such file"),
      {.host = 6, .at = {.step = 3, .phase = "opening the data set"}});
  EXPECT_EQ(failure.host(), 6);
  EXPECT_EQ(failure.step(), 3);
  EXPECT_EQ(failure.phase(), "opening the data set");
  EXPECT_EQ(failure.code(), static_cast<int>(absl::StatusCode::kNotFound));
  EXPECT_EQ(failure.message(), "no such file");
}

TEST(FailureOfTest, OnlyWhoIsLostOrSilentIsBlamed) {
  const FailureScene scene = {.awaited = 5};
  for (const absl::Status& of_another :
       {absl::UnavailableError("x"), absl::DeadlineExceededError("x"),
        absl::CancelledError("x")}) {
    EXPECT_EQ(FailureOf(of_another, scene).blamed_host(), 5) << of_another;
    EXPECT_EQ(FailureOf(BlameHost(of_another, 0), scene).blamed_host(), 0)
        << "the status names it: " << of_another;
    EXPECT_EQ(FailureOf(of_another, {}).blamed_host(), -1)
        << "nobody was waited for: " << of_another;
  }
  for (const absl::Status& own :
       {absl::InternalError("x"), absl::ResourceExhaustedError("x")})
    EXPECT_EQ(FailureOf(own, scene).blamed_host(), -1) << own;
}

TEST(FailureOfTest, AFailedDiskIsNobodyElsesFault) {
  const Failure failure = FailureOf(BlameHost(absl::UnavailableError("x"), 2),
                                    {.awaited = 5, .disk_failed = true});
  EXPECT_EQ(failure.blamed_host(), -1);
}

}  // namespace
}  // namespace podsim
