// What a model_dir holds after commits, replays, prunes and clean-ups.
#include "host/checkpoint/commit.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/parts_path.h"
#include "host/checkpoint/renamed.h"
#include "host/checkpoint/restore.h"
#include "host/storage/wrapper.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kStamp;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class CommitTest : public ::testing::TestWithParam<testing::StoreKind> {
 protected:
  std::string Dir() const { return dir_.file("model"); }
  ObjectStore& store() { return *store_; }

  absl::Status Save(std::int64_t step, std::uint64_t seed = 1,
                    std::int64_t stamp = kStamp) {
    return testing::SaveCheckpoint(store(), Dir(), program_,
                                   testing::SomeVariables(program_, seed), step,
                                   stamp);
  }
  absl::StatusOr<CheckpointManifest> Write(std::int64_t step,
                                           std::uint64_t seed = 1,
                                           std::int64_t stamp = kStamp) {
    return testing::WriteParts(store(), Dir(), program_,
                               testing::SomeVariables(program_, seed), step,
                               stamp);
  }
  std::vector<std::int64_t> Steps() {
    auto steps = ListSteps(store(), Dir());
    EXPECT_THAT(steps, IsOk());
    return *steps;
  }
  std::vector<std::string> Names() {
    auto names = store().List(Dir());
    if (!names.ok()) return {};
    std::erase(*names, kRecordName);
    return *std::move(names);
  }
  std::vector<std::string> Files() {
    auto files = testing::FilesBelow(store(), Dir());
    EXPECT_THAT(files, IsOk());
    std::erase(*files, absl::StrCat(Dir(), "/", kRecordName));
    std::sort(files->begin(), files->end());
    return *files;
  }
  // The seed that a checkpoint's variables were made from.
  void ExpectHolds(std::int64_t step, std::uint64_t seed) {
    ASSERT_OK_AND_ASSIGN(const CheckpointAt found,
                         VerifyCheckpoint(store(), StepPath(Dir(), step)));
    ASSERT_OK_AND_ASSIGN(const auto read,
                         ReadVariables(store(), found, program_));
    EXPECT_EQ(read, testing::SomeVariables(program_, seed));
  }
  // Where they lie: on a store of objects one deeper.
  std::string FilesOf(std::int64_t step) {
    auto files = podsim::FilesOf(store(), StepPath(Dir(), step));
    EXPECT_THAT(files, IsOk());
    return *files;
  }
  void Cut(std::int64_t step, const std::string& name) {
    const std::string path = FilesOf(step) + "/" + name;
    ASSERT_OK_AND_ASSIGN(const std::string bytes, store().Read(path));
    ASSERT_THAT(store().Write(path, bytes.substr(0, bytes.size() - 1)), IsOk());
  }
  void Flip(std::int64_t step, const std::string& name) {
    const std::string path = FilesOf(step) + "/" + name;
    ASSERT_OK_AND_ASSIGN(std::string bytes, store().Read(path));
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    ASSERT_THAT(store().Write(path, bytes), IsOk());
  }

  // Another run's checkpoint in the place of the step's.
  void PutAnothers(std::int64_t step) {
    const std::string files = FilesOf(step);
    const std::string other = dir_.file("other");
    ASSERT_THAT(
        testing::SaveCheckpoint(store(), other, program_,
                                testing::SomeVariables(program_, 77), step),
        IsOk());
    ASSERT_OK_AND_ASSIGN(const std::string from,
                         podsim::FilesOf(store(), StepPath(other, step)));
    ASSERT_OK_AND_ASSIGN(const auto names, store().List(from));
    for (const std::string& name : names) {
      ASSERT_OK_AND_ASSIGN(const std::string bytes,
                           store().Read(from + "/" + name));
      ASSERT_THAT(store().Write(files + "/" + name, bytes), IsOk());
    }
  }

  testing::TempDir dir_;
  std::unique_ptr<ObjectStore> store_ = GetParam().make();
  Program program_ = testing::TrainedMlp({16, 8});
  const std::string part_ = PartName(2, 4);
};

