// The names of data sets.
#include "host/input/dataset.h"

#include <memory>
#include <string>

#include "host/input/fields.h"
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
