// However a pod ends, it ends soon, says why, and leaves no process behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>

#include "tests/e2e/pod.h"

namespace podsim::testing {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::AnyOf;
using ::testing::HasSubstr;

// A sanitizer's processes start and end some times slower.
#if defined(__SANITIZE_ADDRESS__)
constexpr seconds kStart(60);
constexpr double kSlack = 3;
#else
constexpr seconds kStart(20);
constexpr double kSlack = 1;
#endif

// Big enough that a step takes a good part of a second on one core.
std::vector<std::string> SlowSteps() {
  return {"--topology=v3-32",    "--model=mlp",           "--hidden=1024,1024",
          "--dataset=synthetic", "--example_shape=28,28", "--classes=10",
          "--batch_per_core=64", "--train_steps=100000"};
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
        return pod.WaitForEvents("plan", 1, kStart);
      case Phase::kAllReduce:
        // With one host frozen the others can only wait in the all-reduce.
        if (!pod.WaitForEvents("step", 2, kStart)) return false;
        kill(frozen, SIGSTOP);
        return true;
      case Phase::kEvaluation:
        return pod.WaitForEvents("step", 1, kStart);
    }
    return false;
  }
};

TEST_P(KillTest, EndsWithinFiveSecondsAndNamesTheVictim) {
  const KillCase param = GetParam();
  PodRun pod(Flags(param.phase));
  ASSERT_TRUE(pod.WaitForChildren("pod_host", 4, kStart)) << pod.output();
  ASSERT_TRUE(pod.WaitForChildren("pod_coordinator", 1, kStart));
  const std::vector<pid_t> hosts = pod.Children("pod_host");
  std::vector<pid_t> all = hosts;
  all.push_back(pod.Children("pod_coordinator").at(0));
  const pid_t victim = all[param.victim];
  ASSERT_TRUE(Reach(param.phase, pod, hosts[(param.victim + 1) % 4]))
      << pod.output();
  kill(victim, SIGKILL);
  const auto begin = steady_clock::now();
  const int code = pod.Wait(seconds(30));
  const std::chrono::duration<double> took = steady_clock::now() - begin;
  EXPECT_LT(took.count(), 5 * kSlack) << pod.output();
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
  PodRun pod(SlowSteps());
  ASSERT_TRUE(pod.WaitForEvents("step", 2, kStart)) << pod.output();
  const std::vector<pid_t> hosts = pod.Children("pod_host");
  ASSERT_EQ(hosts.size(), 4u);
  kill(hosts[2], SIGSTOP);
  const auto begin = steady_clock::now();
  const int code = pod.Wait(seconds(60));
  const std::chrono::duration<double> took = steady_clock::now() - begin;
  EXPECT_LT(took.count(), 10 * kSlack) << pod.output();
  EXPECT_NE(code, 0);
  EXPECT_THAT(pod.output(), HasSubstr("host2"));
  for (const pid_t pid : hosts) EXPECT_FALSE(IsAlive(pid));
}

class SignalTest : public ::testing::TestWithParam<int> {};

TEST_P(SignalTest, TheLauncherTakesEveryoneWithIt) {
  PodRun pod(SlowSteps());
  ASSERT_TRUE(pod.WaitForEvents("step", 1, kStart)) << pod.output();
  std::vector<pid_t> children = pod.Children("pod_host");
  children.push_back(pod.Children("pod_coordinator").at(0));
  ASSERT_EQ(children.size(), 5u);
  const auto begin = steady_clock::now();
  pod.process().Signal(GetParam());
  EXPECT_EQ(pod.Wait(seconds(30)), 128 + GetParam()) << pod.output();
  // The kernel ends orphans a moment after their parent.
  for (const pid_t pid : children)
    while (IsAlive(pid) && steady_clock::now() - begin < seconds(10)) {
    }
  for (const pid_t pid : children) EXPECT_FALSE(IsAlive(pid));
  const std::chrono::duration<double> took = steady_clock::now() - begin;
  EXPECT_LT(took.count(), 5 * kSlack);
}

INSTANTIATE_TEST_SUITE_P(Signals, SignalTest,
                         ::testing::Values(SIGINT, SIGTERM, SIGKILL));

}  // namespace
}  // namespace podsim::testing
