// What people name by a path: what no store serves is refused, what was there
// before is kept, and a damaged or diverged state never takes its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/pod.h"

namespace podsim::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

struct Ended {
  int exit_code = 0;
  std::string output;
};

// A program of this build, started in `directory`.
Ended RunIn(const std::string& directory, const std::string& program,
            const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {
      "/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory, Program(program)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Subprocess process({.command = std::move(command)});
  const int exit_code = process.Wait(kDeadline);
  return {exit_code, process.output()};
}

std::vector<std::string> EventsIn(const std::string& path) {
  std::vector<std::string> events;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);)
    events.push_back(json::parse(line)["event"]);
  return events;
}

struct Uri {
  const char* program;
  std::vector<std::string> arguments;
};

// s3://bucket/x would be a directory called "s3:".
TEST(PathsTest, AUriThatNoStoreServesIsRefusedByName) {
  TempDir empty;
  const std::string uri = "s3://bucket/x";
  const std::vector<Uri> all = {
      {"pod_launch", {"--model_dir", uri}},
      {"pod_launch", {"--restore", uri}},
      {"pod_launch", {"--data_dir", uri, "--dataset", "mnist"}},
      {"pod_launch", {"--metrics_file", uri}},
      {"pod_launch", {"--log_dir", uri}},
      {"pod_launch", {"--job", uri}},
      {"pod_launch", {"--choices", uri}},
      {"pod_launch", {"--faults", uri}},
      {"pod_bench", {"all_reduce", "-J", uri}},
      {"pod_bench", {"all_reduce", "--log_dir", uri}},
      {"pod_bench", {"all_reduce", "--choices", uri}},
      {"pod_launch", {"--model_file", uri}},
      {"pod_program", {"show", uri}},
      {"pod_data", {"show", uri, "--features=a=int64"}},
      {"pod_ckpt", {"ls", uri}},
      {"pod_ckpt", {"diff", uri, uri}}};
  for (const Uri& each : all) {
    const Ended ended = RunIn(empty.path(), each.program, each.arguments);
    EXPECT_EQ(ended.exit_code, 2) << ended.output;
    EXPECT_THAT(ended.output,
                AllOf(HasSubstr("s3://bucket/x: "),
                      HasSubstr(" s3://; give a plain path"), EndsWith("\n")));
    EXPECT_EQ(std::count(ended.output.begin(), ended.output.end(), '\n'), 1)
        << ended.output;
  }
  EXPECT_TRUE(fs::is_empty(empty.path()));
}

class JobTest : public ::testing::Test {
 protected:
  Ended Train(const std::vector<std::string>& more) {
    return RunIn(
        directory_.path(), "pod_launch",
        WithFlags({"--topology=v3-8", "--processes=1", "--checkpoint_every=10"},
                  more));
  }
  std::string File(const std::string& name) { return directory_.file(name); }

  TempDir directory_;
};

TEST_F(JobTest, AResumeAppendsToTheMetricsAndAFreshJobKeepsThem) {
  const std::vector<std::string> job = {"--model_dir=m",
                                        "--metrics_file=run.jsonl"};
  const auto until = [&job](const std::string& steps) {
    std::vector<std::string> flags = job;
    flags.push_back("--train_steps=" + steps);
    return flags;
  };
  Ended first = Train(until("20"));
  ASSERT_EQ(first.exit_code, 0) << first.output;
  Ended second = Train(until("30"));
  ASSERT_EQ(second.exit_code, 0) << second.output;
  const std::vector<std::string> events = EventsIn(File("run.jsonl"));
  EXPECT_THAT(events, ::testing::Contains("resume").Times(1));
  EXPECT_THAT(events, ::testing::Contains("plan").Times(2));
  EXPECT_THAT(events, ::testing::Contains("summary").Times(2));
  std::ifstream lines(File("run.jsonl"));
  std::int64_t last = 0;
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    if (event["event"] == "resume") {
      EXPECT_EQ(event["step"], 20);
      EXPECT_EQ(event["checkpoint"], "m/20");
    }
    if (event["event"] != "step") continue;
    EXPECT_EQ(event["step"], last + 1);
    last = event["step"];
  }
  EXPECT_EQ(last, 30);

  const Ended fresh = Train(
      {"--model_dir=other", "--metrics_file=run.jsonl", "--train_steps=10"});
  ASSERT_EQ(fresh.exit_code, 0) << fresh.output;
  EXPECT_THAT(fresh.output, HasSubstr("run.jsonl held an earlier job's, kept "
                                      "as run.jsonl.1"));
  EXPECT_EQ(EventsIn(File("run.jsonl.1")), events);
  EXPECT_THAT(EventsIn(File("run.jsonl")),
              ::testing::Contains("resume").Times(0));
}

