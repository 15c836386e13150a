// The table "what lies there" of docs/reliability.md, row by row: what a start,
// pod_ckpt and --keep do with each, on a disk and in a bucket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/save.h"
#include "host/storage/directory_lock.h"
#include "host/storage/job_hold.h"
#include "host/storage/object_lease.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/host/checkpoint/under_a_job.h"
#include "tests/runtime/ckpt/model_dir_world.h"
#include "tests/runtime/coordinator/saved_run.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::Lie;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using World = ::podsim::testing::ModelDirWorld;

constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;

// Where it begins, and that it does.
std::int64_t BeginStep(World& world) {
  const auto start = world.Begin();
  EXPECT_THAT(start, IsOk());
  return start.ok() ? start->point.step() : -1;
}

void Saves(World& world, const std::vector<std::int64_t>& steps) {
  for (const std::int64_t step : steps) ASSERT_THAT(world.Save(step), IsOk());
}

// A start that would begin before `step` is refused, and changes nothing.
void ExpectInTheWay(World& world, std::int64_t step, std::int64_t begin) {
  const std::vector<std::string> names = world.Names();
  EXPECT_THAT(world.Begin(world.Path(begin)),
              StatusIs(kRefused, AllOf(HasSubstr(world.Path(step)),
                                       HasSubstr("move it away"))));
  EXPECT_EQ(world.Names(), names);
}

// `step` survives a later step and --keep=1.
void ExpectKeepLeaves(World& world, std::int64_t step, std::int64_t later) {
  const auto before = world.Files(step);
  ASSERT_FALSE(before.empty());
  Saves(world, {later});
  ASSERT_THAT(world.Keep(1), IsOk());
  EXPECT_TRUE(world.Files(step) == before) << step;
  EXPECT_FALSE(world.Files(later).empty());
}

void SavedByTheJob(World& world) {
  Saves(world, {10, 20, 30});
  EXPECT_THAT(world.Ckpt("ls").text, Not(HasSubstr("damaged")));
  world.Damage(30);
  EXPECT_THAT(world.Ckpt("verify").error, HasSubstr(world.Path(30)));
  EXPECT_EQ(BeginStep(world), 20);
  EXPECT_THAT(world.Names(),
              UnorderedElementsAre("10/", "20/", HasSubstr("30.set-aside-")));
  EXPECT_THAT(world.Ckpt("ls").text,
              AllOf(HasSubstr("committed"), HasSubstr("set aside")));
  Saves(world, {40});
  ASSERT_THAT(world.Keep(1), IsOk());
  EXPECT_THAT(world.Names(),
              UnorderedElementsAre("40/", HasSubstr("30.set-aside-")));
}

void ChangedSince(World& world) {
  Saves(world, {10, 20});
  world.PutAnothers(20);
  ExpectInTheWay(world, 20, 10);
  EXPECT_THAT(world.Ckpt("ls").text, Not(HasSubstr("damaged")));
  EXPECT_EQ(world.Ckpt("verify").exit_code, 0);
  EXPECT_EQ(BeginStep(world), 20);
  world.PutAnothers(10);
  EXPECT_EQ(BeginStep(world), 20);
  ExpectKeepLeaves(world, 10, 30);
  EXPECT_EQ(world.OnRecord(10), nullptr);
  EXPECT_TRUE(world.Files(20).empty()) << "it was gone on from";
}

void NotOnTheRecord(World& world) {
  Saves(world, {10, 20});
  world.PutAnothers(15);
  world.PutAnothers(30);
  ExpectInTheWay(world, 30, 20);
  EXPECT_THAT(world.Ckpt("ls").text, Not(HasSubstr("damaged")));
  EXPECT_EQ(world.Ckpt("verify").exit_code, 0);
  const auto start = world.Begin();
  ASSERT_THAT(start, IsOk());
  EXPECT_EQ(start->point.step(), 30);
  EXPECT_THAT(start->notes, Contains(HasSubstr("(15): left as they are")));
  EXPECT_NE(world.OnRecord(30), nullptr);
  ExpectKeepLeaves(world, 15, 40);
}

