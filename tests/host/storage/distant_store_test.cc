// What a store that is far away takes, in virtual time.
#include "host/storage/distant_store.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "host/storage/distant_places.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

class DistantStoreTest : public ::testing::Test {
 protected:
  Waiter VirtualTime() {
    return {.now =
                [this] {
                  MutexLock lock(mutex_);
                  return now_;
                },
            .wait =
                [this](absl::Duration span) {
                  MutexLock lock(mutex_);
                  now_ += span;
                }};
  }
  void Open(const std::vector<DistantPlace>& places, bool renames = true) {
    auto memory = renames ? NewMemoryStore() : NewMemoryStoreWithoutRename();
    memory_ = memory.get();
    store_ = NewDistantStore(std::move(memory), places, VirtualTime());
  }
  // What the calls of `work` take.
  template <typename Work>
  double Takes(const Work& work) {
    const absl::Time start = now_;
    work();
    return absl::ToDoubleSeconds(now_ - start);
  }

  Mutex mutex_;
  absl::Time now_ = absl::UnixEpoch();
  ObjectStore* memory_ = nullptr;
  std::unique_ptr<ObjectStore> store_;
};

TEST_F(DistantStoreTest, TakesARoundTripAndTheTimeOfTheBytes) {
  Open({{"/far", {.round_trip_seconds = 0.25, .bytes_per_second = 1000}}});
  ASSERT_THAT(memory_->Write("/far/x", std::string(500, 'x')), IsOk());
  ASSERT_THAT(memory_->Write("/farther", "near"), IsOk());
  EXPECT_DOUBLE_EQ(Takes([&] { EXPECT_THAT(store_->Read("/far/x"), IsOk()); }),
                   0.75);
  EXPECT_DOUBLE_EQ(
      Takes([&] { EXPECT_THAT(store_->ReadRange("/far/x", 0, 100), IsOk()); }),
      0.35);
  EXPECT_DOUBLE_EQ(
      Takes([&] { EXPECT_THAT(store_->Write("/far/y", "12345"), IsOk()); }),
      0.255);
  EXPECT_DOUBLE_EQ(Takes([&] { EXPECT_THAT(store_->Size("/far/x"), IsOk()); }),
                   0.25);
  EXPECT_DOUBLE_EQ(Takes([&] { EXPECT_THAT(store_->List("/far"), IsOk()); }),
                   0.25);
  EXPECT_DOUBLE_EQ(
      Takes([&] { EXPECT_THAT(store_->Delete("/far/y"), IsOk()); }), 0.25);
  EXPECT_DOUBLE_EQ(
      Takes([&] {
        EXPECT_THAT(store_->Read("/far/none"),
                    StatusIs(absl::StatusCode::kNotFound, HasSubstr("none")));
      }),
      0.25);
  EXPECT_EQ(Takes([&] { EXPECT_THAT(store_->Read("/farther"), IsOk()); }), 0);
}

TEST_F(DistantStoreTest, AFolderMayBeTheWorkingOneOrTheRoot) {
  const auto far = [&](const std::string& prefix, const std::string& path) {
    Open({{prefix, {.round_trip_seconds = 1, .bytes_per_second = 1000}}});
    return Takes([&] { (void)store_->Size(path); }) > 0;
  };
  EXPECT_TRUE(far(".", "train-00000"));
  EXPECT_TRUE(far(".", "./train-00000"));
  EXPECT_FALSE(far(".", "/data/x"));
  EXPECT_FALSE(far(".", "gs://bucket/x"));
  EXPECT_TRUE(far("/", "/data/x"));
  EXPECT_FALSE(far("/", "data/x"));
}

