// A store that says one thing that is not so, once, at each request of a job's
// start: nothing is deleted for it, and no job begins anew beside a checkpoint.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/storage/gcs/client.h"
#include "host/storage/gcs/store.h"
#include "host/storage/object_lease.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/gcs/gcs_double.h"
#include "tests/testing/gcs/liar.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GcsDouble;
using ::podsim::testing::IsOk;
using ::podsim::testing::Lies;

constexpr char kRunDir[] = "gs://bucket/run";
constexpr std::int64_t kNext = 1800;  // the stamp of the next job

class LyingStoreTest : public ::testing::Test {
 protected:
  LyingStoreTest() { objects_.MakeBucket("bucket", "EU"); }

  std::unique_ptr<ObjectStore> Over(std::unique_ptr<Http> http) {
    return NewGcsStore(std::make_unique<GcsClient>(
        GcsClient::Options{.endpoint = testing::GcsDoubleOptions().endpoint,
                           .waiter = testing::VirtualWaiter(&clock_)},
        std::move(http), NoTokens()));
  }

  // What the next job of the model_dir does first. The step that it begins
  // with; 0: it begins anew.
  static absl::StatusOr<std::int64_t> Start(ObjectStore& store) {
    PODSIM_ASSIGN_OR_RETURN(const Newest newest,
                            FindNewestGood(store, kRunDir));
    const std::int64_t step = newest.checkpoint ? newest.checkpoint->step : 0;
    PODSIM_RETURN_IF_ERROR(testing::Clean(store, kRunDir));
    PODSIM_RETURN_IF_ERROR(testing::SetAside(store, kRunDir, step, kNext));
    return step;
  }

  absl::Status Save(ObjectStore& store, std::int64_t step) {
    return testing::SaveCheckpoint(store, kRunDir, program_,
                                   testing::SomeVariables(program_, 1), step);
  }

  // Each lie at each request of a start from step 200: it begins there or
  // fails, and nothing goes.
  void CheckStarts() {
    const std::vector<std::string> before = objects_.Names("bucket");
    for (const testing::Lie& lie : Lies()) {
      int failures = 0;
      for (int at = 0;; ++at) {
        SCOPED_TRACE(absl::StrCat(lie.name, " for request ", at));
        int made = 0;
        const auto store = Over(testing::NewLiar(
            testing::NewDoubleHttp(&objects_), lie, at, &made));
        const absl::StatusOr<std::int64_t> begun = Start(*store);
        if (made <= at) break;  // it had no more requests
        EXPECT_EQ(objects_.Names("bucket"), before);
        if (begun.ok()) {
          EXPECT_EQ(*begun, 200);
        } else {
          ++failures;
          EXPECT_TRUE(absl::StrContains(begun.status().message(), "run"))
              << begun.status();
        }
        if (HasFailure()) return;
      }
      ::testing::Test::RecordProperty(lie.name, failures);
    }
  }

  SimClock clock_;
  GcsDouble objects_;
  const Program program_ = testing::TrainedMlp({6});
};

TEST_F(LyingStoreTest, OneWrongAnswerDeletesNothingAndBeginsNothingAnew) {
  const auto direct = Over(testing::NewDoubleHttp(&objects_));
  for (const std::int64_t step : {100, 200})
    ASSERT_THAT(Save(*direct, step), IsOk());
  CheckStarts();
}

// Nothing but the listings tells of these: one that is empty, or cut, must not
// make a job begin at step 0.
TEST_F(LyingStoreTest, OneWrongAnswerBeginsNothingAnewWithoutARecord) {
  const auto direct = Over(testing::NewDoubleHttp(&objects_));
  for (const std::int64_t step : {100, 200})
    ASSERT_THAT(Save(*direct, step), IsOk());
  const std::string record = absl::StrCat(kRunDir, "/", kRecordName);
  ASSERT_THAT(direct->Write(record, "<html>"), IsOk());
  CheckStarts();
  ASSERT_THAT(direct->Delete(record), IsOk());
  CheckStarts();
}

// Its marker comes last in a listing, and what lacks one is cleared away.
TEST_F(LyingStoreTest, OneWrongAnswerDeletesNothingThatWasSetAside) {
  const auto direct = Over(testing::NewDoubleHttp(&objects_));
  for (const std::int64_t step : {200, 300})
    ASSERT_THAT(Save(*direct, step), IsOk());
  ASSERT_THAT(testing::SetAside(*direct, kRunDir, 200, testing::kStamp),
              IsOk());
  CheckStarts();
}