void CopiedAcross(World& world) {
  World source(world.in_bucket() ? World::On::kDisk : World::On::kBucket);
  for (const std::int64_t step : {15, 30})
    ASSERT_THAT(
        testing::SavePlanned(source.store(), source.plan(), step, "another"),
        IsOk());
  for (const bool marker : {true, false}) {
    Saves(world, {10, 20});
    world.Copy(source, 15, 15, marker);
    world.Copy(source, 30, 30, marker);
    if (world.in_bucket() && marker) {
      ASSERT_THAT(world.store().Write(world.Path(30) + "/" + kMarkerName, ""),
                  IsOk());
    }
    ExpectInTheWay(world, 30, 20);
    EXPECT_EQ(world.Ckpt("verify").exit_code, 0);
    EXPECT_THAT(world.Ckpt("ls").text, Not(HasSubstr("damaged")));
    EXPECT_EQ(BeginStep(world), 30);
    ExpectKeepLeaves(world, 15, 40);
    ASSERT_THAT(world.store().DeleteTree(world.dir()), IsOk());
  }
}

void MarkerLost(World& world) {
  Saves(world, {10, 20});
  if (world.in_bucket()) world.DeleteFile(absl::StrCat("20/", kMarkerName));
  EXPECT_THAT(world.Ckpt("ls").text,
              AllOf(HasSubstr("committed"), Not(HasSubstr("unfinished"))));
  EXPECT_EQ(world.Ckpt("verify").exit_code, 0);
  EXPECT_EQ(BeginStep(world), 20);
  Saves(world, {30});
  ASSERT_THAT(world.Keep(2), IsOk());
  EXPECT_THAT(world.Names(), ElementsAre("20/", "30/")) << "it counts";
  ASSERT_THAT(world.Keep(1), IsOk());
  EXPECT_THAT(world.Names(), ElementsAre("30/"));
}

void Renamed(World& world) {
  Saves(world, {10, 20});
  world.Copy(world, 20, 25);
  world.Delete(20);
  const std::vector<std::string> names = world.Names();
  EXPECT_THAT(
      world.Begin(),
      StatusIs(kRefused, AllOf(HasSubstr(world.Path(25) +
                                         ": renamed: it holds step 20; "),
                               HasSubstr(world.Path(20) + " to go on from it"),
                               HasSubstr("give another --model_dir"))));
  EXPECT_EQ(world.Names(), names);
  EXPECT_THAT(world.Ckpt("ls").text,
              AllOf(HasSubstr("renamed: it holds"), Not(HasSubstr("damaged"))));
  const CkptResult verify = world.Ckpt("verify");
  EXPECT_EQ(verify.exit_code, 0) << verify.error;
  EXPECT_THAT(verify.text, HasSubstr("renamed: it holds step 20"));
  Saves(world, {30});
  const auto start = world.Begin();
  ASSERT_THAT(start, IsOk());
  EXPECT_EQ(start->point.step(), 30);
  EXPECT_THAT(start->notes, Contains(HasSubstr("(25): left as they are")));
  ExpectKeepLeaves(world, 25, 40);
}

void DamagedAndNotOnTheRecord(World& world) {
  Saves(world, {10, 20});
  world.PutAnothers(15);
  world.Damage(15);
  EXPECT_EQ(world.Ckpt("verify").exit_code, 1);
  const auto start = world.Begin();
  ASSERT_THAT(start, IsOk());
  EXPECT_EQ(start->point.step(), 20);
  EXPECT_THAT(start->notes, Contains(HasSubstr("(15): left as they are")));
  world.PutAnothers(30);
  world.Damage(30);
  const std::vector<std::string> names = world.Names();
  EXPECT_THAT(world.Begin(),
              StatusIs(kRefused, AllOf(HasSubstr(world.Path(30)),
                                       HasSubstr("move it away"))));
  EXPECT_EQ(world.Names(), names);
  ExpectKeepLeaves(world, 15, 40);
}

