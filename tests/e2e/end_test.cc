// However a pod ends, it ends soon, says why, and leaves no process behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "absl/time/time.h"
#include "base/clock.h"
#include "tests/e2e/pod.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using std::chrono::seconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A sanitizer's processes start and end some times slower.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kSlack = 3;
#else
constexpr double kSlack = 1;
#endif

// Big enough that a step takes a good part of a second on one core.
std::vector<std::string> SlowSteps() {
  return {"--topology=v3-32",          "--model=mlp",
          "--hidden=1024,1024",        "--dataset=synthetic",
          "--example_shape=28,28",     "--classes=10",
          "--batch_per_core=64",       "--train_steps=100000",
          "--reference_topology=v3-32"};
}

enum class Phase { kForming, kFirstStep, kAllReduce, kEvaluation };

std::string PhaseName(Phase phase) {
  switch (phase) {
    case Phase::kForming:
      return "Forming";
    case Phase::kFirstStep:
      return "FirstStep";
    case Phase::kAllReduce:
      return "AllReduce";
    case Phase::kEvaluation:
      return "Evaluation";
  }
  return "";
}

struct KillCase {
  Phase phase;
  int victim;  // host 0..3; 4: the coordinator
};

std::vector<KillCase> TwentyCases() {
  std::vector<KillCase> cases;
  for (const Phase phase : {Phase::kForming, Phase::kFirstStep,
                            Phase::kAllReduce, Phase::kEvaluation})
    for (int victim = 0; victim <= 4; ++victim)
      cases.push_back({phase, victim});
  return cases;
}

class KillTest : public ::testing::TestWithParam<KillCase> {
 protected:
  static std::vector<std::string> Flags(Phase phase) {
    std::vector<std::string> flags = SlowSteps();
    // Evaluation of this many examples takes seconds.
    if (phase == Phase::kEvaluation) {
      flags.push_back("--synthetic_examples=600000");
      flags.push_back("--steps_per_eval=1");
    }
    return flags;
  }

  // Brings the pod to the phase, as far as can be seen from outside.
  static bool Reach(Phase phase, PodRun& pod, pid_t frozen) {
    switch (phase) {
      case Phase::kForming:
        return true;
      case Phase::kFirstStep:
        return pod.WaitForEvents("plan", 1);
      case Phase::kAllReduce:
        // With one host frozen the others can only wait in the all-reduce.
        if (!pod.WaitForEvents("step", 2)) return false;
        kill(frozen, SIGSTOP);
        return true;
      case Phase::kEvaluation:
        return pod.WaitForEvents("step", 1);
    }
    return false;
  }
};

TEST_P(KillTest, EndsWithinFiveSecondsAndNamesTheVictim) {
  const KillCase param = GetParam();
  const SystemClock clock;
  PodRun pod(Flags(param.phase));
  ASSERT_TRUE(pod.WaitForChildren("pod_host", 4)) << pod.output();
  ASSERT_TRUE(pod.WaitForChildren("pod_coordinator", 1));
  const std::vector<pid_t> hosts = pod.Children("pod_host");
  std::vector<pid_t> all = hosts;
  all.push_back(pod.Children("pod_coordinator").at(0));
  const pid_t victim = all[param.victim];
  ASSERT_TRUE(Reach(param.phase, pod, hosts[(param.victim + 1) % 4]))
      << pod.output();
  const absl::Time killed = clock.Now();
  kill(victim, SIGKILL);
  const int code = pod.Wait();
  EXPECT_LT(clock.Now() - killed, absl::Seconds(5 * kSlack)) << pod.output();
  EXPECT_EQ(code, 128 + SIGKILL) << pod.output();
  EXPECT_THAT(pod.output(), HasSubstr(std::to_string(victim)));
  EXPECT_THAT(pod.output(), HasSubstr("SIGKILL"));
  for (const pid_t pid : all) EXPECT_FALSE(IsAlive(pid));
}

INSTANTIATE_TEST_SUITE_P(Phases, KillTest, ::testing::ValuesIn(TwentyCases()),
                         [](const auto& info) {
                           return PhaseName(info.param.phase) +
                                  std::to_string(info.param.victim);
                         });

TEST(FreezeTest, AFrozenHostIsNamedWithinTenSeconds) {
  const SystemClock clock;
  PodRun pod(SlowSteps());
  ASSERT_TRUE(pod.WaitForEvents("step", 2)) << pod.output();
  const std::vector<pid_t> hosts = pod.Children("pod_host");
  ASSERT_EQ(hosts.size(), 4u);
  const absl::Time frozen = clock.Now();
  kill(hosts[2], SIGSTOP);
  const int code = pod.Wait();
  EXPECT_LT(clock.Now() - frozen, absl::Seconds(10 * kSlack)) << pod.output();
  EXPECT_NE(code, 0);
  EXPECT_THAT(pod.output(), HasSubstr("host2"));
  for (const pid_t pid : hosts) EXPECT_FALSE(IsAlive(pid));
}