TEST_F(JobTest, MetricsGoToTheModelDirUnlessToldNotTo) {
  for (const std::string steps : {"10", "20"}) {
    const Ended run = Train({"--model_dir=m", "--train_steps=" + steps});
    ASSERT_EQ(run.exit_code, 0) << run.output;
  }
  const std::vector<std::string> events = EventsIn(File("m/metrics.jsonl"));
  EXPECT_THAT(events, ::testing::Contains("plan").Times(2));
  EXPECT_THAT(events, ::testing::Contains("step").Times(20));
  EXPECT_THAT(events, ::testing::Contains("summary").Times(2));
  EXPECT_FALSE(fs::exists(File("m/metrics.jsonl.1")));
  // An evaluation adds nothing: another job may train there.
  const Ended evaluated = Train({"--model_dir=m", "--mode=eval"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.output;
  EXPECT_EQ(EventsIn(File("m/metrics.jsonl")), events);

  const Ended none =
      Train({"--model_dir=n", "--train_steps=10", "--metrics_file="});
  ASSERT_EQ(none.exit_code, 0) << none.output;
  EXPECT_FALSE(fs::exists(File("n/metrics.jsonl")));
  const Ended apart =
      Train({"--model_dir=o", "--train_steps=10", "--metrics_file=o.jsonl"});
  ASSERT_EQ(apart.exit_code, 0) << apart.output;
  EXPECT_FALSE(EventsIn(File("o.jsonl")).empty());
  EXPECT_FALSE(fs::exists(File("o/metrics.jsonl")));
}

// The job makes that folder.
TEST_F(JobTest, AMetricsFileMayLieInAModelDirThatIsNotThereYet) {
  const Ended run =
      Train({"--model_dir=m/", "--metrics_file=m/x.jsonl", "--train_steps=10"});
  ASSERT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(EventsIn(File("m/x.jsonl")), ::testing::Contains("summary"));
}

// It has another's figures, and this job trains anew.
TEST_F(JobTest, MetricsThatLieInAModelDirAlreadyAreKept) {
  fs::create_directory(File("m"));
  std::ofstream(File("m/metrics.jsonl")) << "mine\n";
  const Ended run = Train({"--model_dir=m", "--train_steps=10"});
  ASSERT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("m/metrics.jsonl held an earlier job's"));
  std::string kept;
  std::getline(std::ifstream(File("m/metrics.jsonl.1")), kept);
  EXPECT_EQ(kept, "mine");
}

TEST_F(JobTest, MetricsThatNobodyAskedForCostTheJobALine) {
  fs::create_directories(File("m/metrics.jsonl"));
  const Ended run = Train({"--model_dir=m", "--train_steps=10"});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("warning: no metrics are kept: "),
                                HasSubstr("m/metrics.jsonl"),
                                HasSubstr("--metrics_file names another")));
  EXPECT_TRUE(fs::exists(File("m/10")));
}

TEST_F(JobTest, EventFilesGoToTheModelDirUnlessToldNotTo) {
  const auto count = [this](const std::string& folder) {
    const fs::directory_iterator files(File(folder));
    return std::distance(begin(files), end(files));
  };
  for (const std::string steps : {"10", "20"}) {
    const Ended run = Train({"--model_dir=m", "--train_steps=" + steps});
    ASSERT_EQ(run.exit_code, 0) << run.output;
    EXPECT_EQ(count("m/tensorboard/wall"), std::stoi(steps) / 10);
    EXPECT_EQ(count("m/tensorboard/sim"), std::stoi(steps) / 10);
  }
  const Ended none =
      Train({"--model_dir=n", "--train_steps=10", "--tensorboard_dir="});
  ASSERT_EQ(none.exit_code, 0) << none.output;
  EXPECT_FALSE(fs::exists(File("n/tensorboard")));
  const Ended apart =
      Train({"--model_dir=o", "--train_steps=10", "--tensorboard_dir=tb"});
  ASSERT_EQ(apart.exit_code, 0) << apart.output;
  EXPECT_EQ(count("tb/wall"), 1);
  EXPECT_FALSE(fs::exists(File("o/tensorboard")));
}