void HalfCopied(World& world) {
  if (!world.in_bucket()) return;  // a disk's half copy is a damaged one
  Saves(world, {10, 20});
  world.PutAnothers(30);
  world.DeleteFile(absl::StrCat("30/", kMarkerName));
  for (const auto& [name, bytes] : world.Files(30))
    if (NameOf(name) == kManifestName)
      world.DeleteFile(absl::StrCat("30/", name));
  const auto start = world.Begin();
  ASSERT_THAT(start, IsOk());
  EXPECT_EQ(start->point.step(), 20);
  EXPECT_THAT(start->notes,
              Contains(AllOf(HasSubstr("(30)"), HasSubstr("pod_ckpt clean"))));
  EXPECT_THAT(world.Ckpt("ls").text,
              AllOf(HasSubstr("unfinished"), Not(HasSubstr("damaged"))));
  ExpectKeepLeaves(world, 30, 40);
  EXPECT_THAT(world.Ckpt("clean").text, HasSubstr("/30: removed"));
  EXPECT_TRUE(world.Files(30).empty());
}

void UnfinishedOfTheJob(World& world) {
  Saves(world, {10});
  ASSERT_THAT(testing::WritePlannedParts(world.store(), world.plan(), 30),
              IsOk());
  EXPECT_THAT(world.Ckpt("ls").text, HasSubstr("unfinished"));
  EXPECT_EQ(BeginStep(world), 10);
  EXPECT_THAT(world.Names(), ElementsAre("10/"));
}

void UnfinishedOfNobody(World& world) {
  Saves(world, {10});
  const std::string name = "30.orbax-checkpoint-tmp-3/";
  ASSERT_THAT(
      world.store().Write(absl::StrCat(world.dir(), "/", name, "x"), "mine"),
      IsOk());
  EXPECT_THAT(world.Ckpt("ls").text, HasSubstr("unfinished"));
  const auto start = world.Begin();
  ASSERT_THAT(start, IsOk());
  EXPECT_THAT(start->notes, Contains(HasSubstr("pod_ckpt clean")));
  EXPECT_THAT(world.Names(), UnorderedElementsAre("10/", name));
  EXPECT_THAT(world.Ckpt("clean").text, HasSubstr(": removed"));
  EXPECT_THAT(world.Names(), ElementsAre("10/"));
}

void DeletedMeanwhile(World& world) {
  std::int64_t newest = 10;
  Saves(world, {newest});
  for (int at = 0, struck = 1; struck != 0; ++at) {
    SCOPED_TRACE(absl::StrCat("before request ", at));
    const auto prune = [&] {
      Saves(world, {newest += 10});
      ASSERT_THAT(world.Keep(1), IsOk());
    };
    testing::UnderAJob starts(&world.store(), at, prune);
    ASSERT_OK_AND_ASSIGN(const RunStart start, world.Look(starts));
    EXPECT_THAT(start.notes, IsEmpty());
    EXPECT_GT(start.point.step(), 0);
    testing::UnderAJob reads(&world.store(), at, prune);
    for (const char* command : {"ls", "verify"}) {
      const CkptResult result =
          RunCkpt({command, world.dir()}, reads, absl::Now(), /*width=*/0);
      EXPECT_EQ(result.exit_code, 0) << command << ": " << result.error;
      EXPECT_THAT(result.text, Not(HasSubstr("damaged")));
    }
    struck = starts.came_to_it() || reads.came_to_it() ? 1 : 0;
    if (::testing::Test::HasFailure()) return;
  }
}

void RecordMissing(World& world) {
  Saves(world, {10, 20});
  world.DeleteFile(kRecordName);
  const auto start = world.Begin();
  ASSERT_THAT(start, IsOk());
  EXPECT_EQ(start->point.step(), 20);
  EXPECT_THAT(start->notes, Contains(HasSubstr("(10): left as they are")));
  ExpectKeepLeaves(world, 10, 30);
}

