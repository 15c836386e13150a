#include "host/input/shard_files.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "host/storage/wrapper.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::podsim::testing::WriteShards;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SplitOf, FollowsItsRule) {
  const auto split = [](const std::vector<std::string>& names,
                        const char* pattern) {
    bool folders = false;
    const SplitNames of = SplitOf(names, pattern, &folders);
    return absl::StrCat(of.train.size(), " ", of.eval.size(),
                        folders ? " folders" : "");
  };
  EXPECT_EQ(split({"train-0", "train-1", "eval-0", "notes"}, ""), "2 1");
  EXPECT_EQ(split({"train-0", "validation-0", "test-0"}, ""), "1 1");
  EXPECT_EQ(split({"a", "b", ".hidden", "_done", "sub/"}, ""), "2 0");
  EXPECT_EQ(split({"train/", "val/", "readme"}, ""), "1 1 folders");
  EXPECT_EQ(
      split({"x-train-0", "x-train-1", "x-test-0", "train-9"}, "x-train-*"),
      "2 1");
  EXPECT_EQ(split({"part-0", "part-1"}, "part-*"), "2 0");
  EXPECT_EQ(split({"part-0"}, "train-*"), "0 0");
}

// As TFDS names them, and others whose splits lie side by side.
TEST(SplitOf, TellsSplitsByWordsInTheNames) {
  const auto split = [](const std::vector<std::string>& names,
                        const char* pattern) {
    bool folders = false;
    const SplitNames of = SplitOf(names, pattern, &folders);
    return absl::StrCat(absl::StrJoin(of.train, " "), " | ",
                        absl::StrJoin(of.eval, " "));
  };
  const std::vector<std::string> tfds = {"dataset_info.json",
                                         "features.json",
                                         "label.labels.txt",
                                         "mnist-test.tfrecord-00000-of-00001",
                                         "mnist-train.tfrecord-00000-of-00002",
                                         "mnist-train.tfrecord-00001-of-00002"};
  const std::string want =
      "mnist-train.tfrecord-00000-of-00002 mnist-train.tfrecord-00001-of-00002 "
      "| mnist-test.tfrecord-00000-of-00001";
  EXPECT_EQ(split(tfds, ""), want);
  EXPECT_EQ(split(tfds, "mnist-*"), want);
  EXPECT_EQ(split({"x-train.rec", "x-test.rec", "x-validation.rec"}, ""),
            "x-train.rec | x-validation.rec");
  EXPECT_EQ(split({"a.csv", "b.csv", "my_test.csv"}, ""),
            "a.csv b.csv | my_test.csv");
  // A word is a word: these are no splits.
  EXPECT_EQ(split({"contest-0", "evaluate-0", "strain-0"}, ""),
            "contest-0 evaluate-0 strain-0 | ");
  EXPECT_EQ(split({"x-Train.rec", "x-TEST.rec"}, ""),
            "x-Train.rec | x-TEST.rec");
  EXPECT_EQ(split({"x-training.rec", "x-testing.rec", "x-dev.rec"}, ""),
            "x-training.rec | x-dev.rec");
  // One of these would be trained on, and nobody says which.
  EXPECT_EQ(split({"x-test-0", "x-validation-0"}, ""),
            " | x-test-0 x-validation-0");
  // There is nothing to train on but these.
  EXPECT_EQ(split({"test-0", "test-1"}, ""), "test-0 test-1 | ");
}

TEST(SplitOf, SaysHowItToldThem) {
  bool folders = false;
  EXPECT_EQ(SplitOf({"x-train-0", "x-train-1", "x-val-0", "x-test-0", "y"}, "",
                    &folders)
                .note,
            "split by the files' names: training reads 2 files (x-train-0 "
            "...), evaluation 1 file (x-val-0); 1 file (y) left out; 1 file "
            "(x-test-0) left out");
  EXPECT_EQ(SplitOf({"train-0", "test-0"}, "", &folders).note, "");
  EXPECT_EQ(SplitOf({"a", "b"}, "", &folders).note, "");
  EXPECT_EQ(SplitOf({"x-test-0", "x-test-1"}, "", &folders).note,
            "training reads 2 files (x-test-0 ...), by the name the test "
            "split");
}

