// Whatever the programs are started under (closed descriptors, ignored signals,
// full disks, tight limits), they do what was asked or say what is in the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/pod.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

constexpr char kToken[] = "a-token-of-a-test-that-is-long-enough";
constexpr char kSmallJob[] = " --topology=v3-8 --train_steps=20 --hidden=16";

struct Finished {
  int code = -1;
  std::string output;
};

// `script` for a shell, in which $BIN is where the programs are.
Finished Shell(const std::string& script) {
  Subprocess process({{"/bin/bash", "-c", script}, {{"BIN", Program("")}}});
  Finished run;
  run.code = process.Wait(kDeadline);
  run.output = process.output();
  return run;
}

class SurroundingsTest : public ::testing::Test {
 protected:
  std::string Metrics() const { return " --metrics_file=" + metrics_; }
  // Every line is JSON, and the last one the summary.
  void ExpectWholeMetrics() const {
    std::ifstream in(metrics_);
    nlohmann::json event;
    for (std::string line; std::getline(in, line);) {
      event = nlohmann::json::parse(line, nullptr, false);
      EXPECT_TRUE(event.is_object()) << line;
    }
    EXPECT_EQ(event.value("event", ""), "summary");
  }

  TempDir dir_;
  std::string metrics_ = dir_.file("metrics.jsonl");
};

TEST_F(SurroundingsTest, ClosedOutputIsNoFile) {
  const Finished closed =
      Shell("exec $BIN/pod_launch" + Metrics() + kSmallJob + " >&-");
  EXPECT_EQ(closed.code, 0) << closed.output;
  ExpectWholeMetrics();
  fs::remove(metrics_);
  const Finished all =
      Shell("exec $BIN/pod_launch" + Metrics() + kSmallJob + " <&- >&- 2>&-");
  EXPECT_EQ(all.code, 0);
  ExpectWholeMetrics();
}

TEST_F(SurroundingsTest, IgnoredChildrenAreStillWaitedFor) {
  const Finished run = Shell("exec env --ignore-signal=CHLD $BIN/pod_launch" +
                             Metrics() + kSmallJob);
  EXPECT_EQ(run.code, 0) << run.output;
  ExpectWholeMetrics();
}

TEST_F(SurroundingsTest, LostResultsAreAFailure) {
  for (const std::string& command :
       {std::string("pod_launch --describe v3-32"),
        std::string("pod_launch") + kSmallJob,
        std::string("pod_bench all_reduce --topology=v3-8 -b 1K -e 1K -n 1"),
        std::string("pod_ckpt --help"), std::string("pod_program --help"),
        std::string("pod_data --help"), std::string("pod_ladder --help"),
        std::string("pod_top --help"), std::string("pod_host --help"),
        std::string("pod_coordinator --help")}) {
    const Finished run = Shell("exec $BIN/" + command + " >/dev/full");
    EXPECT_EQ(run.code, 1) << command << "\n" << run.output;
    EXPECT_THAT(run.output, HasSubstr("No space left on device")) << command;
  }
}

TEST_F(SurroundingsTest, ALimitOfFilesIsNamedAndLeavesNoShards) {
  constexpr char kLimit[] =
      "larger than this process may write (ulimit -f 100, in KiB)";
  const Finished train = Shell(
      "ulimit -f 100 && exec $BIN/pod_launch --topology=v3-8 "
      "--train_steps=5 --max_restarts=2 --model_dir=" +
      dir_.file("model"));
  EXPECT_EQ(train.code, 1) << train.output;
  EXPECT_THAT(train.output, AllOf(HasSubstr(kLimit), Not(HasSubstr("SIGXFSZ")),
                                  Not(HasSubstr("No space left")),
                                  Not(HasSubstr("restarting, generation"))));
  // The eval split, which comes last, is in one shard that does not fit.
  const Finished convert = Shell(
      "ulimit -f 100 && exec $BIN/pod_data convert --dataset=digits "
      "--shards=7 --output=" +
      dir_.file("shards"));
  EXPECT_EQ(convert.code, 2) << convert.output;
  EXPECT_THAT(convert.output, HasSubstr(kLimit));
  EXPECT_TRUE(fs::is_empty(dir_.file("shards")));
}

