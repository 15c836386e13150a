// Processes killed between any two operations on the store, disks that are
// full and disks that lie: the old checkpoint or the new one, both whole, and
// the next run goes on.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/restore.h"
#include "host/storage/faulty_store.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kStamp;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

class CrashTest : public ::testing::TestWithParam<testing::StoreKind> {
 protected:
  // A fresh model_dir with a checkpoint of step 100.
  void Begin() {
    dir_.emplace();
    store_ = GetParam().make();
    ASSERT_THAT(Save(*store_, 100, kStamp), IsOk());
  }
  std::string Dir() const { return dir_->file("model"); }

  absl::Status Save(ObjectStore& store, std::int64_t step, std::int64_t stamp) {
    return testing::SaveCheckpoint(store, Dir(), program_, VariablesOf(step),
                                   step, stamp);
  }
  // What a run does every so many steps.
  absl::Status SaveAndPrune(ObjectStore& store, std::int64_t step,
                            std::int64_t stamp) {
    PODSIM_RETURN_IF_ERROR(Save(store, step, stamp));
    return testing::Prune(store, Dir(), 1);
  }
  std::vector<float> VariablesOf(std::int64_t step) const {
    return testing::SomeVariables(program_, static_cast<std::uint64_t>(step));
  }
  void ExpectNames(const std::vector<std::string>& expected) {
    ASSERT_OK_AND_ASSIGN(auto names, store_->List(Dir()));
    std::erase_if(names, [](const std::string& name) {
      return name == kRecordName || ParseSetAside(name);
    });
    EXPECT_EQ(names, expected);
  }

  // The newest good checkpoint, whole: its step.
  std::int64_t NewestStep(std::size_t refused) {
    const auto newest = FindNewestGood(*store_, Dir());
    EXPECT_THAT(newest, IsOk());
    EXPECT_EQ(newest->refused.size(), refused);
    EXPECT_TRUE(newest->checkpoint.has_value());
    if (!newest->checkpoint) return -1;
    const auto read = ReadVariables(*store_, *newest->checkpoint, program_);
    EXPECT_THAT(read, IsOk());
    EXPECT_EQ(*read, VariablesOf(newest->checkpoint->step));
    return newest->checkpoint->step;
  }

  // No checkpoint is half there, be it coming or going.
  void ExpectAllWhole() {
    const auto steps = ListSteps(*store_, Dir());
    ASSERT_THAT(steps, IsOk());
    for (const std::int64_t step : *steps)
      EXPECT_THAT(VerifyCheckpoint(*store_, StepPath(Dir(), step)), IsOk());
  }

  // Runs `run` with the process killed after 0, 1, 2, ... changes, in a
  // fresh directory each, until it gets through; `check` looks at each wreck.
  int KillAtEveryOperation(const std::function<void()>& prepare,
                           const std::function<absl::Status(ObjectStore&)>& run,
                           const std::function<void()>& check) {
    for (int operations = 0;; ++operations) {
      SCOPED_TRACE(absl::StrCat("killed after ", operations, " operations"));
      Begin();
      prepare();
      FaultyStore mortal(store_.get());
      mortal.StopAfter(operations);
      const absl::Status status = run(mortal);
      if (status.ok()) return operations;
      EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
      check();
      if (HasFatalFailure() || operations > 1000) return operations;
    }
  }

  std::optional<testing::TempDir> dir_;
  std::unique_ptr<ObjectStore> store_;
  const Program program_ = testing::TrainedMlp({16, 8});
};

