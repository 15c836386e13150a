// A newcomer's command, whole: real processes, real data, real frames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/pod.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class DefaultRecipeTest : public ::testing::TestWithParam<const char*> {};

TEST_P(DefaultRecipeTest, DigitsReachNinetySixPercent) {
  PodRun pod({std::string("--topology=") + GetParam(), "--model=mlp"});
  ASSERT_EQ(pod.Wait(), 0) << pod.output();
  const nlohmann::json plan = pod.Event("plan");
  const nlohmann::json summary = pod.Event("summary");
  ASSERT_TRUE(plan.contains("plan_hash")) << pod.output();
  ASSERT_TRUE(summary.contains("eval_accuracy")) << pod.output();
  EXPECT_GE(summary["eval_accuracy"], 0.96);
  // 1,797 images, every sixth held out; each counted exactly once.
  EXPECT_EQ(summary["eval_examples"], 299);
  EXPECT_EQ(plan["train_examples"], 1498);
  // Float32 parameters, gradients and slots at least; of what a core has.
  constexpr std::int64_t kParameters = 64 * 256 + 256 + 256 * 10 + 10;
  const auto hbm = plan.value("hbm_bytes_per_core", std::int64_t{0});
  EXPECT_GE(hbm, 3 * 4 * kParameters);
  EXPECT_LT(hbm, plan.value("hbm_bytes_available", std::int64_t{0}));
  EXPECT_EQ(summary["steps"], plan["train_steps"]);
  EXPECT_EQ(pod.Events("step").size(), plan["train_steps"]);
  EXPECT_EQ(summary["weights_hash"].get<std::string>().size(), 64u);
  EXPECT_EQ(summary["plan_hash"], plan["plan_hash"]);
  EXPECT_GT(summary["seconds_to_first_step"], 0);
  EXPECT_THAT(pod.output(), HasSubstr(summary["weights_hash"]));
  EXPECT_THAT(pod.output(), HasSubstr("examples/sec: "));
  EXPECT_THAT(pod.output(), HasSubstr("time to first step"));
  // Every line and record of a step has both clocks, however late the forecast
  // was.
  std::istringstream lines(pod.output());
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("step ", 0) == 0)
      EXPECT_THAT(line, ContainsRegex(", global_step/sec: [0-9.]+, .*"
                                      ", sim_step: [0-9.]+, sim_time: [0-9.]+"
                                      ", eta: "));
  const double step = summary["simulated_step_seconds"];
  for (const nlohmann::json& each : pod.Events("step")) {
    ASSERT_TRUE(each.contains("simulated_seconds")) << each;
    EXPECT_GT(each["seconds"], 0);
    EXPECT_DOUBLE_EQ(each["simulated_seconds"], step);
    EXPECT_NEAR(each["simulated_time"], each["step"].get<double>() * step,
                1e-9);
  }
  EXPECT_NEAR(summary["simulated_seconds_steps"],
              plan["train_steps"].get<double>() * step, 1e-9);
  EXPECT_THAT(pod.output(), HasSubstr("  simulated run       "));
  EXPECT_EQ(summary["simulated_hbm_bytes_per_core"], hbm);
}

INSTANTIATE_TEST_SUITE_P(Slices, DefaultRecipeTest,
                         ::testing::Values("v3-8", "v3-32", "v4-16",
                                           "v5litepod-16"));

struct Packing {
  const char* name;
  std::vector<std::string> flags;
};

TEST(SameBitsTest, PackingTransportAndRepetitionDoNotChangeThem) {
  const Packing packings[] = {
      {"4 processes, shared memory", {"--processes=4"}},
      {"again", {"--processes=4"}},
      {"4 processes, Unix sockets", {"--processes=4", "--transport=unix"}},
      {"4 processes, TCP", {"--processes=4", "--transport=tcp"}},
      {"2 processes", {"--processes=2"}},
      {"1 process", {"--processes=1"}},
      {"1 process, 3 threads", {"--processes=1", "--threads=3"}},
  };
  std::string plan_hash;
  std::string weights_hash;
  for (const Packing& packing : packings) {
    SCOPED_TRACE(packing.name);
    std::vector<std::string> flags = {
        "--topology=v3-32", "--model=mlp", "--train_steps=40",
        "--reference_topology=v3-32", "--bucket_bytes=16384"};
    flags.insert(flags.end(), packing.flags.begin(), packing.flags.end());
    PodRun pod(flags);
    ASSERT_EQ(pod.Wait(), 0) << pod.output();
    const nlohmann::json summary = pod.Event("summary");
    ASSERT_TRUE(summary.contains("weights_hash")) << pod.output();
    if (weights_hash.empty()) {
      weights_hash = summary["weights_hash"];
      plan_hash = summary["plan_hash"];
    }
    EXPECT_EQ(summary["weights_hash"], weights_hash);
    EXPECT_EQ(summary["plan_hash"], plan_hash);
  }
}