// A sanitizer's shadow memory is beyond any limit.
#if !defined(__SANITIZE_ADDRESS__)
// Only who is not root is held to it; root becomes somebody who is nobody else,
// so that the limit counts our processes alone, and reaches the programs
// wherever they lie.
TEST_F(SurroundingsTest, ALimitOfProcessesIsNamed) {
  const std::string as_somebody =
      "if [ $(id -u) = 0 ]; then AS='setpriv --reuid=54321 --regid=54321 "
      "--clear-groups --inh-caps=-all,+dac_override "
      "--ambient-caps=-all,+dac_override'; fi; exec $AS /bin/bash -c ";
  // The launcher can start nobody; the coordinator has no room for its threads.
  for (const std::string limit : {"ulimit -u 1", "ulimit -u 8"}) {
    const Finished run = Shell(as_somebody + "'" + limit +
                               " && exec $BIN/pod_launch" + kSmallJob + "'");
    EXPECT_THAT(run.code, AnyOf(1, 2)) << limit << "\n" << run.output;
    EXPECT_THAT(run.output,
                AllOf(HasSubstr(limit), Not(HasSubstr("terminate called")),
                      Not(HasSubstr("SIGABRT"))));
  }
}

TEST_F(SurroundingsTest, TightLimitsAreNamed) {
  struct Case {
    const char* limit;
    const char* flags;
  };
  for (const Case& one : {Case{"ulimit -v 150000", " --processes=1"},
                          Case{"ulimit -v 600000", " --threads=4096"},
                          Case{"ulimit -n 16", ""}}) {
    const Finished run =
        Shell(std::string(one.limit) + " && exec $BIN/pod_launch" + kSmallJob +
              one.flags);
    EXPECT_THAT(run.code, AnyOf(1, 2)) << one.limit << "\n" << run.output;
    EXPECT_THAT(
        run.output,
        AllOf(HasSubstr(std::string(one.limit).substr(0, 9)),
              Not(HasSubstr("terminate called")), Not(HasSubstr("SIGABRT"))))
        << one.limit;
  }
}
#endif

bool BlocksTermination(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("SigBlk:", 0) != 0) continue;
    return (std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1) != 0;
  }
  return false;
}

TEST_F(SurroundingsTest, AHostThatWaitsForItsCoordinatorObeysSigterm) {
  Subprocess host(
      {{Program("pod_host"), "--coordinator=unix:" + dir_.file("nobody"),
        "--process=0", "--ici_listen=unix:" + dir_.file("ici")},
       {{"PODSIM_TOKEN", kToken}}});
  ASSERT_TRUE(
      Eventually([&] { return fs::exists(dir_.file("ici")); }, kDeadline));
  ASSERT_TRUE(BlocksTermination(host.pid()));
  host.Signal(SIGTERM);
  EXPECT_EQ(host.Wait(kDeadline), 128 + SIGTERM) << host.output();
}

