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
  std::string tar(512, '\0');
  tar.replace(0, 6, "my.csv");
  tar.replace(257, 5, "ustar");
  for (const Misplaced& file :
       {Misplaced{"csv", "/my.tar", tar,
                  "/my.tar looks like a tar archive; data set csv reads text"},
        Misplaced{"csv", "/my.tgz", "\x1f\x8b\x08", "unpack it first"},
        Misplaced{"csv", "/a.csv", "\x89PNG\r\n\x1a\n\r\n",
                  "looks like a PNG image"},
        Misplaced{"tfrecord", "/my.csv.gz", "\x1f\x8b\x08",
                  "is a CSV file by its name, no tfrecord: dataset=csv reads "
                  "it"},
        Misplaced{"tfrecord", "/a", "height,weight\n1,2\n",
                  "/a looks like a text file; data set tfrecord reads TFRecord "
                  "files"},
        Misplaced{"tfrecord", "/a", "\x89PNG\r\n\x1a\n\r\n",
                  "looks like a PNG image"}}) {
    const std::unique_ptr<ObjectStore> store = NewMemoryStore();
    ASSERT_TRUE(store->Write(file.path, file.bytes).ok());
    EXPECT_THAT(CheckPlaceKind(file.dataset, file.path, *store),
                podsim::testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                          HasSubstr(file.said)));
  }
}

// A record's length may be the first bytes of another kind: "<" is 60.
TEST(CheckPlaceKindTest, OthersPass) {
  using namespace std::string_literals;
  const std::unique_ptr<ObjectStore> store = NewMemoryStore();
  for (const auto& [dataset, bytes] :
       {std::pair{"tfrecord", "<\0\0\0\0\0\0\0{crc"s},
        std::pair{"tfrecord", "\x80\x02\0\0\0\0\0\0{crc"s},
        std::pair{"tfrecord", "\x1f\x8b\x08"s}, std::pair{"tfrecord", ""s},
        std::pair{"csv", "höhe,breite\n1,2\n"s},
        std::pair{"csv", "\x1f\x8b\x08"s}, std::pair{"images", "%PDF"s}}) {
    ASSERT_TRUE(store->Write("/a", bytes).ok());
    EXPECT_TRUE(CheckPlaceKind(dataset, "/a", *store).ok()) << bytes;
  }
  EXPECT_TRUE(CheckPlaceKind("csv", "/none", *store).ok());
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
