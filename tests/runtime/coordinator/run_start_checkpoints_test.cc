// Which checkpoint a generation begins with, what it refuses, and what becomes
// of the others in its model_dir.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/storage/faulty_store.h"
#include "job/plan_program.h"
#include "runtime/coordinator/run_start.h"
#include "tests/runtime/coordinator/saved_run.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kBatch;
using ::podsim::testing::kInvalid;
using ::podsim::testing::kStamp;
using ::podsim::testing::SavePlanned;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr auto kLoss = absl::StatusCode::kDataLoss;

class RunStartTest : public ::testing::TestWithParam<testing::StoreKind> {
 protected:
  ObjectStore& store() { return *store_; }
  std::string Path(std::int64_t step) const {
    return StepPath(plan_.spec().model_dir(), step);
  }
  // Checkpoints as plan_ has it.
  void Save(const std::vector<std::int64_t>& steps) {
    for (const std::int64_t step : steps)
      ASSERT_THAT(SavePlanned(store(), plan_, step), IsOk());
  }
  absl::StatusOr<RunStart> Start(const JobPlan& plan,
                                 const std::string& restore = "") {
    JobSpec spec;
    if (!restore.empty()) spec.set_restore(restore);
    return FindStart(store(), spec, plan);
  }
  absl::StatusOr<RunStart> Start() { return Start(plan_); }
  bool GoesOn(const std::string& restore = "") {
    JobSpec spec;
    if (!restore.empty()) spec.set_restore(restore);
    const absl::StatusOr<bool> goes_on = podsim::GoesOn(store(), spec, plan_);
    PODSIM_CHECK(goes_on.ok());
    return *goes_on;
  }
  // All of a folder in the place of another.
  void Replace(const std::string& from, const std::string& to) {
    if (!testing::FilesBelow(store(), to)->empty()) {
      ASSERT_THAT(store().DeleteTree(to), IsOk());
    }
    ASSERT_OK_AND_ASSIGN(const auto files, testing::FilesBelow(store(), from));
    for (const std::string& file : files) {
      ASSERT_OK_AND_ASSIGN(const std::string bytes, store().Read(file));
      ASSERT_THAT(store().Write(to + file.substr(from.size()), bytes), IsOk());
    }
  }
  std::vector<std::string> Names() {
    auto names = store().List(plan_.spec().model_dir());
    if (!names.ok()) return {};
    std::erase(*names, kRecordName);
    return *std::move(names);
  }

  testing::TempDir dir_;
  std::unique_ptr<ObjectStore> store_ = GetParam().make();
  JobPlan plan_ = testing::SmallPlan(dir_.file("model"));
};

