// A holder of a model_dir that is stopped anywhere, loses it, and goes on: what
// the next one has committed stays as it is.
#include "host/checkpoint/object_commit.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/storage/object_lease.h"
#include "host/storage/wrapper.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kBucketDir[] = "/m";

// Before the change of a given number, something else happens: the process was
// stopped there for as long as that took.
class Stopped : public ObjectStoreWrapper, public ConditionalObjects {
 public:
  Stopped(ObjectStore* base, int changes, std::function<void()> meanwhile)
      : ObjectStoreWrapper(base),
        base_(base),
        left_(changes),
        meanwhile_(std::move(meanwhile)) {}
  bool stopped() const { return left_ < 0; }

  absl::Status Write(std::string_view path, std::string_view bytes) override {
    Change();
    return base_->Write(path, bytes);
  }
  absl::Status Delete(std::string_view path) override {
    Change();
    return base_->Delete(path);
  }
  absl::Status DeleteTree(std::string_view directory) override {
    Change();
    return base_->DeleteTree(directory);
  }
  ConditionalObjects* Conditional(std::string_view) override { return this; }
  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override {
    return base_->Conditional(directory)->ListTree(directory);
  }
  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override {
    return base_->Conditional(path)->ReadVersion(path);
  }
  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override {
    Change();
    return base_->Conditional(path)->WriteIf(path, bytes, expected);
  }
  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override {
    Change();
    return base_->Conditional(path)->DeleteIf(path, expected);
  }
  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override {
    Change();
    return base_->Conditional(from)->CopyIf(from, to, expected);
  }

 private:
  void Change() {
    if (left_-- == 0) meanwhile_();
  }
  ObjectStore* const base_;
  int left_;
  const std::function<void()> meanwhile_;
};

class Undeletable final : public Stopped {
 public:
  explicit Undeletable(ObjectStore* base) : Stopped(base, -1, {}) {}

  absl::Status Delete(std::string_view) override { return Refused(); }
  absl::Status DeleteTree(std::string_view) override { return Refused(); }
  absl::Status DeleteIf(std::string_view, std::int64_t) override {
    return Refused();
  }

 private:
  static absl::Status Refused() {
    return absl::PermissionDeniedError("no permission to delete");
  }
};

class ObjectCommitTest : public ::testing::Test {
 protected:
  // A job, from its start on: takes the model_dir, goes on from what is there,
  // saves steps, keeps one. Ends at the first error.
  absl::Status Job(ObjectStore& store, std::int64_t stamp,
                   const std::vector<std::int64_t>& steps) {
    PODSIM_ASSIGN_OR_RETURN(
        const auto lease,
        ObjectLease::Acquire(store, kBucketDir,
                             {.is_gone = [](const LockRecord&) {
                               return true;  // 30 s later
                             }}));
    const AnnounceChange announce = [&](const std::string& change) {
      return lease->Announce(change);
    };
    PODSIM_ASSIGN_OR_RETURN(HeldDir held,
                            HeldDir::Open(store, kBucketDir, announce));
    PODSIM_RETURN_IF_ERROR(FinishChange(held, lease->change()));
    PODSIM_RETURN_IF_ERROR(CleanUnfinished(held));
    PODSIM_RETURN_IF_ERROR(
        held.Note([&](JobRecord& record) { record.Begin(stamp); }));
    for (const std::int64_t step : steps) {
      PODSIM_ASSIGN_OR_RETURN(
          const auto manifest,
          testing::WriteParts(store, kBucketDir, program_,
                              testing::SomeVariables(program_, stamp), step,
                              stamp));
      PODSIM_RETURN_IF_ERROR(CommitCheckpoint(held, stamp, manifest));
      PODSIM_RETURN_IF_ERROR(PruneCheckpoints(held, 1, step));
    }
    return absl::OkStatus();
  }

  absl::Status Finish(const std::string& change) {
    PODSIM_ASSIGN_OR_RETURN(HeldDir held, HeldDir::Open(*store_, kBucketDir));
    return FinishChange(held, change);
  }

  std::vector<std::int64_t> Steps() {
    const auto steps = ListSteps(*store_, kBucketDir);
    EXPECT_THAT(steps, IsOk());
    return steps.value_or(std::vector<std::int64_t>());
  }

  // All that is of a committed checkpoint, or marks one.
  std::map<std::string, std::string> Committed() {
    std::map<std::string, std::string> files;
    auto steps = ListSteps(*store_, kBucketDir);
    EXPECT_THAT(steps, IsOk());
    for (const std::int64_t step : *steps) {
      const std::string path = StepPath(kBucketDir, step);
      const auto below = testing::FilesBelow(*store_, *FilesOf(*store_, path));
      for (const std::string& file : *below) files[file] = *store_->Read(file);
      const std::string marker = absl::StrCat(path, "/", kMarkerName);
      files[marker] = *store_->Read(marker);
    }
    return files;
  }

  std::unique_ptr<ObjectStore> store_ = NewMemoryStoreWithoutRename();
  const Program program_ = testing::TrainedMlp({6});
};

