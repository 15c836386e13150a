// Damaged shards: refused with file, offset and reason.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/input/stream.h"
#include "host/input/tfrecord.h"
#include "tests/host/input/gzip_bytes.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Gzip;
using ::podsim::testing::IsOk;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::NumberedRecord;
using ::podsim::testing::OpenNumbered;
using ::podsim::testing::StatusIs;
using ::podsim::testing::WriteShards;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint64_t kDamageSeed = 42;

class DamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = NewMemoryStore();
    WriteShards({5, 0, 7}, /*packed=*/false, *store_);
    for (std::int64_t n = 0; n < 7; ++n)
      offsets_.push_back(static_cast<std::int64_t>(whole_.size())),
          whole_ += NumberedRecord(5 + n);
  }
  static constexpr char kPath[] = "/data/train-1002";

  std::unique_ptr<ObjectStore> store_;
  std::string whole_;                  // of kPath
  std::vector<std::int64_t> offsets_;  // of its records
};

TEST_F(DamageTest, ATornTailIsRefusedAtItsRecord) {
  for (std::size_t size = 0; size < whole_.size(); ++size) {
    ASSERT_THAT(store_->Write(kPath, whole_.substr(0, size)), IsOk());
    const auto opened = OpenNumbered(*store_);
    const auto last = std::upper_bound(offsets_.begin(), offsets_.end(),
                                       static_cast<std::int64_t>(size)) -
                      1;
    if (*last == static_cast<std::int64_t>(size)) {
      ASSERT_THAT(opened, IsOk()) << size;  // so many whole records
    } else {
      ASSERT_THAT(opened, StatusIs(kDataLoss,
                                   AllOf(HasSubstr(absl::StrCat(
                                             kPath, ": offset ", *last, ": ")),
                                         HasSubstr("cut short"))))
          << size;
    }
  }
}

TEST_F(DamageTest, APackedTornTailToo) {
  const std::string packed = Gzip(whole_);
  for (std::size_t size = 20; size < packed.size(); size += 3) {
    ASSERT_THAT(store_->Write(kPath, packed.substr(0, size)), IsOk());
    ASSERT_THAT(OpenNumbered(*store_), StatusIs(kDataLoss, HasSubstr(kPath)))
        << size;
  }
  std::string flipped = packed;
  flipped[packed.size() / 2] ^= 0x10;
  ASSERT_THAT(store_->Write(kPath, flipped), IsOk());
  EXPECT_THAT(OpenNumbered(*store_), StatusIs(kDataLoss, HasSubstr(kPath)));
}

TEST_F(DamageTest, AFlippedByteOfARecordEndsTheBatch) {
  std::string bad = whole_;
  bad[static_cast<std::size_t>(offsets_[3]) + kRecordHeader + 4] ^= 1;
  ASSERT_THAT(store_->Write(kPath, bad), IsOk());
  // The index needs no more than headers.
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(*store_));
  Infeed infeed(dataset, kDamageSeed,
                {.batch_per_core = 12, .global_batch = 12}, 2, {.threads = 3});
  EXPECT_THAT(infeed.Next(),
              StatusIs(kDataLoss, absl::StrCat(kPath, ": offset ", offsets_[3],
                                               ": the checksum of a record's "
                                               "bytes is wrong: the file is "
                                               "damaged; fetch or write it "
                                               "again")));
}

TEST_F(DamageTest, AFileThatChangedSinceItWasIndexed) {
  // Small buffers: a plain record is read for itself.
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(*store_, 0, 200));
  ASSERT_THAT(store_->Write(kPath, whole_.substr(0, 10)), IsOk());
  Batch batch;
  EXPECT_THAT(FillTrainBatch(*dataset, kDamageSeed,
                             {.batch_per_core = 12, .global_batch = 12}, batch),
              StatusIs(kDataLoss, AllOf(HasSubstr(kPath),
                                        HasSubstr("has been changed since"))));
}

TEST_F(DamageTest, ARecordLargerThanTheBuffersIsRefused) {
  EXPECT_THAT(OpenNumbered(*store_, 0, 20),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("/data/train-1000: offset 0: a record "
                                       "of"),
                             HasSubstr("raise --input_memory to 1M"))));
}

TEST_F(DamageTest, AWrongSchemaSaysWhichFeatureOfWhichRecord) {
  const auto read = [&](const char* features) {
    const auto dataset = OpenDataset(
        {.name = "tfrecord", .data_dir = "/data", .features = features},
        *store_);
    Batch batch;
    return dataset.ok() ? FillTrainBatch(**dataset, kDamageSeed, {}, batch)
                        : dataset.status();
  };
  EXPECT_THAT(
      read("features=pair:float32[3]"),
      StatusIs(kDataLoss, HasSubstr("feature pair: it has 2 values, the "
                                    "schema wants 3")));
  EXPECT_THAT(read("features=pair:int64[2]"),
              StatusIs(kDataLoss, HasSubstr("it has floats, the schema wants "
                                            "integers")));
  EXPECT_THAT(
      read("features=piar:float32[2]"),
      StatusIs(kDataLoss, HasSubstr("feature piar: the record has none")));
  EXPECT_THAT(read(""), StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("need --features")));
}

}  // namespace
}  // namespace podsim