INSTANTIATE_TEST_SUITE_P(Stores, RunStartTest,
                         ::testing::ValuesIn(testing::StoreKinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(RunStartTest, WithoutCheckpointsItIsTheSeed) {
  for (const std::string& dir : {plan_.spec().model_dir(), std::string()}) {
    JobPlan plan = plan_;
    plan.mutable_spec()->set_model_dir(dir);
    ASSERT_OK_AND_ASSIGN(const RunStart start, Start(plan));
    EXPECT_EQ(start.point.checkpoint(), "");
    EXPECT_EQ(start.point.step(), 0);
    EXPECT_EQ(start.point.examples_consumed(), 0);
    EXPECT_EQ(start.point.last_step(), 100);
    EXPECT_TRUE(start.history.empty());
    EXPECT_THAT(start.notes, IsEmpty());
  }
  EXPECT_THAT(Names(), IsEmpty()) << "looking changes nothing";
}

TEST_P(RunStartTest, ABenchmarkLooksForNone) {
  Save({10});
  plan_.mutable_spec()->mutable_bench();
  ASSERT_OK_AND_ASSIGN(const RunStart start, Start());
  EXPECT_EQ(start.point.checkpoint(), "");
}

TEST_P(RunStartTest, AJobGoesOnOnceThereIsACheckpoint) {
  EXPECT_FALSE(GoesOn());
  EXPECT_TRUE(GoesOn("elsewhere/10"));
  ASSERT_THAT(testing::WritePlannedParts(store(), plan_, 10), IsOk());
  EXPECT_FALSE(GoesOn()) << "unfinished";
  Save({20});
  EXPECT_TRUE(GoesOn());
  plan_.mutable_spec()->clear_model_dir();
  EXPECT_FALSE(GoesOn());
}

TEST_P(RunStartTest, TheNewestIsChosen) {
  Save({20, 100, 30});
  ASSERT_OK_AND_ASSIGN(const CheckpointAt newest,
                       VerifyCheckpoint(store(), Path(100)));
  ASSERT_OK_AND_ASSIGN(const RunStart start, Start());
  EXPECT_EQ(start.point.checkpoint(), Path(100));
  EXPECT_EQ(start.point.manifest_sha256(), newest.manifest_sha256);
  EXPECT_EQ(start.point.step(), 100);
  EXPECT_EQ(start.point.examples_consumed(), 100 * kBatch);
  EXPECT_EQ(start.point.last_step(), 100) << "trained to the end already";
  ASSERT_EQ(start.history.size(), 1);
  EXPECT_EQ(start.history[0].end_example(), 100 * kBatch);
  EXPECT_THAT(start.notes, IsEmpty());
}

TEST(DescribeStartTest, SaysWhatIsLeftInStepsOrWhyNothingIs) {
  StartPoint start;
  start.set_checkpoint("runs/a/110");
  start.set_step(110);
  start.set_examples_consumed(28'160);
  start.set_last_step(111);
  JobPlan plan;
  plan.set_train_steps(160);
  plan.set_global_batch(64);
  plan.set_total_examples(10'240);
  EXPECT_EQ(DescribeStart(start, plan), "runs/a/110, step 110; 1 step to go");
  start.set_last_step(110);
  EXPECT_EQ(DescribeStart(start, plan),
            "runs/a/110, step 110: trained on 28,160 examples already; the job "
            "has 10,240 (160 steps of 64), so no step is left: raise "
            "--train_steps or --epochs to train on");
  plan.mutable_spec()->set_mode(words::Mode::eval);
  EXPECT_EQ(DescribeStart(start, plan),
            "runs/a/110, step 110: to be evaluated");
}

TEST_P(RunStartTest, AnotherWindowIsAnotherOrder) {
  plan_.mutable_bits()->mutable_dataset()->set_shuffle_window(4096);
  Save({20});
  EXPECT_THAT(Start(), IsOk());
  JobPlan plan = plan_;
  plan.mutable_bits()->mutable_dataset()->set_shuffle_window(64);
  EXPECT_THAT(
      Start(plan),
      StatusIs(kInvalid, AllOf(HasSubstr("was trained with "
                                         "--shuffle_window=4096, the job has "
                                         "--shuffle_window=64"),
                               HasSubstr("order of the examples; give "
                                         "--shuffle_window=4096, "))));
  plan.mutable_bits()->mutable_dataset()->clear_shuffle_window();
  EXPECT_THAT(Start(plan), StatusIs(kInvalid, HasSubstr("the job has no "
                                                        "--shuffle_window")));
}

TEST_P(RunStartTest, OtherLanesAreAnotherOrder) {
  plan_.mutable_bits()->mutable_dataset()->set_shuffle_window(4096);
  Save({20});
  JobPlan plan = plan_;
  plan.mutable_bits()->mutable_dataset()->set_lanes(64);
  EXPECT_THAT(Start(plan),
              StatusIs(kInvalid, AllOf(HasSubstr("was trained with 0 lanes of "
                                                 "shards, the job has 64"),
                                       HasSubstr("order of the examples"))));
}

JobPlan WithAdam(JobPlan plan) {
  plan.mutable_bits()->set_optimizer("adam");
  plan.mutable_bits()->set_momentum(0);
  plan.mutable_bits()->mutable_update()->set_beta1(0.9);
  plan.mutable_bits()->mutable_update()->set_beta2(0.999);
  plan.mutable_bits()->mutable_update()->set_epsilon(1e-8);
  SetProgram(testing::TrainedMlp({8}, "adam"), plan);
  return plan;
}

TEST_P(RunStartTest, AnotherOptimizerIsRefusedNamingItsSlots) {
  Save({20});
  EXPECT_THAT(
      Start(WithAdam(plan_)),
      StatusIs(kInvalid, AllOf(HasSubstr("/mu is not in the checkpoint"),
                               HasSubstr("--restore_weights_only"))));
}

TEST_P(RunStartTest, WeightsAloneBeginAnew) {
  Save({20});
  JobPlan plan = WithAdam(plan_);
  plan.mutable_bits()->set_seed(8);  // another order of other examples
  JobSpec spec;
  spec.set_restore(Path(20));
  spec.set_restore_weights_only(true);
  ASSERT_OK_AND_ASSIGN(const RunStart start, FindStart(store(), spec, plan));
  EXPECT_EQ(start.point.checkpoint(), Path(20));
  EXPECT_TRUE(start.point.weights_only());
  EXPECT_EQ(start.point.step(), 0);
  EXPECT_EQ(start.point.examples_consumed(), 0);
  EXPECT_EQ(start.point.last_step(), 100);
  EXPECT_TRUE(start.history.empty());
  EXPECT_FALSE(start.origin.has_value());
}

TEST_P(RunStartTest, AnEvaluationWantsTheWeightsAlone) {
  Save({20});
  JobPlan plan = WithAdam(plan_);
  plan.mutable_spec()->set_mode(words::Mode::eval);
  ASSERT_OK_AND_ASSIGN(const RunStart start, Start(plan));
  EXPECT_TRUE(start.point.weights_only());
  EXPECT_EQ(start.point.step(), 20);
}

TEST_P(RunStartTest, AnUnfinishedOneIsNotChosen) {
  Save({20});
  ASSERT_THAT(testing::WritePlannedParts(store(), plan_, 30), IsOk());
  ASSERT_OK_AND_ASSIGN(const RunStart start, Start());
  EXPECT_EQ(start.point.step(), 20);
}

TEST_P(RunStartTest, DamagedOnesArePassedOverWithANote) {
  Save({10, 20, 30});
  testing::Damage(store(), plan_, 30);
  testing::Damage(store(), plan_, 20);
  ASSERT_OK_AND_ASSIGN(const RunStart start, Start());
  EXPECT_EQ(start.point.checkpoint(), Path(10));
  EXPECT_THAT(
      start.notes,
      ElementsAre(AllOf(HasSubstr("passed over"), HasSubstr(Path(30))),
                  AllOf(HasSubstr("passed over"), HasSubstr(Path(20)))));
}

// As one that is damaged inside.
TEST(RunStartLinkTest, ALinkLoopIsPassedOverWithANote) {
  testing::TempDir dir;
  const std::unique_ptr<ObjectStore> store = NewLocalStore();
  const JobPlan plan = testing::SmallPlan(dir.file("model"));
  ASSERT_THAT(SavePlanned(*store, plan, 10), IsOk());
  const std::string loop = StepPath(plan.spec().model_dir(), 20);
  std::filesystem::create_directory_symlink(loop, loop);
  // It was this job's when its disk was there.
  ASSERT_OK_AND_ASSIGN(HeldDir held,
                       HeldDir::Open(*store, plan.spec().model_dir()));
  ASSERT_THAT(held.Note([](JobRecord& record) { record.Put({.step = 20}); }),
              IsOk());
  ASSERT_OK_AND_ASSIGN(RunStart start, FindStart(*store, JobSpec(), plan));
  EXPECT_EQ(start.point.step(), 10);
  EXPECT_THAT(
      start.notes,
      ElementsAre(AllOf(HasSubstr("passed over"), HasSubstr(loop),
                        HasSubstr("Too many levels of symbolic links"))));
  EXPECT_THAT(testing::Prepare(*store, plan, kStamp, start), IsOk());
}

TEST_P(RunStartTest, NoneThatIsWholeIsNoReasonToBeginAnew) {
  Save({10, 20});
  testing::Damage(store(), plan_, 10);
  testing::Damage(store(), plan_, 20);
  EXPECT_THAT(Start(),
              StatusIs(kLoss, AllOf(HasSubstr(Path(10)), HasSubstr(Path(20)),
                                    HasSubstr("--restore"))));
}

TEST_P(RunStartTest, TheOneThatIsNamedIsTaken) {
  Save({10, 20, 30});
  JobPlan elsewhere = plan_;
  elsewhere.mutable_spec()->set_model_dir(dir_.file("other"));
  for (const JobPlan& plan : {plan_, elsewhere}) {
    ASSERT_OK_AND_ASSIGN(const RunStart start, Start(plan, Path(20)));
    EXPECT_EQ(start.point.checkpoint(), Path(20));
    EXPECT_EQ(start.point.step(), 20);
    EXPECT_EQ(start.point.last_step(), 100);
    EXPECT_THAT(start.notes, IsEmpty());
  }
}

TEST_P(RunStartTest, TheFolderAboveARunIsToldWhichOneHoldsACheckpoint) {
  const std::string above = plan_.spec().model_dir();
  plan_.mutable_spec()->set_model_dir(above + "/a");
  Save({10, 20});
  const std::string told = absl::StrCat(
      above, " holds no checkpoint itself, but ", above, "/a does (step 20); ");
  EXPECT_THAT(
      Start(plan_, above),
      StatusIs(absl::StatusCode::kNotFound,
               HasSubstr(absl::StrCat(
                   "--restore: ", told,
                   "name a checkpoint, such as --restore=", Path(20)))));
  JobPlan evaluates = plan_;
  evaluates.mutable_spec()->set_mode(words::Mode::eval);
  evaluates.mutable_spec()->set_model_dir(above);
  EXPECT_THAT(
      Start(evaluates),
      StatusIs(absl::StatusCode::kNotFound,
               HasSubstr(absl::StrCat(
                   "mode=eval: ", told,
                   "give a model_dir, such as --model_dir=", above, "/a"))));
}

TEST_P(RunStartTest, NoOtherReplacesTheOneThatIsNamed) {
  Save({10, 20});
  testing::Damage(store(), plan_, 20);
  EXPECT_THAT(
      Start(plan_, Path(20)),
      StatusIs(kLoss, AllOf(HasSubstr("--restore"), HasSubstr(PartName(1, 4)),
                            HasSubstr("the newest good one beside it: "
                                      "--restore=" +
                                      Path(10)))));
  EXPECT_THAT(
      Start(plan_, Path(30)),
      StatusIs(absl::StatusCode::kNotFound,
               AllOf(HasSubstr("--restore: " + Path(30) +
                               ": no checkpoint is there; the newest good one "
                               "beside it: --restore=" +
                               Path(10)))));
  testing::Damage(store(), plan_, 10);
  EXPECT_THAT(Start(plan_, Path(30)),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("--restore"), HasSubstr(Path(30)),
                             HasSubstr("pod_ckpt ls"))));
}

TEST_P(RunStartTest, AnotherModelIsRefusedByItsTensors) {
  Save({10});
  SetProgram(testing::TrainedMlp({16}), plan_);
  EXPECT_THAT(
      Start(),
      StatusIs(kInvalid, AllOf(HasSubstr(Path(10)), HasSubstr("dense_0/kernel"),
                               HasSubstr("12x8"), HasSubstr("12x16"))));
  plan_.mutable_spec()->set_mode(words::Mode::eval);
  EXPECT_THAT(Start(), StatusIs(kInvalid, HasSubstr("dense_0/kernel")));
}

// Nobody who names a checkpoint begins anew by another --model_dir alone.
TEST_P(RunStartTest, TheOneThatIsNamedIsLeftOutToBeginAnew) {
  Save({10});
  JobPlan other = plan_;
  SetProgram(testing::TrainedMlp({16}), other);
  EXPECT_THAT(Start(other),
              StatusIs(kInvalid, HasSubstr(", or, to begin anew, give another "
                                           "--model_dir or move it away")));
  EXPECT_THAT(Start(other, Path(10)),
              StatusIs(kInvalid,
                       HasSubstr(", or, to begin anew, leave out --restore=" +
                                 Path(10) + " and give another --model_dir")));
  other.mutable_spec()->set_model_dir(dir_.file("other"));
  EXPECT_THAT(
      Start(other, Path(10)),
      StatusIs(kInvalid, AllOf(HasSubstr("leave out --restore=" + Path(10)),
                               Not(HasSubstr("--model_dir")))));
  JobPlan seed = plan_;
  seed.mutable_bits()->set_seed(8);
  seed.mutable_spec()->set_model_dir(dir_.file("other"));
  EXPECT_THAT(Start(seed, Path(10)),
              StatusIs(kInvalid, AllOf(HasSubstr("give --seed=7, or leave out "
                                                 "--restore=" +
                                                 Path(10)),
                                       Not(HasSubstr("--model_dir")))));
}

TEST_P(RunStartTest, AnotherStreamOfExamplesIsRefused) {
  Save({10});
  JobPlan data = plan_;
  data.mutable_bits()->mutable_dataset()->set_name("mnist");
  data.mutable_bits()->mutable_dataset()->set_fingerprint("fedcba9876543210");
  EXPECT_THAT(
      Start(data),
      StatusIs(kInvalid, AllOf(HasSubstr(Path(10)), HasSubstr("digits"),
                               HasSubstr("0123456789ab"), HasSubstr("mnist"),
                               HasSubstr("fedcba987654"))));
  JobPlan seed = plan_;
  seed.mutable_bits()->set_seed(8);
  EXPECT_THAT(
      Start(seed),
      StatusIs(kInvalid, AllOf(HasSubstr(Path(10)), HasSubstr("--seed=7"),
                               HasSubstr("the job has 8"))));
  JobPlan in_order = plan_;
  in_order.mutable_bits()->set_in_order(true);
  EXPECT_THAT(
      Start(in_order),
      StatusIs(kInvalid, AllOf(HasSubstr(Path(10)), HasSubstr("--shuffle=true"),
                               HasSubstr("the job has false"))));
  // An evaluation reads no such stream.
  for (JobPlan* plan : {&data, &seed, &in_order}) {
    plan->mutable_spec()->set_mode(words::Mode::eval);
    ASSERT_OK_AND_ASSIGN(const RunStart start, Start(*plan));
    EXPECT_EQ(start.point.step(), 10);
  }
}

TEST_P(RunStartTest, AnEvaluationNeedsACheckpoint) {
  plan_.mutable_spec()->set_mode(words::Mode::eval);
  EXPECT_THAT(Start(), StatusIs(absl::StatusCode::kNotFound,
                                AllOf(HasSubstr("mode=eval"),
                                      HasSubstr(plan_.spec().model_dir()))));
}

// What differs is known once the pod has formed.
TEST_P(RunStartTest, TellsWhatToCompareTheFormedPlanWith) {
  Save({10});
  ASSERT_OK_AND_ASSIGN(const RunStart start, Start());
  ASSERT_TRUE(start.origin.has_value());
  EXPECT_EQ(start.origin->manifest.step(), 10);
  EXPECT_EQ(start.origin->manifest.plan_hash(), plan_.hash());
  EXPECT_TRUE(start.origin->manifest.tensors().empty());
  EXPECT_FALSE(start.origin->isa_asked);
  EXPECT_THAT(start.notes, IsEmpty());
}

TEST_P(RunStartTest, TheRestIsCountedInTheStepsOfTheNewBatch) {
  Save({10});
  struct Case {
    std::int64_t batch;
    std::int64_t examples;  // of the whole job
    std::int64_t last;
  };
  for (const Case& c :
       {Case{kBatch, 100 * kBatch, 100},
        Case{2 * kBatch, 100 * kBatch, 10 + 45},
        Case{100, 100 * kBatch, 10 + 231},  // 230.4
        Case{kBatch, 10 * kBatch + 1, 11}, Case{kBatch, 10 * kBatch, 10},
        // The job became shorter than what is trained already.
        Case{kBatch, 5 * kBatch, 10}}) {
    plan_.set_global_batch(c.batch);
    plan_.set_total_examples(c.examples);
    ASSERT_OK_AND_ASSIGN(const RunStart start, Start());
    EXPECT_EQ(start.point.last_step(), c.last)
        << c.batch << " of " << c.examples;
    EXPECT_EQ(start.point.step(), 10);
  }
}

TEST_P(RunStartTest, PreparingLeavesWhatTheRunBeginsWith) {
  Save({10, 20, 30});
  ASSERT_THAT(testing::WritePlannedParts(store(), plan_, 40), IsOk());
  const std::string& dir = plan_.spec().model_dir();
  ASSERT_THAT(testing::Begin(store(), dir, 17), IsOk());
  for (const char* stamp : {"17", "18"})
    ASSERT_THAT(
        store().Write(absl::StrCat(dir, "/.podsim-pod-", stamp, "/witness"),
                      "podsim\n"),
        IsOk());
  ASSERT_THAT(store().Write(dir + "/notes.txt", "mine"), IsOk());
  ASSERT_OK_AND_ASSIGN(RunStart start, Start(plan_, Path(20)));
  ASSERT_THAT(testing::Prepare(store(), plan_, 99, start), IsOk());
  EXPECT_EQ(start.stamp, 99);
  EXPECT_EQ(start.point.witness(), ".podsim-pod-99/witness");
  EXPECT_THAT(store().Read(dir + "/" + start.point.witness()), IsOk());
  const std::string aside = NameOf(SetAsidePath(dir, 30, 99)) + "/";
  EXPECT_THAT(Names(),
              UnorderedElementsAre("10/", "20/", aside, "notes.txt",
                                   ".podsim-pod-18/", ".podsim-pod-99/"));
  EXPECT_THAT(VerifyCheckpoint(store(), Path(20)), IsOk());
  testing::Leave(store(), plan_, 99);
  EXPECT_THAT(Names(), UnorderedElementsAre("10/", "20/", aside, "notes.txt",
                                            ".podsim-pod-18/"));
}

TEST_P(RunStartTest, DamagedOnesAreSetAsideTheSameWay) {
  Save({10, 20});
  testing::Damage(store(), plan_, 20);
  ASSERT_OK_AND_ASSIGN(RunStart start, Start());
  ASSERT_THAT(testing::Prepare(store(), plan_, 99, start), IsOk());
  ASSERT_OK_AND_ASSIGN(const RunStart next, Start());
  EXPECT_EQ(next.point.step(), 10);
  EXPECT_THAT(next.notes, IsEmpty()) << "it is out of the way";
}

TEST_P(RunStartTest, AnEvaluationChangesNothing) {
  Save({10, 20});
  ASSERT_THAT(testing::WritePlannedParts(store(), plan_, 30), IsOk());
  const std::vector<std::string> before = Names();
  plan_.mutable_spec()->set_mode(words::Mode::eval);
  ASSERT_OK_AND_ASSIGN(RunStart start, Start(plan_, Path(10)));
  EXPECT_FALSE(start.resumed.has_value());
  EXPECT_EQ(start.point.witness(), "");
  EXPECT_EQ(Names(), before);
}

TEST_P(RunStartTest, ANewModelDirIsMade) {
  ASSERT_OK_AND_ASSIGN(RunStart start, Start());
  ASSERT_THAT(testing::Prepare(store(), plan_, 5, start), IsOk());
  EXPECT_THAT(Names(), ElementsAre(".podsim-pod-5/"));
  testing::Leave(store(), plan_, 4);  // another's
  EXPECT_THAT(Names(), ElementsAre(".podsim-pod-5/"));
  testing::Leave(store(), plan_, 5);
  EXPECT_THAT(Names(), IsEmpty());
  testing::Leave(store(), plan_, 5);  // twice is no harm
}

// A checkpoint that was copied there, or of a model_dir without a record.
TEST_P(RunStartTest, AnothersCheckpointsStayWhereTheyAre) {
  Save({10, 20});
  const std::string& dir = plan_.spec().model_dir();
  ASSERT_THAT(store().Delete(absl::StrCat(dir, "/", kRecordName)), IsOk());
  ASSERT_THAT(store().Write(dir + "/15.orbax-checkpoint-tmp-3/x", "mine"),
              IsOk());
  EXPECT_THAT(Start(plan_, Path(10)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr(Path(20) + " is not on the record"),
                             HasSubstr("pod_ckpt adopt " + dir))));
  ASSERT_OK_AND_ASSIGN(RunStart start, Start());
  EXPECT_EQ(start.point.step(), 20);
  EXPECT_THAT(start.notes,
              ElementsAre(AllOf(HasSubstr("holds 1 checkpoint that no job's"),
                                HasSubstr("(10)")),
                          AllOf(HasSubstr("(15.orbax-checkpoint-tmp-3)"),
                                HasSubstr("pod_ckpt clean " + dir))));
  ASSERT_THAT(testing::Prepare(store(), plan_, 99, start), IsOk());
  ASSERT_THAT(SavePlanned(store(), plan_, 30), IsOk());
  ASSERT_THAT(testing::Prune(store(), dir, 1), IsOk());
  EXPECT_THAT(Names(),
              UnorderedElementsAre("10/", "30/", "15.orbax-checkpoint-tmp-3/",
                                   ".podsim-pod-99/"))
      << "20 was gone on from";
}

// Its step's number is on the record, its manifest is not.
TEST_P(RunStartTest, AnothersUnderARecordedNumberIsInTheWay) {
  Save({10, 20});
  const std::string other = dir_.file("other");
  JobPlan elsewhere = plan_;
  elsewhere.mutable_spec()->set_model_dir(other);
  ASSERT_THAT(SavePlanned(store(), elsewhere, 20, "another build"), IsOk());
  Replace(StepPath(other, 20), Path(20));
  const std::vector<std::string> before = Names();
  EXPECT_THAT(Start(plan_, Path(10)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr(Path(20) + " is not on the record"),
                             HasSubstr("move it away"))));
  RunStart at_ten;
  at_ten.point.set_step(10);
  EXPECT_THAT(testing::Prepare(store(), plan_, 99, at_ten),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       HasSubstr(Path(20) + " is in the way")));
  EXPECT_EQ(Names(), before);
  // As the newest it is gone on from, and then on the record.
  ASSERT_OK_AND_ASSIGN(RunStart start, Start());
  EXPECT_EQ(start.point.step(), 20);
  ASSERT_THAT(testing::Prepare(store(), plan_, 99, start), IsOk());
  ASSERT_OK_AND_ASSIGN(const KeptRecord kept,
                       ReadRecord(store(), plan_.spec().model_dir()));
  EXPECT_EQ(kept.record.Find(20)->manifest_sha256,
            start.point.manifest_sha256());
}