TEST_F(ObjectCommitTest, AStoppedHolderChangesNothingOfTheNextOnes) {
  int changes = 0;
  int refused = 0;
  for (;; ++changes) {
    SCOPED_TRACE(absl::StrCat("stopped before change ", changes));
    store_ = NewMemoryStoreWithoutRename();
    ASSERT_THAT(Job(*store_, 10, {100}), IsOk());
    std::map<std::string, std::string> after;
    Stopped stopped(store_.get(), changes, [&] {
      // Makes the same steps, and others.
      EXPECT_THAT(Job(*store_, 30, {200, 250, 300}), IsOk());
      after = Committed();
    });
    const absl::Status status = Job(stopped, 20, {200, 300, 400});
    if (!stopped.stopped()) break;
    // However the old holder ends: it took it back, or it failed.
    const std::map<std::string, std::string> now = Committed();
    if (status.ok()) {
      EXPECT_LT(changes, 1) << "only who had not begun can go on";
    } else {
      ++refused;
      // Whatever it noticed first.
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition,
                                   HasSubstr("taken over by pid ")));
      EXPECT_TRUE(now == after)
          << "committed: " << now.size() << " files, not " << after.size();
      ASSERT_OK_AND_ASSIGN(const Newest newest,
                           FindNewestGood(*store_, kBucketDir));
      ASSERT_TRUE(newest.checkpoint.has_value());
      // What was announced before is a commit of the old holder's.
      EXPECT_THAT(newest.checkpoint->step, AnyOf(300, 400));
      EXPECT_TRUE(newest.refused.empty());
    }
    // The next job finds nothing in its way.
    ASSERT_THAT(Job(*store_, 40, {500}), IsOk());
    ASSERT_OK_AND_ASSIGN(const auto steps, ListSteps(*store_, kBucketDir));
    EXPECT_THAT(steps, ElementsAre(500));
    ASSERT_OK_AND_ASSIGN(const auto left,
                         testing::FilesBelow(*store_, kBucketDir));
    for (const std::string& file : left)
      EXPECT_TRUE(absl::StartsWith(file, "/m/500/") ||
                  absl::StartsWith(file, "/m/."))
          << file;
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, 30);
}

TEST_F(ObjectCommitTest, WhatWasAnnouncedIsFinishedOnceOrTwice) {
  ASSERT_THAT(Job(*store_, 10, {100}), IsOk());
  ASSERT_THAT(testing::WriteParts(*store_, kBucketDir, program_,
                                  testing::SomeVariables(program_, 1), 200, 20)
                  .status(),
              IsOk());
  ASSERT_THAT(Finish("commit 200 20"), IsOk());
  EXPECT_THAT(store_->Read("/m/200/commit_success.txt"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("")))
      << "what it is copied from is not there any more";
  ASSERT_THAT(store_->Write("/m/200/20/commit_success.txt", "20\n"), IsOk());
  for (int times = 0; times < 2; ++times)
    ASSERT_THAT(Finish("commit 200 20"), IsOk());
  ASSERT_OK_AND_ASSIGN(const std::string marker,
                       store_->Read("/m/200/commit_success.txt"));
  EXPECT_EQ(marker, "20\n");
  ASSERT_THAT(Finish("commit 200 21"), IsOk()) << "another's by now";
  ASSERT_OK_AND_ASSIGN(const std::string same,
                       store_->Read("/m/200/commit_success.txt"));
  EXPECT_EQ(same, "20\n");
  ASSERT_OK_AND_ASSIGN(const auto version,
                       store_->Conditional(kBucketDir)
                           ->ReadVersion("/m/100/commit_success.txt"));
  ASSERT_TRUE(version.has_value());
  ASSERT_THAT(Finish(absl::StrCat("retire 100 ", version->generation + 1000)),
              IsOk());
  EXPECT_THAT(store_->Size("/m/100/commit_success.txt"), IsOk())
      << "of another generation";
  ASSERT_OK_AND_ASSIGN(HeldDir held, HeldDir::Open(*store_, kBucketDir));
  ASSERT_THAT(held.Note([](JobRecord& record) { record.Retire(100); }), IsOk());
  for (int times = 0; times < 2; ++times)
    ASSERT_THAT(Finish(absl::StrCat("retire 100 ", version->generation)),
                IsOk());
  ASSERT_OK_AND_ASSIGN(const auto steps, ListSteps(*store_, kBucketDir));
  EXPECT_THAT(steps, ElementsAre(200));
  EXPECT_THAT(Finish(""), IsOk());
  EXPECT_THAT(Finish("clean"), IsOk());
  for (const char* change : {"commit 200", "melt 1 2", "commit x 2", "retire"})
    EXPECT_THAT(Finish(change), StatusIs(absl::StatusCode::kFailedPrecondition,
                                         HasSubstr("does not know")))
        << change;
}

