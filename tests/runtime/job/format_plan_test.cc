// The plan as text.
#include "runtime/job/format_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "models/kernels/kernels.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::Spec;
using ::testing::HasSubstr;

std::string Format(const std::string& text) {
  const JobSpec spec = Spec(text);
  const auto plan = PlanJob(spec, Inputs(Digits()));
  PODSIM_CHECK(plan.ok());
  return FormatPlan(*plan, *FindSlice(plan->bits().slice()));
}

TEST(FormatPlanTest, AWholeOne) {
  const std::string text = absl::StrReplaceAll(
      Format("topology: 'v3-32' hidden: 128 batch_per_core: 8 "
             "train_steps: 1001 reference_topology: 'v3-8' "
             "learning_rate: 0.05 warmup_steps: 100"),
      {{KernelLibraryVersion(), "Eigen X"}});
  EXPECT_EQ(
      text,
      R"(slice       v3-32: 4 hosts x 1 board x 4 chips x 2 cores = 32 cores
            4x4 chip grid, no axis wraps (assumed: no axis spans the pod;
            sources on parts of a v3 pod disagree: torus in MLPerf v0.6, mesh
            for v3-32 and torus from v3-1024 in v0.7, mesh by the GKE rule)
            16.00 GiB of HBM per core
job         mlp 64-128-10 on digits (1,498 examples, 299 held out)
batch       8 per core, 256 global
steps       1,001 of batch 64 on v3-8 -> 251 of batch 256
            64,256 examples in all, 42.89 epochs, 192 more than asked for
rate        0.05 -> 0.2 (linear), momentum 0.9
warm-up     6,400 examples, 25 steps
numerics    bfloat16 products, float32 sums, kernels v3 (Eigen X), seed 0
gradients   9,610 (37.54 KiB), 1 bucket, halving_doubling of 4 hosts, 256.00 KiB
            chunks
memory      772.77 KiB touched by a host per step, 540.23 KiB at the least
processes   4 processes, 1 host each, a fair share of the CPUs, shared memory
evaluation  8 per core, at the end
note        1,001 steps (v3-8, batch 64) become 251: 64,064 examples either way
note        steps round up: 192 more examples than asked for
note        learning rate 0.05 for batch 64 becomes 0.2 for batch 256 (linear)
)");
}

TEST(FormatPlanTest, OtherShapes) {
  EXPECT_THAT(Format("train_steps: 5"),
              HasSubstr("5 (as given, no reference)"));
  EXPECT_THAT(Format("epochs: 1"), HasSubstr("6 (epochs are not scaled)"));
  EXPECT_THAT(Format("train_steps: 1000 reference_batch_size: 100"),
              HasSubstr("1,000 of batch 100 -> 391 of batch 256"));
  EXPECT_THAT(Format("topology: 'v3-8'"), HasSubstr("one host: no ring"));
  EXPECT_THAT(Format("topology: 'v3-8'"), HasSubstr("1 process, 1 host, "));
  EXPECT_THAT(Format("topology: 'v3-128' processes: 5"),
              HasSubstr("5 processes, 3 or 4 hosts each"));
  EXPECT_THAT(Format("threads: 2 transport: 'tcp' steps_per_eval: 10"),
              AllOf(HasSubstr("2 threads each, TCP"),
                    HasSubstr("every 10 steps and at the end")));
  EXPECT_THAT(Format("topology: 'v3-2048'"), HasSubstr("\nWARNING     "));
  EXPECT_THAT(
      Format("model_dir: 'runs/a' checkpoint_every: 500 keep: 3"),
      HasSubstr("checkpoints runs/a: every 500 steps, at the end; 3 are kept"));
  EXPECT_THAT(
      Format("model_dir: 'm'"),
      HasSubstr("checkpoints m: every 600 s, at the end; all are kept"));
}

TEST(FormatPlanTest, LinesFitATerminal) {
  for (const std::string& name : SliceNames()) {
    const std::vector<std::string> lines = absl::StrSplit(
        Format("topology: '" + name + "' train_batch_size: 14336"), '\n');
    for (const std::string& line : lines) EXPECT_LE(line.size(), 80) << line;
  }
}

}  // namespace
}  // namespace podsim
