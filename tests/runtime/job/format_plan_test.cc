// The plan as text.
#include "runtime/job/format_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/units.h"
#include "models/kernels/kernels.h"
#include "runtime/job/fit.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::Spec;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Format(const std::string& text, const PlanStyle& style) {
  const JobSpec spec = Spec(text);
  auto plan = PlanJob(spec, Inputs(Digits()));
  PODSIM_CHECK(plan.ok());
  NoteAsked(spec, *plan);
  return FormatPlan(*plan, *FindSlice(plan->bits().slice()), style);
}

// All of it.
std::string Format(const std::string& text, int width = 80) {
  return Format(text, {.width = width, .verbose = true});
}

// What fits a screen.
std::string Brief(const std::string& text) { return Format(text, PlanStyle{}); }

int Lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST(BriefPlanTest, HasALineForEachThingThatMatters) {
  EXPECT_EQ(
      Brief("topology: 'v3-32' hidden: 128 batch_per_core: 8"),
      "slice          v3-32: 4 hosts, 16 chips, 32 cores, 4x4 grid\n"
      "job            mlp 64-128-10 on digits (1,498 examples, 299 in the "
      "eval split)\n"
      "batch          8 per core, 256 global\n"
      "steps          2,000 (recipe) of batch 64 on v3-8 -> 500 of batch "
      "256\n"
      "learning rate  0.06 (recipe) -> 0.24 (linear), momentum 0.9 "
      "(recipe)\n"
      "HBM            164.00 KiB of 15.48 GiB per core; largest batch "
      "12,225,064\n");
  EXPECT_THAT(Brief("topology: 'v3-8' model: 'encoder'"),
              HasSubstr("\nlearning rate  0.0005 (recipe), adamw (recipe)\n"));
}

TEST(BriefPlanTest, SaysHowTypedStepsAreKept) {
  EXPECT_THAT(Brief("topology: 'v3-32' train_steps: 100"),
              HasSubstr("\nsteps          100 of batch 64 on v3-8 -> 25 of "
                        "batch 256\n               "
                        "(--reference_topology=v3-32 keeps steps as typed)\n"));
  for (const char* job :
       {"topology: 'v3-32'", "topology: 'v3-8' train_steps: 100",
        "topology: 'v3-32' train_steps: 100 reference_topology: 'v3-32'",
        "topology: 'v3-32' epochs: 3"})
    EXPECT_THAT(Brief(job), Not(HasSubstr("as typed)"))) << job;
}

// Those last in it are the last on the screen, a line each.
TEST(BriefPlanTest, SaysThatNothingIsAuditedOnOneHost) {
  EXPECT_THAT(Brief("topology: 'v3-8' audit_every: 5"),
              HasSubstr("note           audit_every is 5, but a slice of one "
                        "host has no other to audit"));
  EXPECT_THAT(Brief("topology: 'v3-32' audit_every: 5"),
              Not(HasSubstr("audit_every")));
}

TEST(BriefPlanTest, EndsWithTheWarnings) {
  const JobSpec spec = Spec("topology: 'v3-2048'");
  const auto plan = PlanJob(spec, Inputs(Digits()));
  ASSERT_TRUE(plan.ok());
  const std::string text =
      FormatPlan(*plan, *FindSlice("v3-2048"), {},
                 {{"sim step", "47.1 us sim"}, {"plan hash", plan->hash()}});
  EXPECT_THAT(
      text,
      EndsWith("\nplan hash      " + plan->hash() +
               "\nWARNING        global batch 16,384 exceeds the data set's "
               "1,498 examples\n"
               "WARNING        only 8 steps are left; the recipe needs 125 to "
               "converge\n"
               "WARNING        a learning rate of 15.36 is far above the "
               "recipe's 0.06 to 0.96\n"));
  EXPECT_EQ(FormatWarnings(*plan), text.substr(text.find("WARNING")));
  EXPECT_THAT(Format("topology: 'v3-2048'", 200),
              EndsWith("\nWARNING        a learning rate of 15.36 is far above "
                       "the recipe's 0.06 to 0.96: it was measured to converge "
                       "with those\n"));
}

