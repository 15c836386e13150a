// What a thread writes of what another one adds.
#include "runtime/tensorboard/board_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <latch>
#include <memory>
#include <thread>
#include <utility>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::EndsWith;

constexpr WritePace kNever = {.first = std::chrono::hours(1),
                              .interval = std::chrono::hours(1)};

// What one run's files got; read when the log is closed.
struct Written {
  std::vector<std::string> files;
  int refuse = 0;  // so many of the next pieces
  std::latch refused{1};
};

class FakeFiles final : public EventFiles {
 public:
  FakeFiles(Written& written, bool tries_again)
      : written_(written), tries_again_(tries_again) {}

  void StartFile() override { written_.files.emplace_back(); }
  absl::Status Append(std::string_view records) override {
    waiting_.append(records);
    if (written_.refuse > 0 && !waiting_.empty()) {
      if (--written_.refuse == 0) written_.refused.count_down();
      return absl::UnavailableError("silent");
    }
    if (written_.files.empty()) StartFile();
    written_.files.back().append(std::exchange(waiting_, ""));
    return absl::OkStatus();
  }
  bool TriesAgain() const override { return tries_again_; }

 private:
  Written& written_;
  const bool tries_again_;
  std::string waiting_;
};

tensorboard::Event NumberedEvent(std::int64_t step) {
  tensorboard::Event event;
  event.set_step(step);
  return event;
}

std::string Record(std::int64_t step) {
  return EventRecord(NumberedEvent(step).SerializeAsString());
}

class BoardLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<BoardLog> NewLog(const WritePace& pace, bool tries_again,
                                   std::size_t most_waiting = std::size_t{1}
                                                              << 20) {
    return std::make_unique<BackgroundBoardLog>(
        EventFilesByRun{std::make_unique<FakeFiles>(wall_, tries_again),
                        std::make_unique<FakeFiles>(sim_, tries_again)},
        BoardLogOptions{
            .folder = "tb", .pace = pace, .most_waiting = most_waiting});
  }

  Written wall_;
  Written sim_;
};

TEST_F(BoardLogTest, ClosesWithAllOfItWritten) {
  const auto log = NewLog(kNever, /*tries_again=*/false);
  log->Add(EventRun::kWall, NumberedEvent(1));
  log->Add(EventRun::kSim, NumberedEvent(2));
  log->Add(EventRun::kWall, NumberedEvent(3));
  EXPECT_THAT(log->Close(), IsOk());
  EXPECT_THAT(wall_.files, ElementsAre(Record(1) + Record(3)));
  EXPECT_THAT(sim_.files, ElementsAre(Record(2)));
}

TEST_F(BoardLogTest, FilesStartWhereTheyAreToldTo) {
  const auto log = NewLog(kNever, /*tries_again=*/false);
  log->StartFiles();
  log->Add(EventRun::kWall, NumberedEvent(1));
  log->StartFiles();
  log->Add(EventRun::kWall, NumberedEvent(2));
  log->Add(EventRun::kSim, NumberedEvent(3));
  EXPECT_THAT(log->Close(), IsOk());
  EXPECT_THAT(wall_.files, ElementsAre(Record(1), Record(2)));
  EXPECT_THAT(sim_.files, ElementsAre("", Record(3)));
}

TEST_F(BoardLogTest, WithoutAnEventNothingIsWritten) {
  const auto log = NewLog({}, /*tries_again=*/false);
  log->StartFiles();
  EXPECT_THAT(log->Close(), IsOk());
  EXPECT_THAT(wall_.files, ::testing::IsEmpty());
}

// A record that is there in part would hide all that follows.
TEST_F(BoardLogTest, NothingIsWrittenAfterAFilesError) {
  wall_.refuse = 1;
  const auto log = NewLog({}, /*tries_again=*/false);
  log->Add(EventRun::kWall, NumberedEvent(1));
  wall_.refused.wait();
  log->StartFiles();
  log->Add(EventRun::kWall, NumberedEvent(2));
  EXPECT_THAT(log->Close(), StatusIs(absl::StatusCode::kUnavailable, "silent"));
  EXPECT_THAT(log->status(),
              StatusIs(absl::StatusCode::kUnavailable, "silent"));
  EXPECT_THAT(wall_.files, ::testing::IsEmpty());
}

TEST_F(BoardLogTest, AStoreIsAskedOnceMoreAtTheEnd) {
  wall_.refuse = 1;
  const auto log = NewLog({.interval = std::chrono::hours(1)},
                          /*tries_again=*/true);
  log->Add(EventRun::kWall, NumberedEvent(1));
  wall_.refused.wait();
  EXPECT_THAT(log->status(), IsOk()) << "it may yet be written";
  EXPECT_THAT(log->Close(), IsOk());
  EXPECT_THAT(wall_.files, ElementsAre(Record(1)));
}

