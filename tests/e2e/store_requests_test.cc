// How much a job asks of the bucket that its checkpoints are in, by its real
// processes: for its start, for a save and for its end. As much with a thousand
// checkpoints there as with one, but for the pages of flat listings. The
// figures of docs/reliability.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "host/checkpoint/job_record.h"
#include "host/checkpoint/layout.h"
#include "host/storage/directory_lock.h"
#include "host/storage/object_lease.h"
#include "tests/e2e/checkpoint_copies.h"
#include "tests/e2e/pod.h"
#include "tests/testing/gcs/gcs_server.h"

namespace podsim {
namespace {

using testing::Asked;
using testing::CheckpointCopies;
using testing::GcsServer;

// Requests of a part of a job, without further pages and without its lease.
struct Expected {
  const char* start;
  const char* save;
  const char* end;
  int lease;  // all of them, besides a renewal every kLockRenewal
};

// All that changes when a request more or less is made.
constexpr Expected kOneHost = {"?", "?", "?", 0};
constexpr Expected kOneHostKeepingAll = {"?", "?", "?", 0};
constexpr Expected kFourHosts = {"?", "?", "?", 0};

constexpr char kBucket[] = "bucket";
constexpr std::int64_t kSeedStep = 1000;
constexpr std::int64_t kMoreSteps = 10;
constexpr std::int64_t kOwnStamp = 1785;
constexpr std::int64_t kAnothersStamp = 1786;

// What a generation leaves for its hosts to see begins so (layout.h).
constexpr char kWitness[] = ".podsim-pod-";

struct Pod {
  const char* topology;
  int processes;
};

// Whose the checkpoints before the newest are, and what becomes of that.
enum class Older {
  kAnothers,  // not the job's: left alone. The newest is deleted (--keep=1)
  kOwn,       // the job's, as the newest is: all stay (--keep=0)
};

bool IsOfLease(const Asked& asked) {
  return absl::EndsWith(asked.object, absl::StrCat("/", kLeaseName));
}

// "54: copy 1, look 30, ...".
std::string Text(std::span<const Asked> all) {
  std::map<std::string, int> counts;
  int sum = 0;
  for (const Asked& asked : all) {
    if (asked.what == "page" || IsOfLease(asked)) continue;
    ++counts[asked.what];
    ++sum;
  }
  return absl::StrCat(sum, ": ",
                      absl::StrJoin(counts, ", ", absl::PairFormatter(" ")));
}

// What one job asked, from its first request to its last.
class Requests {
 public:
  // `saved`: the one step that it saved.
  Requests(std::vector<Asked> all, const std::string& model_dir,
           std::int64_t saved)
      : all_(std::move(all)), below_(model_dir + "/") {
    const auto first = [&](auto from, const std::string& prefix) {
      return std::find_if(from, all_.cend(), [&](const Asked& asked) {
        return absl::StartsWith(asked.object, prefix);
      });
    };
    const auto save = first(all_.cbegin(), StepPath(model_dir, saved) + "/");
    // The coordinator's last words: what it left for hosts to see goes.
    const auto end = first(save, below_ + kWitness);
    start_ = {all_.cbegin(), save};
    save_ = {save, end};
    end_ = {end, all_.cend()};
  }

  void Expect(const Expected& expected) const {
    EXPECT_EQ(Text(start_), expected.start) << "start";
    EXPECT_EQ(Text(save_), expected.save) << "save";
    EXPECT_EQ(Text(end_), expected.end) << "end";
  }
  // Of every listing of the model_dir, one for each thousand objects.
  void ExpectPages(std::size_t objects) const {
    EXPECT_EQ(Count([](const Asked& asked) { return asked.what == "page"; }),
              Count([&](const Asked& asked) {
                return asked.what == "listing" && asked.object == below_;
              }) * ((objects - 1) / 1000));
  }
  void ExpectLease(int once, absl::Duration lasted) const {
    const auto asked = static_cast<int>(Count(&IsOfLease));
    EXPECT_GE(asked, once);
    EXPECT_LE(asked, once + lasted / kLockRenewal);
  }
  void Print(const std::string& title) const {
    std::cout << title << ": start " << Text(start_) << "; save " << Text(save_)
              << "; end " << Text(end_) << "; lease " << Count(&IsOfLease)
              << "\n";
  }
  // Whole, when a number differs.
  std::string Log() const {
    return absl::StrJoin(all_, "\n", [](std::string* out, const Asked& asked) {
      absl::StrAppend(out, asked.what, " ", asked.object);
    });
  }

 private:
  template <typename Is>
  std::size_t Count(const Is& is) const {
    return std::count_if(all_.begin(), all_.end(), is);
  }

