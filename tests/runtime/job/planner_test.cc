// Whole plans: what is frozen, what is refused.
#include "runtime/job/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "host/core/core.h"
#include "job/plan_warning.h"
#include "models/kernels/kernels.h"
#include "models/zoo/zoo.h"
#include "runtime/job/defaults.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::kExhausted;
using ::podsim::testing::kInvalid;
using ::podsim::testing::PlanOf;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PlannerTest, FreezesWhatDecidesBits) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanOf("seed: 3 hidden: [16] bucket_bytes: 1"
                              "024 chunk_bytes: 4096"));
  const PlanBits& bits = plan.bits();
  EXPECT_EQ(bits.slice(), "v3-32");
  EXPECT_EQ(bits.hosts(), 4);
  EXPECT_EQ(bits.cores_per_host(), 8);
  EXPECT_THAT(bits.ring(), ElementsAre(0, 1, 3, 2));
  EXPECT_EQ(bits.model().name(), "mlp");
  EXPECT_THAT(bits.model().hidden(), ElementsAre(16));
  EXPECT_THAT(bits.model().example_shape(), ElementsAre(8, 8));
  EXPECT_EQ(bits.model().classes(), 10);
  EXPECT_EQ(bits.dataset().fingerprint(), "digits");
  EXPECT_EQ(bits.seed(), 3);
  EXPECT_EQ(bits.precision(), "bfloat16");
  EXPECT_EQ(bits.gradient_dtype(), "float32");
  EXPECT_EQ(bits.optimizer(), "sgd");
  EXPECT_EQ(bits.algorithm(), bits.buckets(0).algorithm());
  EXPECT_EQ(bits.wire_dtype(), "float32");
  EXPECT_EQ(bits.host_rows() * bits.host_columns(), bits.hosts());
  EXPECT_EQ(bits.reduction(), "fused");
  EXPECT_EQ(bits.isa(), "v3");
  EXPECT_EQ(bits.kernel_library(), KernelLibraryVersion());
  EXPECT_EQ(bits.panel_rows(), Panels().rows);
  EXPECT_EQ(bits.panel_columns(), Panels().columns);
  EXPECT_EQ(bits.k_block(), Panels().k_block);
  EXPECT_EQ(bits.bucket_bytes(), 1024);
  EXPECT_EQ(plan.chunk_elements(), 1024);
  EXPECT_EQ(bits.numerics_version(), 5);
}

TEST(PlannerTest, ChunksFollowTheTransport) {
  for (const auto& [spec, elements] :
       {std::pair{"", 32 << 10}, std::pair{"wire_dtype: bfloat16", 64 << 10},
        std::pair{"processes: 1", 64 << 10},
        std::pair{"processes: 2", 32 << 10},
        std::pair{"transport: unix", 256 << 10},
        std::pair{"transport: tcp", 256 << 10}}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf(spec));
    EXPECT_EQ(plan.chunk_elements(), elements) << spec;
  }
  JobSpec elsewhere;
  FillExternalDefaults(elsewhere);
  FillGeneralDefaults(elsewhere);
  EXPECT_EQ(elsewhere.transport(), words::Transport::tcp);
  EXPECT_EQ(elsewhere.chunk_bytes(), 1 << 20);
  elsewhere.set_transport(words::Transport::shm);
  FillExternalDefaults(elsewhere);
  EXPECT_EQ(elsewhere.transport(), words::Transport::shm);
}

TEST(PlannerTest, BucketsAreThePrograms) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanOf("hidden: [16] bucket_bytes: 512"));
  ASSERT_OK_AND_ASSIGN(
      const Program program,
      BuildProgram(plan.bits().model(),
                   {.rule_settings = {.momentum = plan.bits().momentum()},
                    .bucket_bytes = 512}));
  ASSERT_GT(program.buckets.size(), 1) << "one bucket would test little";
  ASSERT_EQ(plan.bits().buckets_size(), program.buckets.size());
  std::int64_t elements = 0;
  std::vector<std::string> variables;
  for (int i = 0; i < plan.bits().buckets_size(); ++i) {
    const Bucket& bucket = plan.bits().buckets(i);
    EXPECT_EQ(bucket.begin(), program.buckets[i].begin);
    EXPECT_EQ(bucket.count(), program.buckets[i].count);
    elements += bucket.count();
    variables.insert(variables.end(), bucket.variables().begin(),
                     bucket.variables().end());
  }
  EXPECT_EQ(elements, program.gradient_elements);
  EXPECT_THAT(variables, ::testing::UnorderedElementsAre(
                             "dense_0/kernel", "dense_0/bias", "dense_1/kernel",
                             "dense_1/bias"));
}