// As docker pause does it, and longer than anyone waits for a sign of life.
TEST(FreezeTest, APodThatIsStoppedAsAWholeGoesOn) {
  PodRun pod(SlowSteps());
  ASSERT_TRUE(pod.WaitForEvents("step", 2)) << pod.output();
  std::vector<pid_t> all = pod.Children("pod_coordinator");
  for (const pid_t host : pod.Children("pod_host")) all.push_back(host);
  all.push_back(pod.process().pid());
  ASSERT_EQ(all.size(), 6u);
  for (const pid_t pid : all) kill(pid, SIGSTOP);
  Eventually([] { return false; }, seconds(9));
  for (const pid_t pid : all) kill(pid, SIGCONT);
  const std::size_t before = pod.Events("step").size();
  EXPECT_TRUE(pod.WaitForEvents("step", before + 3)) << pod.output();
  pod.process().Signal(SIGINT);
  EXPECT_EQ(pod.Wait(), 128 + SIGINT) << pod.output();
}

bool WaitUntilEnded(const std::vector<pid_t>& pids) {
  return Eventually(
      [&] { return std::none_of(pids.begin(), pids.end(), IsAlive); },
      kDeadline);
}

class SignalTest : public ::testing::TestWithParam<int> {};

TEST_P(SignalTest, TheLauncherTakesEveryoneWithIt) {
  PodRun pod(SlowSteps());
  ASSERT_TRUE(pod.WaitForEvents("step", 1)) << pod.output();
  std::vector<pid_t> children = pod.Children("pod_host");
  children.push_back(pod.Children("pod_coordinator").at(0));
  ASSERT_EQ(children.size(), 5u);
  pod.process().Signal(GetParam());
  EXPECT_EQ(pod.Wait(), 128 + GetParam()) << pod.output();
  // The kernel ends orphans a moment after their parent.
  EXPECT_TRUE(WaitUntilEnded(children));
}

INSTANTIATE_TEST_SUITE_P(Signals, SignalTest,
                         ::testing::Values(SIGINT, SIGTERM, SIGKILL));

// A job that is told to end and keeps nothing: it says so in its summary.
class EarlyEndTest : public ::testing::Test {
 protected:
  // Without a directory for checkpoints; with a fault plan if there is one.
  std::vector<std::string> Job(const std::string& faults = "") {
    std::vector<std::string> flags = {"--topology=v3-32",
                                      "--model=mlp",
                                      "--hidden=16",
                                      "--dataset=digits",
                                      "--batch_per_core=4",
                                      "--train_steps=1000000",
                                      "--stall_timeout=1000",
                                      "--processes=2",
                                      "--reference_topology=v3-32"};
    if (!faults.empty()) {
      std::ofstream(dir_.file("faults")) << faults;
      flags.push_back("--faults=" + dir_.file("faults"));
    }
    return flags;
  }
  static void ExpectSummaryAfter(const PodRun& pod, std::size_t steps) {
    EXPECT_THAT(pod.output(), HasSubstr("drained: mlp on digits, v3-32: "));
    EXPECT_THAT(pod.output(),
                HasSubstr("\n                      nothing was saved: "
                          "--model_dir=DIR keeps the work\n"));
    const nlohmann::json summary = pod.Event("summary");
    ASSERT_TRUE(summary.contains("steps")) << pod.output();
    EXPECT_EQ(summary["steps"], steps);
    EXPECT_EQ(summary["drained"], true);
    EXPECT_EQ(pod.Events("step").size(), steps);
    EXPECT_TRUE(pod.Events("failure").empty());
  }

  TempDir dir_;
};

class EarlyEndSignalTest : public EarlyEndTest,
                           public ::testing::WithParamInterface<int> {};

TEST_P(EarlyEndSignalTest, FinishesTheStepAndTellsWhatWasDone) {
  PodRun pod(Job());
  ASSERT_TRUE(pod.WaitForEvents("step", 5)) << pod.output();
  pod.process().Signal(GetParam());
  EXPECT_EQ(pod.Wait(), 128 + GetParam()) << pod.output();
  EXPECT_THAT(pod.output(), HasSubstr("the pod finishes its step and ends"));
  ExpectSummaryAfter(pod, pod.Events("step").size());
}

