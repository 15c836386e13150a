// What pod_data prints and how it exits.
#include "runtime/data/data.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/input/dataset.h"
#include "tests/host/input/read_example.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::ReadExample;
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
  const std::unique_ptr<ObjectStore> store_ = NewMemoryStore();
};

TEST_F(PodDataTest, Shows) {
  const DataResult shown = Run({"show", "/data", "--examples=2"});
  EXPECT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_THAT(
      shown.text,
      AllOf(HasSubstr("tfrecord: 8 examples for training, 0 held out, 3 shards "
                      "of training"),
            HasSubstr("training: 3 files, "),
            HasSubstr("train-1000 to train-1002"),
            HasSubstr("field features: float32 [B, 2]"),
            HasSubstr("field labels: int32 [B]"),
            HasSubstr("example 1\n  features: 1 0.5\n  labels: 1\n")));
  EXPECT_EQ(shown.text.find("example 2"), std::string::npos);
}

TEST_F(PodDataTest, Indexes) {
  const DataResult indexed = Run({"index", "/data/train-*"});
  EXPECT_EQ(indexed.exit_code, 0) << indexed.error;
  EXPECT_THAT(indexed.text, HasSubstr("not kept: "));
}

TEST_F(PodDataTest, VerifiesEveryByte) {
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
  EXPECT_THAT(again.error, HasSubstr("/out has eval-00000-of-00001 already"));
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
  refused({"show", "/data"}, "needs --features");
  refused({"show", "/nowhere", "--features=a=int64"}, "/nowhere");
  refused({"show", "--dataset=imagenet"}, "unknown data set");
  refused({"convert", "--dataset=digits"}, "convert needs --output");
  refused({"convert", "/data", "--output=/o",
           "--features=a=pair:image[2,2,3]+flip"},
          "leave them out");
}

}  // namespace
}  // namespace podsim