void RecordUnreadable(World& world) {
  Saves(world, {10, 20});
  const std::string record = absl::StrCat(world.dir(), "/", kRecordName);
  ASSERT_THAT(world.store().Write(record, "<html>"), IsOk());
  const auto start = world.Begin();
  ASSERT_THAT(start, IsOk());
  EXPECT_EQ(start->point.step(), 20);
  EXPECT_THAT(start->notes, Contains(HasSubstr("nothing is deleted in")));
  ExpectKeepLeaves(world, 20, 30);
  EXPECT_FALSE(world.Files(10).empty());
  ASSERT_OK_AND_ASSIGN(const std::string text, world.store().Read(record));
  EXPECT_EQ(text, "<html>");
}

// The hold of a job, and another's that takes it while that one sleeps.
struct Held {
  std::unique_ptr<JobHold> on_disk;
  std::unique_ptr<ObjectLease> in_bucket;

  absl::Status Announce(const std::string& change) const {
    return on_disk ? on_disk->Announce(change) : in_bucket->Announce(change);
  }
};

bool AllAreGone(const LockRecord&) { return true; }

absl::StatusOr<Held> Hold(World& world, ObjectLease::Options options) {
  Held held;
  if (!world.in_bucket()) {
    PODSIM_ASSIGN_OR_RETURN(held.on_disk,
                            JobHold::Acquire(world.store(), world.dir()));
    return held;
  }
  PODSIM_ASSIGN_OR_RETURN(
      held.in_bucket,
      ObjectLease::Acquire(world.store(), world.dir(), options));
  return held;
}

void TwoJobs(World& world) {
  Saves(world, {10, 20});
  ASSERT_OK_AND_ASSIGN(const Held first, Hold(world, {}));
  Waiter waiter = testing::VirtualWaiter(&world.clock());
  waiter.wait = [&, wait = waiter.wait](absl::Duration span) {
    wait(span);
    EXPECT_THAT(first.Announce(""), IsOk());
  };
  const auto names = world.Names();
  EXPECT_THAT(
      Hold(world, {.waiter = waiter,
                   .is_gone = [](const LockRecord&) { return false; }}),
      StatusIs(kRefused,
               AllOf(HasSubstr(absl::StrCat(world.dir(), " is held by pid ")),
                     HasSubstr("wait for it to end"))));
  EXPECT_EQ(world.Ckpt("verify").exit_code, 0);
  EXPECT_THAT(world.Ckpt("ls").text, HasSubstr("committed"));
  EXPECT_EQ(world.Names(), names);
}

void LeaseTaken(World& world) {
  Saves(world, {10, 20});
  ASSERT_OK_AND_ASSIGN(const Held asleep, Hold(world, {}));
  ASSERT_OK_AND_ASSIGN(
      HeldDir held,
      HeldDir::Open(world.store(), world.dir(), [&](const std::string& change) {
        return asleep.Announce(change);
      }));
  ASSERT_OK_AND_ASSIGN(
      CheckpointManifest manifest,
      testing::WritePlannedParts(world.store(), world.plan(), 30));
  const Program program = testing::TrainedMlp({8});
  for (const CheckpointTensor& tensor : TensorsOf(program, testing::kHosts))
    *manifest.add_tensors() = tensor;
  std::unique_ptr<ObjectLease> taker;
  if (world.in_bucket()) {
    ASSERT_OK_AND_ASSIGN(taker, ObjectLease::Acquire(world.store(), world.dir(),
                                                     {.is_gone = &AllAreGone}));
  } else {
    LockRecord another = NewLockRecord();
    another.id = "another";
    ASSERT_THAT(world.store().Write(absl::StrCat(world.dir(), "/", kLockFile),
                                    LockText(another)),
                IsOk());
  }
  const auto ten = world.Files(10);
  const auto twenty = world.Files(20);
  const auto lost = StatusIs(
      kRefused, HasSubstr(absl::StrCat("taken over by pid ", getpid())));
  EXPECT_THAT(CommitCheckpoint(held, testing::kStamp, manifest), lost);
  EXPECT_THAT(PruneCheckpoints(held, 1), lost);
  EXPECT_THAT(SetAsideNewer(held, 10, testing::kStamp), lost);
  EXPECT_TRUE(world.Files(10) == ten);
  EXPECT_TRUE(world.Files(20) == twenty);
  EXPECT_THAT(world.Ckpt("ls").text, Not(HasSubstr("damaged")));
}

