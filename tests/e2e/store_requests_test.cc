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
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using testing::Asked;
using testing::CheckpointCopies;
using testing::GcsServer;

// Requests of a part of a job, without further pages and without its lease.
struct Expected {
  std::string start;
  std::string save;
  int end = 0;    // at most
  int lease = 0;  // all of them, besides a renewal every kLockRenewal
};

// All that changes when a request more or less is made. A save that deletes:
const Expected kOneHost = {
    "40: bucket 2, folder 6, listing 3, look 12, read 15, write 2",
    "33: copy 1, delete 5, folder 4, listing 2, look 8, read 6, write 7", 5,
    13};
const Expected kFourHosts = {
    "121: bucket 2, folder 12, listing 3, look 57, read 45, write 2",
    "48: copy 1, delete 8, folder 4, listing 2, look 17, read 6, write 10",
    kOneHost.end, kOneHost.lease};
// One that does not:
const Expected kOneHostKeepingAll = {
    kOneHost.start, "15: copy 1, folder 2, look 7, write 5", kOneHost.end, 11};
const Expected kFourHostsKeepingAll = {kFourHosts.start,
                                       "24: copy 1, folder 2, look 13, write 8",
                                       kOneHost.end, kOneHostKeepingAll.lease};
// Looks at the manifests of three, six requests each.
const Expected kKeepingThree = {
    kOneHost.start,
    "45: copy 1, delete 5, folder 8, listing 2, look 10, read 12, write 7",
    kOneHost.end, kOneHost.lease};
const Expected kWithMetrics = {
    "42: bucket 2, folder 6, listing 4, look 12, read 16, write 2",
    kOneHostKeepingAll.save, kOneHost.end, kOneHostKeepingAll.lease};

constexpr char kBucket[] = "bucket";
constexpr std::int64_t kSeedStep = 1000;
constexpr std::int64_t kMoreSteps = 10;
constexpr std::int64_t kOwnStamp = 1785;
constexpr std::int64_t kAnothersStamp = 1786;

// What a generation leaves for its hosts to see begins so (layout.h).
constexpr char kWitness[] = ".podsim-pod-";

// Whose the checkpoints are that were there before the newest, which is always
// the job's. Another's are left alone.
enum class Older { kAnothers, kOwn };

struct Job {
  std::string topology = "v3-8";
  int processes = 1;
  Older older = Older::kOwn;
  int keep = 0;
  std::string metrics_file;
};

bool IsOfLease(const Asked& asked) {
  return absl::EndsWith(asked.object, absl::StrCat("/", kLeaseName));
}

std::size_t CountPages(std::span<const Asked> all) {
  return std::count_if(all.begin(), all.end(),
                       [](const Asked& asked) { return asked.what == "page"; });
}

std::size_t CountOfLease(std::span<const Asked> all) {
  return std::count_if(all.begin(), all.end(), &IsOfLease);
}

int CountOthers(std::span<const Asked> all) {
  return static_cast<int>(all.size() - CountPages(all) - CountOfLease(all));
}