TEST_F(BoardLogTest, AStoreThatStaysSilentEndsInAnError) {
  wall_.refuse = 1000;
  const auto log = NewLog(kNever, /*tries_again=*/true);
  log->Add(EventRun::kWall, NumberedEvent(1));
  EXPECT_THAT(log->Close(), StatusIs(absl::StatusCode::kUnavailable, "silent"));
  EXPECT_EQ(wall_.refuse, 999);
}

// A week of a bucket that takes nothing: the memory of a few records.
TEST_F(BoardLogTest, WhatFindsNoRoomIsDroppedAndCounted) {
  const auto log = NewLog(kNever, /*tries_again=*/true, 3 * Record(1).size());
  for (std::int64_t step = 1; step <= 5; ++step)
    log->Add(EventRun::kWall, NumberedEvent(step));
  log->Add(EventRun::kSim, NumberedEvent(6));
  EXPECT_THAT(log->Close(), StatusIs(absl::StatusCode::kResourceExhausted,
                                     EndsWith("waited for tb: 2 events of "
                                              "wall")));
  EXPECT_THAT(wall_.files, ElementsAre(Record(1) + Record(2) + Record(3)));
  EXPECT_THAT(sim_.files, ElementsAre(Record(6)));
}

TEST_F(BoardLogTest, WhatIsKeptForAnotherAttemptTakesItsRoom) {
  wall_.refuse = 1;
  const auto log = NewLog({.interval = std::chrono::hours(1)},
                          /*tries_again=*/true, 2 * Record(1).size());
  log->Add(EventRun::kWall, NumberedEvent(1));
  wall_.refused.wait();
  log->Add(EventRun::kWall, NumberedEvent(2));
  log->Add(EventRun::kWall, NumberedEvent(3));
  EXPECT_THAT(log->Close(), StatusIs(absl::StatusCode::kResourceExhausted,
                                     EndsWith(": 1 event of wall")));
  EXPECT_THAT(wall_.files, ElementsAre(Record(1) + Record(2)));
}

TEST_F(BoardLogTest, TheMarkOfARestartIsNeverDropped) {
  const auto log = NewLog(kNever, /*tries_again=*/true, 0);
  tensorboard::Event mark = NumberedEvent(7);
  mark.mutable_session_log()->set_status(tensorboard::SessionLog::START);
  log->Add(EventRun::kWall, mark);
  EXPECT_THAT(log->Close(), IsOk());
  EXPECT_THAT(wall_.files, ElementsAre(EventRecord(mark.SerializeAsString())));
}

// As on a file system whose server is gone.
class HangingFiles final : public EventFiles {
 public:
  explicit HangingFiles(std::shared_ptr<std::latch> may_end)
      : may_end_(std::move(may_end)) {}
  void StartFile() override {}
  absl::Status Append(std::string_view /*records*/) override {
    may_end_->wait();
    return absl::OkStatus();
  }
  bool TriesAgain() const override { return false; }

 private:
  const std::shared_ptr<std::latch> may_end_;
};

TEST(HangingBoardLog, ClosesInTimeAndSaysWhatIsNotWritten) {
  const auto may_end = std::make_shared<std::latch>(1);
  {
    BackgroundBoardLog log(
        {std::make_unique<HangingFiles>(may_end),
         std::make_unique<HangingFiles>(may_end)},
        {.folder = "tb", .longest_close = std::chrono::milliseconds(20)});
    log.Add(EventRun::kWall, NumberedEvent(1));
    log.Add(EventRun::kWall, NumberedEvent(2));
    log.Add(EventRun::kSim, NumberedEvent(3));
    EXPECT_THAT(log.Close(), StatusIs(absl::StatusCode::kDeadlineExceeded,
                                      "tb did not answer within 20ms; not "
                                      "written: 2 events of wall, 1 of sim"));
  }
  may_end->count_down();
  // The thread's share of the files goes when it ends.
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (may_end.use_count() > 1 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  EXPECT_EQ(may_end.use_count(), 1);
}

TEST_F(BoardLogTest, RunsAreFoldersOfTheirOwn) {
  const testing::TempDir dir;
  const SimClock clock;
  const auto log = NewBoardLog(dir.file("tb"), clock);
  log->Add(EventRun::kWall, NumberedEvent(1));
  log->Add(EventRun::kSim, NumberedEvent(1));
  EXPECT_THAT(log->Close(), IsOk());
  for (const char* run : {"wall", "sim"}) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(
             dir.file(std::string("tb/") + run))) {
      ++files;
      EXPECT_EQ(
          entry.path().filename().string().rfind("events.out.tfevents.", 0),
          0u);
    }
    EXPECT_EQ(files, 1) << run;
  }
}

}  // namespace
}  // namespace podsim
