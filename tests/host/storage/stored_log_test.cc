#include "host/storage/stored_log.h"

#include <memory>
#include <string>
#include <utility>

#include "host/storage/faulty_store.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

constexpr std::chrono::milliseconds kAtOnce{0};
constexpr std::chrono::milliseconds kNever = std::chrono::hours(1000);

class StoredLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<StoredLog> Open(std::string before,
                                  std::chrono::milliseconds interval) {
    auto faulty = std::make_unique<FaultyStore>(memory_.get());
    store_ = faulty.get();
    auto log =
        StoredLog::Open(std::move(faulty), "/log", std::move(before), interval);
    EXPECT_THAT(log, IsOk());
    return *std::move(log);
  }
  std::string Text() { return memory_->Read("/log").value_or("nothing"); }

  const std::unique_ptr<ObjectStore> memory_ = NewMemoryStore();
  FaultyStore* store_ = nullptr;
};

TEST_F(StoredLogTest, WritesAtTheBeginningAndTheEnd) {
  const auto log = Open("before\n", kNever);
  EXPECT_EQ(Text(), "before\n");
  log->Add("a");
  log->Add("b");
  EXPECT_EQ(Text(), "before\n");
  EXPECT_THAT(log->Close(), IsOk());
  EXPECT_EQ(Text(), "before\na\nb\n");
  EXPECT_EQ(store_->operations(), 2);
}

TEST_F(StoredLogTest, WritesInBetween) {
  const auto log = Open("", kAtOnce);
  log->Add("a");
  while (Text() != "a\n") std::this_thread::yield();
  log->Add("b");
  while (Text() != "a\nb\n") std::this_thread::yield();
  EXPECT_THAT(log->Close(), IsOk());
}

TEST_F(StoredLogTest, AWriteThatFailsIsMadeUpFor) {
  const auto log = Open("", kAtOnce);
  store_->FailNextWrite(absl::UnavailableError("busy"));
  log->Add("a");
  while (Text() != "a\n") std::this_thread::yield();
  EXPECT_EQ(store_->faults(), 1);
  EXPECT_THAT(log->Close(), IsOk());
}

TEST_F(StoredLogTest, TheLastFailureIsTold) {
  const auto log = Open("", kNever);
  store_->FailNextWrite(absl::UnavailableError("busy"));
  log->Add("a");
  EXPECT_THAT(log->Close(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("busy")));
  EXPECT_EQ(Text(), "");
}

TEST_F(StoredLogTest, WhoMayNotWriteLearnsItAtOnce) {
  auto faulty = std::make_unique<FaultyStore>(memory_.get());
  faulty->FailNextWrite(absl::PermissionDeniedError("no"));
  EXPECT_THAT(StoredLog::Open(std::move(faulty), "/log", ""),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("no")));
}

}  // namespace
}  // namespace podsim