std::string ReadText(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Of the coordinator's log, that of host 0, which was process `pid`.
void ExpectLifeOf(pid_t pid, const std::string& log) {
  const std::string name =
      "host 0 (process 0, pid " + std::to_string(pid) + " on ";
  EXPECT_THAT(log, HasSubstr("joined: " + name));
  EXPECT_THAT(log, HasSubstr(") handed to " + name));
  EXPECT_THAT(log, HasSubstr("ready: " + name));
  EXPECT_THAT(log, HasSubstr("left: " + name));
  EXPECT_THAT(log, HasSubstr("): the job is done\n"));
}

// Started by hand on this machine; `token` is what it calls with.
std::unique_ptr<Subprocess> HostByHand(const TempDir& dir,
                                       const std::string& process,
                                       const std::string& token,
                                       const std::string& more = "") {
  std::vector<std::string> command = {
      Program("pod_host"), "--coordinator=unix:" + dir.file("coordinator"),
      "--process=" + process,
      "--ici_listen=unix:" + dir.file("ici-" + process + token.substr(0, 3))};
  if (!more.empty()) command.push_back(more);
  return std::make_unique<Subprocess>(
      Subprocess::Options{command, {{"PODSIM_TOKEN", token}}});
}

TEST_F(SurroundingsTest, ThoseWhoWaitForHostsSeeWhoComesAndWhoMayNot) {
  Subprocess launch({{Program("pod_launch"), "--topology=v3-8",
                      "--train_steps=20", "--hidden=16", "--external_hosts",
                      "--listen=unix:" + dir_.file("coordinator"),
                      "--metrics_file=" + metrics_},
                     {{"PODSIM_TOKEN", kToken}}});
  ASSERT_TRUE(launch.ReadUntilText(
      "pod_host --coordinator=unix:" + dir_.file("coordinator") +
          " --process=I\n",
      kDeadline))
      << launch.output();
  const auto stranger = HostByHand(dir_, "0", "the-token-of-another-pod");
  EXPECT_TRUE(launch.ReadUntilText("turned away: ", kDeadline));
  const auto lost = HostByHand(dir_, "7", kToken);
  EXPECT_TRUE(launch.ReadUntilText("process index 7", kDeadline));
  EXPECT_NE(lost->Wait(kDeadline), 0);
  Subprocess elsewhere(
      {{Program("pod_host"), "--coordinator=unix:" + dir_.file("coordinator"),
        "--process=0", "--ici_listen=unix:" + dir_.file("elsewhere")},
       {{"PODSIM_TOKEN", kToken}, {"TPU_ACCELERATOR_TYPE", "v3-32"}}});
  EXPECT_TRUE(launch.ReadUntilText("\"v3-32\"", kDeadline));
  EXPECT_NE(elsewhere.Wait(kDeadline), 0);
  EXPECT_THAT(elsewhere.output(), HasSubstr("turned away by unix:"));
  const auto host = HostByHand(dir_, "0", kToken);
  EXPECT_EQ(launch.Wait(kDeadline), 0) << launch.output();
  EXPECT_THAT(launch.output(),
              AllOf(HasSubstr("another pod's token"),
                    HasSubstr("joined: host 0 (process 0, pid " +
                              std::to_string(host->pid()) + " on "),
                    HasSubstr("), 1 of 1")));
  // Once: the coordinator's own line about it is for its log.
  EXPECT_THAT(launch.output(), Not(HasSubstr("refused")));
  // The same for programs.
  EXPECT_THAT(ReadText(metrics_),
              AllOf(HasSubstr(R"({"event":"refused",)"),
                    HasSubstr("another pod's token"),
                    HasSubstr("process index 7 is not in 0 ... 0"),
                    HasSubstr(R"({"event":"joined",)"),
                    HasSubstr(R"("pid":)" + std::to_string(host->pid())),
                    HasSubstr(R"("joined":1,"missing":0)")));
  ExpectWholeMetrics();
}

TEST_F(SurroundingsTest, ACoordinatorThatIsStartedByHandTellsEachHostsLife) {
  std::ofstream(dir_.file("job"))
      << "topology: 'v3-8' train_steps: 20 hidden: 16 reference_topology: "
         "'v3-8'";
  Subprocess coordinator(
      {{Program("pod_coordinator"), "--job=" + dir_.file("job"), "--external",
        "--events_fd=1", "--listen=unix:" + dir_.file("coordinator")},
       {{"PODSIM_TOKEN", kToken}}});
  ASSERT_TRUE(Eventually([&] { return fs::exists(dir_.file("coordinator")); },
                         kDeadline));
  const auto lost = HostByHand(dir_, "7", kToken);
  EXPECT_NE(lost->Wait(kDeadline), 0);
  const auto host = HostByHand(dir_, "0", kToken);
  EXPECT_EQ(host->Wait(kDeadline), 0) << host->output();
  EXPECT_EQ(coordinator.Wait(kDeadline), 0) << coordinator.output();
  ExpectLifeOf(host->pid(), coordinator.output());
  EXPECT_THAT(coordinator.output(),
              AllOf(HasSubstr("refused: process index 7 is not in 0 ... 0"),
                    HasSubstr("listens at unix:" + dir_.file("coordinator") +
                              " for the hosts of v3-8: pod_host ")));
}

// The hosts that know better are not to blame, nor aborted before they say so.
TEST_F(SurroundingsTest, AHostThatAdvertisesWhatNobodyReachesIsNamed) {
  const std::string nowhere = "unix:" + dir_.file("nowhere");
  PodRun pod({"--topology=v3-32", "--hidden=16", "--external_hosts",
              "--initialization_timeout=5",
              "--listen=unix:" + dir_.file("coordinator")},
             {{"PODSIM_TOKEN", kToken}});
  std::vector<std::unique_ptr<Subprocess>> hosts;
  for (const std::string process : {"0", "1", "2", "3"}) {
    hosts.push_back(
        HostByHand(dir_, process, kToken,
                   process == "1" ? "--ici_advertise=" + nowhere : ""));
  }
  EXPECT_EQ(pod.Wait(), 1);
  const nlohmann::json failure = pod.Event("failure");
  EXPECT_EQ(failure.value("process", ""), "host1") << pod.output();
  EXPECT_EQ(failure.value("pid", 0), hosts[1]->pid());
  // Said by one that could not reach it, or by itself, whoever was first.
  EXPECT_THAT(failure.value("message", ""),
              AnyOf(AllOf(HasSubstr("process 1 is there, but at " + nowhere +
                                    ", which it advertises, nothing answers"),
                          HasSubstr("--ici_advertise")),
                    HasSubstr("has not reached " + nowhere +
                              ", which is advertised here (is our "
                              "--ici_advertise right?)")));
  for (const auto& host : hosts) EXPECT_NE(host->Wait(kDeadline), 0);
}

TEST_F(SurroundingsTest, APodThatDoesNotFormSaysWhomItTurnedAway) {
  PodRun pod({"--topology=v3-8", "--hidden=16", "--external_hosts",
              "--initialization_timeout=3",
              "--listen=unix:" + dir_.file("coordinator")},
             {{"PODSIM_TOKEN", kToken}});
  const auto stranger = HostByHand(dir_, "0", "the-token-of-another-pod");
  EXPECT_EQ(pod.Wait(), 1);
  EXPECT_THAT(pod.Event("failure").value("message", ""),
              AllOf(HasSubstr("the pod did not form within 3s: host 0 (process "
                              "0) did not join; last refused: a call from "),
                    HasSubstr("another pod's token")))
      << pod.output();
  EXPECT_NE(stranger->Wait(kDeadline), 0) << stranger->output();
  // It never joined, and lost nobody.
  EXPECT_THAT(stranger->output(),
              AllOf(HasSubstr("calls the coordinator at "),
                    HasSubstr("turned away by unix:"), Not(HasSubstr("joined")),
                    Not(HasSubstr("coordinator lost"))));
}

TEST_F(SurroundingsTest, AHostThatIsToldToEndBeforeThePodFormsIsReplaced) {
  PodRun pod({"--topology=v3-32", "--processes=2", "--train_steps=20",
              "--reference_topology=v3-32", "--hidden=16", "--external_hosts",
              "--log_dir=" + dir_.file("logs"),
              "--listen=unix:" + dir_.file("coordinator")},
             {{"PODSIM_TOKEN", kToken}});
  const auto gone = HostByHand(dir_, "1", kToken);
  ASSERT_TRUE(pod.WaitForEvents("joined", 1)) << gone->output();
  gone->Signal(SIGTERM);
  EXPECT_EQ(gone->Wait(kDeadline), 128 + SIGTERM) << gone->output();
  ASSERT_TRUE(pod.WaitForEvents("left", 1));
  const auto first = HostByHand(dir_, "0", kToken);
  const auto second = HostByHand(dir_, "1", kToken);
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  EXPECT_EQ(first->Wait(kDeadline), 0) << first->output();
  EXPECT_EQ(second->Wait(kDeadline), 0) << second->output();
  EXPECT_EQ(pod.Event("left").value("pid", 0), gone->pid());
  EXPECT_THAT(ReadText(dir_.file("logs/coordinator.log")),
              HasSubstr("left before the pod formed: its place is free; 0 of"));
}

TEST_F(SurroundingsTest, ListeningToTheNetworkIsAskedForBeforeAPodStarts) {
  const Finished run =
      Shell("exec $BIN/pod_launch --external_hosts --listen=0.0.0.0:0" +
            std::string(kSmallJob));
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.output, AllOf(HasSubstr("error: --listen: "),
                                HasSubstr("--allow_plaintext_network"),
                                Not(HasSubstr("FAILED"))));
}

