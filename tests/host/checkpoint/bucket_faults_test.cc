// Schedules of faults between a job and its bucket, by seeds: whatever a store
// answers, what was committed stays, and its bytes are right.
//
// Some by default; PODSIM_STORE_SCHEDULES=2000 makes as many from
// PODSIM_STORE_SEED on (docs/storage.md has the result).
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/restore.h"
#include "host/storage/gcs/store.h"
#include "host/storage/object_lease.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/gcs/faulty_http.h"
#include "tests/testing/gcs/gcs_double.h"
#include "tests/testing/run_count.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::FaultyHttp;
using ::podsim::testing::GcsDouble;
using ::podsim::testing::IsOk;

constexpr char kDir[] = "gs://bucket/m";
constexpr int kKeep = 2;
constexpr std::int64_t kLastStep = 60;
constexpr std::int64_t kEvery = 10;

class Schedule {
 public:
  Schedule(const Program& program, std::uint64_t seed) : program_(program) {
    objects_.MakeBucket("bucket", "EU");
    auto http = std::make_unique<FaultyHttp>(
        FaultyHttp::Options{.seed = seed,
                            .per_mille = static_cast<int>(50 + seed % 8 * 100),
                            .others =
                                [this](std::uint64_t random) {
                                  objects_.StopListings((random >> 8 & 7) == 0);
                                }},
        &clock_, testing::NewDoubleHttp(&objects_));
    http_ = http.get();
    store_ = Over(std::move(http), seed);
    direct_ = Over(testing::NewDoubleHttp(&objects_), seed);
  }

  // The job, and again after each of its ends, until it has made its steps.
  void Run() {
    while (!::testing::Test::HasFailure()) {
      if (starts_ == kFaultyStarts) {
        http_->Heal();
        objects_.StopListings(false);
      }
      ASSERT_LE(starts_, kFaultyStarts) << "it fails without a fault, too";
      const absl::Status status = Job(100 + starts_++);
      CheckKept();
      if (status.ok()) break;
      ++failures_;
    }
    EXPECT_EQ(told_.empty() ? 0 : *told_.rbegin(), kLastStep);
  }

  std::map<std::string, int> played() const { return http_->played(); }
  int failures() const { return failures_; }

 private:
  static constexpr int kFaultyStarts = 20;

  std::unique_ptr<ObjectStore> Over(std::unique_ptr<Http> http,
                                    std::uint64_t seed) {
    return NewGcsStore(std::make_unique<GcsClient>(
        GcsClient::Options{.endpoint = testing::GcsDoubleOptions().endpoint,
                           .waiter = testing::VirtualWaiter(&clock_),
                           .seed = seed},
        std::move(http), NoTokens()));
  }

  absl::Status Job(std::int64_t stamp) {
    ObjectLease::Options options{.waiter = testing::VirtualWaiter(&clock_),
                                 .is_gone = [](const LockRecord&) {
                                   return true;  // its process has ended
                                 }};
    PODSIM_ASSIGN_OR_RETURN(const auto lease,
                            ObjectLease::Acquire(*store_, kDir, options));
    const AnnounceChange announce = [&](const std::string& change) {
      return lease->Announce(change);
    };
    PODSIM_ASSIGN_OR_RETURN(HeldDir held,
                            HeldDir::Open(*store_, kDir, announce));
    PODSIM_RETURN_IF_ERROR(FinishChange(held, lease->change()));
    PODSIM_RETURN_IF_ERROR(held.Announce(""));
    PODSIM_ASSIGN_OR_RETURN(const Newest newest, FindNewestGood(*store_, kDir));
    PODSIM_RETURN_IF_ERROR(CleanUnfinished(held));
    PODSIM_RETURN_IF_ERROR(
        held.Note([&](JobRecord& record) { record.Begin(stamp); }));
    const std::int64_t begin = newest.checkpoint ? newest.checkpoint->step : 0;
    // More than who was told, or less, where a listing lags: those are made
    // again, and are there already.
    if (newest.checkpoint) told_.insert(begin);
    for (std::int64_t step = begin + kEvery; step <= kLastStep;
         step += kEvery) {
      PODSIM_RETURN_IF_ERROR(Save(held, step, stamp));
    }
    return lease->Release();
  }

  absl::Status Save(HeldDir& held, std::int64_t step, std::int64_t stamp) {
    PODSIM_ASSIGN_OR_RETURN(const CheckpointManifest manifest,
                            testing::WriteParts(*store_, kDir, program_,
                                                Variables(step), step, stamp));
    PODSIM_RETURN_IF_ERROR(CommitCheckpoint(held, stamp, manifest));
    told_.insert(step);
    CheckKept();
    return PruneCheckpoints(held, kKeep, step);
  }

  // A step's weights are the same whoever makes it.
  std::vector<float> Variables(std::int64_t step) const {
    return testing::SomeVariables(program_, static_cast<std::uint64_t>(step));
  }

  // The newest that were told to be committed are there, byte for byte.
  void CheckKept() {
    int looked_at = 0;
    for (auto told = told_.rbegin(); told != told_.rend() && looked_at < kKeep;
         ++told, ++looked_at) {
      const std::string path = StepPath(kDir, *told);
      const auto marked = IsCommitted(*direct_, path);
      ASSERT_THAT(marked, IsOk());
      EXPECT_TRUE(*marked) << path;
      const auto at = VerifyCheckpoint(*direct_, path);
      ASSERT_THAT(at, IsOk());
      const auto variables = ReadVariables(*direct_, *at, program_);
      ASSERT_THAT(variables, IsOk());
      EXPECT_TRUE(*variables == Variables(*told)) << path;
    }
  }

  const Program& program_;
  SimClock clock_;
  GcsDouble objects_;
  FaultyHttp* http_;  // the store's
  std::unique_ptr<ObjectStore> store_;
  std::unique_ptr<ObjectStore> direct_;  // the same objects, without faults
  std::set<std::int64_t> told_;          // steps that were committed
  int starts_ = 0;
  int failures_ = 0;
};

TEST(BucketFaults, NoScheduleLosesACheckpoint) {
  const std::int64_t schedules =
      testing::FromEnvironment("PODSIM_STORE_SCHEDULES", 20);
  const std::int64_t first = testing::FromEnvironment("PODSIM_STORE_SEED", 1);
  const Program program = testing::TrainedMlp({6});
  std::map<std::string, int> played;
  int failures = 0;
  for (std::int64_t seed = first; seed < first + schedules; ++seed) {
    SCOPED_TRACE(absl::StrCat("PODSIM_STORE_SEED=", seed));
    Schedule schedule(program, static_cast<std::uint64_t>(seed));
    schedule.Run();
    if (::testing::Test::HasFailure()) return;
    for (const auto& [fault, times] : schedule.played()) played[fault] += times;
    failures += schedule.failures();
  }
  std::string summary;
  for (const auto& [fault, times] : played)
    absl::StrAppend(&summary, ", ", fault, " ", times);
  std::printf("%ld schedules: exchanges%s; jobs ended early %d times\n",
              static_cast<long>(schedules), summary.c_str() + 1, failures);
}

}  // namespace
}  // namespace podsim