TEST(FormatPlanTest, NamesASlowLinkAndWarnsWhereTheRunShowsNothing) {
  EXPECT_THAT(
      Format("topology: 'v3-32' ici_fault: 'link:(1,0)-(2,0):0.25'", 200),
      HasSubstr("\nslow link      link (1,0)-(2,0) at 0.25 of its rate: a MB "
                "between hosts 0 and 1 takes 3 ms longer, wall\n"));
  EXPECT_THAT(Brief("topology: 'v3-32' ici_fault: 'link:(1,0)-(2,0):0.25'"),
              HasSubstr("\nslow link "));
  EXPECT_THAT(Brief("topology: 'v3-32' ici_fault: 'link:(0,0)-(1,0):0.25'"),
              EndsWith("\nWARNING        link (0,0)-(1,0) at 0.25 of its rate "
                       "slows the forecast alone\n"));
}

TEST(BriefPlanTest, TakesTwelveLinesWhateverIsAdded) {
  const auto plan = PlanJob(Spec("topology: 'v3-2048'"), Inputs(Digits()));
  ASSERT_TRUE(plan.ok());
  const std::string text = FormatPlan(
      *plan, *FindSlice("v3-2048"), {},
      {{.label = "sim step",
        .text = std::string(60, 'a') + " " + std::string(60, 'b') + " c",
        .brief = std::string(60, 'a') + " " + std::string(60, 'b'),
        .brief_rank = 8},
       {"start", "m/10, step 10; 20 steps to go"},
       {"plan hash", plan->hash()}});
  EXPECT_EQ(Lines(text), 12) << text;
  EXPECT_THAT(text, Not(HasSubstr("\njob ")));
  for (const char* label :
       {"slice ", "\nbatch ", "\nsteps ", "\nlearning rate ", "\nHBM ",
        "\nsim step ", "\nstart ", "\nplan hash ", "\nWARNING "})
    EXPECT_THAT(text, HasSubstr(label));
}

// Every slice that trains, at the width of a terminal.
TEST(BriefPlanTest, FitsAScreenOnEverySlice) {
  for (const std::string& name : TrainingSliceNames()) {
    const std::string text = Brief("topology: '" + name + "'");
    EXPECT_LE(Lines(text), 10) << text;
    for (const absl::string_view line : absl::StrSplit(text, '\n'))
      EXPECT_LE(line.size(), 80) << line;
  }
}

// Where a chip's cores act as one, the batch is the chip's.
TEST(FormatPlanTest, CountsPerChipWhereItsCoresActAsOne) {
  const std::string job = "topology: 'v4-8' batch_per_core: 8";
  const std::string brief = Brief(job);
  EXPECT_THAT(brief, HasSubstr("v4-8: 1 host, 4 chips (2 cores act as one), "
                               "2x2x1 grid\n"));
  EXPECT_THAT(brief, HasSubstr("8 per chip, 32 global\n"));
  EXPECT_THAT(brief, HasSubstr(" of 30.75 GiB per chip; "));
  EXPECT_THAT(brief, Not(HasSubstr("per core")));
  const std::string whole = Format(job, 200);
  EXPECT_THAT(whole, HasSubstr("= 8 cores; the 2 cores of a chip act as one, "
                               "and the batch is counted per chip\n"));
  EXPECT_THAT(whole, HasSubstr("evaluation     8 per chip, at the end\n"));
  EXPECT_THAT(whole, Not(HasSubstr("per core")));
}