TEST_F(ObjectCommitTest, WhoMayNotDeleteSavesAllTheSame) {
  Undeletable store(store_.get());
  const auto refused = StatusIs(absl::StatusCode::kPermissionDenied,
                                HasSubstr("no permission to delete"));
  ASSERT_THAT(Job(store, 10, {100, 200}), refused) << "100 stays";
  EXPECT_THAT(Job(store, 20, {300}), refused);
  EXPECT_THAT(Steps(), ElementsAre(100, 200, 300));
  for (const std::int64_t step : Steps())
    EXPECT_THAT(VerifyCheckpoint(*store_, StepPath(kBucketDir, step)).status(),
                IsOk());
  // A step that is made again leaves its parts.
  ASSERT_OK_AND_ASSIGN(
      const auto again,
      testing::WriteParts(store, kBucketDir, program_,
                          testing::SomeVariables(program_, 20), 300, 30));
  EXPECT_THAT(testing::Commit(store, kBucketDir, 30, again), IsOk());
}

// As a checkpoint of a directory is copied to a bucket by hand: with a marker
// or without, it is one, and stays.
TEST_F(ObjectCommitTest, ACopyOfADirectoryIsACheckpointThatStays) {
  const auto disk = NewMemoryStore();
  ASSERT_THAT(testing::SaveCheckpoint(*disk, kBucketDir, program_,
                                      testing::SomeVariables(program_, 1), 100),
              IsOk());
  ASSERT_OK_AND_ASSIGN(const auto files, testing::FilesBelow(*disk, "/m/100"));
  for (const std::string& file : files) {
    EXPECT_THAT(Steps(), IsEmpty()) << "half a copy is none";
    ASSERT_THAT(store_->Write(file, *disk->Read(file)), IsOk());
  }
  for (const bool marked : {false, true}) {
    if (marked) {
      ASSERT_THAT(store_->Write("/m/100/commit_success.txt", ""), IsOk());
    }
    ASSERT_OK_AND_ASSIGN(const CheckpointAt found,
                         VerifyCheckpoint(*store_, "/m/100"));
    EXPECT_EQ(found.files, "/m/100");
    ASSERT_THAT(Job(*store_, marked ? 30 : 20, {200, 300}), IsOk());
    EXPECT_THAT(Steps(), ElementsAre(100, 300));
    EXPECT_THAT(VerifyCheckpoint(*store_, "/m/100").status(), IsOk());
  }
}

// And the other way round: files below a stamp, with the marker or without.
TEST_F(ObjectCommitTest, ACopyOfABucketIsACheckpointOnADisk) {
  ASSERT_THAT(Job(*store_, 20, {100}), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto files,
                       testing::FilesBelow(*store_, "/m/100"));
  for (const bool marked : {true, false}) {
    const auto disk = NewMemoryStore();
    for (const std::string& file : files)
      if (marked || NameOf(file) != kMarkerName) {
        ASSERT_THAT(disk->Write(file, *store_->Read(file)), IsOk());
      }
    ASSERT_OK_AND_ASSIGN(const Newest newest,
                         FindNewestGood(*disk, kBucketDir));
    ASSERT_TRUE(newest.checkpoint.has_value()) << marked;
    EXPECT_EQ(newest.checkpoint->files, "/m/100/20");
  }
}

// Under another step's name and without its marker, it is not what a writer of
// that stamp left.
TEST_F(ObjectCommitTest, ARenamedOneWithoutAMarkerIsNotClearedAway) {
  ASSERT_THAT(Job(*store_, 20, {100}), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto files,
                       testing::FilesBelow(*store_, "/m/100/20"));
  for (const std::string& file : files)
    ASSERT_THAT(store_->Write("/m/170/20/" + NameOf(file), *store_->Read(file)),
                IsOk());
  ASSERT_THAT(testing::WriteParts(*store_, kBucketDir, program_,
                                  testing::SomeVariables(program_, 1), 180, 20),
              IsOk());
  ASSERT_OK_AND_ASSIGN(const Newest newest,
                       FindNewestGood(*store_, kBucketDir));
  EXPECT_EQ(newest.checkpoint->step, 100);
  EXPECT_THAT(newest.renamed, HasSubstr("/m/170: renamed: it holds step 100"));
  ASSERT_THAT(testing::Clean(*store_, kBucketDir), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto left,
                       testing::FilesBelow(*store_, "/m/170/20"));
  EXPECT_EQ(left.size(), files.size());
  ASSERT_OK_AND_ASSIGN(const auto gone, testing::FilesBelow(*store_, "/m/180"));
  EXPECT_THAT(gone, IsEmpty());
}

// A committed one whose marker somebody deleted is still the newest.
TEST_F(ObjectCommitTest, AMarkerThatIsLostLosesNoCheckpoint) {
  ASSERT_THAT(Job(*store_, 20, {100}), IsOk());
  ASSERT_THAT(store_->Delete("/m/100/commit_success.txt"), IsOk());
  ASSERT_THAT(testing::Clean(*store_, kBucketDir), IsOk());
  ASSERT_OK_AND_ASSIGN(const Newest newest,
                       FindNewestGood(*store_, kBucketDir));
  ASSERT_TRUE(newest.checkpoint.has_value());
  EXPECT_EQ(newest.checkpoint->step, 100);
}

}  // namespace
}  // namespace podsim