TEST_P(RunStartTest, ARenamedOneIsRefusedIfItIsTheNewest) {
  Save({10, 20});
  Replace(Path(20), Path(30));
  ASSERT_THAT(store().DeleteTree(Path(20)), IsOk());
  const std::vector<std::string> before = Names();
  EXPECT_THAT(
      Start(),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               AllOf(HasSubstr(Path(30) + ": renamed: it holds step 20; "),
                     HasSubstr(Path(20) + " to go on from it"),
                     HasSubstr("move it away, or give another --model_dir"))));
  EXPECT_THAT(Start(plan_, Path(10)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr(Path(30) + " is not on the record")));
  // An evaluation takes the newest good one.
  JobPlan evaluates = plan_;
  evaluates.mutable_spec()->set_mode(words::Mode::eval);
  ASSERT_OK_AND_ASSIGN(const RunStart eval, Start(evaluates));
  EXPECT_EQ(eval.point.step(), 10);
  EXPECT_EQ(Names(), before);
  // An older one stays and is named.
  Save({40});
  ASSERT_OK_AND_ASSIGN(RunStart start, Start());
  EXPECT_EQ(start.point.step(), 40);
  EXPECT_THAT(start.notes, ElementsAre(HasSubstr("(30): left as they are")));
  ASSERT_THAT(testing::Prepare(store(), plan_, 99, start), IsOk());
  ASSERT_THAT(testing::Prune(store(), plan_.spec().model_dir(), 1), IsOk());
  EXPECT_THAT(Names(), UnorderedElementsAre("30/", "40/", ".podsim-pod-99/"));
}