INSTANTIATE_TEST_SUITE_P(Stores, CommitTest,
                         ::testing::ValuesIn(testing::StoreKinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(CommitTest, AppearsWhenCommittedAndNotBefore) {
  EXPECT_THAT(Steps(), IsEmpty());
  ASSERT_OK_AND_ASSIGN(const CheckpointManifest manifest, Write(100));
  EXPECT_THAT(Steps(), IsEmpty());
  ASSERT_THAT(testing::Commit(store(), Dir(), kStamp, manifest), IsOk());
  EXPECT_THAT(Steps(), ElementsAre(100));
  EXPECT_THAT(Names(), ElementsAre("100/"));
  ExpectHolds(100, 1);
  ASSERT_THAT(Save(1000), IsOk());
  ASSERT_THAT(Save(20), IsOk());
  EXPECT_THAT(Steps(), ElementsAre(20, 100, 1000));
}

TEST_P(CommitTest, TheDirectoryHoldsWhatTheFormatSays) {
  ASSERT_THAT(Save(100), IsOk());
  ASSERT_OK_AND_ASSIGN(auto names, store().List(FilesOf(100)));
  std::erase(names, kMarkerName);
  EXPECT_THAT(names,
              ElementsAre(kSumsName, kManifestName, PartName(1, 4),
                          PartName(2, 4), PartName(3, 4), PartName(4, 4)));
  if (store().CanRename(Dir())) return;
  ASSERT_OK_AND_ASSIGN(const auto above, store().List(StepPath(Dir(), 100)));
  EXPECT_THAT(above,
              ElementsAre(absl::StrCat(kStamp, "/"), std::string(kMarkerName)));
}

TEST_P(CommitTest, AReplayKeepsTheOneThatIsThere) {
  ASSERT_THAT(Save(100, 1), IsOk());
  ASSERT_THAT(Save(100, 1, kStamp + 1), IsOk());
  EXPECT_THAT(Names(), ElementsAre("100/"));
  // Nothing was written again: the answer to the first commit was lost.
  ASSERT_OK_AND_ASSIGN(const CheckpointAt found,
                       ReadManifest(store(), StepPath(Dir(), 100)));
  EXPECT_THAT(testing::Commit(store(), Dir(), kStamp + 2, found.manifest),
              IsOk());
  ExpectHolds(100, 1);
}

TEST_P(CommitTest, AReplayReplacesADamagedOne) {
  ASSERT_THAT(Save(100, 1), IsOk());
  Flip(100, part_);
  ASSERT_THAT(Save(100, 1, kStamp + 1), IsOk());
  ExpectHolds(100, 1);
  // A directory is set aside: more than its name cannot be told of it.
  if (store().CanRename(Dir())) {
    EXPECT_THAT(Names(), ElementsAre("100.set-aside-1786/", "100/"));
  } else {
    EXPECT_THAT(Names(), ElementsAre("100/"));
  }
}

// Of another's damaged one nothing is known: it stays, and so does its name.
TEST_P(CommitTest, AStrangersDamagedOneIsNotReplaced) {
  ASSERT_THAT(Save(100, 1), IsOk());
  Flip(100, part_);
  ASSERT_THAT(store().Delete(absl::StrCat(Dir(), "/", kRecordName)), IsOk());
  const std::vector<std::string> before = Files();
  EXPECT_THAT(Save(100, 1, kStamp + 1),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       HasSubstr("is in the way and not this job's")));
  const std::vector<std::string> now = Files();
  EXPECT_TRUE(
      std::includes(now.begin(), now.end(), before.begin(), before.end()));
}

TEST_P(CommitTest, AnotherRunsCheckpointIsNotReplaced) {
  ASSERT_THAT(Save(100, 1), IsOk());
  ASSERT_OK_AND_ASSIGN(CheckpointManifest manifest, Write(100, 2, kStamp + 1));
  manifest.set_plan_hash("other");
  EXPECT_THAT(testing::Commit(store(), Dir(), kStamp + 1, manifest),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       AllOf(HasSubstr(StepPath(Dir(), 100)),
                             HasSubstr("plan 1f2e after 25600 examples"),
                             HasSubstr("give another --model_dir"))));
  ExpectHolds(100, 1);
}