TEST_F(SurroundingsTest, AMachineOfAnotherSliceTakesNoPart) {
  const Finished run = Shell("TPU_ACCELERATOR_TYPE=v3-32 exec $BIN/pod_launch" +
                             std::string(kSmallJob));
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.output, HasSubstr("TPU_ACCELERATOR_TYPE is \"v3-32\" here"));
}

TEST_F(SurroundingsTest, WhatIsMeantForAHostElsewhereDoesNotReachOurs) {
  const Finished run = Shell(
      "PODSIM_ICI_ADVERTISE=nowhere:1 exec $BIN/pod_launch "
      "--topology=v3-32 --train_steps=5 --reference_topology=v3-32 "
      "--hidden=16");
  EXPECT_EQ(run.code, 0) << run.output;
}

TEST_F(SurroundingsTest, AHostRefusesAMistypedVariable) {
  const Finished run =
      Shell("PODSIM_COORDINATR=a:1 exec $BIN/pod_host --process=0");
  EXPECT_EQ(run.code, 2) << run.output;
  EXPECT_THAT(run.output,
              AllOf(HasSubstr("the environment has PODSIM_COORDINATR, which is "
                              "no setting; did you mean PODSIM_COORDINATOR?"),
                    Not(HasSubstr("--coordinator is missing"))));
}

