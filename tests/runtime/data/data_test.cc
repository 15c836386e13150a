// What pod_data prints and how it exits.
#include "runtime/data/data.h"

#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/dataset.h"
#include "host/input/shard_files.h"
#include "host/input/tf_example.h"
#include "host/input/tfrecord.h"
#include "host/storage/wrapper.h"
#include "runtime/data/bad_examples.h"
#include "tests/host/input/read_example.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::ReadExample;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::podsim::testing::WriteShards;
using ::testing::AllOf;
using ::testing::HasSubstr;

class PodDataTest : public ::testing::Test {
 protected:
  PodDataTest() { WriteShards({3, 0, 5}, /*packed=*/false, *store_); }
  DataResult Run(std::vector<std::string> args) {
    args.push_back(absl::StrCat("--features=", testing::kNumberedSchema));
    return RunData(args, *store_, /*index_directory=*/"");
  }
  // The same without a schema.
  DataResult RunPlain(const std::vector<std::string>& args) {
    return RunData(args, *store_, /*index_directory=*/"");
  }
  const std::unique_ptr<ObjectStore> store_ = NewMemoryStore();
};

TEST_F(PodDataTest, Shows) {
  const DataResult shown = Run({"show", "/data", "--examples=2"});
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_THAT(shown.text,
              AllOf(HasSubstr("tfrecord: 8 examples for training, 0 in the "
                              "eval split, 3 shards "
                              "of training"),
                    HasSubstr("training: 3 files, "),
                    HasSubstr("train-1000 to train-1002"),
                    HasSubstr("field features: float32 [B, 2]"),
                    HasSubstr("field labels: int32 [B]"),
                    HasSubstr("example 1\n  features: 1 0.5\n  labels: 1\n")));
  EXPECT_EQ(shown.text.find("example 2"), std::string::npos);
}

TEST_F(PodDataTest, ShowsTheKeysOfRecordsThatNoSchemaDescribes) {
  const DataResult shown = RunData({"show", "/data"}, *store_, "");
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_THAT(
      shown.text,
      AllOf(HasSubstr("no --features, so the first 3 records are shown"),
            HasSubstr("training: 3 files, "),
            HasSubstr("key label: 1 value of int64, values 0 to 2\n"
                      "key pair: 2 values of float\n"
                      "schema to begin with: --features='features=pair:"
                      "float32[2],labels=label:int64'\n")));
  EXPECT_EQ(RunData({"show", "/data",
                     "--features=features=pair:float32[2],labels=label:int64"},
                    *store_, "")
                .exit_code,
            0);
}

TEST_F(PodDataTest, ShowsKeysWhoseLengthsDiffer) {
  std::string records;
  for (std::int64_t n = 1; n < 4; ++n) {
    ExampleWriter writer;
    const std::vector<float> floats(static_cast<std::size_t>(n));
    writer.AddFloats("audio", floats);
    writer.AddBytes("blob", "12345678");
    if (n == 1) writer.AddBytes("note", "hello");
    records += FrameRecord(std::move(writer).Finish());
  }
  ASSERT_THAT(store_->Write("/t/train", records), IsOk());
  const DataResult shown = RunData({"show", "/t"}, *store_, "");
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_THAT(
      shown.text,
      AllOf(HasSubstr("key audio: 1 to 3 values of float\n"
                      "key blob: 1 value of bytes, a string of 8\n"),
            HasSubstr("key note: 1 value of bytes, a string of 5; only in 1 of "
                      "them\n"),
            HasSubstr("no schema is offered")));
}

TEST_F(PodDataTest, ACsvFileNeedsNoMoreThanItsName) {
  ASSERT_THAT(store_->Write("/c/my.csv", "x,y,label\n1,2,0\n3,4,1\n"), IsOk());
  const DataResult shown = RunData({"show", "/c/my.csv"}, *store_, "");
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_THAT(
      shown.text,
      AllOf(HasSubstr("csv: 2 examples for training"),
            HasSubstr("note: no --features: by its header, my.csv is read"),
            HasSubstr("example 0\n  features: 1 2\n  labels: 0\n")));
}