TEST_P(CommitTest, EveryPartMustBeThereWithItsLength) {
  ASSERT_THAT(Save(100, 1), IsOk());
  ASSERT_OK_AND_ASSIGN(const CheckpointManifest manifest, Write(200));
  const std::string part = PartsPath(store(), Dir(), 200, kStamp) + "/" + part_;
  ASSERT_OK_AND_ASSIGN(const std::string bytes, store().Read(part));
  ASSERT_THAT(store().Write(part, bytes + "x"), IsOk());
  const auto refused = [&](const std::string& why) {
    EXPECT_THAT(
        testing::Commit(store(), Dir(), kStamp, manifest),
        StatusIs(absl::StatusCode::kFailedPrecondition,
                 AllOf(HasSubstr(Dir()), HasSubstr(part_), HasSubstr(why))));
    EXPECT_THAT(Steps(), ElementsAre(100));
  };
  refused("bytes");
  ASSERT_THAT(store().Delete(part), IsOk());
  refused("do all hosts share this directory?");
  ASSERT_THAT(store().Write(part, bytes), IsOk());
  ASSERT_THAT(store().Write(part + "x", ""), IsOk());
  refused("is no part of the checkpoint");
  ASSERT_THAT(store().Delete(part + "x"), IsOk());
  EXPECT_THAT(testing::Commit(store(), Dir(), kStamp, manifest), IsOk());
  EXPECT_THAT(Steps(), ElementsAre(100, 200));
}

TEST_P(CommitTest, ABadManifestIsRefused) {
  ASSERT_OK_AND_ASSIGN(CheckpointManifest manifest, Write(200));
  manifest.set_examples_consumed(7);
  EXPECT_THAT(testing::Commit(store(), Dir(), kStamp, manifest),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("checkpoint manifest: its stints end")));
}

TEST_P(CommitTest, PrunesTheOldest) {
  for (const int step : {100, 20, 300, 1000}) ASSERT_THAT(Save(step), IsOk());
  EXPECT_THAT(testing::Prune(store(), Dir(), 0), IsOk());
  EXPECT_THAT(testing::Prune(store(), Dir(), 4), IsOk());
  EXPECT_THAT(Steps(), ElementsAre(20, 100, 300, 1000));
  std::vector<std::int64_t> deleted;
  EXPECT_THAT(
      testing::Prune(store(), Dir(), 2, 1000, {},
                     [&](std::int64_t step, const absl::Status& status) {
                       EXPECT_THAT(status, IsOk());
                       deleted.push_back(step);
                     }),
      IsOk());
  EXPECT_THAT(deleted, ElementsAre(20, 100));
  EXPECT_THAT(Names(), ElementsAre("1000/", "300/"));
  EXPECT_THAT(testing::Prune(store(), Dir(), 1), IsOk());
  EXPECT_THAT(Names(), ElementsAre("1000/"));
  ExpectHolds(1000, 1);
  EXPECT_THAT(testing::Prune(store(), Dir(), -1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("-1")));
  EXPECT_THAT(testing::Prune(store(), dir_.file("none"), 1), IsOk());
}

// Deletes nothing at or below these paths, for this reason.
class RefusingStore final : public ObjectStoreWrapper,
                            public ConditionalObjects {
 public:
  RefusingStore(ObjectStore* base, std::vector<std::string> paths,
                absl::Status why)
      : ObjectStoreWrapper(base),
        store_(base),
        paths_(std::move(paths)),
        why_(std::move(why)) {}

  absl::Status Rename(std::string_view from, std::string_view to) override {
    PODSIM_RETURN_IF_ERROR(MayGo(from));
    return store_->Rename(from, to);
  }
  ConditionalObjects* Conditional(std::string_view path) override {
    objects_ = store_->Conditional(path);
    return objects_ == nullptr ? nullptr : this;
  }
  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override {
    return objects_->ListTree(directory);
  }
  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override {
    return objects_->ReadVersion(path);
  }
  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override {
    return objects_->WriteIf(path, bytes, expected);
  }
  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override {
    PODSIM_RETURN_IF_ERROR(MayGo(path));
    return objects_->DeleteIf(path, expected);
  }
  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override {
    return objects_->CopyIf(from, to, expected);
  }

 private:
  absl::Status MayGo(std::string_view path) const {
    for (const std::string& kept : paths_)
      if (path.starts_with(kept)) return why_;
    return absl::OkStatus();
  }

  ObjectStore* const store_;
  ConditionalObjects* objects_ = nullptr;
  const std::vector<std::string> paths_;
  const absl::Status why_;
};