TEST(MatchesPattern, StarsAreAnyRun) {
  for (const auto& [pattern, name, matches] :
       std::vector<std::tuple<const char*, const char*, bool>>{
           {"*", "", true},
           {"*", "abc", true},
           {"a*c", "abbbc", true},
           {"a*c", "abcb", false},
           {"a*b*c", "aXbXbXc", true},
           {"a*b*c", "aXcXb", false},
           {"train-*", "train-", true},
           {"train-*", "rain-1", false},
           {"abc", "abc", true},
           {"abc", "abcd", false},
           {"**", "x", true}})
    EXPECT_EQ(MatchesPattern(pattern, name), matches) << pattern << " " << name;
}

TEST(FindShards, AFileIsADataSet) {
  const auto store = NewMemoryStore();
  for (const char* path : {"/d/my.csv", "/d/other.csv", "/d/train.csv",
                           "/d/test.csv", "/d/v/x-train-0"})
    ASSERT_THAT(store->Write(path, "1,2\n"), podsim::testing::IsOk());
  ASSERT_OK_AND_ASSIGN(const SplitFiles one, FindShards("/d/my.csv", *store));
  ASSERT_EQ(one.train.size(), 1);
  EXPECT_EQ(one.train[0].path, "/d/my.csv");
  EXPECT_THAT(one.eval, IsEmpty());
  // Its name says where the eval split is.
  ASSERT_OK_AND_ASSIGN(const SplitFiles two,
                       FindShards("/d/train.csv", *store));
  ASSERT_EQ(two.eval.size(), 1);
  EXPECT_EQ(two.eval[0].path, "/d/test.csv");
  EXPECT_THAT(FindShards("/d/mine.csv", *store),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/d/mine.csv")));
}

// Such as the version's of TFDS.
// It is there, whatever else it lacks.
TEST(FindShards, AFileThatCannotBeReadIsNotSaidToBeMissing) {
  class Locked final : public ObjectStoreWrapper {
   public:
    using ObjectStoreWrapper::ObjectStoreWrapper;
    absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
      return absl::PermissionDeniedError(
          absl::StrCat("open ", std::string(path), ": Permission denied"));
    }
  };
  const auto memory = NewMemoryStore();
  ASSERT_THAT(memory->Write("/d/my.csv", "x"), IsOk());
  Locked store(memory.get());
  EXPECT_THAT(FindShards("/d/my.csv", store),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       "open /d/my.csv: Permission denied"));
}

TEST(FindShards, NamesTheFoldersThatMayBeMeant) {
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("/mnist/3.0.1/mnist-train-0", "x"),
              podsim::testing::IsOk());
  EXPECT_THAT(FindShards("/mnist", *store),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("it has the folders 3.0.1: is one of them "
                                 "meant?")));
}

TEST(FindShards, NamesWhatElseIsThere) {
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("/d/data_batch_1", "x"), podsim::testing::IsOk());
  EXPECT_THAT(FindShards("/d", *store, {.train = "*.bin", .eval = "e.bin"}),
              StatusIs(absl::StatusCode::kNotFound,
                       "/d: no file for training: none is called *.bin; it "
                       "holds data_batch_1; give the folder that has such "
                       "files"));
}