TEST(SameBitsTest, TreeReductionGivesThemOnEverySlice) {
  std::string weights_hash;
  for (const char* topology : {"v3-8", "v3-32", "v3-128", "v4-16",
                               "v5litepod-4", "v5litepod-16", "v6e-16"}) {
    SCOPED_TRACE(topology);
    PodRun pod({std::string("--topology=") + topology, "--model=mlp",
                "--train_batch_size=512", "--train_steps=10",
                "--reference_batch_size=512", "--reduction=tree",
                "--microbatch_size=4"});
    ASSERT_EQ(pod.Wait(), 0) << pod.output();
    const std::string hash = pod.Event("summary").value("weights_hash", "none");
    if (weights_hash.empty()) weights_hash = hash;
    EXPECT_EQ(hash, weights_hash);
  }
}

TEST(SameBitsTest, AFileTrainsAsTheModelItWasWrittenOf) {
  TempDir directory;
  const std::string file = directory.file("mlp.model");
  Subprocess writer({.command = {Program("pod_launch"), "--model=mlp",
                                 "--hidden=16", "--write_model=" + file}});
  ASSERT_EQ(writer.Wait(kDeadline), 0) << writer.output();
  std::string weights_hash;
  for (const std::string& flag :
       {std::string("--hidden=16"), "--model_file=" + file}) {
    SCOPED_TRACE(flag);
    PodRun pod({"--topology=v3-32", "--dataset=digits", "--batch_per_core=4",
                "--train_steps=10", "--learning_rate=0.05", "--momentum=0.9",
                flag});
    ASSERT_EQ(pod.Wait(), 0) << pod.output();
    const std::string hash = pod.Event("summary").value("weights_hash", "none");
    if (weights_hash.empty()) weights_hash = hash;
    EXPECT_EQ(hash, weights_hash);
  }
}

TEST(SameBitsTest, AnotherSeedGivesOtherBits) {
  std::string hashes[2];
  for (int seed = 0; seed < 2; ++seed) {
    PodRun pod({"--topology=v3-8", "--model=mlp", "--train_steps=5",
                "--seed=" + std::to_string(seed)});
    ASSERT_EQ(pod.Wait(), 0) << pod.output();
    hashes[seed] = pod.Event("summary").value("weights_hash", "none");
  }
  EXPECT_NE(hashes[0], hashes[1]);
}

TEST(RefusalTest, ALossThatIsNotFiniteNamesStepAndCore) {
  PodRun pod({"--topology=v3-32", "--model=mlp", "--learning_rate=1e30",
              "--train_steps=50", "--warmup_steps=0"});
  const int code = pod.Wait();
  EXPECT_NE(code, 0) << pod.output();
  EXPECT_NE(code, -1) << pod.output();
  EXPECT_THAT(pod.output(), HasSubstr("loss became"));
  EXPECT_THAT(pod.output(), HasSubstr("at step"));
  EXPECT_THAT(pod.output(), HasSubstr("on core"));
}

TEST(RefusalTest, AModelBeyondHbmIsRefusedBeforeAnyProcessStarts) {
  PodRun pod({"--topology=v3-8", "--model=mlp", "--hidden=60000,60000"});
  EXPECT_NE(pod.Wait(), 0);
  EXPECT_THAT(pod.output(), HasSubstr("HBM"));
  EXPECT_THAT(pod.output(), HasSubstr("parameters"));
}

TEST(RefusalTest, UnknownSlicesNameTheNearest) {
  PodRun pod({"--topology=v3-33", "--model=mlp"});
  EXPECT_NE(pod.Wait(), 0);
  EXPECT_THAT(pod.output(), HasSubstr("v3-32"));
}