TEST_F(SurroundingsTest, AHostWarnsOfAVariableThatIsNone) {
  const Finished run =
      Shell("PODSIM_QQQQQQQQ=a:1 exec $BIN/pod_host --process=0");
  EXPECT_EQ(run.code, 2) << run.output;
  EXPECT_THAT(run.output,
              AllOf(HasSubstr("PODSIM_QQQQQQQQ is no setting and is ignored"),
                    HasSubstr("--coordinator is missing")));
}

TEST_F(SurroundingsTest, AHostsLogTellsItsLife) {
  const Finished run =
      Shell("exec $BIN/pod_launch --log_dir=" + dir_.file("logs") + kSmallJob);
  ASSERT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(ReadText(dir_.file("logs/host0.log")),
              AllOf(HasSubstr("joined as process 0"), HasSubstr("plan "),
                    HasSubstr("of 1 of v3-8"), HasSubstr("all hosts are ready"),
                    HasSubstr("left: the job is done")));
  // The coordinator's tells it as well.
  const std::string log = ReadText(dir_.file("logs/coordinator.log"));
  const std::size_t pid = log.find("(process 0, pid ");
  ASSERT_NE(pid, std::string::npos) << log;
  ExpectLifeOf(std::stoi(log.substr(pid + 16)), log);
  EXPECT_THAT(run.output, Not(HasSubstr("handed to")));  // it is for the file
}

TEST_F(SurroundingsTest, TheSocketsGoWhereTheUserWantsThem) {
  const std::string odd = dir_.file("%41 b");
  fs::create_directory(odd);
  PodRun pod({"--topology=v3-32", "--train_steps=1000000", "--hidden=16"},
             {{"TMPDIR", odd}, {"XDG_RUNTIME_DIR", "/no/such"}});
  ASSERT_TRUE(pod.WaitForEvents("step", 1)) << pod.output();
  EXPECT_FALSE(fs::is_empty(odd));
  pod.process().Signal(SIGTERM);
  EXPECT_EQ(pod.Wait(), 128 + SIGTERM);
  EXPECT_THAT(pod.output(), HasSubstr("--model_dir"));  // would keep the work
  EXPECT_TRUE(fs::is_empty(odd));
}

// Somebody who tidies up does so where a job lives; a host is lost later.
TEST_F(SurroundingsTest, APodIsRestartedWithoutItsDirectory) {
  PodRun pod({"--topology=v3-32", "--train_steps=2000", "--hidden=16",
              "--reference_topology=v3-32", "--max_restarts=1",
              "--checkpoint_every=500", "--model_dir=" + dir_.file("model")},
             {{"TMPDIR", dir_.path()}, {"XDG_RUNTIME_DIR", "/no/such"}});
  ASSERT_TRUE(pod.WaitForEvents("step", 1)) << pod.output();
  for (const auto& entry : fs::directory_iterator(dir_.path())) {
    if (entry.path().filename().string().rfind("podsim-job-", 0) == 0)
      fs::remove_all(entry.path());
  }
  kill(pod.Children("pod_host").at(1), SIGKILL);
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  EXPECT_THAT(pod.output(), HasSubstr("restarting, generation 2"));
}

}  // namespace
}  // namespace podsim::testing