TEST_F(PodDataTest, IndexesOrSaysThatNothingIsKept) {
  const std::vector<std::string> args = {
      "index", "/data/train-*",
      absl::StrCat("--features=", testing::kNumberedSchema)};
  const TempDir dir;
  const std::string directory = dir.path() + "/cache";
  for (int time = 0; time < 2; ++time) {
    const DataResult kept = RunData(args, *store_, directory);
    EXPECT_EQ(kept.exit_code, 0) << kept.error;
    EXPECT_THAT(kept.text, HasSubstr("\nkept under " + directory + "\n"));
  }
  // A file lies where the directory would.
  std::ofstream(dir.path() + "/file") << "x";
  const std::pair<std::string, std::string> lost[] = {
      {"", "not kept: neither XDG_CACHE_HOME nor HOME is set"},
      {dir.path() + "/file", "not kept under "}};
  for (const auto& [where, why] : lost) {
    const DataResult result = RunData(args, *store_, where);
    EXPECT_EQ(result.exit_code, 1) << where;
    EXPECT_EQ(result.text, "");
    EXPECT_THAT(result.error, AllOf(HasSubstr("8 examples"),
                                    HasSubstr("the index is " + why)));
  }
}

TEST_F(PodDataTest, VerifiesEveryByte) {
  ASSERT_THAT(store_->Delete("/data/train-1001"), IsOk());  // it is empty
  EXPECT_EQ(Run({"verify", "/data"}).exit_code, 0);
  ASSERT_OK_AND_ASSIGN(const std::string whole,
                       store_->Read("/data/train-1002"));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bad = whole;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    ASSERT_THAT(store_->Write("/data/train-1002", bad), IsOk());
    const DataResult result = Run({"verify", "/data"});
    ASSERT_EQ(result.exit_code, 1) << i;
    ASSERT_THAT(result.error, HasSubstr("/data/train-1002: offset "));
  }
}

TEST_F(PodDataTest, VerifiesThatNoShardIsMissing) {
  ASSERT_EQ(
      RunData({"convert", "--dataset=digits", "--output=/out"}, *store_, "")
          .exit_code,
      0);
  const auto verify = [&](const char* path) {
    return RunData({"verify", path, "--features=labels=int32"}, *store_, "");
  };
  EXPECT_EQ(verify("/out").exit_code, 0);
  EXPECT_EQ(verify("/out/train-0000*").exit_code, 0);
  ASSERT_THAT(store_->Delete("/out/train-00002-of-00008"), IsOk());
  for (const char* path : {"/out", "/out/train-*"}) {
    const DataResult result = verify(path);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(
        result.error,
        HasSubstr("/out: 1 of 8 shards is missing: train-00002-of-00008"));
  }
  ASSERT_THAT(store_->Delete("/out/train-00007-of-00008"), IsOk());
  EXPECT_THAT(verify("/out").error,
              HasSubstr("/out: 2 of 8 shards are missing, the first of them "
                        "train-00002-of-00008"));
}

TEST_F(PodDataTest, RefusesAPathThatNothingWouldRead) {
  const DataResult both =
      RunPlain({"convert", "--dataset=digits", "elsewhere", "--output=/out"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.error,
              HasSubstr("path is \"elsewhere\", but digits are built in, "
                        "without files: leave the path out; the shards go to "
                        "--output, which is /out"));
  EXPECT_THAT(RunPlain({"convert", "--dataset=digits", "/out"}).error,
              HasSubstr("the shards go to --output=/out"));
  EXPECT_THAT(RunPlain({"show", "digits"}).error,
              HasSubstr("path is \"digits\", but there is no such file or "
                        "folder; a data set is named by --dataset=digits"));
}

TEST_F(PodDataTest, SaysWhatIsInPlaceOfAFolder) {
  ASSERT_THAT(store_->Write("/file", "x"), IsOk());
  const DataResult file =
      RunPlain({"convert", "--dataset=digits", "--output=/file"});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.error,
              HasSubstr("--output is \"/file\", but that is a file; give a "
                        "folder"));
  EXPECT_THAT(Run({"verify", "/none/train-*"}).error,
              HasSubstr("data_dir is '/none/train-*', but there is no folder "
                        "/none; give a folder, a file, or DIR/PATTERN"));
}

// A line for each reason, at most three, and how many examples there are.
TEST_F(PodDataTest, VerifyTellsHowMuchIsWrong) {
  ASSERT_THAT(store_->Delete("/data/train-1001"), IsOk());
  const DataResult shape =
      RunPlain({"verify", "/data",
                "--features=features=pair:float32[3],labels=label:"
                "int64"});
  EXPECT_EQ(shape.exit_code, 1);
  EXPECT_EQ(
      shape.error,
      "/data/train-1000: offset 0: feature pair: it has 2 values, the schema "
      "wants 3: give it a shape that fits, [2]; likewise 7 examples more, also "
      "in /data/train-1002");
}