TEST_F(DistantStoreTest, ConditionalCallsAreAsFar) {
  Open({{"/far", {.round_trip_seconds = 0.5, .bytes_per_second = 10}}},
       /*renames=*/false);
  ConditionalObjects* const objects = store_->Conditional("/far/x");
  ASSERT_NE(objects, nullptr);
  EXPECT_DOUBLE_EQ(
      Takes([&] {
        ASSERT_OK_AND_ASSIGN(const std::int64_t generation,
                             objects->WriteIf("/far/x", "12345", 0));
        EXPECT_THAT(objects->CopyIf("/far/x", "/far/y", 0), IsOk());
        EXPECT_THAT(objects->DeleteIf("/far/x", generation), IsOk());
        EXPECT_THAT(objects->ReadVersion("/far/y"), IsOk());
      }),
      4 * 0.5 + 0.5);
}

TEST_F(DistantStoreTest, ARoundTripVariesByTheJitter) {
  Open({{"/far",
         {.round_trip_seconds = 0.5,
          .jitter_seconds = 0.25,
          .bytes_per_second = 1e9}},
        {"/odd",
         {.round_trip_seconds = 0.5,
          .jitter_seconds = 9,
          .bytes_per_second = 1e9}}});
  double least = 1;
  double most = 0;
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const double takes = Takes([&] { (void)store_->Size("/far/x"); });
    least = std::min(least, takes);
    most = std::max(most, takes);
    sum += takes;
  }
  EXPECT_GE(least, 0.25);
  EXPECT_LT(least, 0.26);
  EXPECT_LE(most, 0.75);
  EXPECT_GT(most, 0.74);
  // The mean of 1,000 even draws has a deviation of 0.25 / sqrt(3,000).
  EXPECT_NEAR(sum / 1000, 0.5, 5 * 0.25 / 54.7);
  for (int i = 0; i < 100; ++i)
    EXPECT_LE(Takes([&] { (void)store_->Size("/odd/x"); }), 1);
}

TEST(StoreLineTest, CarriesOneAfterAnother) {
  StoreLine line(1000);
  const absl::Time start = absl::UnixEpoch();
  const auto at = [&](double seconds) {
    return start + absl::Seconds(seconds);
  };
  EXPECT_EQ(line.Carry(at(1), 500), at(1.5));
  EXPECT_EQ(line.Carry(at(1), 500), at(2));  // waits for the one before
  EXPECT_EQ(line.Carry(at(3), 1000), at(4));
  EXPECT_EQ(line.Carry(at(0), 0), at(4));
}

TEST_F(DistantStoreTest, OneThatCannotBeMappedIsReadOverTheLine) {
  const auto local = NewDistantStore(
      NewLocalStore(),
      {{"/far", {.round_trip_seconds = 1, .bytes_per_second = 1}}});
  EXPECT_FALSE(local->CanMap("/far/x"));
  EXPECT_TRUE(local->CanMap("/near/x"));
}

TEST(DistantPlacesTest, HostsShareWhatTheBucketHas) {
  JobGeography geography;
  BucketPlace& place = *geography.add_buckets();
  place.set_bucket("gs://b");
  place.mutable_round_trip_seconds()->set_value(0.1);
  place.mutable_jitter_seconds()->set_value(0.01);
  place.mutable_host_bytes_per_second()->set_value(100);
  place.mutable_bucket_bytes_per_second()->set_value(1000);
  const auto rate = [&](int hosts, int here) {
    return DistantPlacesOf(geography, hosts, here)[0].distance.bytes_per_second;
  };
  EXPECT_EQ(rate(4, 1), 100);
  EXPECT_EQ(rate(4, 4), 400);
  EXPECT_EQ(rate(20, 1), 50);
  EXPECT_EQ(rate(20, 20), 1000);
  const DistantPlace first = DistantPlacesOf(geography, 4, 1)[0];
  EXPECT_EQ(first.prefix, "gs://b");
  EXPECT_EQ(first.distance.round_trip_seconds, 0.1);
  EXPECT_EQ(first.distance.jitter_seconds, 0.01);
}

}  // namespace
}  // namespace podsim