  const std::vector<Asked> all_;
  const std::string below_;
  std::span<const Asked> start_;
  std::span<const Asked> save_;
  std::span<const Asked> end_;
};

class StoreRequestsTest : public ::testing::Test {
 protected:
  StoreRequestsTest() { objects().MakeBucket(kBucket, "US"); }

  testing::GcsDouble& objects() { return server_.objects(); }

  // Trains to step `last`, and saves that one alone.
  void Train(const Pod& pod, const std::string& model_dir, std::int64_t last,
             int keep) {
    // Without --metrics_file, for which it would look once more.
    testing::Subprocess launch(
        {.command = {testing::Program("pod_launch"),
                     absl::StrCat("--topology=", pod.topology),
                     absl::StrCat("--reference_topology=", pod.topology),
                     absl::StrCat("--processes=", pod.processes),
                     absl::StrCat("--model_dir=gs://", kBucket, "/", model_dir),
                     absl::StrCat("--train_steps=", last),
                     absl::StrCat("--checkpoint_every=", last),
                     absl::StrCat("--keep=", keep), "--model=mlp",
                     "--hidden=16", "--dataset=digits", "--batch_per_core=1"},
         .environment = {{"STORAGE_EMULATOR_HOST", server_.endpoint()},
                         {"PODSIM_GCS_CREDENTIALS", "none"},
                         {"no_proxy", "*"}}});
    ASSERT_EQ(launch.Wait(testing::kDeadline), 0) << launch.output();
  }

  // A model_dir of that many checkpoints, from kSeedStep + 1 on; the newest is
  // always on its record.
  void Fill(CheckpointCopies& copies, const std::string& model_dir,
            int checkpoints, Older older) {
    JobRecord record;
    record.Begin(kOwnStamp);
    for (int i = 1; i <= checkpoints; ++i) {
      const bool own = older == Older::kOwn || i == checkpoints;
      const OwnStep step = copies.Put(model_dir, kSeedStep + i,
                                      own ? kOwnStamp : kAnothersStamp);
      if (own) record.Put(step);
    }
    objects().Put(kBucket, absl::StrCat(model_dir, "/", kRecordName),
                  RecordJson(record));
  }

  void ExpectOf(const Pod& pod, const std::vector<int>& sizes, Older older,
                const Expected& expected) {
    Train(pod, "seed", kSeedStep, /*keep=*/0);
    if (HasFailure()) return;
    CheckpointCopies copies(objects(), kBucket, "seed", kSeedStep);
    for (const int checkpoints : sizes) {
      const std::string dir = absl::StrCat("run", checkpoints);
      SCOPED_TRACE(dir);
      Fill(copies, dir, checkpoints, older);
      const std::int64_t last = kSeedStep + checkpoints + kMoreSteps;
      objects().TakeAsked();
      const absl::Time begin = absl::Now();
      Train(pod, dir, last, older == Older::kOwn ? 0 : 1);
      if (HasFailure()) return;
      const Requests requests(objects().TakeAsked(), dir, last);
      requests.Print(dir);
      requests.Expect(expected);
      requests.ExpectPages(CountBelow(dir));
      requests.ExpectLease(expected.lease, absl::Now() - begin);
      ExpectKept(dir, last, checkpoints, older);
      if (HasFailure()) std::cout << requests.Log() << "\n";
    }
  }

 private:
  std::size_t CountBelow(const std::string& dir) {
    const std::vector<std::string> names = objects().Names(kBucket);
    return std::count_if(
        names.begin(), names.end(), [&](const std::string& name) {
          return absl::StartsWith(name, absl::StrCat(dir, "/"));
        });
  }
  bool IsThere(const std::string& dir, std::int64_t step) {
    return objects()
        .Bytes(kBucket, absl::StrCat(StepPath(dir, step), "/", kMarkerName))
        .has_value();
  }
  // It went on from the newest, and did with it what it was told.
  void ExpectKept(const std::string& dir, std::int64_t last, int checkpoints,
                  Older older) {
    EXPECT_TRUE(IsThere(dir, last));
    EXPECT_EQ(IsThere(dir, kSeedStep + checkpoints), older == Older::kOwn);
    EXPECT_EQ(IsThere(dir, kSeedStep + 1),
              older == Older::kOwn || checkpoints > 1);
  }

  GcsServer server_;
};

TEST_F(StoreRequestsTest, AreAsManyForAThousandCheckpointsAsForOne) {
  ExpectOf({"v3-8", 1}, {1, 100, 1000}, Older::kAnothers, kOneHost);
}

TEST_F(StoreRequestsTest, AreAsManyIfAllAreTheJobsOwn) {
  ExpectOf({"v3-8", 1}, {1, 100, 1000}, Older::kOwn, kOneHostKeepingAll);
}

TEST_F(StoreRequestsTest, GrowWithTheHosts) {
  ExpectOf({"v3-32", 4}, {1}, Older::kAnothers, kFourHosts);
}

}  // namespace
}  // namespace podsim