TEST(DryRunTest, PrintsThePlanAndStartsNothing) {
  PodRun pod({"--topology=v3-128", "--model=mlp", "--dry_run"});
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  EXPECT_THAT(pod.output(), HasSubstr("v3-128"));
  EXPECT_THAT(pod.output(), HasSubstr("\nsim step       "));
  EXPECT_THAT(pod.Unwrapped(),
              HasSubstr("scaling efficiency 100% against v3-8, 69% without the "
                        "fixed cost"));
  EXPECT_THAT(pod.output(), Not(HasSubstr("eval accuracy")));
}

int Lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// A screen has room for the plan, and for the summary below it.
TEST(ScreenTest, PlanAndSummaryFit) {
  PodRun dry({"--topology=v3-2048", "--dry_run"});
  EXPECT_EQ(dry.Wait(), 0) << dry.output();
  EXPECT_LE(Lines(dry.output()), 12) << dry.output();
  PodRun slow(
      {"--topology=v3-2048", "--ici_fault=link:(1,0)-(2,0):0.25", "--dry_run"});
  EXPECT_EQ(slow.Wait(), 0) << slow.output();
  EXPECT_LE(Lines(slow.output()), 12) << slow.output();
  for (const std::string& output : {dry.output(), slow.output()})
    EXPECT_THAT(output, AllOf(HasSubstr("\nbatch "), HasSubstr("\nHBM ")));
  EXPECT_THAT(slow.output(),
              HasSubstr("link (1,0)-(2,0) at 0.25 of its rate\n"));
  EXPECT_THAT(dry.output().substr(dry.output().find("\nplan hash ")),
              HasSubstr("\nWARNING "));
  PodRun run({"--topology=v3-32", "--train_steps=20"});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  const std::string& output = run.output();
  EXPECT_LE(Lines(output.substr(0, output.find("pod formed"))), 12) << output;
  EXPECT_LE(Lines(output.substr(output.find("done: "))), 10) << output;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("step ", 0) != 0 && line.rfind("pod formed", 0) != 0)
      EXPECT_LE(line.size(), 80u) << line;
}

TEST(ScreenTest, VerboseShowsTheRest) {
  PodRun pod({"--topology=v3-32", "--train_steps=20", "--verbose"});
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  EXPECT_THAT(pod.output(), HasSubstr("\nnumerics "));
  EXPECT_THAT(pod.Unwrapped(), HasSubstr("of 15.48 GiB per core: parameters"));
  const std::string summary = pod.output().substr(pod.output().find("done: "));
  EXPECT_THAT(summary, HasSubstr("all-reduce "));
  EXPECT_THAT(summary, HasSubstr("\n  badput "));
}

TEST(HardwareTest, ASlowLinkWithinAHostIsOfTheForecast) {
  PodRun dry(
      {"--topology=v3-32", "--ici_fault=link:(0,0)-(1,0):0.25", "--dry_run"});
  EXPECT_EQ(dry.Wait(), 0) << dry.output();
  EXPECT_THAT(dry.Unwrapped(),
              HasSubstr("; with link (0,0)-(1,0) at 0.25 of its rate"));
  EXPECT_THAT(dry.Unwrapped(),
              HasSubstr("WARNING link (0,0)-(1,0) at 0.25 of its rate "
                        "slows the forecast alone"));
}

TEST(HardwareTest, ASlowLinkBetweenHostsIsOfTheRunToo) {
  PodRun pod({"--topology=v3-32", "--hidden=32", "--train_steps=20",
              "--reference_topology=v3-32",
              "--ici_fault=link:(1,0)-(2,0):0.1"});
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  EXPECT_THAT(pod.Unwrapped(),
              HasSubstr("a MB between hosts 0 and 1 takes 9 ms longer, wall"));
  const std::string summary = pod.output().substr(pod.output().find("done: "));
  EXPECT_THAT(summary, HasSubstr("\n  slow link "));
}