// One answer, whichever it is.
void StoreLies(World& world) {
  if (!world.in_bucket()) return;  // a disk's answer is taken as it is
  Saves(world, {10, 20});
  const auto ten = world.Files(10);
  const auto twenty = world.Files(20);
  for (const Lie& lie : testing::Lies()) {
    for (int at = 0;; ++at) {
      SCOPED_TRACE(absl::StrCat(lie.name, " for request ", at));
      int made = 0;
      const auto store = world.Lying(lie, at, &made);
      auto start = world.Look(*store);
      if (start.ok()) {
        EXPECT_EQ(start->point.step(), 20);
        static_cast<void>(testing::Prepare(*store, world.plan(), 99, *start));
      } else {
        EXPECT_THAT(start.status().message(), HasSubstr(world.dir()));
      }
      static_cast<void>(testing::Prune(*store, world.dir(), 2));
      EXPECT_TRUE(world.Files(10) == ten && world.Files(20) == twenty);
      if (made <= at || ::testing::Test::HasFailure()) break;
    }
  }
}

struct Row {
  const char* what;  // its first cell
  void (*check)(World& world);
};

const std::vector<Row> kRows = {
    {"saved by the job, or gone on from", &SavedByTheJob},
    {"the same, changed since: another manifest's hash", &ChangedSince},
    {"whole, not on the record: copied, of an older podsim", &NotOnTheRecord},
    {"copied from a bucket to a disk, or a disk to a bucket, with "
     "`commit_success.txt` or without",
     &CopiedAcross},
    {"whole, its marker lost", &MarkerLost},
    {"whole, renamed: its manifest is of another step", &Renamed},
    {"damaged, not on the record", &DamagedAndNotOnTheRecord},
    {"half copied into a bucket", &HalfCopied},
    {"unfinished, of this job's generations", &UnfinishedOfTheJob},
    {"unfinished, of nobody on the record", &UnfinishedOfNobody},
    {"deleted by a running job while it is read", &DeletedMeanwhile},
    {"the record is missing", &RecordMissing},
    {"the record cannot be read", &RecordUnreadable},
    {"two jobs: a second one on the same model_dir", &TwoJobs},
    {"the lease was taken while the job slept", &LeaseTaken},
    {"the store lies once: a false 404, an empty or a cut listing", &StoreLies},
};

class WhoseCheckpointTest : public ::testing::TestWithParam<Row> {};

INSTANTIATE_TEST_SUITE_P(Rows, WhoseCheckpointTest, ::testing::ValuesIn(kRows),
                         [](const auto& info) {
                           std::string name;
                           for (const char c : std::string(info.param.what))
                             name += absl::ascii_isalnum(c) ? c : '_';
                           return name;
                         });

TEST_P(WhoseCheckpointTest, OnADisk) {
  World world(World::On::kDisk);
  GetParam().check(world);
}

TEST_P(WhoseCheckpointTest, InABucket) {
  World world(World::On::kBucket);
  GetParam().check(world);
}

// The page's table has these rows, in this order, and no other.
TEST(WhoseCheckpointTable, HasACaseForEachRow) {
  std::ifstream page(PODSIM_SOURCE_DIR "/docs/reliability.md");
  std::vector<std::string> cells;
  std::string line;
  while (std::getline(page, line) &&
         !absl::StartsWith(line, "| what lies there |")) {
  }
  std::getline(page, line);  // the rule below the header
  while (std::getline(page, line) && absl::StartsWith(line, "| "))
    cells.push_back(
        std::vector<std::string>(absl::StrSplit(line, " | "))[0].substr(2));
  std::vector<std::string> cases;
  for (const Row& row : kRows) cases.emplace_back(row.what);
  EXPECT_EQ(cells, cases);
}

}  // namespace
}  // namespace podsim