TEST(BadExamplesTest, SaysAReasonOnce) {
  const auto lost = [](const std::string& text) {
    return absl::DataLossError(text);
  };
  BadExamples bad;
  EXPECT_THAT(bad.Result(), IsOk());
  EXPECT_TRUE(bad.Add(lost("a: line 2, offset 9: feature x: label 12 is no")));
  EXPECT_THAT(bad.Result(),
              StatusIs(absl::StatusCode::kDataLoss,
                       "a: line 2, offset 9: feature x: label 12 is no"));
  for (const char* file : {"e", "d", "c", "b", "a", "f"})
    EXPECT_TRUE(bad.Add(lost(
        absl::StrCat(file, ": line 7, offset 90: feature x: label 15 is no"))));
  EXPECT_TRUE(bad.Add(lost("a: offset 9: the checksum is wrong")));
  EXPECT_TRUE(bad.Add(lost("a: offset 9: third")));
  EXPECT_TRUE(bad.Add(lost("a: offset 9: fourth")));
  EXPECT_FALSE(bad.Add(absl::UnavailableError("a: fifth")));
  EXPECT_THAT(
      bad.Result(),
      StatusIs(absl::StatusCode::kDataLoss,
               "a: line 2, offset 9: feature x: label 12 is no; likewise 6 "
               "examples more, also in b, c, d and 2 files more\n"
               "a: offset 9: the checksum is wrong\n"
               "a: offset 9: third; and 2 examples more cannot be read"));
}

TEST_F(PodDataTest, SaysWhatIsNoTfRecord) {
  ASSERT_THAT(store_->Write("/csv/a", "x,label\n1.5,0\n2.5,1\n"), IsOk());
  ASSERT_THAT(store_->Write("/html/a", "<html><title>404</title></html>"),
              IsOk());
  for (const DataResult& csv :
       {Run({"verify", "/csv/a"}), RunPlain({"show", "/csv/a"})}) {
    EXPECT_EQ(csv.exit_code, 2);
    EXPECT_THAT(csv.error,
                HasSubstr("/csv/a: offset 0: it is no TFRecord file; it is "
                          "text, beginning 'x,label': --dataset=csv reads"));
  }
  EXPECT_THAT(Run({"verify", "/html/a"}).error,
              HasSubstr("it is a web page (HTML)"));
}

TEST_F(PodDataTest, SaysWhichFoldersArraysLieIn) {
  ASSERT_THAT(store_->Write("/x/notes.txt", "x"), IsOk());
  constexpr char kHeld[] = "give that; it holds notes.txt";
  EXPECT_THAT(
      RunPlain({"verify", "/x", "--dataset=arrays"}).error,
      AllOf(HasSubstr("there is no folder /x/train; data set arrays is"),
            HasSubstr(kHeld)));
  EXPECT_THAT(RunPlain({"verify", "/x", "--dataset=npz"}).error,
              AllOf(HasSubstr("there is no file /x/train.npz; data set npz is"),
                    HasSubstr(kHeld)));
}

TEST_F(PodDataTest, AnEmptyShardIsNotGood) {
  const DataResult one = Run({"verify", "/data"});
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_THAT(one.error, HasSubstr("/data/train-1001: it is empty"));
  EXPECT_THAT(Run({"show", "/data"}).text,
              HasSubstr("note: 1 shard holds no example (/data/train-1001)"));
  ASSERT_THAT(store_->Write("/nothing/train-0", ""), IsOk());
  for (const char* command : {"verify", "index", "show"}) {
    const DataResult none = Run({command, "/nothing"});
    EXPECT_EQ(none.exit_code, 2) << command;
    EXPECT_THAT(none.error, HasSubstr("/nothing/train-0: it holds no example"))
        << command;
  }
}

TEST_F(PodDataTest, EveryShardGetsAnExample) {
  const DataResult made =
      Run({"convert", "/data", "--output=/out", "--shards=5"});
  EXPECT_EQ(made.exit_code, 2);
  EXPECT_THAT(made.error, HasSubstr("shards is 5, but 8 examples at 2 in each "
                                    "fill 4 of them: give --shards=4"));
}

TEST_F(PodDataTest, AFileIsReadWhateverItsNameBeginsWith) {
  ASSERT_THAT(store_->Write("/csv/_x.csv", "x,label\n1,0\n2,1\n"), IsOk());
  const DataResult shown = RunPlain({"verify", "/csv/_x.csv"});
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
}

