// pod_ladder as a user runs it: real runs on slice after slice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/pod.h"
#include "tests/testing/run_count.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Finished {
  int code = -1;
  std::string output;
};

Finished LadderOf(
    const std::string& model, const std::vector<std::string>& args,
    const std::vector<std::pair<std::string, std::string>>& environment = {},
    std::chrono::seconds deadline = kDeadline) {
  std::vector<std::string> command = {Program("pod_ladder"), model};
  command.insert(command.end(), args.begin(), args.end());
  Subprocess process({command, environment});
  Finished run;
  run.code = process.Wait(deadline);
  run.output = process.output();
  return run;
}

Finished Ladder(
    const std::vector<std::string>& args,
    const std::vector<std::pair<std::string, std::string>>& environment = {}) {
  return LadderOf("--model=mlp", args, environment);
}

// What the whole ladder of mlp may take on two cores; a sanitizer's processes
// are several times as slow.
constexpr std::chrono::seconds kWholeLadder(kSanitized ? 300 : 120);

// A rate so small that all slices follow the same path.
const std::vector<std::string>& Quiet() {
  static const auto* const kFlags = new std::vector<std::string>{
      "--learning_rate=0.01", "--steps=2000", "--isa=v3"};
  return *kFlags;
}

std::vector<std::string> With(std::vector<std::string> flags,
                              const std::vector<std::string>& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

bool HasSteps(const std::string& path) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.find("\"event\":\"step\"") != std::string::npos) return true;
  return false;
}

