// Benchmarks as plans: nccl-tests' defaults, what "all" becomes, what is
// refused.
#include "runtime/job/bench_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units.h"
#include "settings/words.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

PlanInputs InputsOf(std::int64_t memory_bytes = 0) {
  return {.isa = "v3", .cpus = 256, .memory_bytes = memory_bytes};
}

absl::StatusOr<JobPlan> Plan(const std::string& bench,
                             const std::string& rest = "") {
  return PlanJob(Spec(rest + " bench {" + bench + "}"), InputsOf());
}

TEST(BenchPlanTest, DefaultsAreThoseOfNcclTests) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, Plan(""));
  const BenchSpec& bench = plan.spec().bench();
  EXPECT_EQ(bench.collective(), words::Collective::all_reduce);
  EXPECT_EQ(bench.minbytes(), 32 * kMiB);
  EXPECT_EQ(bench.maxbytes(), 32 * kMiB);
  EXPECT_EQ(bench.stepbytes(), kMiB);
  EXPECT_EQ(bench.stepfactor(), 1);
  EXPECT_EQ(bench.iters(), 20);
  EXPECT_EQ(bench.warmup_iters(), 1);
  EXPECT_EQ(bench.agg_iters(), 1);
  EXPECT_EQ(bench.run_cycles(), 1);
  EXPECT_EQ(bench.check(), 1);
  EXPECT_EQ(bench.average(), 1);
  EXPECT_EQ(bench.timeout(), 0);
  EXPECT_THAT(WordsIn<words::DataType::Word>(bench.datatype()),
              ElementsAre("float"));
  EXPECT_THAT(WordsIn<words::Operation::Word>(bench.op()), ElementsAre("sum"));
  EXPECT_THAT(bench.root(), ElementsAre(0));
  EXPECT_THAT(WordsIn<words::BenchAlgorithm::Word>(bench.algorithm()),
              ElementsAre("auto"));
  EXPECT_EQ(bench.ranks(), words::RankKind::hosts);
}

TEST(BenchPlanTest, ThePodIsPlannedAsForTraining) {
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       Plan("",
                            "topology: 'v3-64' processes: 2 chunk_bytes: 4096 "
                            "transport: tcp stall_timeout: 3"));
  EXPECT_EQ(plan.bits().hosts(), 8);
  EXPECT_EQ(plan.bits().cores_per_host(), 8);
  EXPECT_EQ(plan.bits().ring_size(), 8);
  EXPECT_EQ(plan.chunk_elements(), 1024);
  EXPECT_THAT(plan.first_host(), ElementsAre(0, 4));
  EXPECT_EQ(plan.spec().transport(), words::Transport::tcp);
  EXPECT_EQ(plan.spec().stall_timeout(), 3);
  EXPECT_EQ(plan.train_steps(), 0);
  EXPECT_EQ(plan.hash().size(), 64u);
  EXPECT_EQ(PlanJob(Spec("bench {}"), InputsOf())->bits().slice(), "v3-32");
}

TEST(BenchPlanTest, ChoicesReachTheHostsAndTheHash) {
  const std::string choices =
      "choices { collective: 'all_reduce' most_bytes: 7 algorithm: 'direct' }";
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, Plan("", choices));
  ASSERT_EQ(plan.bits().choices_size(), 1);
  EXPECT_EQ(plan.bits().choices(0).most_bytes(), 7);
  EXPECT_NE(plan.hash(), Plan("")->hash());
  EXPECT_THAT(Plan("", "choices { collective: 'barrier' algorithm: 'ring' }"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("row 1: ring does not do barrier")));
}

TEST(BenchPlanTest, AllIsWhatThereIs) {
  ASSERT_OK_AND_ASSIGN(const JobPlan reduce,
                       Plan("algorithm: all datatype: all op: all root: -1"));
  EXPECT_THAT(
      WordsIn<words::BenchAlgorithm::Word>(reduce.spec().bench().algorithm()),
      ElementsAre("ring", "bidir_ring", "torus2d", "halving_doubling",
                  "direct"));
  EXPECT_THAT(WordsIn<words::DataType::Word>(reduce.spec().bench().datatype()),
              ElementsAre("float", "bfloat16", "int32"));
  EXPECT_THAT(WordsIn<words::Operation::Word>(reduce.spec().bench().op()),
              ElementsAre("sum", "prod", "min", "max", "avg"));
  ASSERT_OK_AND_ASSIGN(const JobPlan broadcast,
                       Plan("collective: broadcast algorithm: all root: -1"));
  EXPECT_THAT(broadcast.spec().bench().root(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(WordsIn<words::BenchAlgorithm::Word>(
                  broadcast.spec().bench().algorithm()),
              Contains("ring"));
  ASSERT_OK_AND_ASSIGN(const JobPlan cores,
                       Plan("collective: broadcast ranks: cores root: -1"));
  EXPECT_EQ(cores.spec().bench().root_size(), 32);
}

TEST(BenchPlanTest, ARootIsARankOfABroadcast) {
  EXPECT_THAT(Plan("collective: broadcast root: 4"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "root is 4; allowed: 0 to 3, or all: --root (-r) "
                       "numbers the 4 hosts from 0"));
  EXPECT_THAT(Plan("collective: broadcast root: 32 ranks: cores"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("numbers the 32 cores from 0")));
  EXPECT_THAT(Plan("collective: broadcast root: 4 ranks: cores"), IsOk());
  EXPECT_THAT(Plan("root: 4"), IsOk());  // an all_reduce has none
}

TEST(BenchPlanTest, BuffersBeyondTheMachineAreRefused) {
  // 2 buffers of 32 MiB on each of 4 hosts.
  const JobSpec spec = Spec("bench {}");
  EXPECT_THAT(PlanJob(spec, InputsOf(256 * kMiB)), IsOk());
  EXPECT_THAT(
      PlanJob(spec, InputsOf(255 * kMiB)),
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(HasSubstr("256.00 MiB"), HasSubstr("255.00 MiB"))));
  EXPECT_THAT(PlanJob(Spec("bench { agg_iters: 2 }"), InputsOf(256 * kMiB)),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("-m")));
}

TEST(BenchPlanTest, TooManyRowsAreRefused) {
  EXPECT_THAT(Plan("minbytes: 4 maxbytes: 400000 stepbytes: 4 datatype: all"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("100,000 sizes, 1 algorithm, 3 data types, 1 "
                                 "operation and 1 root make more than 100,000 "
                                 "rows; ask for fewer at a time")));
}

TEST(BenchPlanTest, HostsElsewhereShareNoCpuOfThisMachine) {
  PlanInputs inputs = InputsOf();
  inputs.cpus = 2;
  EXPECT_EQ(PlanJob(Spec("bench {}"), inputs)->notes_size(), 1);
  inputs.cpus = 0;
  EXPECT_EQ(PlanJob(Spec("bench {}"), inputs)->notes_size(), 0);
}

}  // namespace
}  // namespace podsim
