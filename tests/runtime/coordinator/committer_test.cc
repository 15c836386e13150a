// Parts become checkpoints one after the other, and whoever asked is told.
#include "runtime/coordinator/committer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/restore.h"
#include "host/checkpoint/save.h"
#include "host/storage/faulty_store.h"
#include "host/storage/wrapper.h"
#include "job/plan_program.h"
#include "tests/runtime/coordinator/saved_run.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kStamp;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// What `done` was told; read it once the committer is gone.
struct Told {
  absl::Status status;
  std::string path;
  std::int64_t bytes = 0;
};

class CommitterTest : public ::testing::Test {
 protected:
  std::unique_ptr<Committer> Start(ObjectStore& store, int keep = 0,
                                   OnPruned on_pruned = {}) {
    auto held = HeldDir::Open(store, plan_.spec().model_dir());
    PODSIM_CHECK(held.ok());
    return std::make_unique<Committer>(
        Committer::Options{.held = *std::move(held),
                           .stamp = kStamp,
                           .keep = keep,
                           .on_pruned = std::move(on_pruned),
                           .tensors = Tensors()});
  }
  std::vector<CheckpointTensor> Tensors() const {
    const auto program = ProgramOf(plan_);
    PODSIM_CHECK(program.ok());
    return TensorsOf(*program, testing::kHosts);
  }
  CheckpointManifest Parts(std::int64_t step) {
    auto manifest = testing::WritePlannedParts(*store_, plan_, step);
    PODSIM_CHECK(manifest.ok());
    return *manifest;
  }
  CommitDone Note() {
    return [this](const absl::Status& status, const std::string& path,
                  std::int64_t bytes) {
      told_.push_back({status, path, bytes});
    };
  }
  static JobEvent StepMade(std::int64_t step) {
    JobEvent event;
    event.mutable_step()->set_step(step);
    return event;
  }
  std::vector<std::int64_t> Steps() {
    const auto steps = ListSteps(*store_, plan_.spec().model_dir());
    PODSIM_CHECK(steps.ok());
    return *steps;
  }

  const std::unique_ptr<ObjectStore> store_ = NewMemoryStore();
  JobPlan plan_ = testing::SmallPlan("/m");
  std::vector<Told> told_;
};

TEST_F(CommitterTest, PartsAndAManifestAreACheckpointWithTensors) {
  const CheckpointManifest manifest = Parts(10);
  ASSERT_EQ(manifest.tensors_size(), 0);
  std::int64_t bytes = 0;
  for (const CheckpointFile& file : manifest.files()) bytes += file.bytes();
  Start(*store_)->Commit(manifest, Note());
  ASSERT_EQ(told_.size(), 1);
  EXPECT_THAT(told_[0].status, IsOk());
  EXPECT_EQ(told_[0].path, StepPath("/m", 10));
  EXPECT_EQ(told_[0].bytes, bytes);
  ASSERT_OK_AND_ASSIGN(const CheckpointAt found,
                       VerifyCheckpoint(*store_, told_[0].path));
  const Program program = testing::TrainedMlp({8});
  EXPECT_EQ(found.manifest.tensors_size(), program.variables.size());
  ASSERT_OK_AND_ASSIGN(const std::vector<float> variables,
                       ReadVariables(*store_, found, program));
  EXPECT_EQ(variables, testing::SomeVariables(program, 10));
}

TEST_F(CommitterTest, ItIsACheckpointBeforeAnyoneIsTold) {
  bool there = false;
  Start(*store_)->Commit(Parts(10), [&](const absl::Status&,
                                        const std::string& path, std::int64_t) {
    there = VerifyCheckpoint(*store_, path).ok();
  });
  EXPECT_TRUE(there);
}

TEST_F(CommitterTest, SeveralAreCommittedInOrderAndAllBeforeTheEnd) {
  std::vector<CheckpointManifest> manifests;
  for (int step = 1; step <= 20; ++step) manifests.push_back(Parts(step));
  auto committer = Start(*store_);
  for (const CheckpointManifest& manifest : manifests)
    committer->Commit(manifest, Note());
  committer.reset();
  ASSERT_EQ(told_.size(), 20);
  for (int step = 1; step <= 20; ++step) {
    EXPECT_THAT(told_[step - 1].status, IsOk());
    EXPECT_EQ(told_[step - 1].path, StepPath("/m", step));
  }
  EXPECT_EQ(Steps().size(), 20);
}

