// pod_report of real pods: what was planted is what its first sentence names,
// and of a run that is well nothing is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/e2e/pod.h"

namespace podsim::testing {
namespace {

using ::nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PodReportTest : public ::testing::Test {
 protected:
  // Trains four hosts in four processes, 20 steps unless `more` says otherwise.
  void Train(const std::vector<std::string>& more) {
    TrainAs(
        WithFlags({"--train_steps=20", "--reference_topology=v3-32"}, more));
  }
  void TrainAs(std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--topology=v3-32", "--processes=4",
                               "--metrics_file=" + dir_.file("run.jsonl")});
    PodRun pod(std::move(flags));
    ASSERT_EQ(pod.Wait(), 0) << pod.output();
  }
  std::string Faults(const std::string& text) {
    std::ofstream(dir_.file("faults.txt")) << text;
    return "--faults=" + dir_.file("faults.txt");
  }
  // The one run of --json.
  json Diagnosed(const std::string& name = "run.jsonl") {
    Subprocess report(
        {.command = {Program("pod_report"), dir_.file(name), "--json"}});
    EXPECT_EQ(report.Wait(kDeadline), 0) << report.output();
    const json all = json::parse(report.output(), nullptr, false);
    if (!all.contains("runs") || all["runs"].size() != 1) {
      ADD_FAILURE() << report.output();
      return json::object();
    }
    return all["runs"][0];
  }
  // The page of a file or folder.
  std::string Page(const std::string& name) {
    const std::string page = dir_.file("page.html");
    Subprocess report(
        {.command = {Program("pod_report"), dir_.file(name), "-o", page}});
    EXPECT_EQ(report.Wait(kDeadline), 0) << report.output();
    std::ifstream in(page);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Kind and sentence of what comes first.
  json First() {
    const json run = Diagnosed();
    if (run.empty() || run["findings"].empty())
      return {{"kind", "none"}, {"sentence", ""}, {"flag", ""}};
    return run["findings"][0];
  }

  TempDir dir_;
};

TEST_F(PodReportTest, NamesASlowHost) {
  std::string faults;
  for (int step = 1; step <= 20; ++step)
    absl::StrAppend(&faults, "faults { kind: SLOW host: 2 step: ", step,
                    " phase: 'compute' seconds: 0.15 }\n");
  Train({Faults(faults)});
  const json first = First();
  EXPECT_EQ(first["kind"], "slow_host") << first;
  EXPECT_THAT(first["sentence"].get<std::string>(),
              StartsWith("host 2 is slow: it comes last in "));
  EXPECT_THAT(first["sentence"].get<std::string>(),
              HasSubstr("most of it compute"));
  EXPECT_EQ(first["flag"], "--faults");

  // The page says so too.
  const std::string text = Page("run.jsonl");
  EXPECT_THAT(text, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(text, HasSubstr("host 2 is slow"));
  EXPECT_THAT(text, HasSubstr("forecast, slowest (sim)"));
}

TEST_F(PodReportTest, NamesInputThatAllWaitFor) {
  std::string faults;
  for (int step = 1; step <= 20; ++step)
    for (int host = 0; host < 4; ++host)
      absl::StrAppend(&faults, "faults { kind: SLOW host: ", host,
                      " step: ", step, " phase: 'input' seconds: 0.1 }\n");
  Train({Faults(faults)});
  const json first = First();
  EXPECT_EQ(first["kind"], "input_bound") << first;
  EXPECT_THAT(first["sentence"].get<std::string>(),
              StartsWith("input-bound: "));
  EXPECT_THAT(first["flag"].get<std::string>(), StartsWith("--input_threads "));
}

// The recipe's batch per core is 8.
TEST_F(PodReportTest, NamesABatchThatNoLongerScales) {
  TrainAs({"--batch_per_core=1", "--train_steps=20"});
  const json first = First();
  EXPECT_EQ(first["kind"], "batch_no_longer_scales") << first;
  EXPECT_THAT(first["sentence"].get<std::string>(),
              HasSubstr("with 1 example per core"));
  EXPECT_EQ(first["flag"], "--batch_per_core 8");
}

// Gradients of 0.3 MB along one axis after the other: small ones go another
// way.
TEST_F(PodReportTest, NamesALinkAtAQuarterOfItsRate) {
  Train({"--ici_fault=link:(1,0)-(2,0):0.25", "--ici_algorithm=torus",
         "--hidden=1024"});
  const json first = First();
  EXPECT_EQ(first["kind"], "slow_link") << first;
  EXPECT_THAT(first["sentence"].get<std::string>(),
              StartsWith("link (1,0)-(2,0) at 0.25 of its rate: "));
  EXPECT_EQ(first["flag"], "--ici_fault");
}

TEST_F(PodReportTest, NamesACheckpointThatStalls) {
  std::string faults;
  for (const int step : {5, 10, 15})
    absl::StrAppend(&faults, "faults { kind: SLOW host: 1 step: ", step,
                    " phase: 'checkpoint' seconds: 0.5 }\n");
  Train({Faults(faults), "--model_dir=" + dir_.file("m"),
         "--checkpoint_every=5"});
  const json first = First();
  EXPECT_EQ(first["kind"], "checkpoint_stalls") << first;
  EXPECT_THAT(first["sentence"].get<std::string>(),
              HasSubstr("host 1 comes last then"));
  EXPECT_EQ(first["flag"], "--faults");
}

TEST_F(PodReportTest, OfARunThatIsWellNothingStandsOut) {
  Train({"--train_steps=100"});
  const json run = Diagnosed();
  EXPECT_EQ(run["verdict"], "nothing stands out") << run;
  EXPECT_EQ(run["status"], "finished at step 100 of 100");
}

// Its model_dir has all that it takes. Steps 21 to 24 are made twice.
TEST_F(PodReportTest, OfARunThatWasKilledAndResumedEachStepCountsOnce) {
  const std::vector<std::string> job = {
      Program("pod_launch"),    "--topology=v3-32",
      "--processes=4",          "--reference_topology=v3-32",
      "--train_steps=40",       "--checkpoint_every=10",
      "--stall_timeout=100000", "--model_dir=" + dir_.file("m")};
  std::vector<std::string> held = job;
  held.push_back(
      Faults("faults { kind: SLOW host: 0 step: 25 seconds: 3600 }"));
  const auto count = [this](const std::string& event) {
    std::ifstream lines(dir_.file("m/metrics.jsonl"));
    int found = 0;
    for (std::string line; std::getline(lines, line);)
      found += line.starts_with("{\"event\":\"" + event + "\"") ? 1 : 0;
    return found;
  };
  Subprocess killed({.command = held});
  ASSERT_TRUE(Eventually(
      [&] { return count("step") == 24 && count("checkpoint") == 2; },
      kDeadline))
      << killed.output();
  killed.Signal(SIGKILL);
  killed.Wait(kDeadline);
  EXPECT_EQ(Diagnosed("m")["status"], "not over, or cut off, at step 24 of 40");

  Subprocess resumed({.command = job});
  ASSERT_EQ(resumed.Wait(kDeadline), 0) << resumed.output();
  EXPECT_EQ(count("step"), 24 + 20);
  const json run = Diagnosed("m");
  EXPECT_EQ(run["path"], dir_.file("m/metrics.jsonl"));
  EXPECT_EQ(run["status"], "finished at step 40 of 40");
  const std::string page = Page("m");
  EXPECT_THAT(page,
              HasSubstr("resumed from " + dir_.file("m/20") + ", step 20"));
  std::vector<int> steps(40);
  std::iota(steps.begin(), steps.end(), 1);
  EXPECT_THAT(page,
              HasSubstr("\"data\":[[" + absl::StrJoin(steps, ",") + "],["));
}

TEST_F(PodReportTest, OfARunThatFailedItIsTheFirst) {
  PodRun pod({"--topology=v3-32", "--processes=4", "--train_steps=20",
              "--reference_topology=v3-32",
              "--metrics_file=" + dir_.file("run.jsonl"),
              Faults("faults { kind: KILL host: 2 step: 12 }")});
  EXPECT_NE(pod.Wait(), 0) << pod.output();
  const json first = First();
  EXPECT_EQ(first["kind"], "failed") << first;
  EXPECT_THAT(first["sentence"].get<std::string>(), HasSubstr("host2"));
  EXPECT_EQ(first["flag"], "--max_restarts");
}

}  // namespace
}  // namespace podsim::testing