TEST_P(CommitTest, OneThatMayNotGoKeepsNoOther) {
  for (const int step : {100, 200, 300, 400, 500})
    ASSERT_THAT(Save(step), IsOk());
  RefusingStore refusing(&store(), {StepPath(Dir(), 100), StepPath(Dir(), 300)},
                         absl::PermissionDeniedError("it is under a hold"));
  std::map<std::int64_t, absl::StatusCode> told;
  EXPECT_THAT(
      testing::Prune(refusing, Dir(), 1, 1000, {},
                     [&](std::int64_t step, const absl::Status& status) {
                       told[step] = status.code();
                     }),
      StatusIs(absl::StatusCode::kPermissionDenied,
               AllOf(HasSubstr("it is under a hold"),
                     HasSubstr("(the first of 2 that stay)"))));
  EXPECT_THAT(told, ElementsAre(Pair(100, absl::StatusCode::kPermissionDenied),
                                Pair(200, absl::StatusCode::kOk),
                                Pair(300, absl::StatusCode::kPermissionDenied),
                                Pair(400, absl::StatusCode::kOk)));
  EXPECT_THAT(Steps(), ElementsAre(100, 300, 500));
  // Once they may, they do.
  EXPECT_THAT(testing::Prune(store(), Dir(), 1), IsOk());
  EXPECT_THAT(Steps(), ElementsAre(500));
}

// A disk's I/O error speaks of a file, a bucket that does not answer of all.
TEST_P(CommitTest, AStoreThatDoesNotAnswerIsNotAskedForEach) {
  for (const int step : {100, 200, 300}) ASSERT_THAT(Save(step), IsOk());
  RefusingStore silent(&store(), {StepPath(Dir(), 100)},
                       absl::UnavailableError("no answer"));
  EXPECT_THAT(testing::Prune(silent, Dir(), 1),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no answer")));
  if (store().CanRename(Dir())) {
    EXPECT_THAT(Steps(), ElementsAre(100, 300));
  } else {
    EXPECT_THAT(Steps(), ElementsAre(100, 200, 300));
  }
}

TEST_P(CommitTest, DamagedOnesAreNotCountedAmongThoseKept) {
  for (const int step : {100, 200, 300, 400}) ASSERT_THAT(Save(step), IsOk());
  Cut(400, part_);
  Cut(300, kManifestName);
  EXPECT_THAT(testing::Prune(store(), Dir(), 1), IsOk());
  EXPECT_THAT(Steps(), ElementsAre(200, 300, 400));
  ExpectHolds(200, 1);
}

TEST_P(CommitTest, CleansWhatEarlierRunsLeft) {
  ASSERT_THAT(Save(100), IsOk());
  ASSERT_THAT(Write(200), IsOk());
  ASSERT_THAT(Write(200, 1, kStamp + 1), IsOk());
  for (const char* name : {"notes.txt", "best/x", "100.set-aside-3/x"})
    ASSERT_THAT(store().Write(Dir() + "/" + name, "mine"), IsOk());
  ASSERT_THAT(testing::Clean(store(), Dir()), IsOk());
  EXPECT_THAT(Names(),
              ElementsAre("100.set-aside-3/", "100/", "best/", "notes.txt"));
  ExpectHolds(100, 1);
  EXPECT_THAT(testing::Clean(store(), dir_.file("none")), IsOk());
}

TEST_P(CommitTest, SetsNewerOnesAside) {
  for (const int step : {100, 200, 300}) ASSERT_THAT(Save(step), IsOk());
  ASSERT_THAT(testing::SetAside(store(), Dir(), 100, 9), IsOk());
  EXPECT_THAT(Names(),
              ElementsAre("100/", "200.set-aside-9/", "300.set-aside-9/"));
  EXPECT_THAT(Steps(), ElementsAre(100));
  // Still a checkpoint, where a user may begin.
  ASSERT_OK_AND_ASSIGN(const CheckpointAt aside,
                       VerifyCheckpoint(store(), SetAsidePath(Dir(), 300, 9)));
  EXPECT_EQ(aside.step, 300);
}

// A folder that took the place of one of the record's is not moved.
TEST_P(CommitTest, AnothersUnderARecordedNumberIsNotSetAside) {
  for (const int step : {100, 200}) ASSERT_THAT(Save(step), IsOk());
  PutAnothers(200);
  const std::vector<std::string> before = Files();
  EXPECT_THAT(testing::SetAside(store(), Dir(), 100, 9),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       AllOf(HasSubstr(StepPath(Dir(), 200)),
                             HasSubstr("is in the way and not this job's"))));
  EXPECT_EQ(Files(), before);
  // Nor deleted, and off the record by then.
  ASSERT_THAT(Save(300), IsOk());
  ASSERT_THAT(testing::Prune(store(), Dir(), 1), IsOk());
  EXPECT_THAT(Steps(), ElementsAre(200, 300));
  ASSERT_OK_AND_ASSIGN(const KeptRecord kept, ReadRecord(store(), Dir()));
  EXPECT_EQ(kept.record.Find(200), nullptr);
  EXPECT_NE(kept.record.Find(300), nullptr);
}