TEST_F(JobTest, EventFilesThatCannotBeWrittenCostTheJobALine) {
  fs::create_directory(File("m"));
  std::ofstream(File("m/tensorboard")) << "in the way";
  const Ended run = Train({"--model_dir=m", "--train_steps=10"});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output,
              HasSubstr("warning: TensorBoard's files are incomplete: cannot "
                        "make the folder m/tensorboard/wall"));
}

// Neither has a model_dir that could be held.
TEST_F(JobTest, TwoJobsAtOnceDoNotShareAMetricsFile) {
  const std::string metrics = File("run.jsonl");
  Subprocess first(
      {.command = {Program("pod_launch"), "--topology=v3-8", "--processes=1",
                   "--train_steps=100000000", "--metrics_file=" + metrics}});
  ASSERT_TRUE(Eventually(
      [&] { return fs::exists(metrics) && fs::file_size(metrics) > 0; },
      kDeadline))
      << first.output();
  const Ended second = RunIn(directory_.path(), "pod_launch",
                             {"--topology=v3-8", "--processes=1",
                              "--train_steps=10", "--metrics_file=run.jsonl"});
  EXPECT_NE(second.exit_code, 0);
  EXPECT_THAT(second.output, HasSubstr("--metrics_file is \"run.jsonl\", which "
                                       "another job writes now"));
  EXPECT_FALSE(fs::exists(metrics + ".1"));
  first.Signal(SIGINT);
  EXPECT_EQ(first.Wait(kDeadline), 128 + SIGINT) << first.output();
  EXPECT_THAT(EventsIn(metrics), ::testing::Contains("plan").Times(1));
}

// The only checkpoint was one from which no step could be made.
TEST_F(JobTest, ADivergedRunLeavesWhatItCanBeTakenUpFrom) {
  const Ended good = Train({"--model_dir=m", "--keep=1", "--train_steps=30"});
  ASSERT_EQ(good.exit_code, 0) << good.output;
  const Ended diverged = Train({"--model_dir=m", "--keep=1", "--train_steps=60",
                                "--learning_rate=9e37", "--warmup_steps=0",
                                "--checkpoint_every=1"});
  EXPECT_NE(diverged.exit_code, 0);
  EXPECT_THAT(diverged.output, HasSubstr("--restore=m/STEP"));
  ASSERT_TRUE(fs::exists(File("m/30")))
      << "the last from which a step was made\n"
      << diverged.output;
  const Ended taken_up = Train(
      {"--model_dir=m", "--keep=1", "--train_steps=60", "--restore=m/30"});
  EXPECT_EQ(taken_up.exit_code, 0) << taken_up.output;
  EXPECT_TRUE(fs::exists(File("m/60")));
}

// What a manifest says of its build is shown to people.
TEST_F(JobTest, NothingThatAManifestSaysControlsTheTerminal) {
  const Ended good = Train({"--model_dir=m", "--train_steps=10"});
  ASSERT_EQ(good.exit_code, 0) << good.output;
  json manifest = json::parse(std::ifstream(File("m/10/manifest.json")));
  manifest["build_id"] = "\x1b[2J\x1b]0;owned\a\nFAILED: forged";
  std::ofstream(File("m/10/manifest.json")) << manifest.dump(1);
  Subprocess sums({.command = {"/bin/sh", "-c",
                               "cd \"$0\" && sha256sum manifest.json model-* > "
                               "SHA256SUMS",
                               File("m/10")}});
  ASSERT_EQ(sums.Wait(kDeadline), 0) << sums.output();
  const Ended shown = RunIn(directory_.path(), "pod_ckpt", {"show", "m"});
  EXPECT_EQ(shown.exit_code, 0) << shown.output;
  const Ended resumed = Train({"--model_dir=m", "--train_steps=20"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
  for (const std::string& output : {shown.output, resumed.output}) {
    EXPECT_THAT(output, HasSubstr("\\x1b[2J\\x1b]0;owned\\x07"));
    EXPECT_EQ(output.find('\x1b'), std::string::npos) << output;
    EXPECT_EQ(output.find("\nFAILED: forged"), std::string::npos) << output;
  }
}

}  // namespace
}  // namespace podsim::testing