INSTANTIATE_TEST_SUITE_P(Stores, CrashTest,
                         ::testing::ValuesIn(testing::StoreKinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(CrashTest, KilledWhileSavingCommittingAndPruning) {
  int old_found = 0;
  int new_found = 0;
  const int operations = KillAtEveryOperation(
      [] {},
      [this](ObjectStore& store) {
        return SaveAndPrune(store, 200, kStamp + 1);
      },
      [&] {
        const std::int64_t step = NewestStep(/*refused=*/0);
        ExpectAllWhole();
        ++(step == 200 ? new_found : old_found);
        // The next run clears up and makes the step again.
        ASSERT_THAT(testing::Clean(*store_, Dir()), IsOk());
        ASSERT_EQ(NewestStep(0), step);
        ASSERT_THAT(SaveAndPrune(*store_, 200, kStamp + 2), IsOk());
        ExpectNames({"200/"});
        ASSERT_EQ(NewestStep(0), 200);
      });
  // 4 parts, manifest, sums, the rename; then the old one goes.
  EXPECT_GE(old_found, 7);
  EXPECT_GE(new_found, 6);
  EXPECT_EQ(old_found + new_found, operations);
}

TEST_P(CrashTest, KilledWhileReplacingADamagedOne) {
  KillAtEveryOperation(
      [this] {
        ASSERT_THAT(Save(*store_, 200, kStamp), IsOk());
        ASSERT_THAT(
            store_->Write(StepPath(Dir(), 200) + "/" + PartName(1, 4), "torn"),
            IsOk());
      },
      [this](ObjectStore& store) { return Save(store, 200, kStamp + 1); },
      [&] {
        const auto newest = FindNewestGood(*store_, Dir());
        ASSERT_THAT(newest, IsOk());
        ASSERT_TRUE(newest->checkpoint.has_value());
        NewestStep(newest->refused.size());
        ASSERT_THAT(testing::Clean(*store_, Dir()), IsOk());
        ASSERT_THAT(Save(*store_, 200, kStamp + 2), IsOk());
        ExpectNames({"100/", "200/"});
        ASSERT_EQ(NewestStep(0), 200);
      });
}

TEST_P(CrashTest, KilledWhileClearingUp) {
  const int operations = KillAtEveryOperation(
      [this] {
        ASSERT_THAT(testing::WriteParts(*store_, Dir(), program_,
                                        VariablesOf(200), 200),
                    IsOk());
      },
      [this](ObjectStore& store) { return testing::Clean(store, Dir()); },
      [&] {
        ASSERT_EQ(NewestStep(0), 100);
        ASSERT_THAT(testing::Clean(*store_, Dir()), IsOk());
        ExpectNames({"100/"});
      });
  EXPECT_GE(operations, 4);
}

TEST_P(CrashTest, KilledWhileSettingAside) {
  KillAtEveryOperation(
      [this] { ASSERT_THAT(Save(*store_, 200, kStamp), IsOk()); },
      [this](ObjectStore& store) {
        return testing::SetAside(store, Dir(), 100, 5);
      },
      [&] {
        NewestStep(0);
        ASSERT_THAT(testing::SetAside(*store_, Dir(), 100, 6), IsOk());
        ASSERT_EQ(NewestStep(0), 100);
        ASSERT_THAT(testing::Clean(*store_, Dir()), IsOk());
        // Nothing is lost: one of the two copies is whole.
        const bool whole =
            VerifyCheckpoint(*store_, SetAsidePath(Dir(), 200, 5)).ok() ||
            VerifyCheckpoint(*store_, SetAsidePath(Dir(), 200, 6)).ok();
        ASSERT_TRUE(whole);
      });
}

// No room for the n-th write, for every n: the error says so and names the
// file, the checkpoint before stays, and with room again all is well.
TEST_P(CrashTest, DiskFullAtAnyWrite) {
  constexpr char kReason[] = "No space left on device";
  for (int write = 0;; ++write) {
    SCOPED_TRACE(absl::StrCat("write ", write));
    Begin();
    FaultyStore full(store_.get());
    full.FailNextWrite(absl::ResourceExhaustedError(kReason), write);
    absl::Status status = Save(full, 200, kStamp + 1);
    // Committed, and no room to say so.
    const bool marked = !store_->CanRename(Dir()) &&
                        *IsCommitted(*store_, StepPath(Dir(), 200));
    const bool saved = status.ok() || marked;
    if (status.ok()) status = testing::Prune(full, Dir(), 1);
    if (full.faults() == 0) {
      ASSERT_THAT(status, IsOk());
      ASSERT_GE(write, 6);
      break;
    }
    ASSERT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted,
                                 AllOf(HasSubstr(Dir()), HasSubstr(kReason))));
    // Nor is it lost where no room is left to say that the old one goes.
    ASSERT_EQ(NewestStep(0), saved ? 200 : 100);
    ASSERT_THAT(testing::Clean(*store_, Dir()), IsOk());
    ASSERT_THAT(SaveAndPrune(*store_, 200, kStamp + 2), IsOk());
    ASSERT_EQ(NewestStep(0), 200);
  }
}

// A disk that says OK and keeps half: noticed before the commit where lengths
// tell, and never believed after it.
TEST_P(CrashTest, TornAtAnyWrite) {
  for (int write = 0;; ++write) {
    SCOPED_TRACE(absl::StrCat("write ", write));
    Begin();
    FaultyStore lying(store_.get());
    lying.TearNextWrite(20, write);
    const absl::Status status = SaveAndPrune(lying, 200, kStamp + 1);
    if (lying.faults() == 0) break;
    const auto newest = FindNewestGood(*store_, Dir());
    ASSERT_THAT(newest, IsOk());
    ASSERT_TRUE(newest->checkpoint.has_value());
    // The marker's content counts for nothing: it may be torn.
    if (newest->checkpoint->step == 200) {
      ASSERT_THAT(VerifyCheckpoint(*store_, StepPath(Dir(), 200)), IsOk());
      continue;
    }
    ASSERT_EQ(NewestStep(newest->refused.size()), 100);
    // A step later, pruning must not have taken the good one for the bad.
    ASSERT_THAT(SaveAndPrune(*store_, 300, kStamp + 2), IsOk());
    ASSERT_EQ(NewestStep(0), 300);
  }
}

}  // namespace
}  // namespace podsim