TEST(PlannerTest, AutoGoesByTheChoicesBucketByBucket) {
  const std::string base =
      "hidden: [16] bucket_bytes: 512 choices { collective: 'all_reduce' "
      "most_bytes: 1024 algorithm: 'direct' } choices { collective: "
      "'all_reduce' algorithm: 'bidir_ring' } ";
  for (const int width : {4, 2}) {
    ASSERT_OK_AND_ASSIGN(
        const JobPlan plan,
        PlanOf(base + (width == 2 ? "wire_dtype: bfloat16" : "")));
    EXPECT_EQ(plan.bits().algorithm(), "by bucket");
    for (const Bucket& bucket : plan.bits().buckets()) {
      EXPECT_EQ(bucket.algorithm(),
                bucket.count() * width <= 1024 ? "direct" : "bidir_ring")
          << bucket.count() << " of " << width << " bytes";
    }
    EXPECT_TRUE(plan.bits().choices().empty()) << "the buckets say it";
  }
  ASSERT_OK_AND_ASSIGN(const JobPlan named, PlanOf(base + "algo: ring"));
  EXPECT_EQ(named.bits().algorithm(), "ring");
}

TEST(PlannerTest, AutoGoesByWhatFramesGoThrough) {
  // One bucket of 300 KiB: much through shared memory, little over sockets.
  const std::string base = "hidden: [1024] ";
  for (const auto& [transport, algorithm] :
       {std::pair{"shm", "ring"}, std::pair{"unix", "halving_doubling"},
        std::pair{"tcp", "halving_doubling"}}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                         PlanOf(absl::StrCat(base, "transport: ", transport)));
    ASSERT_EQ(plan.bits().buckets_size(), 1);
    EXPECT_EQ(plan.bits().buckets(0).algorithm(), algorithm) << transport;
  }
}

TEST(PlannerTest, ChoicesThatThereAreNotAreRefused) {
  EXPECT_THAT(PlanOf("choices { collective: 'all_reduce' algorithm: 'tree' }"),
              StatusIs(kInvalid, AllOf(HasSubstr("row 1"), HasSubstr("'tree'"),
                                       HasSubstr("there are ring"))));
}

TEST(PlannerTest, ARecipesPromiseIsForItsOwnNetwork) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf(""));
  EXPECT_EQ(plan.recipe_accuracy(), 0.96);
  EXPECT_EQ(plan.recipe_examples(), 2000 * 64);
  for (const char* other : {"hidden: 5", "momentum: 0.5"}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan changed, PlanOf(other));
    EXPECT_EQ(changed.recipe_accuracy(), 0) << other;
    EXPECT_EQ(changed.recipe_examples(), 0) << other;
  }
}

TEST(PlannerTest, AHalfOwnScheduleIsScaledAsAWhole) {
  ASSERT_OK_AND_ASSIGN(const JobPlan steps, PlanOf("train_steps: 1000"));
  EXPECT_EQ(steps.train_steps(), 250);
  EXPECT_DOUBLE_EQ(steps.bits().learning_rate().peak(), 0.24);
  ASSERT_OK_AND_ASSIGN(const JobPlan typed,
                       PlanOf("train_steps: 1000 reference_topology: 'v3-32'"));
  EXPECT_EQ(typed.train_steps(), 1000);
  EXPECT_DOUBLE_EQ(typed.bits().learning_rate().peak(), 0.24);
  ASSERT_OK_AND_ASSIGN(const JobPlan rate, PlanOf("learning_rate: 0.1"));
  EXPECT_EQ(rate.train_steps(), 500);
  EXPECT_DOUBLE_EQ(rate.bits().learning_rate().peak(), 0.4);
  ASSERT_OK_AND_ASSIGN(const JobPlan both,
                       PlanOf("train_steps: 1000 learning_rate: 0.1"));
  EXPECT_EQ(both.train_steps(), 1000);
  EXPECT_DOUBLE_EQ(both.bits().learning_rate().peak(), 0.1);
  EXPECT_EQ(both.bits().learning_rate().warmup_examples(), 0);
}

// Ten epochs of the digits are 15 steps on v3-128.
TEST(PlannerTest, EpochsThatMakeTooFewStepsWarn) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanOf("topology: 'v3-128' epochs: 10"));
  EXPECT_EQ(plan.train_steps(), 15);
  EXPECT_THAT(WarningTexts(plan), Contains(AllOf(HasSubstr("only 15 steps"),
                                                 HasSubstr("needs 125"))));
}