TEST_F(CommitterTest, EndsWithNothingToDo) {
  Start(*store_).reset();
  EXPECT_TRUE(told_.empty());
}

// The loss of step 11 is that of the weights after step 10.
TEST_F(CommitterTest, TheOneBeforeStaysUntilAStepWasMadeFromTheNext) {
  {
    auto committer = Start(*store_, 1);
    committer->Commit(Parts(10), Note());
    committer->Commit(Parts(20), Note());
    committer->OnEvent(StepMade(20));
  }
  EXPECT_THAT(Steps(), ElementsAre(10, 20))
      << "20 may have diverged: nothing shows yet that it has not";
  {
    auto committer = Start(*store_, 1);
    committer->Commit(Parts(30), Note());
    committer->OnEvent(StepMade(31));
  }
  EXPECT_THAT(Steps(), ElementsAre(30));
}

TEST_F(CommitterTest, AStepProvesWhatWasCommittedBeforeAndAfterIt) {
  auto committer = Start(*store_, 1);
  committer->OnEvent(StepMade(12));  // the commit of 10 took its time
  for (const int step : {5, 10, 20}) committer->Commit(Parts(step), Note());
  committer.reset();
  EXPECT_THAT(Steps(), ElementsAre(10, 20));
}

// Counts the steps that there are at each write.
class CrowdedStore final : public ObjectStoreWrapper {
 public:
  CrowdedStore(ObjectStore* store, std::string dir)
      : ObjectStoreWrapper(store), dir_(std::move(dir)) {}
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    if (const auto steps = ListSteps(*this, dir_); steps.ok())
      most_ = std::max(most_, steps->size());
    return ObjectStoreWrapper::Write(path, bytes);
  }
  std::size_t most() const { return most_; }

 private:
  const std::string dir_;
  std::size_t most_ = 0;
};

// However many commits wait, old checkpoints go in between.
TEST_F(CommitterTest, ABacklogIsPrunedAsItIsCommitted) {
  CrowdedStore crowded(store_.get(), plan_.spec().model_dir());
  std::vector<CheckpointManifest> manifests;
  for (int step = 1; step <= 20; ++step) manifests.push_back(Parts(step));
  auto committer = Start(crowded, 2);
  committer->OnEvent(StepMade(30));
  for (const CheckpointManifest& manifest : manifests)
    committer->Commit(manifest, Note());
  committer.reset();
  EXPECT_EQ(told_.size(), 20);
  EXPECT_THAT(Steps(), ElementsAre(19, 20));
  EXPECT_LE(crowded.most(), 3);
}

TEST_F(CommitterTest, TheEndOfTheJobProvesItsLastOne) {
  for (const bool drained : {true, false}) {
    JobEvent done;
    done.mutable_done()->set_steps(20);
    done.mutable_done()->set_drained(drained);
    {
      auto committer = Start(*store_, 1);
      if (drained) committer->Commit(Parts(10), Note());
      committer->Commit(Parts(20), Note());
      committer->OnEvent(done);
    }
    if (drained) {
      EXPECT_THAT(Steps(), ElementsAre(10, 20)) << "ended before a step";
    } else {
      EXPECT_THAT(Steps(), ElementsAre(20));
    }
  }
}

class KeepTest : public CommitterTest,
                 public ::testing::WithParamInterface<int> {};

TEST_P(KeepTest, TheNewestAreKept) {
  constexpr int kSaved = 5;
  auto committer = Start(*store_, GetParam());
  for (int step = 1; step <= kSaved; ++step)
    committer->Commit(Parts(step), Note());
  committer->OnEvent(StepMade(kSaved + 1));
  committer.reset();
  const int kept = GetParam() == 0 ? kSaved : GetParam();
  std::vector<std::int64_t> steps;
  for (int step = kSaved - kept + 1; step <= kSaved; ++step)
    steps.push_back(step);
  EXPECT_EQ(Steps(), steps);
}