// Some shards would pass for a whole data set.
TEST_F(PodDataTest, AConversionThatFailsLeavesNothing) {
  ASSERT_OK_AND_ASSIGN(std::string bytes, store_->Read("/data/train-1002"));
  bytes[bytes.size() - 20] = static_cast<char>(bytes[bytes.size() - 20] ^ 1);
  ASSERT_THAT(store_->Write("/data/train-1002", bytes), IsOk());
  const DataResult damaged =
      Run({"convert", "/data", "--output=/out", "--shards=4"});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.error, HasSubstr("/data/train-1002: offset "));
  EXPECT_THAT(store_->Read("/out/train-00000-of-00004"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("")));
  // A store that takes one, and says of the second that it does not.
  class Full final : public ObjectStoreWrapper {
   public:
    using ObjectStoreWrapper::ObjectStoreWrapper;
    absl::Status Write(std::string_view path, std::string_view bytes) override {
      PODSIM_RETURN_IF_ERROR(ObjectStoreWrapper::Write(path, bytes));
      if (++writes < 3) return absl::OkStatus();  // the mark, a shard
      return absl::ResourceExhaustedError("the disk is full");
    }
    absl::Status Delete(std::string_view path) override {
      if (!may_delete) return absl::PermissionDeniedError("no");
      return ObjectStoreWrapper::Delete(path);
    }
    int writes = 0;
    bool may_delete = true;
  };
  Full store(store_.get());
  const std::vector<std::string> args = {"convert", "--dataset=digits",
                                         "--output=/out"};
  EXPECT_EQ(RunData(args, store, "").error, "the disk is full");
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(store_->Read(absl::StrCat("/out/train-0000", i, "-of-00008")),
                StatusIs(absl::StatusCode::kNotFound, HasSubstr("")));
  store.writes = 0;
  store.may_delete = false;
  EXPECT_THAT(RunData(args, store, "").error,
              AllOf(HasSubstr("the disk is full; "),
                    HasSubstr("2 shards could not be removed")));
}

// A place of another user is no damaged data set.
TEST_F(PodDataTest, WhatMayNotBeReadIsRefused) {
  class Closed final : public ObjectStoreWrapper {
   public:
    using ObjectStoreWrapper::ObjectStoreWrapper;
    absl::StatusOr<std::vector<std::string>> List(
        std::string_view prefix) override {
      return absl::PermissionDeniedError(
          absl::StrCat("list ", std::string(prefix), ": no"));
    }
  };
  Closed store(store_.get());
  for (const char* command : {"show", "verify", "index"}) {
    const DataResult result = RunData({command, "/data"}, store, "");
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_EQ(result.error, "list /data: no") << command;
  }
}

// Killed before any of its changes: no folder that a job would train on.
TEST_F(PodDataTest, AConversionThatIsKilledIsNoDataSet) {
  class Dies final : public ObjectStoreWrapper {
   public:
    Dies(ObjectStore* store, int changes)
        : ObjectStoreWrapper(store), left_(changes) {}
    absl::Status Write(std::string_view path, std::string_view bytes) override {
      if (left_-- <= 0) return absl::AbortedError("killed");
      return ObjectStoreWrapper::Write(path, bytes);
    }
    absl::Status Delete(std::string_view path) override {
      if (left_-- <= 0) return absl::AbortedError("killed");
      return ObjectStoreWrapper::Delete(path);
    }

   private:
    int left_;
  };
  constexpr int kChanges = 5;  // the mark, two shards, the eval split, no mark
  for (int changes = 0; changes <= kChanges; ++changes) {
    SCOPED_TRACE(changes);
    const std::string folder = absl::StrCat("/killed/", changes);
    Dies store(store_.get(), changes);
    const std::vector<std::string> args = {"convert", "--dataset=digits",
                                           "--shards=2", "--output=" + folder};
    const bool done = RunData(args, store, "").exit_code == 0;
    EXPECT_EQ(done, changes == kChanges);
    const auto found = FindShards(folder, *store_);
    EXPECT_EQ(found.ok(), done) << found.status();
    if (done || changes == 0) continue;
    EXPECT_THAT(found, StatusIs(absl::StatusCode::kDataLoss,
                                HasSubstr("its shards are not all written")));
    const DataResult again = RunData(args, *store_, "");
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.error, HasSubstr("another conversion writes there, or "
                                       "was ended"));
  }
}