TEST_P(RunStartTest, WithoutAReadableRecordNothingIsDeleted) {
  Save({10, 20});
  const std::string& dir = plan_.spec().model_dir();
  ASSERT_THAT(store().Write(absl::StrCat(dir, "/", kRecordName), "<html>"),
              IsOk());
  ASSERT_OK_AND_ASSIGN(RunStart start, Start());
  EXPECT_EQ(start.point.step(), 20);
  EXPECT_THAT(start.notes,
              Contains(AllOf(HasSubstr("nothing is deleted in " + dir),
                             HasSubstr(kRecordName))));
  ASSERT_THAT(testing::Prepare(store(), plan_, 99, start), IsOk());
  ASSERT_THAT(SavePlanned(store(), plan_, 30), IsOk());
  ASSERT_THAT(testing::Prune(store(), dir, 1), IsOk());
  EXPECT_THAT(Names(),
              UnorderedElementsAre("10/", "20/", "30/", ".podsim-pod-99/"));
}

TEST_P(RunStartTest, ADirectoryThatCannotBeWrittenIsTheFlagsFault) {
  FaultyStore faulty(&store());
  faulty.FailNextWrite(absl::PermissionDeniedError("Permission denied"));
  RunStart start;
  EXPECT_THAT(testing::Prepare(faulty, plan_, 5, start),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       AllOf(HasSubstr("--model_dir"),
                             HasSubstr(plan_.spec().model_dir()))));
}

}  // namespace
}  // namespace podsim
