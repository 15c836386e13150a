// The names of data sets.
#include "host/input/dataset.h"

#include <memory>
#include <string>
#include <utility>

#include "host/input/fields.h"
#include "host/input/place_kind.h"
#include "host/storage/storage.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Most want to be told more.
TEST(DatasetNamesTest, AllAreKnown) {
  const std::unique_ptr<ObjectStore> store = NewMemoryStore();
  for (const std::string& name : DatasetNames()) {
    DatasetRequest request;
    request.name = name;
    const absl::Status status = OpenDataset(request, *store).status();
    EXPECT_THAT(std::string(status.message()),
                Not(HasSubstr("no data set is called")));
  }
}

TEST(DatasetNamesTest, AreToldToWhoeverAsksForAnother) {
  const std::unique_ptr<ObjectStore> store = NewMemoryStore();
  DatasetRequest request;
  request.name = "imagenet";
  EXPECT_THAT(
      OpenDataset(request, *store),
      podsim::testing::StatusIs(
          absl::StatusCode::kInvalidArgument,
          "no data set is called 'imagenet'; known: arrays, cifar10, "
          "cifar100, csv, digits, images, mnist, npz, synthetic, tfrecord"));
  request.name = "tfrecords";
  EXPECT_THAT(OpenDataset(request, *store),
              podsim::testing::StatusIs(
                  absl::StatusCode::kInvalidArgument,
                  HasSubstr("'tfrecords'; did you mean tfrecord?; known: ")));
}

struct Misplaced {
  const char* dataset;
  const char* path;
  std::string bytes;
  const char* said;
};

TEST(CheckPlaceKindTest, AFileOfAnotherKindIsNamed) {
  for (const Misplaced& file :
       {Misplaced{"csv", "/my.tgz", "\x1f\x8b\x08", "unpack it first"},
        Misplaced{"tfrecord", "/my.tar.gz", "\x1f\x8b\x08",
                  "/my.tar.gz looks like a tar archive; data set tfrecord "
                  "reads TFRecord files"},
        Misplaced{"tfrecord", "/my.csv.gz", "\x1f\x8b\x08",
                  "is a CSV file by its name, no tfrecord: dataset=csv reads "
                  "it"}}) {
    const std::unique_ptr<ObjectStore> store = NewMemoryStore();
    ASSERT_TRUE(store->Write(file.path, file.bytes).ok());
    EXPECT_THAT(CheckPlaceKind(file.dataset, file.path, *store),
                podsim::testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                          HasSubstr(file.said)));
  }
}

// What a file is by its bytes says whoever reads it.
TEST(CheckPlaceKindTest, OthersPass) {
  const std::unique_ptr<ObjectStore> store = NewMemoryStore();
  for (const auto& [dataset, path] :
       {std::pair{"tfrecord", "/a"}, std::pair{"csv", "/a.csv"},
        std::pair{"csv", "/a.csv.gz"}, std::pair{"images", "/a.tgz"}}) {
    ASSERT_TRUE(store->Write(path, "%PDF").ok());
    EXPECT_TRUE(CheckPlaceKind(dataset, path, *store).ok()) << path;
  }
  EXPECT_TRUE(CheckPlaceKind("csv", "/none.tgz", *store).ok());
}

// A schema is for those that have one.
TEST(DatasetNamesTest, ShardsAreSomeOfThem) {
  std::vector<std::string> shards;
  for (const std::string& name : DatasetNames())
    if (IsOfShards(name)) shards.push_back(name);
  EXPECT_THAT(shards, ::testing::ElementsAre("cifar10", "cifar100", "csv",
                                             "images", "tfrecord"));
}

}  // namespace
}  // namespace podsim