INSTANTIATE_TEST_SUITE_P(Keep, KeepTest, ::testing::Values(0, 1, 2, 5));

TEST_F(CommitterTest, TheStoresErrorIsToldAndTheNextOneIsTried) {
  FaultyStore faulty(store_.get());
  const CheckpointManifest first = Parts(10);
  const CheckpointManifest second = Parts(20);
  faulty.FailNextWrite(absl::ResourceExhaustedError("No space left"));
  auto committer = Start(faulty, 1);
  committer->Commit(first, Note());
  committer->Commit(second, Note());
  committer.reset();
  ASSERT_EQ(told_.size(), 2);
  EXPECT_THAT(told_[0].status, StatusIs(absl::StatusCode::kResourceExhausted,
                                        HasSubstr("No space left")));
  EXPECT_THAT(told_[1].status, IsOk());
  EXPECT_THAT(Steps(), ElementsAre(20));
}

TEST_F(CommitterTest, AFailedOneCostsNoOlderOne) {
  FaultyStore faulty(store_.get());
  auto committer = Start(faulty, 1);
  committer->Commit(Parts(10), Note());
  committer.reset();
  const CheckpointManifest next = Parts(20);
  faulty.FailNextWrite(absl::ResourceExhaustedError("No space left"));
  Start(faulty, 1)->Commit(next, Note());
  EXPECT_THAT(Steps(), ElementsAre(10));
}

TEST_F(CommitterTest, AMissingPartIsTold) {
  const CheckpointManifest manifest = Parts(10);
  const std::string part =
      UnfinishedPath("/m", 10, kStamp) + "/" + manifest.files(0).name();
  ASSERT_THAT(store_->Delete(part), IsOk());
  Start(*store_)->Commit(manifest, Note());
  ASSERT_EQ(told_.size(), 1);
  EXPECT_THAT(told_[0].status, StatusIs(absl::StatusCode::kFailedPrecondition,
                                        HasSubstr(manifest.files(0).name())));
}

// Deletes nothing.
class StubbornStore final : public ObjectStoreWrapper {
 public:
  using ObjectStoreWrapper::ObjectStoreWrapper;
  absl::Status DeleteTree(std::string_view) override {
    return absl::UnavailableError("Device or resource busy");
  }
};

TEST_F(CommitterTest, OldOnesThatCannotBeDeletedAreToldAndNoFailure) {
  std::map<std::int64_t, absl::Status> pruned;
  const OnPruned on_pruned = [&](std::int64_t step,
                                 const absl::Status& status) {
    pruned[step] = status;
  };
  {
    StubbornStore stubborn(store_.get());
    auto committer = Start(stubborn, 1, on_pruned);
    for (const int step : {10, 20, 30}) committer->Commit(Parts(step), Note());
    committer->OnEvent(StepMade(31));
  }
  ASSERT_EQ(told_.size(), 3);
  for (const Told& told : told_) EXPECT_THAT(told.status, IsOk());
  const auto busy = StatusIs(absl::StatusCode::kUnavailable,
                             HasSubstr("Device or resource busy"));
  EXPECT_THAT(pruned, ElementsAre(Pair(10, busy), Pair(20, busy)));
}

// Writes wait until Open.
class HangingStore final : public ObjectStoreWrapper {
 public:
  using ObjectStoreWrapper::ObjectStoreWrapper;
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    opened_.wait();
    return ObjectStoreWrapper::Write(path, bytes);
  }
  void Open() { gate_.set_value(); }

 private:
  std::promise<void> gate_;
  const std::shared_future<void> opened_{gate_.get_future()};
};

TEST_F(CommitterTest, ADiskThatHangsHoldsUpNobodyWhoAsks) {
  HangingStore hanging(store_.get());
  const std::vector<CheckpointManifest> manifests = {Parts(10), Parts(20)};
  auto committer = Start(hanging);
  for (const CheckpointManifest& manifest : manifests)
    committer->Commit(manifest, Note());
  EXPECT_TRUE(Steps().empty()) << "the disk still hangs";
  hanging.Open();
  committer.reset();
  EXPECT_THAT(Steps(), ElementsAre(10, 20));
  EXPECT_EQ(told_.size(), 2);
}

}  // namespace
}  // namespace podsim