// A busy machine makes any step longer, none shorter: the run takes at least as
// long as the link holds its frames, one after the other, and on sound links at
// least one step is shorter than that.
TEST(HardwareTest, ASlowLinkRaisesBothClocks) {
  constexpr int kSteps = 8;
  constexpr double kRate = 0.002;
  const auto run = [](double rate) {
    auto pod = std::make_unique<PodRun>(std::vector<std::string>{
        "--topology=v3-32", "--model=mlp", "--dataset=digits", "--hidden=512",
        absl::StrCat("--train_steps=", kSteps), "--reference_topology=v3-32",
        "--algo=ring", absl::StrCat("--ici_fault=link:(1,0)-(2,0):", rate)});
    EXPECT_EQ(pod->Wait(), 0) << pod->output();
    return pod;
  };
  const auto sound = run(1);
  const auto slow = run(kRate);
  // In a ring of 4 each host sends 2 x 3 / 4 of the gradients to the next one.
  constexpr double kBytes = 4 * (64 * 512 + 512 + 512 * 10 + 10);
  constexpr double kHeld = 1.5 * kBytes * (1 / kRate - 1) / 1e9;
  const std::vector<nlohmann::json> slow_steps = slow->Events("step");
  const std::vector<nlohmann::json> sound_steps = sound->Events("step");
  ASSERT_EQ(slow_steps.size(), kSteps) << slow->output();
  ASSERT_EQ(sound_steps.size(), kSteps) << sound->output();
  EXPECT_GE(slow_steps.back()["wall_time"].get<double>() -
                slow->Event("plan").value("wall_time", 0.0),
            kSteps * kHeld);
  double shortest = kHeld;
  for (int i = 0; i < kSteps; ++i) {
    shortest =
        std::min(shortest, sound_steps[i]["seconds_reduce"].get<double>());
    EXPECT_GT(slow_steps[i].value("simulated_seconds", 0.0),
              sound_steps[i].value("simulated_seconds", 1.0));
  }
  EXPECT_LT(shortest, kHeld);
  const nlohmann::json slow_summary = slow->Event("summary");
  const nlohmann::json sound_summary = sound->Event("summary");
  EXPECT_GT(slow_summary["simulated_seconds_reduce"],
            sound_summary["simulated_seconds_reduce"]);
  EXPECT_EQ(slow_summary["simulated_seconds_compute"],
            sound_summary["simulated_seconds_compute"]);
  EXPECT_EQ(slow_summary["weights_hash"], sound_summary["weights_hash"]);
}

TEST(HardwareTest, ASliceOfOnesOwnTrains) {
  const TempDir directory;
  const std::string file = directory.file("mine.txt");
  std::ofstream(file) << "name: 'v3' slices { name: 'v3-16' chips: [2, 4] }";
  PodRun pod({"--hardware=" + file, "--topology=v3-16", "--hidden=32",
              "--train_steps=20", "--reference_topology=v3-16",
              "--reduction=tree", "--microbatch_size=8",
              "--ici_algorithm=ring"});
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  EXPECT_THAT(pod.output(), HasSubstr("v3-16: 2 hosts"));
  EXPECT_THAT(pod.output(), HasSubstr("done: mlp on digits, v3-16: 20 steps"));
  EXPECT_THAT(pod.output(), HasSubstr(" sim: ring, bound by "));
}

// Without what the slice and the recipe decided: those would not fit another.
TEST(PrintJobTest, IsReadBackAsWhatWasAsked) {
  PodRun printed({"--topology=v3-32", "--seed=7", "--print_job"});
  ASSERT_EQ(printed.Wait(), 0) << printed.output();
  EXPECT_THAT(printed.output(), HasSubstr("\nseed: 7\n"));
  EXPECT_THAT(printed.output(), HasSubstr("\n# processes: 4\n"));
  const TempDir directory;
  const std::string job = directory.file("job.txt");
  std::ofstream(job) << printed.output();
  PodRun asked({"--topology=v3-8", "--seed=7", "--train_steps=50",
                "--metrics_file=unused.jsonl", "--dry_run", "--verbose"});
  PodRun read({"--job=" + job, "--topology=v3-8", "--train_steps=50",
               "--metrics_file=unused.jsonl", "--dry_run", "--verbose"});
  EXPECT_EQ(asked.Wait(), 0) << asked.output();
  EXPECT_EQ(read.Wait(), 0) << read.output();
  EXPECT_EQ(asked.output(), read.output());
  EXPECT_THAT(read.output(), HasSubstr("(recipe)"));
}

TEST(PrintJobTest, TheTransportToHostsElsewhereIsADefault) {
  PodRun printed({"--external_hosts", "--listen=127.0.0.1:0", "--print_job"});
  EXPECT_EQ(printed.Wait(), 0) << printed.output();
  EXPECT_THAT(printed.output(), HasSubstr("\n# transport: tcp\n"));
}