INSTANTIATE_TEST_SUITE_P(Signals, EarlyEndSignalTest,
                         ::testing::Values(SIGINT, SIGTERM, SIGUSR1));

TEST_F(EarlyEndTest, TheFirstStepIsMadeOnceThePodHasFormed) {
  PodRun pod(Job("faults { kind: SLOW host: 0 step: 1 seconds: 5 }"));
  ASSERT_TRUE(pod.WaitForEvents("fault", 1)) << pod.output();
  pod.process().Signal(SIGINT);
  EXPECT_EQ(pod.Wait(), 128 + SIGINT) << pod.output();
  ExpectSummaryAfter(pod, 1);
}

TEST_F(EarlyEndTest, AHostThatIsToldToEndEndsThePodAsWell) {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    PodRun pod(Job());
    ASSERT_TRUE(pod.WaitForEvents("step", 5)) << pod.output();
    kill(pod.Children("pod_host")[1], signal);
    EXPECT_EQ(pod.Wait(), 128 + SIGTERM) << pod.output();
    ExpectSummaryAfter(pod, pod.Events("step").size());
  }
}

// Nobody waits for a step that takes an hour.
TEST_F(EarlyEndTest, ASecondSignalEndsAtOnce) {
  PodRun pod(Job("faults { kind: SLOW host: 0 step: 3 seconds: 3600 }"));
  ASSERT_TRUE(pod.WaitForEvents("fault", 1)) << pod.output();
  ASSERT_TRUE(pod.WaitForEvents("step", 2)) << pod.output();
  pod.process().Signal(SIGINT);
  ASSERT_TRUE(pod.process().ReadUntilText("a second one stops it", kDeadline));
  pod.process().Signal(SIGINT);
  EXPECT_EQ(pod.Wait(), 128 + SIGINT) << pod.output();
  EXPECT_THAT(pod.output(), Not(HasSubstr("drained")));
  EXPECT_THAT(pod.output(),
              HasSubstr("stopped by signal 2 (SIGINT); all processes have "
                        "ended; 2 steps are lost: with --model_dir=DIR"));
  EXPECT_THAT(pod.output(), Not(HasSubstr("--max_restarts")));
}

TEST_F(EarlyEndTest, APodThatHasNotFormedEndsAtOnceInOneLine) {
  std::vector<std::string> flags = Job();
  flags.push_back("--external_hosts");
  flags.push_back("--listen=unix:" + dir_.file("coordinator"));
  PodRun pod(flags, {{"PODSIM_TOKEN", "a-token-of-a-test-long-enough"}});
  ASSERT_TRUE(
      pod.process().ReadUntilText("(--initialization_timeout)\n", kDeadline))
      << pod.output();
  const std::size_t before = pod.output().size();
  pod.process().Signal(SIGINT);
  EXPECT_EQ(pod.Wait(), 128 + SIGINT) << pod.output();
  EXPECT_EQ(pod.output().substr(before),
            "stopped by signal 2 (SIGINT); all processes have ended\n");
}

// Steps of a millisecond or so: their events fill a pipe (64 KiB by itself)
// several times over.
std::vector<std::string> ManySteps() {
  return {
      "--topology=v3-32",          "--model=mlp",        "--hidden=16",
      "--dataset=digits",          "--batch_per_core=4", "--train_steps=1000",
      "--reference_topology=v3-32"};
}

TEST(FrozenLauncherTest, DelaysNothing) {
  PodRun undisturbed(ManySteps());
  ASSERT_EQ(undisturbed.Wait(), 0) << undisturbed.output();
  PodRun pod(ManySteps());
  ASSERT_TRUE(pod.WaitForEvents("step", 1)) << pod.output();
  const std::vector<pid_t> hosts = pod.Children("pod_host");
  const std::vector<pid_t> coordinator = pod.Children("pod_coordinator");
  ASSERT_EQ(hosts.size(), 4u);
  ASSERT_EQ(coordinator.size(), 1u);
  pod.process().Signal(SIGSTOP);
  const bool hosts_ended = WaitUntilEnded(hosts);
  const bool coordinator_ended = WaitUntilEnded(coordinator);
  const std::size_t shown = pod.Events("step").size();
  pod.process().Signal(SIGCONT);
  EXPECT_TRUE(hosts_ended);
  EXPECT_TRUE(coordinator_ended);
  EXPECT_LT(shown, 500u) << "the launcher was stopped too late to say anything";
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  EXPECT_EQ(pod.Event("summary").at("weights_hash"),
            undisturbed.Event("summary").at("weights_hash"));
  EXPECT_EQ(pod.Events("step").size(), 1000u);
}

}  // namespace
}  // namespace podsim::testing