TEST(FormatPlanTest, SaysInWhichOrderShardsAre) {
  const auto text = [](bool asked, std::int64_t window, bool packed) {
    DatasetConfig shards = Digits();
    shards.set_shards(8);
    shards.set_shuffle_window(window);
    shards.set_packed(packed);
    shards.set_lanes(packed ? 4 : 0);
    JobPlan plan = *PlanJob(Spec("topology: 'v3-32'"), Inputs(shards));
    // What was asked is no matter of a data set of Digits().
    if (asked) plan.mutable_spec()->set_shuffle_window(window);
    return FormatPlan(plan, *FindSlice("v3-32"),
                      {.width = 300, .verbose = true});
  };
  EXPECT_THAT(text(false, 0, false),
              HasSubstr("in the eval split), layers of the recipe, 8 shards, "
                        "shuffled as a whole\n"));
  EXPECT_THAT(text(false, 64, true),
              HasSubstr("8 compressed shards in random order, 4 interleaved "
                        "readers, shuffle window of 64 examples\n"));
  EXPECT_THAT(text(true, 64, false),
              HasSubstr("8 shards in random order, shuffle window of 64"));
  EXPECT_THAT(text(false, 64, false),
              HasSubstr("8 shards (their index is too large for a whole "
                        "shuffle) in random order, shuffle window of 64"));
}

TEST(FormatPlanTest, AWholeOne) {
  const char* job =
      "topology: 'v3-32' hidden: 128 batch_per_core: 8 "
      "train_steps: 1001 reference_topology: 'v3-8' "
      "learning_rate: 0.05 warmup_steps: 100";
  const auto plan = PlanJob(Spec(job), Inputs(Digits()));
  ASSERT_TRUE(plan.ok());
  const std::string text = absl::StrReplaceAll(
      Format(job), {{KernelLibraryVersion(), "Eigen X"},
                    {FormatBytes(MachineBytes(*plan)), "MACHINE"}});
  EXPECT_EQ(text,
            R"(asked          --topology=v3-32 --hidden=128 --train_steps=1001
               --batch_per_core=8 --reference_topology=v3-8 --learning_rate=0.05
               --warmup_steps=100
slice          v3-32: 4 hosts x 1 board x 4 chips x 2 cores = 32 cores
               4x4 chip grid, no axis wraps (assumed; why: --describe v3-32)
job            mlp 64-128-10 on digits (1,498 examples, 299 in the eval split)
batch          8 per core, 256 global
steps          1,001 of batch 64 on v3-8 -> 251 of batch 256
               64,256 examples in all, 42.89 epochs, 192 more than asked for
learning rate  0.05 -> 0.2 (linear), momentum 0.9 (recipe)
warm-up        6,400 examples, 25 steps
numerics       bfloat16 products, float32 sums, kernels v3 (Eigen X), seed 0
gradients      9,610 (37.54 KiB), 1 bucket, halving_doubling of 4 hosts, 128.00
               KiB chunks
HBM            164.00 KiB of 15.48 GiB per core: parameters 42.00 KiB, gradients
               42.00 KiB, optimizer state 42.00 KiB, activations 6.00 KiB, input
               32.00 KiB; the largest batch without recomputation is 12,225,064
               per core
memory         a run takes MACHINE of this machine's memory, in 4 processes
               memory traffic per host and step: 772.77 KiB (lower bound 540.23
               KiB)
processes      4 processes, 1 host each, a fair share of the CPUs, shared memory
evaluation     8 per core, at the end
note           1,001 steps (v3-8, batch 64) become 251: 64,064 examples either
               way
note           steps round up: 192 more examples than asked for
note           learning rate 0.05 for batch 64 becomes 0.2 for batch 256
               (linear)
)");
}

TEST(FormatPlanTest, WhatWasAskedComesFirst) {
  EXPECT_THAT(Format(""), StartsWith("slice "));
  EXPECT_THAT(
      Format("run_name: 'nightly' algo: ring"),
      StartsWith("asked          --algo=ring --run_name=nightly\nslice "));
  // As typed, whatever the plan made of it, to the last digit.
  EXPECT_THAT(Format("topology: 'v3-8' audit_every: 5 momentum: 0.12345678"),
              StartsWith("asked          --topology=v3-8 --momentum=0.12345678 "
                         "--audit_every=5\nslice "));
}