TEST(PlannerTest, RunLengthEvaluationAndLimits) {
  ASSERT_OK_AND_ASSIGN(
      const JobPlan plan,
      PlanOf("train_steps: 5 reference_topology: 'v3-32' batch_per_core: 2 "
             "eval_batch_size: 96 "
             "steps_per_eval: 3 transport: tcp threads: 2 "
             "heartbeat_timeout: 1.5"));
  EXPECT_EQ(plan.global_batch(), 64);
  EXPECT_EQ(plan.train_steps(), 5);
  EXPECT_EQ(plan.total_examples(), 320);
  EXPECT_EQ(plan.eval_batch_per_core(), 3);
  EXPECT_EQ(plan.spec().steps_per_eval(), 3);
  EXPECT_EQ(plan.spec().transport(), words::Transport::tcp);
  EXPECT_EQ(plan.spec().threads(), 2);
  EXPECT_EQ(plan.spec().stall_timeout(), 10);
  EXPECT_EQ(plan.spec().heartbeat_timeout(), 1.5);
  EXPECT_EQ(plan.spec().initialization_timeout(), 60);
  EXPECT_EQ(plan.spec().shutdown_timeout(), 10);
}

TEST(PlannerTest, TheEvaluationBatchIsNoLargerThanTheSplit) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf("batch_per_core: 128"));
  EXPECT_EQ(plan.eval_batch_per_core(), 10);  // 299 / 32 = 9.3
  EXPECT_THAT(PlanOf("eval_batch_size: 100"),
              StatusIs(kInvalid, HasSubstr("eval_batch_size 100 ")));
}

TEST(PlannerTest, PackingAndCrowdingAreNoted) {
  PlanInputs inputs = Inputs(Digits());
  inputs.cpus = 2;
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanJob(Spec("topology: 'v3-2048'"), inputs));
  EXPECT_THAT(plan.notes(), Contains(HasSubstr("256 hosts are packed into 8")));
  EXPECT_THAT(plan.notes(), Contains(HasSubstr("share 2 CPUs")));
}

TEST(PlannerTest, WhatTheDataSetDecidedIsNotedAndDecidesNoBits) {
  PlanInputs inputs = Inputs(Digits());
  ASSERT_OK_AND_ASSIGN(const JobPlan before, PlanJob(Spec(""), inputs));
  inputs.dataset_notes = {"split by the files' names"};
  ASSERT_OK_AND_ASSIGN(const JobPlan after, PlanJob(Spec(""), inputs));
  EXPECT_THAT(after.notes(), Contains("split by the files' names"));
  EXPECT_EQ(before.hash(), after.hash());
}

TEST(PlannerTest, AModelBeyondHbmIsRefusedWithATable) {
  EXPECT_THAT(
      PlanOf("topology: 'v3-8' hidden: [60000, 60000]"),
      StatusIs(kExhausted, AllOf(HasSubstr("HBM"), HasSubstr("parameters"))));
  EXPECT_THAT(PlanOf("batch_per_core: 100000000"),
              StatusIs(kExhausted, HasSubstr("the largest")));
  EXPECT_THAT(PlanOf("eval_batch_size: 3200000000"),
              StatusIs(kExhausted, HasSubstr("evaluation batch")));
}

TEST(PlannerTest, BatchesBeyondCountingAreRefusedToo) {
  EXPECT_THAT(PlanOf("train_batch_size: 1099511627776 train_steps: 1"),
              StatusIs(kExhausted, HasSubstr("the largest")));
  EXPECT_THAT(PlanOf("batch_per_core: 1099511627776 train_steps: 1 "
                     "dataset: 'synthetic' hidden: [4000, 4000]"),
              StatusIs(kExhausted, HasSubstr("the largest")));
}

// A plan is made on any machine, and is the same one each time.
TEST(PlannerTest, AsksNothingOfThisMachinesMemory) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf("host_memory_bytes: 1024"));
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{1} << 50}) {
    PlanInputs inputs = Inputs(Digits());
    inputs.memory_bytes = bytes;
    ASSERT_OK_AND_ASSIGN(const JobPlan other,
                         PlanJob(Spec("host_memory_bytes: 1024"), inputs));
    EXPECT_EQ(other.DebugString(), plan.DebugString());
  }
}

TEST(PlannerTest, AnIsaAboveThePodsIsRefused) {
  EXPECT_THAT(PlanOf("isa: v4"),
              StatusIs(kInvalid, AllOf(HasSubstr("isa is v4"),
                                       HasSubstr("runs v3 at most"))));
}

}  // namespace
}  // namespace podsim