TEST_F(PodDataTest, ConvertsToTheSameExamples) {
  const DataResult made =
      RunData({"convert", "--dataset=digits", "--output=/out", "--shards=7"},
              *store_, "");
  ASSERT_EQ(made.exit_code, 0) << made.error;
  EXPECT_THAT(made.text,
              AllOf(HasSubstr("wrote 1,498 examples in 7 shards"),
                    HasSubstr("--data_dir=/out --classes=10 "
                              "--features='features=float32[8,8],labels=int32,"
                              "tokens=int32[64]'")));
  ASSERT_OK_AND_ASSIGN(
      const auto shards,
      OpenDataset(
          {.name = "tfrecord",
           .data_dir = "/out",
           .classes = 10,
           .features = "features=float32[8,8],labels=int32,tokens=int32[64]"},
          *store_));
  ASSERT_OK_AND_ASSIGN(const auto digits,
                       OpenDataset({.name = "digits"}, *store_));
  for (const Split split : {Split::kTrain, Split::kEval}) {
    ASSERT_EQ(shards->size(split), digits->size(split));
    for (std::int64_t i = 0; i < digits->size(split); ++i)
      ASSERT_EQ(ReadExample(*shards, split, i), ReadExample(*digits, split, i));
  }
  const DataResult again =
      RunData({"convert", "--dataset=digits", "--output=/out"}, *store_, "");
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.error,
              HasSubstr("\"/out\", which has eval-00000-of-00001 already"));
}

TEST_F(PodDataTest, ConvertsWhatAJobWouldMake) {
  const DataResult converted = RunData(
      {"convert", "--dataset=synthetic", "--example_shape=3,2", "--classes=4",
       "--synthetic_examples=50", "--seed=7", "--output=/out"},
      *store_, "");
  ASSERT_EQ(converted.exit_code, 0) << converted.error;
  ASSERT_OK_AND_ASSIGN(
      const auto shards,
      OpenDataset({.name = "tfrecord",
                   .data_dir = "/out",
                   .classes = 4,
                   .features = "features=float32[3,2],labels=int32"},
                  *store_));
  ASSERT_OK_AND_ASSIGN(const auto made, OpenDataset({.name = "synthetic",
                                                     .example_shape = {3, 2},
                                                     .classes = 4,
                                                     .examples = 50,
                                                     .seed = 7},
                                                    *store_));
  ASSERT_EQ(shards->size(Split::kTrain), 50);
  for (std::int64_t i = 0; i < 50; ++i)
    ASSERT_EQ(ReadExample(*shards, Split::kTrain, i),
              ReadExample(*made, Split::kTrain, i));
}

TEST_F(PodDataTest, RefusesInOneLine) {
  const auto refused = [&](const std::vector<std::string>& args,
                           const char* why) {
    const DataResult result = RunData(args, *store_, "");
    EXPECT_EQ(result.exit_code, 2) << why;
    EXPECT_THAT(result.error, HasSubstr(why));
    EXPECT_EQ(result.error.find('\n'), std::string::npos);
  };
  refused({}, "which command?");
  refused({"verify", "/data"}, "need --features");
  refused({"show", "/nowhere", "--features=a=int64"}, "/nowhere");
  refused({"show", "--dataset=imagenet"}, "no data set is called");
  ASSERT_THAT(store_->Write("/a.csv", "x,label\n1,0\n"), IsOk());
  refused({"show", "/a.csv", "--dataset=images"},
          "/a.csv is a file; data set images is a folder with images, "
          "train/CLASS/*.jpg or *.png: give that; dataset=csv reads this file");
  refused({"show", "/c.parquet"},
          "/c.parquet is a Parquet file, which podsim does not read: write it");
  ASSERT_THAT(store_->Write("/b.npz", "PK"), IsOk());
  refused({"show", "/b.npz"},
          "/b.npz is a file of NumPy's, no tfrecord: dataset=npz reads");
  refused({"convert", "--dataset=digits"},
          "convert needs --output=DIR, where the shards go, such as "
          "--output=shards");
  refused({"show", "--dataset=digits", "--classes=5"},
          "--classes is \"5\", but data set digits does not read it: leave it "
          "out, or give --dataset=cifar10 or cifar100 or csv or images or "
          "synthetic or tfrecord");
  refused({"show", "/data", "--seed=3"}, "give --dataset=synthetic");
  refused({"show", "--dataset=synthetic", "--features=tokens=int32[4]<9",
           "--example_shape=3"},
          "--example_shape and --features (tokens=int32[4]<9) both say");
  refused({"show", "--dataset=synthetic", "--features=labels=int32<2",
           "--classes=3"},
          "--classes and --features (labels=int32<2) both say");
  refused({"convert", "/data", "--output=/o",
           "--features=a=pair:image[2,2,3]+flip"},
          "leave them out");
}

}  // namespace
}  // namespace podsim