TEST(FindShards, EvalSplitsSideBySideAreNotTrainedOn) {
  const auto store = NewMemoryStore();
  for (const char* path : {"/d/x-test-0", "/d/x-validation-0"})
    ASSERT_THAT(store->Write(path, "x"), podsim::testing::IsOk());
  EXPECT_THAT(
      FindShards("/d", *store),
      StatusIs(absl::StatusCode::kNotFound,
               "/d: no file for training: 2 files (x-test-0 ...) are of eval "
               "splits by their names; name those that are meant for "
               "training, as in /d/x-test-0"));
  ASSERT_OK_AND_ASSIGN(const SplitFiles files,
                       FindShards("/d/x-test-*", *store));
  EXPECT_EQ(files.train.size(), 1);
}

// What a conversion leaves that was killed, or a copy that was.
TEST(FindShards, AFolderThatLacksShardsIsRefusedUnlessTheyAreNamed) {
  const auto store = NewMemoryStore();
  for (const char* path : {"/d/train-00000-of-00008", "/d/train-00002-of-00008",
                           "/d/eval-00000-of-00001", "/e/train-00000-of-00001",
                           "/e/eval-00001-of-00002"})
    ASSERT_THAT(store->Write(path, "x"), podsim::testing::IsOk());
  EXPECT_THAT(
      FindShards("/d", *store),
      StatusIs(absl::StatusCode::kDataLoss,
               "/d: 6 of 8 shards are missing, the first of them "
               "train-00001-of-00008; bring them, or name those that are "
               "meant, as in /d/train-*"));
  EXPECT_THAT(
      FindShards("/e", *store),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("eval-00000-of-00002")));
  ASSERT_OK_AND_ASSIGN(const SplitFiles files,
                       FindShards("/d/train-*", *store));
  EXPECT_EQ(files.train.size(), 2);
}

TEST(FindShards, SaysWhatItFoundMissing) {
  const auto store = NewMemoryStore();
  WriteShards({1}, false, *store);
  EXPECT_THAT(FindShards("/data/eval-*", *store),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("none is called eval-*; it holds ")));
  EXPECT_THAT(FindShards("/d*/train-*", *store),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("in the last part alone")));
  ASSERT_OK_AND_ASSIGN(const SplitFiles files,
                       FindShards("/data/train-*", *store));
  EXPECT_EQ(files.train.size(), 1);
  EXPECT_GT(files.train[0].bytes, 0);
  EXPECT_THAT(files.eval, IsEmpty());
}

// Counts what is asked of single objects.
class StatCounter final : public ObjectStoreWrapper {
 public:
  using ObjectStoreWrapper::ObjectStoreWrapper;
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    ++stats_;
    return ObjectStoreWrapper::Stat(path);
  }
  int stats() const { return stats_; }

 private:
  std::atomic<int> stats_{0};
};

TEST(FindShards, OneListingTellsTheSizesOfManyInABucket) {
  const std::unique_ptr<ObjectStore> memory = NewMemoryStoreWithoutRename();
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(memory
                    ->Write(absl::StrFormat("d/train-%05d-of-00020", i),
                            std::string(static_cast<std::size_t>(i), 'x'))
                    .ok());
  ASSERT_TRUE(memory->Write("d/eval-00000-of-00001", "xyz").ok());
  StatCounter store(memory.get());
  ASSERT_OK_AND_ASSIGN(const SplitFiles found, FindShards("d", store, {}));
  EXPECT_EQ(store.stats(), 1);  // of the one file to evaluate with
  ASSERT_EQ(found.train.size(), 20u);
  for (const ShardFile& file : found.train) {
    ASSERT_OK_AND_ASSIGN(const ObjectStat stat, memory->Stat(file.path));
    EXPECT_EQ(file.bytes, stat.bytes) << file.path;
    EXPECT_EQ(file.version, stat.version) << file.path;
  }
  // A listing would tell of what lies in folders, too.
  ASSERT_TRUE(memory->Write("d/raw/000", "x").ok());
  ASSERT_OK_AND_ASSIGN(const SplitFiles same, FindShards("d", store, {}));
  EXPECT_EQ(store.stats(), 1 + 21);
  EXPECT_EQ(same.train.size(), 20u);
}

}  // namespace
}  // namespace podsim