// Begins with one slice, and goes on with another behind it.
TEST(PodLadderTest, SlicesThatLearnAlikePass) {
  const TempDir folder;
  const std::string dir = "--ladder_dir=" + folder.file("ladder");
  Finished run = Ladder(
      With(Quiet(), {dir, "--topology=v3-8"}),
      // No say, of the environment.
      {{"PODSIM_TRAIN_STEPS", "1"}, {"TPU_ACCELERATOR_TYPE", "v3-2048"}});
  ASSERT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("passed"));
  for (const char* name :
       {"results.jsonl", "v3-8/job.txt", "v3-8/metrics.jsonl",
        "v3-8/metrics-seed1.jsonl", "v3-8/metrics-seed2.jsonl", "report.html"})
    EXPECT_TRUE(std::filesystem::exists(folder.file("ladder/") + name)) << name;

  run = Ladder(With(Quiet(), {dir, "--topology=v3-8,v3-32"}));
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.output, HasSubstr("add --resume to go on"));
  run = Ladder({dir, "--resume", "--topology=v3-8,v3-32", "--isa=v3",
                "--steps=2000", "--learning_rate=0.02"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.output,
              HasSubstr("learning_rate is 0.02, and was 0.01 there"));

  const auto before = std::filesystem::last_write_time(
      folder.file("ladder/v3-8/metrics.jsonl"));
  run = Ladder(With(Quiet(), {dir, "--resume", "--topology=v3-8,v3-32",
                              "--json", "--plot=" + folder.file("l.svg"),
                              "--report=" + folder.file("l.html")}));
  ASSERT_EQ(run.code, 0) << run.output;
  EXPECT_EQ(std::filesystem::last_write_time(
                folder.file("ladder/v3-8/metrics.jsonl")),
            before);
  const auto json = nlohmann::json::parse(run.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.output;
  EXPECT_EQ(json["passed"], true);
  ASSERT_EQ(json["rungs"].size(), 2u);
  EXPECT_EQ(json["rungs"][0]["runs"].size(), 3u);
  const auto& second = json["rungs"][1];
  EXPECT_EQ(second["train_steps"], 500);
  EXPECT_EQ(second["runs"][0]["steps"], 500);
  EXPECT_EQ(second["runs"][0]["examples"], 128000);
  EXPECT_DOUBLE_EQ(second["runs"][0]["simulated_step_seconds"].get<double>(),
                   second["step_seconds"].get<double>());
  EXPECT_TRUE(std::filesystem::exists(folder.file("l.svg")));
  // The runs of the earlier ladder are on the page, too.
  for (const char* name : {"l.html", "ladder/report.html"}) {
    std::ifstream in(folder.file(name));
    const std::string page((std::istreambuf_iterator<char>(in)), {});
    for (const char* part : {"every slice passed", "Side by side",
                             "<h2>v3-8, seed 2</h2>", "<h2>v3-32</h2>"})
      EXPECT_THAT(page, HasSubstr(part)) << name;
  }
}

// Sixteen times the batch has sixteen times the rate, 3.2: far too high.
TEST(PodLadderTest, ARecipeThatBreaksIsStoppedThere) {
  const Finished run = Ladder({"--learning_rate=0.2", "--steps=400", "--isa=v3",
                               "--topology=v3-8,v3-128,v3-256", "--json"});
  EXPECT_EQ(run.code, 1);
  const auto json = nlohmann::json::parse(run.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.output;
  EXPECT_EQ(json["stopped_at"], "v3-128");
  const std::string verdict = json["rungs"][1]["verdict"];
  EXPECT_TRUE(verdict == "loss" || verdict == "not finite") << verdict;
  EXPECT_THAT(json["change"].get<std::string>(),
              StartsWith("--learning_rate: 0.2 on v3-8 is 3.2 here; try 0.1"));
  EXPECT_EQ(json["rungs"][2]["verdict"], "not run");
}

// The recipe's own rate: the linear rule makes 1.92 of it, and the network no
// longer learns (docs/recipes.md).
TEST(PodLadderTest, TheRecipeBreaksAtV3256) {
  const Finished run = Ladder({"--isa=v3", "--topology=v3-8,v3-256", "--json"});
  EXPECT_EQ(run.code, 1);
  const auto json = nlohmann::json::parse(run.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.output;
  EXPECT_EQ(json["stopped_at"], "v3-256");
  EXPECT_EQ(json["rungs"][1]["verdict"], "loss");
  EXPECT_THAT(json["change"].get<std::string>(),
              StartsWith("--learning_rate: 0.06 on v3-8 is 1.92 here; try "));
}

// And one that holds on v3-128 and breaks behind it.
TEST(PodLadderTest, ARecipeThatHoldsToV3128IsStoppedBehindIt) {
  const Finished run =
      Ladder({"--learning_rate=0.014", "--steps=2000", "--isa=v3",
              "--topology=v3-8,v3-128,v3-256", "--json"});
  EXPECT_EQ(run.code, 1);
  const auto json = nlohmann::json::parse(run.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.output;
  EXPECT_EQ(json["stopped_at"], "v3-256");
  EXPECT_EQ(json["rungs"][1]["verdict"], "passed");
  EXPECT_EQ(json["rungs"][2]["verdict"], "loss");
  EXPECT_THAT(
      json["change"].get<std::string>(),
      StartsWith("--batch_per_core: 8 leaves 63 steps of 2,048 examples here"));
}

TEST(PodLadderTest, AWholeLadderTakesTwoMinutesAtMost) {
  const Finished run =
      LadderOf("--model=mlp",
               {"--learning_rate=0.01", "--isa=v3", "--topology=v3-8..v3-128",
                "--until=efficiency:0.8", "--json"},
               {}, kWholeLadder);
  ASSERT_EQ(run.code, 0) << "-1: it took longer; " << run.output;
  const auto json = nlohmann::json::parse(run.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.output;
  EXPECT_EQ(json["passed"], true);
  ASSERT_EQ(json["rungs"].size(), 4u);
  EXPECT_EQ(json["rungs"][0]["runs"][0]["steps"], 2000);
  EXPECT_EQ(json["rungs"][3]["runs"][0]["steps"], 125);
}

TEST(PodLadderTest, AModelByFile) {
  const TempDir folder;
  const std::string model = folder.file("mlp.model");
  Subprocess writer(
      {{Program("pod_launch"), "--model=mlp", "--write_model=" + model}, {}});
  ASSERT_EQ(writer.Wait(kDeadline), 0) << writer.output();
  const Finished run =
      LadderOf("--model_file=" + model,
               {"--dataset=digits", "--batch_per_core=8", "--momentum=0.9",
                "--learning_rate=0.01", "--steps=2000", "--isa=v3",
                "--topology=v3-8,v3-32", "--json"});
  ASSERT_EQ(run.code, 0) << run.output;
  const auto json = nlohmann::json::parse(run.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.output;
  EXPECT_EQ(json["passed"], true);
  ASSERT_EQ(json["rungs"].size(), 2u);
  EXPECT_EQ(json["rungs"][1]["runs"][0]["steps"], 500);
}

TEST(PodLadderTest, ASignalEndsTheRunToo) {
  const TempDir folder;
  Subprocess process(
      {{Program("pod_ladder"), "--model=mlp", "--topology=v3-8",
        "--steps=100000000", "--ladder_dir=" + folder.file("ladder")},
       {}});
  ASSERT_TRUE(Eventually(
      [&] { return HasSteps(folder.file("ladder/v3-8/metrics.jsonl")); },
      kDeadline));
  const auto children = ChildrenOf(process.pid());
  ASSERT_EQ(children.size(), 1u);
  process.Signal(SIGINT);
  EXPECT_EQ(process.Wait(kDeadline), 130) << process.output();
  EXPECT_THAT(process.output(), HasSubstr("stopped by signal 2 (SIGINT)"));
  EXPECT_THAT(process.output(), HasSubstr("# not run: v3-8"));
  EXPECT_FALSE(IsAlive(children.front().first));
}

TEST(PodLadderTest, RefusalsAreALine) {
  const struct {
    std::vector<std::string> args;
    const char* said;
  } refused[] = {{{"--until=0.8"}, "--until is \"0.8\"; give efficiency:X"},
                 {{"--resume"}, "--resume needs --ladder_dir"},
                 {{"--topology=v3-32,v3-8"}, "give the smaller slice first"},
                 {{"--model_dir=runs"}, "--ladder_dir"},
                 {{"--plot=ladder.png"}, "must end in .svg"},
                 {{"--steps=10", "--epochs=1"}, "--steps and --epochs both"},
                 {{"--train_batch_size=9"}, "does not divide"}};
  for (const auto& each : refused) {
    const Finished run = Ladder(each.args);
    EXPECT_EQ(run.code, 2) << run.output;
    EXPECT_THAT(run.output, HasSubstr(each.said));
  }
}

}  // namespace
}  // namespace podsim::testing
