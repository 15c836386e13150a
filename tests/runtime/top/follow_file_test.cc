// A metrics file followed, while it grows and after.
#include "runtime/top/follow_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "runtime/monitor/job_state.h"
#include "runtime/report/event_line.h"
#include "tests/runtime/monitor/watched_job.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::FormedJob;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::StepOfJob;
using ::podsim::testing::TempDir;
using ::podsim::testing::Watched;
using ::testing::HasSubstr;

constexpr char kLastLine[] = "{\"event\":\"summary\"}\n";

std::string LineOf(const JobEvent& event, int launch = 1) {
  return EventLine(event, {.command_start = absl::FromUnixSeconds(launch)}) +
         "\n";
}

class FollowFileTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) {
    ASSERT_THAT(store_->Write(path_, text), IsOk());
  }
  absl::Status Follow(bool grows, const std::stop_token& stop = {}) {
    return FollowFile({.path = path_,
                       .on_event =
                           [this](const WatchedEvent& event) {
                             MutexLock lock(mutex_);
                             Fold(event, state_);
                           },
                       .on_launch =
                           [this] {
                             MutexLock lock(mutex_);
                             ++launches_;
                             state_ = JobState();
                           },
                       .on_bad_line =
                           [this](std::int64_t line) {
                             MutexLock lock(mutex_);
                             bad_lines_.push_back(line);
                           },
                       .on_current =
                           [this] {
                             MutexLock lock(mutex_);
                             current_ = true;
                             changed_.NotifyAll();
                           },
                       .grows = grows,
                       .pause = std::chrono::milliseconds(1)},
                      *store_, stop);
  }

  const TempDir dir_;
  const std::string path_ = dir_.file("m.jsonl");
  const std::unique_ptr<ObjectStore> store_ = NewLocalStore();
  Mutex mutex_;
  CondVar changed_;
  JobState state_;
  int launches_ = 0;
  bool current_ = false;
  std::vector<std::int64_t> bad_lines_;
};

// As whoever watches the job itself.
TEST_F(FollowFileTest, AFileGivesTheStateThatTheJobGave) {
  JobState live;
  std::string text;
  std::uint64_t number = 0;
  for (const JobEvent& event :
       {FormedJob(), testing::StartedJob(), StepOfJob(1), StepOfJob(2)}) {
    Fold(Watched(++number, event), live);
    text += LineOf(event);
  }
  Write(text);
  ASSERT_THAT(Follow(/*grows=*/false), IsOk());
  EXPECT_TRUE(current_);
  EXPECT_EQ(launches_, 0);
  EXPECT_EQ(state_.phase, JobPhase::kTraining);
  EXPECT_EQ(state_.generation, 1u);
  ASSERT_EQ(state_.steps.size(), 2u);
  EXPECT_EQ(state_.steps.back().ShortDebugString(),
            live.steps.back().ShortDebugString());
  const std::vector<ProcessShares> shares = SharesOf(state_);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].busy, SharesOf(live)[0].busy);
}

TEST_F(FollowFileTest, WaitsForWhatIsAdded) {
  std::string text = LineOf(FormedJob()) + LineOf(StepOfJob(1));
  Write(text + "{\"event\":\"st");
  absl::Status end;
  std::jthread follower(
      [&](const std::stop_token& stop) { end = Follow(/*grows=*/true, stop); });
  {
    MutexLock lock(mutex_);
    while (!current_) changed_.WaitFor(mutex_, std::chrono::seconds(10));
    EXPECT_EQ(state_.steps.size(), 1u);
  }
  Write(text + LineOf(StepOfJob(2)) + kLastLine);
  follower.join();
  EXPECT_THAT(end, IsOk());
  EXPECT_EQ(state_.steps.back().step(), 2);
}

TEST_F(FollowFileTest, AnotherLaunchBeginsAnew) {
  for (const char* end : {kLastLine, ""}) {
    launches_ = 0;
    JobEvent restarted = FormedJob();
    restarted.mutable_formed()->set_generation(2);
    Write(LineOf(FormedJob()) + LineOf(StepOfJob(1)) + LineOf(restarted) +
          LineOf(StepOfJob(2)) + end + LineOf(FormedJob(), 2) +
          LineOf(StepOfJob(7), 2));
    ASSERT_THAT(Follow(/*grows=*/false), IsOk());
    EXPECT_EQ(launches_, 1);
    EXPECT_EQ(state_.generation, 1u);
    ASSERT_EQ(state_.steps.size(), 1u);
    EXPECT_EQ(state_.steps.back().step(), 7);
  }
}

TEST_F(FollowFileTest, SaysWhatItCannotShow) {
  EXPECT_THAT(Follow(/*grows=*/false),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("; give what pod_launch --metrics_file=")));
  Write("{\"event\":\"step\",\"step\":1}\n");
  EXPECT_THAT(std::string(Follow(/*grows=*/true).message()),
              HasSubstr("has no events"));
}

TEST_F(FollowFileTest, AnotherKindOfFileIsRefused) {
  for (const char* text :
       {"hello\n", "hello", "[1]\n", "{\"traceEvents\":[\n", "\x1f\x8b\b"}) {
    Write(text);
    for (const bool grows : {false, true})
      EXPECT_THAT(Follow(grows),
                  StatusIs(kInvalid, HasSubstr("is no metrics file: ")))
          << text;
  }
  EXPECT_FALSE(current_);
}

// A job that begins has written nothing, or half a line.
TEST_F(FollowFileTest, AFileMayBegin) {
  for (const char* text : {"", "\n", "{\"event\":\"joi"}) {
    Write(text);
    EXPECT_THAT(Follow(/*grows=*/false), IsOk()) << text;
  }
  EXPECT_TRUE(current_);
  EXPECT_TRUE(bad_lines_.empty());
}

TEST_F(FollowFileTest, ALineThatIsNoRecordIsTold) {
  Write(LineOf(FormedJob()) + "\n[1]\n" + LineOf(StepOfJob(1)) +
        "{\"event\":\"step\",\"step\":\"x\"}\n" + kLastLine);
  ASSERT_THAT(Follow(/*grows=*/true), IsOk());
  EXPECT_EQ(bad_lines_, std::vector<std::int64_t>{3});
  EXPECT_EQ(state_.steps.size(), 1u);
}

}  // namespace
}  // namespace podsim
