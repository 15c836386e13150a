// How much is asked of a bucket: as much with a thousand checkpoints as with
// one, but for the pages of a listing. And what a reader makes of a bucket, or
// a directory, that a running job changes at any moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/storage/gcs/client.h"
#include "host/storage/gcs/store.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/host/checkpoint/under_a_job.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/gcs/gcs_double.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::GcsDouble;
using ::podsim::testing::IsOk;

constexpr char kJobDir[] = "gs://bucket/run";

// What a start, a save with the deletion of an older checkpoint, and an end ask
// besides listings: all that changes when a request more or less is made.
constexpr int kStartRequests = 20;
constexpr int kSaveRequests = 45;
constexpr int kEndRequests = 2;

constexpr std::int64_t kNextStamp = 1800;  // of the job that starts

struct Counted {
  int pages = 0;  // of listings of a thousand names
  int others = 0;
};

class RequestsTest : public ::testing::Test {
 protected:
  std::unique_ptr<ObjectStore> NewBucket() {
    objects_.emplace();
    objects_->MakeBucket("bucket", "EU");
    return NewGcsStore(std::make_unique<GcsClient>(
        GcsClient::Options{.endpoint = testing::GcsDoubleOptions().endpoint,
                           .waiter = testing::VirtualWaiter(&clock_)},
        testing::NewDoubleHttp(&*objects_), NoTokens()));
  }
  // Older ones, of which nobody reads more than names.
  void FillUpTo(int checkpoints) {
    for (int step = 1; step < checkpoints; ++step)
      for (const std::string& name :
           {absl::StrCat("1/", kManifestName), absl::StrCat("1/", kSumsName),
            "1/" + PartName(1, 1), std::string(kMarkerName)})
        objects_->Put("bucket", absl::StrCat("run/", step, "/", name), "1\n");
  }
  absl::Status Save(ObjectStore& store, std::int64_t step) {
    return testing::SaveCheckpoint(store, kJobDir, program_,
                                   testing::SomeVariables(program_, 1), step,
                                   1785);
  }
  static absl::Status Start(ObjectStore& store) {
    PODSIM_ASSIGN_OR_RETURN(const Newest newest,
                            FindNewestGood(store, kJobDir));
    EXPECT_TRUE(newest.checkpoint.has_value());
    PODSIM_ASSIGN_OR_RETURN(HeldDir held, HeldDir::Open(store, kJobDir));
    PODSIM_RETURN_IF_ERROR(CleanUnfinished(held));
    PODSIM_RETURN_IF_ERROR(
        held.Note([](JobRecord& record) { record.Begin(kNextStamp); }));
    PODSIM_RETURN_IF_ERROR(
        SetAsideNewer(held, newest.checkpoint->step, kNextStamp));
    return store.Write(WitnessPath(kJobDir, kNextStamp) + "/witness",
                       "podsim\n");
  }
  // Its witness goes, and whoever started the job looks what it has saved.
  static absl::Status End(ObjectStore& store) {
    PODSIM_RETURN_IF_ERROR(store.DeleteTree(WitnessPath(kJobDir, kNextStamp)));
    return ListSteps(store, kJobDir).status();
  }
  Counted Count(const std::function<absl::Status()>& run) {
    objects_->TakeAsked();
    EXPECT_THAT(run(), IsOk());
    Counted counted;
    for (const testing::Asked& asked : objects_->TakeAsked()) {
      const bool page = asked.what == "listing" || asked.what == "folder" ||
                        asked.what == "page";
      ++(page ? counted.pages : counted.others);
    }
    return counted;
  }

  SimClock clock_;
  std::optional<GcsDouble> objects_;
  const Program program_ = testing::TrainedMlp({6});
};

TEST_F(RequestsTest, AreAsManyForAThousandCheckpointsAsForOne) {
  for (const int checkpoints : {1, 100, 1000}) {
    SCOPED_TRACE(checkpoints);
    const auto store = NewBucket();
    FillUpTo(checkpoints);
    ASSERT_THAT(Save(*store, 5000), IsOk());
    const Counted start = Count([&] { return Start(*store); });
    const Counted save = Count([&] {
      PODSIM_RETURN_IF_ERROR(Save(*store, 6000));
      return testing::Prune(*store, kJobDir, 1);
    });
    const Counted end = Count([&] { return End(*store); });
    EXPECT_EQ(start.others, kStartRequests);
    EXPECT_EQ(save.others, kSaveRequests);
    EXPECT_EQ(end.others, kEndRequests);
    // Four objects a checkpoint, a thousand a page: looked at twice, once and
    // once, and some directories of it.
    const int pages = 1 + 4 * checkpoints / 1000;
    EXPECT_EQ(start.pages, 2 * pages + 2);
    EXPECT_EQ(save.pages, pages + 5);
    EXPECT_EQ(end.pages, pages + 2);
    std::cout << checkpoints << " checkpoints: start " << start.others
              << " requests and " << start.pages
              << " pages, save and prune one " << save.others << " and "
              << save.pages << ", end " << end.others << " and " << end.pages
              << "\n";
  }
}

class ReadersTest : public ::testing::TestWithParam<testing::StoreKind> {};

INSTANTIATE_TEST_SUITE_P(Stores, ReadersTest,
                         ::testing::ValuesIn(testing::StoreKinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(ReadersTest, FindTheNewestWheneverTheJobPrunes) {
  const Program program = testing::TrainedMlp({6});
  testing::TempDir dir;
  const std::string path =
      GetParam().name == "local" ? dir.file("m") : std::string("/m");
  const std::unique_ptr<ObjectStore> store = GetParam().make();
  std::int64_t step = 100;
  const auto save = [&] {
    step += 100;
    ASSERT_THAT(
        testing::SaveCheckpoint(*store, path, program,
                                testing::SomeVariables(program, 1), step),
        IsOk());
    ASSERT_THAT(testing::Prune(*store, path, 1), IsOk());
  };
  save();
  int readings = 0;
  for (bool came = true; came; ++readings) {
    SCOPED_TRACE(absl::StrCat("pruned before request ", readings));
    testing::UnderAJob running(store.get(), readings, save);
    const absl::StatusOr<Newest> newest = FindNewestGood(running, path);
    ASSERT_THAT(newest, IsOk());
    ASSERT_TRUE(newest->checkpoint.has_value());
    EXPECT_TRUE(newest->refused.empty()) << newest->refused.front();
    came = running.came_to_it();
  }
  EXPECT_GT(readings, 10);
}

}  // namespace
}  // namespace podsim