// A start from an older step: the newer one stays, or its copy is whole.
TEST_F(LyingStoreTest, OneWrongAnswerLosesNothingThatIsSetAside) {
  for (const testing::Lie& lie : Lies()) {
    for (int at = 0;; ++at) {
      SCOPED_TRACE(absl::StrCat(lie.name, " for request ", at));
      GcsDouble objects;
      objects.MakeBucket("bucket", "EU");
      const auto direct = Over(testing::NewDoubleHttp(&objects));
      for (const std::int64_t step : {100, 200})
        ASSERT_THAT(Save(*direct, step), IsOk());
      ASSERT_THAT(testing::Begin(*direct, kRunDir, kNext), IsOk());
      int made = 0;
      const auto store = Over(
          testing::NewLiar(testing::NewDoubleHttp(&objects), lie, at, &made));
      const absl::Status status =
          testing::SetAside(*store, kRunDir, 100, kNext);
      if (made <= at) break;
      ASSERT_THAT(testing::Clean(*direct, kRunDir), IsOk());
      const std::string step = StepPath(kRunDir, 200);
      if (VerifyCheckpoint(*direct, step).ok()) continue;
      const std::string copy = SetAsidePath(kRunDir, 200, kNext);
      // Under its own name it is a checkpoint again.
      ASSERT_OK_AND_ASSIGN(const auto names,
                           testing::FilesBelow(*direct, copy));
      for (const std::string& name : names) {
        ASSERT_OK_AND_ASSIGN(const std::string bytes, direct->Read(name));
        ASSERT_THAT(direct->Write(step + name.substr(copy.size()), bytes),
                    IsOk());
      }
      EXPECT_THAT(VerifyCheckpoint(*direct, step), IsOk()) << status;
      if (HasFailure()) return;
    }
  }
}

// Nor is a step that is there taken for damaged, and replaced.
TEST_F(LyingStoreTest, OneWrongAnswerReplacesNoCheckpoint) {
  const auto direct = Over(testing::NewDoubleHttp(&objects_));
  const auto variables = testing::SomeVariables(program_, 1);
  ASSERT_THAT(
      testing::SaveCheckpoint(*direct, kRunDir, program_, variables, 100),
      IsOk());
  const std::vector<std::string> committed = objects_.Names("bucket");
  for (const testing::Lie& lie : Lies()) {
    for (int at = 0;; ++at) {
      SCOPED_TRACE(absl::StrCat(lie.name, " for request ", at));
      // The same step, made again by the holding after.
      ASSERT_OK_AND_ASSIGN(const CheckpointManifest manifest,
                           testing::WriteParts(*direct, kRunDir, program_,
                                               variables, 100, 2000));
      int made = 0;
      const auto store = Over(
          testing::NewLiar(testing::NewDoubleHttp(&objects_), lie, at, &made));
      const absl::Status status =
          testing::Commit(*store, kRunDir, 2000, manifest);
      if (made <= at) break;
      const std::vector<std::string> now = objects_.Names("bucket");
      for (const std::string& name : committed)
        EXPECT_NE(std::find(now.begin(), now.end(), name), now.end())
            << name << " is gone, " << status;
      if (HasFailure()) return;
    }
  }
}

// Nobody else is blamed who does not hold the model_dir.
TEST_F(LyingStoreTest, OneWrongAnswerIsNoOtherJob) {
  int failures = 0;
  for (const testing::Lie& lie : Lies()) {
    for (int at = 0;; ++at) {
      SCOPED_TRACE(absl::StrCat(lie.name, " for request ", at));
      GcsDouble objects;
      objects.MakeBucket("bucket", "EU");
      const auto direct = Over(testing::NewDoubleHttp(&objects));
      ASSERT_THAT(Save(*direct, 100), IsOk());
      ASSERT_OK_AND_ASSIGN(
          const CheckpointManifest manifest,
          testing::WriteParts(*direct, kRunDir, program_,
                              testing::SomeVariables(program_, 1), 200));
      int made = -1000;  // true until it is acquired
      const auto store = Over(
          testing::NewLiar(testing::NewDoubleHttp(&objects), lie, at, &made));
      ASSERT_OK_AND_ASSIGN(const auto lease,
                           ObjectLease::Acquire(*store, kRunDir, {}));
      made = 0;
      const absl::Status status = testing::Commit(
          *store, kRunDir, testing::kStamp, manifest,
          [&](const std::string& change) { return lease->Announce(change); });
      if (made <= at) break;
      if (status.ok()) continue;
      ++failures;
      EXPECT_FALSE(absl::StrContains(status.message(), "another job"))
          << status;
      EXPECT_FALSE(absl::StrContains(status.message(), "taken over")) << status;
      EXPECT_TRUE(absl::StrContains(status.message(), "gs://bucket/run"))
          << status;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(failures, 0);
}

}  // namespace
}  // namespace podsim