// One of the two files that tell whose it is may be damaged.
TEST_P(CommitTest, ADamagedManifestOfOursIsSetAside) {
  for (const int step : {100, 200, 300}) ASSERT_THAT(Save(step), IsOk());
  Flip(200, kManifestName);
  Cut(300, kSumsName);
  ASSERT_THAT(testing::SetAside(store(), Dir(), 100, 9), IsOk());
  EXPECT_THAT(Names(),
              ElementsAre("100/", "200.set-aside-9/", "300.set-aside-9/"));
}

// Stopped in between, the record says what was on its way.
TEST_P(CommitTest, SettingAsideIsNotedBefore) {
  for (const int step : {100, 200}) ASSERT_THAT(Save(step), IsOk());
  RefusingStore refusing(&store(), {StepPath(Dir(), 200)},
                         absl::PermissionDeniedError("it is under a hold"));
  EXPECT_THAT(testing::SetAside(refusing, Dir(), 100, 9),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       HasSubstr("it is under a hold")));
  ASSERT_OK_AND_ASSIGN(const KeptRecord kept, ReadRecord(store(), Dir()));
  ASSERT_NE(kept.record.Find(200), nullptr);
  EXPECT_TRUE(kept.record.Find(200)->retiring);
  ASSERT_THAT(testing::Clean(store(), Dir()), IsOk());
  ASSERT_OK_AND_ASSIGN(const KeptRecord settled, ReadRecord(store(), Dir()));
  EXPECT_FALSE(settled.record.Find(200)->retiring);
  ExpectHolds(200, 1);
}

TEST_P(CommitTest, WhoHasLostTheModelDirIsToldWhoHasIt) {
  ASSERT_THAT(Save(100), IsOk());
  ASSERT_OK_AND_ASSIGN(const CheckpointManifest manifest, Write(200));
  const auto lost = StatusIs(absl::StatusCode::kFailedPrecondition,
                             HasSubstr("taken over by pid 7"));
  const AnnounceChange announce = [](const std::string&) {
    return absl::FailedPreconditionError("taken over by pid 7");
  };
  EXPECT_THAT(testing::Commit(store(), Dir(), kStamp, manifest, announce),
              lost);
  EXPECT_THAT(Steps(), ElementsAre(100));
  // Whatever else has failed by then.
  ASSERT_THAT(
      store().Delete(PartsPath(store(), Dir(), 200, kStamp) + "/" + part_),
      IsOk());
  EXPECT_THAT(testing::Commit(store(), Dir(), kStamp, manifest, announce),
              lost);
}

TEST_P(CommitTest, NewestGoodPassesDamagedOnesOver) {
  for (const int step : {100, 200, 300}) ASSERT_THAT(Save(step, step), IsOk());
  Flip(300, part_);
  ASSERT_THAT(store().Delete(FilesOf(200) + "/" + kSumsName), IsOk());
  ASSERT_OK_AND_ASSIGN(const Newest newest, FindNewestGood(store(), Dir()));
  ASSERT_TRUE(newest.checkpoint.has_value());
  EXPECT_EQ(newest.checkpoint->step, 100);
  EXPECT_EQ(newest.checkpoint->path, StepPath(Dir(), 100));
  EXPECT_THAT(newest.checkpoint->manifest_sha256, SizeIs(64));
  ASSERT_THAT(newest.refused, SizeIs(2));
  EXPECT_THAT(newest.refused[0],
              AllOf(HasSubstr(StepPath(Dir(), 300)), HasSubstr(part_),
                    HasSubstr("its bytes differ from its SHA-256")));
  EXPECT_THAT(newest.refused[1], AllOf(HasSubstr(StepPath(Dir(), 200)),
                                       HasSubstr("SHA256SUMS is missing")));
}

TEST_P(CommitTest, NewestOfNothing) {
  ASSERT_OK_AND_ASSIGN(const Newest newest, FindNewestGood(store(), Dir()));
  EXPECT_FALSE(newest.checkpoint.has_value());
  EXPECT_THAT(newest.refused, IsEmpty());
  ASSERT_THAT(store().Write(Dir(), "a file"), IsOk());
  EXPECT_THAT(FindNewestGood(store(), Dir()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("is a file; give the folder")));
}