// "15: copy 1, folder 2, look 7, write 5".
std::string Text(std::span<const Asked> all) {
  std::map<std::string, int> counts;
  for (const Asked& asked : all)
    if (asked.what != "page" && !IsOfLease(asked)) ++counts[asked.what];
  return absl::StrCat(CountOthers(all), ": ",
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

  // The launcher's last look is for its closing words, and given up if it takes
  // long: so the end may be less.
  void Expect(const Expected& expected) const {
    EXPECT_EQ(Text(start_), expected.start) << "start";
    EXPECT_EQ(Text(save_), expected.save) << "save";
    EXPECT_LE(CountOthers(end_), expected.end) << "end: " << Text(end_);
  }
  // Of every listing of the model_dir, one for each further thousand objects.
  void ExpectPages(std::size_t objects) const {
    const std::size_t further = (objects - 1) / 1000;
    EXPECT_EQ(CountPages(start_), CountListings(start_) * further);
    EXPECT_EQ(CountPages(save_), CountListings(save_) * further);
    EXPECT_LE(CountPages(end_), CountListings(end_) * further);
  }
  void ExpectLease(int once, absl::Duration lasted) const {
    const auto asked = static_cast<int>(CountOfLease(all_));
    EXPECT_GE(asked, once);
    EXPECT_LE(asked, once + lasted / kLockRenewal);
  }
  void Print(const std::string& title) const {
    std::cout << title << ": start " << Text(start_) << "; save " << Text(save_)
              << "; end " << Text(end_) << "; pages " << CountPages(all_)
              << "; lease " << CountOfLease(all_) << "\n";
  }
  // Whole, when a number differs.
  std::string Log() const {
    return absl::StrJoin(all_, "\n", [](std::string* out, const Asked& asked) {
      absl::StrAppend(out, asked.what, " ", asked.object);
    });
  }

 private:
  std::size_t CountListings(std::span<const Asked> part) const {
    return std::count_if(part.begin(), part.end(), [&](const Asked& asked) {
      return asked.what == "listing" && asked.object == below_;
    });
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
  void Train(const Job& job, const std::string& model_dir, std::int64_t last) {
    std::vector<std::string> command = {
        testing::Program("pod_launch"),
        "--topology=" + job.topology,
        "--reference_topology=" + job.topology,
        absl::StrCat("--processes=", job.processes),
        absl::StrCat("--model_dir=gs://", kBucket, "/", model_dir),
        absl::StrCat("--train_steps=", last),
        absl::StrCat("--checkpoint_every=", last),
        absl::StrCat("--keep=", job.keep),
        "--tensorboard_dir=",
        "--model=mlp",
        "--hidden=16",
        "--dataset=digits",
        "--batch_per_core=1"};
    if (!job.metrics_file.empty())
      command.push_back("--metrics_file=" + job.metrics_file);
    testing::Subprocess launch(
        {.command = command,
         .environment = {{"STORAGE_EMULATOR_HOST", server_.endpoint()},
                         {"PODSIM_GCS_CREDENTIALS", "none"},
                         {"no_proxy", "*"}}});
    ASSERT_EQ(launch.Wait(testing::kDeadline), 0) << launch.output();
  }

  // A model_dir of that many checkpoints, from kSeedStep + 1 on.
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

  void ExpectOf(const Job& job, const std::vector<int>& sizes,
                const Expected& expected) {
    Train({.topology = job.topology, .processes = job.processes}, "seed",
          kSeedStep);
    if (HasFailure()) return;
    CheckpointCopies copies(objects(), kBucket, "seed", kSeedStep);
    for (const int checkpoints : sizes) {
      const std::string dir = absl::StrCat("run", checkpoints);
      SCOPED_TRACE(dir);
      Fill(copies, dir, checkpoints, job.older);
      const std::int64_t last = kSeedStep + checkpoints + kMoreSteps;
      objects().TakeAsked();
      const absl::Time begin = absl::Now();
      Train(job, dir, last);
      if (HasFailure()) return;
      const Requests requests(objects().TakeAsked(), dir, last);
      requests.Print(absl::StrCat(job.topology, " ", dir));
      requests.Expect(expected);
      requests.ExpectPages(CountBelow(dir));
      requests.ExpectLease(expected.lease, absl::Now() - begin);
      ExpectKept(job, dir, checkpoints);
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
  // It saved one, and deleted one of its own if it was to: the oldest.
  void ExpectKept(const Job& job, const std::string& dir, int checkpoints) {
    EXPECT_TRUE(IsThere(dir, kSeedStep + checkpoints + kMoreSteps));
    const int oldest = job.older == Older::kOwn ? 1 : checkpoints;
    for (int i = 1; i <= checkpoints; ++i)
      EXPECT_EQ(IsThere(dir, kSeedStep + i), job.keep == 0 || i != oldest) << i;
  }

  GcsServer server_;
};

TEST_F(StoreRequestsTest, AreAsManyForAThousandCheckpointsAsForOne) {
  ExpectOf({.older = Older::kAnothers, .keep = 1}, {1, 100, 1000}, kOneHost);
}

TEST_F(StoreRequestsTest, AreAsManyIfAllAreTheJobsOwn) {
  ExpectOf({}, {1, 100, 1000}, kOneHostKeepingAll);
}

TEST_F(StoreRequestsTest, GrowWithTheHosts) {
  ExpectOf({.topology = "v3-32", .processes = 4, .keep = 1}, {1}, kFourHosts);
}

TEST_F(StoreRequestsTest, GrowWithTheHostsKeepingAll) {
  ExpectOf({.topology = "v3-32", .processes = 4}, {1}, kFourHostsKeepingAll);
}

TEST_F(StoreRequestsTest, GrowWithTheCheckpointsThatAreKept) {
  ExpectOf({.keep = 3}, {3}, kKeepingThree);
}

TEST_F(StoreRequestsTest, GrowByALookForAMetricsFile) {
  const testing::TempDir dir;
  ExpectOf({.metrics_file = dir.file("metrics.jsonl")}, {1}, kWithMetrics);
}

}  // namespace
}  // namespace podsim
