// What a plan says of memory, the chip's and this machine's.
#include "runtime/job/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "runtime/job/planner.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::IsOk;
using ::podsim::testing::kExhausted;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

JobPlan PlanFitting(const std::string& text) {
  const auto plan = PlanJob(Spec(text), Inputs(Digits()));
  PODSIM_CHECK(plan.ok());
  return *plan;
}

TEST(CoreMemoryTest, IsTheGenerationsAndTheBatchThatFitsFits) {
  // Without the 530 and 528 MiB that the system keeps.
  for (const auto& [topology, mib] :
       {std::pair("v2-32", 8192 - 530), {"v3-32", 16384 - 528}}) {
    const JobPlan plan =
        PlanFitting(absl::StrCat("topology: '", topology, "'"));
    const CoreMemory& memory = plan.core_memory();
    EXPECT_EQ(memory.hbm(), mib * kMiB);
    const std::int64_t weights = std::int64_t{4} * (65 * 256 + 257 * 10);
    EXPECT_EQ(memory.saved(), 2 * weights);
    // In tiles of 8 x 128 and 1,024: kernels of 64 x 256 and, on its side,
    // 16 x 256; biases of 1 KiB each.
    const std::int64_t tiled =
        std::int64_t{4} * (64 * 256 + 16 * 256 + 2 * 256);
    EXPECT_EQ(memory.parameters(), tiled);
    EXPECT_EQ(memory.gradients(), tiled);
    EXPECT_EQ(memory.slots(), tiled);
    // The hidden layer's gradient, loss and correct.
    EXPECT_EQ(memory.activations(), 4 * (8 * 256 + 2 * 256));
    EXPECT_EQ(memory.input(), 4 * 64 * 128);
    const std::string batch = absl::StrCat(
        "topology: '", topology, "' batch_per_core: ", memory.largest_batch());
    EXPECT_THAT(PlanJob(Spec(batch), Inputs(Digits())), IsOk());
    const std::string more =
        absl::StrCat("remat: none topology: '", topology,
                     "' batch_per_core: ", memory.largest_batch() + 1);
    EXPECT_THAT(
        PlanJob(Spec(more), Inputs(Digits())),
        StatusIs(kExhausted, HasSubstr(absl::StrCat("; give --batch_per_core=",
                                                    memory.largest_batch()))));
    const std::string global =
        absl::StrCat("remat: none topology: '", topology,
                     "' train_batch_size: ", 32 * (memory.largest_batch() + 1));
    EXPECT_THAT(PlanJob(Spec(global), Inputs(Digits())),
                StatusIs(kExhausted,
                         HasSubstr(absl::StrCat("; give --train_batch_size=",
                                                32 * memory.largest_batch()))));
  }
}

TEST(InputMemoryTest, IsCountedAndRefusedWithItsNumbers) {
  // A process of one host makes batches of 8 cores x 8 examples, each of 64
  // floats, 64 tokens, a label, a weight and a key.
  constexpr std::int64_t kBatch =
      std::int64_t{64} * (4 * 64 + 4 * 64 + 4 + 4 + 8);
  const std::int64_t usual = PlanFitting("").machine_memory().per_process();
  EXPECT_EQ(PlanFitting(absl::StrCat("input_memory: ", 32 * kBatch))
                .machine_memory()
                .per_process(),
            usual + 6 * kBatch);
  EXPECT_THAT(
      PlanJob(Spec("input_memory: 1048576 batch_per_core: 512"),
              Inputs(Digits())),
      StatusIs(kExhausted,
               AllOf(HasSubstr("input_memory is 1.00 MiB, but a batch of 4,096 "
                               "examples of a process takes"),
                     HasSubstr("M or more, more --processes or a smaller "
                               "batch"))));
  DatasetConfig shards = Digits();
  shards.set_shards(4);
  ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanJob(Spec(""), Inputs(shards)));
  EXPECT_EQ(plan.machine_memory().per_process(), usual + 256 * kMiB);
}

TEST(AdmitToMachineTest, RefusesARunWithBothFigures) {
  const JobPlan plan = PlanFitting("");
  const std::int64_t needed = MachineBytes(plan);
  EXPECT_GT(needed, std::int64_t{4} * 64 * kMiB);
  EXPECT_THAT(AdmitToMachine(plan, needed, 0), IsOk());
  EXPECT_THAT(AdmitToMachine(plan, 0, 0), IsOk()) << "nobody asked";
  EXPECT_THAT(AdmitToMachine(plan, 100 * kMiB, 0),
              StatusIs(kExhausted, AllOf(HasSubstr(FormatBytes(needed)),
                                         HasSubstr("100.00 MiB are there"),
                                         HasSubstr("--processes=1 needs"))));
  EXPECT_THAT(
      AdmitToMachine(plan, kGiB, 1024),
      StatusIs(kExhausted, AllOf(HasSubstr("1.00 KiB are allowed"),
                                 HasSubstr("use a smaller --topology"))));
  EXPECT_THAT(AdmitToMachine(plan, 1024, kGiB), IsOk()) << "it is the user's";
}

// One byte less than what a batch takes.
TEST(AdmitToMachineTest, SaysTheLargestBatchThatFits) {
  for (const auto& [more, flags] :
       {std::pair("batch_per_core: 512", "give --batch_per_core=511, or"),
        {"train_batch_size: 4096", "give --train_batch_size=4088, or"},
        {"batch_per_core: 64 eval_batch_size: 4096",
         "give --eval_batch_size=4088, or"},
        {"batch_per_core: 512 eval_batch_size: 4096",
         "give --batch_per_core=511 --eval_batch_size=4088, or"},
        {"batch_per_core: 512 reduction: tree microbatch_size: 4",
         "give --batch_per_core=256, or"}}) {
    const JobPlan plan = PlanFitting(absl::StrCat("topology: 'v3-8' ", more));
    EXPECT_THAT(AdmitToMachine(plan, MachineBytes(plan) - 1, 0),
                StatusIs(kExhausted, HasSubstr(flags)));
  }
  const JobPlan fits = PlanFitting("topology: 'v3-8' batch_per_core: 511");
  const JobPlan plan = PlanFitting("topology: 'v3-8' batch_per_core: 512");
  EXPECT_THAT(AdmitToMachine(fits, MachineBytes(plan) - 1, 0), IsOk());
}

TEST(AdmitToMachineTest, OneProcessMayNeedASmallerBatchToo) {
  const JobPlan plan =
      PlanFitting("topology: 'v3-32' processes: 4 batch_per_core: 64");
  JobPlan alone = plan;
  alone.mutable_spec()->set_processes(1);
  EXPECT_THAT(
      AdmitToMachine(plan, MachineBytes(alone) - 1, 0),
      StatusIs(kExhausted, HasSubstr("give --processes=1 --batch_per_core=63, "
                                     "or use a smaller --topology")));
}

}  // namespace
}  // namespace podsim