TEST_P(CommitTest, ReadManifestSaysWhatIsWrong) {
  ASSERT_THAT(Save(100), IsOk());
  ASSERT_THAT(Write(200), IsOk());
  EXPECT_THAT(ReadManifest(store(), StepPath(Dir(), 300)),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("300: no checkpoint is there")));
  EXPECT_THAT(ReadManifest(store(), Dir()),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("no checkpoint is there")));
  EXPECT_THAT(
      ReadManifest(store(), store().CanRename(Dir())
                                ? UnfinishedPath(Dir(), 200, kStamp)
                                : StepPath(Dir(), 200)),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("unfinished")));
  const std::string path = StepPath(Dir(), 100);
  const std::string stray = FilesOf(100) + "/stray";
  ASSERT_THAT(store().Write(stray, "x"), IsOk());
  EXPECT_THAT(ReadManifest(store(), path),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("stray does not belong to it")));
  ASSERT_THAT(store().Delete(stray), IsOk());
  Cut(100, part_);
  EXPECT_THAT(ReadManifest(store(), path),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr(part_), HasSubstr("bytes"))));
  EXPECT_THAT(VerifyCheckpoint(store(), path),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(part_)));
}

// What a process leaves that is killed while it writes the record.
TEST(CommitFiles, CleansWhatAKilledWriterOfTheRecordLeft) {
  testing::TempDir dir;
  const auto store = NewLocalStore();
  const Program program = testing::TrainedMlp({6});
  ASSERT_THAT(testing::SaveCheckpoint(*store, dir.path(), program,
                                      testing::SomeVariables(program, 1), 100),
              IsOk());
  const std::string left =
      dir.file(absl::StrCat(".", kRecordName, ".podsim-tmp-1-95"));
  const std::string notes = dir.file(".notes.podsim-tmp-1-95");
  for (const std::string& file : {left, notes}) std::ofstream(file) << "{";
  ASSERT_THAT(testing::Clean(*store, dir.path()), IsOk());
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(notes));
  ASSERT_OK_AND_ASSIGN(const auto steps, ListSteps(*store, dir.path()));
  EXPECT_THAT(steps, ElementsAre(100));
}

TEST(CommitNames, ARenamedStepIsRefused) {
  const auto store = NewMemoryStore();
  const Program program = testing::TrainedMlp({6});
  const auto save = [&](std::int64_t step) {
    return testing::SaveCheckpoint(*store, "/m", program,
                                   testing::SomeVariables(program, 1), step);
  };
  ASSERT_THAT(save(100), IsOk());
  ASSERT_THAT(store->Rename("/m/100", "/m/999"), IsOk());
  const auto renamed = [](const std::string& way) {
    return StatusIs(absl::StatusCode::kFailedPrecondition,
                    HasSubstr("/m/999: renamed: it holds step 100; " + way +
                              "move it away"));
  };
  for (const auto& found :
       {ReadManifest(*store, "/m/999"), VerifyCheckpoint(*store, "/m/999")}) {
    EXPECT_THAT(found, renamed("mv /m/999 /m/100 to go on from it, or "));
    EXPECT_EQ(RenamedFrom(found.status()), 100);
  }
  ASSERT_OK_AND_ASSIGN(const Newest newest, FindNewestGood(*store, "/m"));
  EXPECT_FALSE(newest.checkpoint.has_value());
  EXPECT_THAT(newest.renamed, HasSubstr("/m/999: renamed"));
  ASSERT_THAT(save(100), IsOk());
  EXPECT_THAT(ReadManifest(*store, "/m/999"),
              renamed("/m/100 is there, too: "));
  // One that is newer hides it; damage is told before the name.
  ASSERT_THAT(save(1000), IsOk());
  ASSERT_OK_AND_ASSIGN(const Newest after, FindNewestGood(*store, "/m"));
  EXPECT_EQ(after.checkpoint->step, 1000);
  EXPECT_EQ(after.renamed, "");
  const std::string part = "/m/999/" + PartName(1, 4);
  ASSERT_OK_AND_ASSIGN(std::string bytes, store->Read(part));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  ASSERT_THAT(store->Write(part, bytes), IsOk());
  const absl::Status damaged = VerifyCheckpoint(*store, "/m/999").status();
  EXPECT_TRUE(absl::IsDataLoss(damaged)) << damaged;
  EXPECT_EQ(RenamedFrom(damaged), std::nullopt);
  ASSERT_THAT(store->Rename("/m/999", "/m/best"), IsOk());
  EXPECT_THAT(ReadManifest(*store, "/m/best"), IsOk());
}

}  // namespace
}  // namespace podsim