TEST(FormatPlanTest, OtherShapes) {
  EXPECT_THAT(Format("train_steps: 5 learning_rate: 0.1"),
              AllOf(HasSubstr("5 (as typed, no reference)"),
                    HasSubstr("learning rate  0.1, momentum 0.9 (recipe)"),
                    HasSubstr("warm-up        none")));
  EXPECT_THAT(Format("epochs: 1"), HasSubstr("6 (epochs are not scaled)"));
  EXPECT_THAT(Format("train_steps: 1000 reference_batch_size: 100"),
              HasSubstr("1,000 of batch 100 -> 391 of batch 256"));
  EXPECT_THAT(Format("topology: 'v3-8'"), HasSubstr("one host: no ring"));
  EXPECT_THAT(Format("topology: 'v3-8'"), HasSubstr("1 process, 1 host, "));
  EXPECT_THAT(Format("topology: 'v3-128' processes: 5"),
              HasSubstr("5 processes, 3 or 4 hosts each"));
  EXPECT_THAT(Format("threads: 2 transport: tcp steps_per_eval: 10"),
              AllOf(HasSubstr("2 threads each, TCP"),
                    HasSubstr("every 10 steps and at the end")));
  EXPECT_THAT(Format("topology: 'v3-2048'"), HasSubstr("\nWARNING        "));
  EXPECT_THAT(
      Format("model_dir: 'runs/a' checkpoint_every: 500 keep: 3"),
      HasSubstr(
          "checkpoints    runs/a: every 500 steps, at the end; 3 are kept"));
  EXPECT_THAT(
      Format("model_dir: 'm'"),
      HasSubstr("checkpoints    m: every 600 s, at the end; all are kept"));
}

TEST(FormatPlanTest, WhatTheRecipeDecidedSaysSo) {
  const std::string plan = Format("", /*width=*/200);
  for (const char* text :
       {", layers of the recipe", "8 per core (recipe), ",
        "2,000 (recipe) of batch 64 on v3-8 -> 500 of batch 256",
        "0.06 (recipe) -> 0.24 (linear), momentum 0.9 (recipe)",
        "12,800 examples, 50 steps (recipe: 10% of the run)"})
    EXPECT_THAT(plan, HasSubstr(text));
  EXPECT_THAT(
      Format("hidden: 9 batch_per_core: 8 train_steps: 2000 "
             "momentum: 0 learning_rate: 0.06 reference_topology: 'v3-8' "
             "warmup_steps: 1"),
      Not(HasSubstr("recipe")));
}

TEST(FormatPlanTest, MemoryIsThatOfTheMachinesThatRunTheHosts) {
  const auto plan = PlanJob(Spec("topology: 'v3-32'"), Inputs(Digits()));
  ASSERT_TRUE(plan.ok());
  const Slice slice = *FindSlice("v3-32");
  PlanStyle style = {.width = 200, .verbose = true};
  EXPECT_THAT(FormatPlan(*plan, slice, style),
              HasSubstr(" of this machine's memory, in 4 processes\n"));
  style.external_hosts = true;
  EXPECT_THAT(
      FormatPlan(*plan, slice, style),
      AllOf(HasSubstr(" on the machines that run the hosts, in 4 processes\n"),
            Not(HasSubstr("this machine"))));
}

TEST(FormatPlanTest, NothingBreaksInsideAWord) {
  const std::string job = "topology: 'v3-2048' train_batch_size: 14336";
  const auto words = [](const std::string& text) {
    std::vector<std::string> all =
        absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
    return all;
  };
  for (const int width : {40, 60, 80, 200}) {
    const std::string text = Format(job, width);
    EXPECT_EQ(words(text), words(Format(job))) << width;
    for (const absl::string_view line : absl::StrSplit(text, '\n'))
      EXPECT_LE(line.size(), width) << line;
  }
}

TEST(FormatPlanTest, LinesFitATerminal) {
  for (const std::string& name : TrainingSliceNames()) {
    const std::vector<std::string> lines = absl::StrSplit(
        Format("topology: '" + name + "' batch_per_core: 8"), '\n');
    for (const std::string& line : lines) EXPECT_LE(line.size(), 80) << line;
  }
}

}  // namespace
}  // namespace podsim
