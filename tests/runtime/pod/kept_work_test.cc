// What a job that ended early leaves, and which flag would have left more.
#include "runtime/pod/kept_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

JobEvent Step(std::int64_t step) {
  JobEvent event;
  event.mutable_step()->set_step(step);
  return event;
}

JobEvent Saved(std::int64_t step) {
  JobEvent event;
  event.mutable_saved()->set_step(step);
  return event;
}

JobSpec Spec(const std::string& model_dir, int max_restarts = 0) {
  JobSpec spec;
  spec.set_model_dir(model_dir);
  spec.set_max_restarts(max_restarts);
  return spec;
}

TEST(KeptWorkTest, WithoutADirectoryAllIsLost) {
  KeptWork work(Spec(""));
  EXPECT_EQ(work.Advice(true), "");  // nothing was done
  work.OnEvent(Step(1200));
  EXPECT_THAT(work.Advice(true),
              AllOf(HasSubstr("1,200 steps are lost"), HasSubstr("--model_dir"),
                    HasSubstr("--max_restarts")));
  // What a restart does not mend, such as a user's stop.
  EXPECT_EQ(work.Advice(false),
            "1,200 steps are lost: with --model_dir=DIR the same command goes "
            "on from the last checkpoint");
}

TEST(KeptWorkTest, WhatWasNotYetSavedIsLostToo) {
  KeptWork work(Spec("m"));
  work.OnEvent(Step(1));
  EXPECT_THAT(
      work.Advice(false),
      AllOf(HasSubstr("nothing was saved yet, 1 step is lost"),
            HasSubstr("--checkpoint_every"), Not(HasSubstr("--max_restarts"))));
}

TEST(KeptWorkTest, WhatWasSavedIsGoneOnWith) {
  KeptWork work(Spec("m"));
  work.OnEvent(Step(150));
  work.OnEvent(Saved(100));
  EXPECT_THAT(
      work.Advice(true),
      AllOf(HasSubstr("the same command goes on after step 100 of 150"),
            HasSubstr("--checkpoint_every"), HasSubstr("--max_restarts")));
  work.OnEvent(Saved(150));
  EXPECT_EQ(work.Advice(false),
            "nothing is lost: the same command goes on after step 150");
}

// SIGHUP ends a pod at once, while a checkpoint is being committed.
TEST(KeptWorkTest, WhatWasSavedWhileThePodEndedCountsToo) {
  KeptWork work(Spec("m"));
  work.OnEvent(Step(150));
  work.OnFound(140);
  EXPECT_THAT(work.Advice(false), HasSubstr("goes on after step 140 of 150"));
  work.OnEvent(Saved(100));
  work.OnFound(160);  // nor was the event of the step read
  EXPECT_EQ(work.Advice(false),
            "nothing is lost: the same command goes on after step 160");
}

TEST(KeptWorkTest, NothingIsLostOnceTheLastStepIsSaved) {
  KeptWork work(Spec("m"));
  JobEvent formed;
  formed.mutable_formed()->mutable_start()->set_last_step(150);
  work.OnEvent(formed);
  work.OnEvent(Step(150));
  EXPECT_THAT(work.Advice(true), HasSubstr("150 steps are lost"));
  work.OnEvent(Saved(150));
  EXPECT_EQ(work.Advice(true),
            "nothing is lost: step 150 was the last, and its checkpoint is "
            "saved");
}

TEST(KeptWorkTest, AnEarlierJobsCheckpointIsNoWorkOfThisOne) {
  KeptWork work(Spec("m"));
  work.OnFound(100);
  EXPECT_EQ(work.Advice(false), "");
}

TEST(KeptWorkTest, RestartsThatWereGivenAreNotAdvised) {
  KeptWork work(Spec("m", 2));
  work.OnEvent(Step(150));
  work.OnEvent(Saved(100));
  EXPECT_THAT(work.Advice(true), Not(HasSubstr("--max_restarts")));
}

TEST(KeptWorkTest, AResumedJobHasItsCheckpoint) {
  KeptWork work(Spec("m"));
  JobEvent formed;
  formed.mutable_formed()->mutable_start()->set_checkpoint("m/60");
  formed.mutable_formed()->mutable_start()->set_step(60);
  work.OnEvent(formed);
  work.OnEvent(Step(70));
  EXPECT_THAT(work.Advice(false), HasSubstr("goes on after step 60 of 70"));
}

TEST(KeptWorkTest, MeasuringAndEvaluatingMakeNothingToKeep) {
  JobSpec eval = Spec("");
  eval.set_mode(words::Mode::eval);
  JobSpec bench = Spec("");
  bench.mutable_bench();
  for (const JobSpec& spec : {eval, bench}) {
    KeptWork work(spec);
    work.OnEvent(Step(7));
    EXPECT_EQ(work.Advice(true), "");
  }
}

// A wrong record ends the same command again, wherever it begins.
TEST(KeptWorkTest, BadDataAreToBeMendedFirst) {
  JobSpec spec = Spec("m");
  spec.set_dataset("tfrecord");
  spec.set_data_dir("shards");
  JobEvent failed;
  failed.mutable_failed()->set_phase("input");
  failed.mutable_failed()->set_code(
      static_cast<int>(absl::StatusCode::kDataLoss));
  KeptWork work(spec);
  work.OnEvent(failed);
  EXPECT_EQ(work.Advice(false),
            "the same command would fail again: mend the data first; pod_data "
            "verify shards --dataset=tfrecord finds what cannot be read");
  work.OnEvent(Step(30));
  EXPECT_THAT(work.Advice(false), HasSubstr("30 steps are lost; the same"));
  work.OnEvent(Saved(20));
  EXPECT_THAT(work.Advice(false),
              AllOf(HasSubstr("step 20 is saved"), Not(HasSubstr("are lost"))));
  // A store that did not answer may do so later.
  failed.mutable_failed()->set_code(
      static_cast<int>(absl::StatusCode::kUnavailable));
  work.OnEvent(failed);
  EXPECT_THAT(work.Advice(false), HasSubstr("goes on after step 20 of 30"));
}

// The directory was moved away while the job ran.
TEST(KeptWorkTest, WhatIsNotThereIsNotGoneOnFrom) {
  KeptWork work(Spec("runs/a"));
  work.OnEvent(Step(120));
  work.OnEvent(Saved(100));
  work.OnFound(0);
  EXPECT_EQ(
      work.Advice(true),
      "the checkpoints have gone from runs/a meanwhile: put them back, or "
      "120 steps are lost");
}

}  // namespace
}  // namespace podsim