TEST(QuietTest, ShowsWarningsAndTheSummaryOnly) {
  // Too few steps, and the plan warns of it.
  PodRun pod({"--quiet", "--topology=v3-512", "--processes=2"});
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  EXPECT_THAT(pod.output(), ::testing::StartsWith("WARNING "));
  EXPECT_THAT(pod.output(), HasSubstr("\ndone: mlp on digits, v3-512"));
  EXPECT_THAT(pod.output(), Not(HasSubstr("numerics ")));
  EXPECT_THAT(pod.output(), Not(HasSubstr("pod formed")));
  EXPECT_THAT(pod.output(), Not(HasSubstr("step 1")));
  EXPECT_THAT(pod.output(), HasSubstr("eval accuracy"));
}

// A plan is made anywhere, and is the same each time; the run it is of is
// refused before anything starts.
TEST(DryRunTest, NeedsNoMemoryAndSaysTheSameEachTime) {
  const std::vector<std::string> job = {"--topology=v3-2048",
                                        "--batch_per_core=100000",
                                        "--host_memory_bytes=1M"};
  std::vector<std::string> dry = job;
  dry.insert(dry.end(),
             {"--metrics_file=unused.jsonl", "--dry_run", "--verbose"});
  PodRun first(dry);
  PodRun second(dry);
  EXPECT_EQ(first.Wait(), 0) << first.output();
  EXPECT_EQ(second.Wait(), 0) << second.output();
  EXPECT_EQ(first.output(), second.output());
  EXPECT_THAT(first.output(), HasSubstr("of 15.48 GiB per core: parameters"));
  EXPECT_THAT(first.output(),
              HasSubstr("the largest batch without recomputation"));
  EXPECT_THAT(first.output(), HasSubstr("a run takes"));
  PodRun run(job);
  EXPECT_EQ(run.Wait(), 1) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("1.00 MiB are allowed"));
  EXPECT_THAT(run.output(), Not(HasSubstr("pod formed")));
}

TEST(DryRunTest, KeepsToTheColumnsThereAre) {
  PodRun pod({"--topology=v3-32", "--dry_run"}, {{"COLUMNS", "60"}});
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  std::istringstream lines(pod.output());
  for (std::string line; std::getline(lines, line);) {
    const bool one_word = line.find(' ', 15) == std::string::npos;
    EXPECT_TRUE(line.size() <= 60 || one_word) << line;
  }
}

// Fifteen steps converge to nothing; the plan says so, and the summary again.
TEST(PromiseTest, TooFewEpochsWarnBeforeAndAfter) {
  PodRun pod({"--topology=v3-128", "--epochs=10"});
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  const std::string warning = "only 15 steps are left; the recipe needs 125";
  const std::size_t before = pod.output().find(warning);
  ASSERT_NE(before, std::string::npos) << pod.output();
  EXPECT_GT(pod.output().find("pod formed"), before);
  const nlohmann::json summary = pod.Event("summary");
  EXPECT_EQ(summary["recipe_accuracy"], 0.96);
  EXPECT_EQ(summary["recipe_kept"], summary["eval_accuracy"] >= 0.96);
  EXPECT_EQ(summary["recipe_examples"], 2000 * 64);
  EXPECT_THAT(summary["warnings"].dump(), HasSubstr(warning));
  EXPECT_THAT(pod.output().substr(pod.output().find("done: ")),
              HasSubstr("WARNING             only 15 steps are left"));
}

TEST(SelfTest, MatchesTheRealTpu) {
  Subprocess pod({{Program("pod_launch"), "--selftest"}, {}});
  EXPECT_EQ(pod.Wait(kDeadline), 0) << pod.output();
  EXPECT_THAT(pod.output(), HasSubstr("0.17405128"));
}

TEST(SelfTest, RunsTheKernelsItIsAskedFor) {
  Subprocess v2({{Program("pod_launch"), "--selftest", "--isa=v2"}, {}});
  EXPECT_EQ(v2.Wait(kDeadline), 0) << v2.output();
  EXPECT_THAT(v2.output(), HasSubstr("kernels v2\n"));
  Subprocess v5({{Program("pod_launch"), "--selftest", "--isa=v5"}, {}});
  EXPECT_EQ(v5.Wait(kDeadline), 2) << v5.output();
  EXPECT_THAT(v5.output(), HasSubstr("v2, v3, v4, bf16, amx"));
}

}  // namespace
}  // namespace podsim::testing
