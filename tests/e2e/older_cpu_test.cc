// The programs on CPUs older than this machine's, emulated by qemu-user: the
// level that is chosen, that its kernels run and are right, that those above
// are refused, and what becomes of a job that began at one of them. The
// emulator knows AVX2 from version 7.2 on and no AVX-512, and an instruction
// that the emulated CPU lacks is SIGILL there as on the real one. Needs
// qemu-x86_64 (Debian: qemu-user).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/pod.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Ended {
  int exit_code = 0;
  std::string output;
};

// `command[0]` is one of our programs.
Ended RunOn(const std::string& cpu, std::vector<std::string> command) {
  command[0] = Program(command[0]);
  const std::vector<std::string> emulator = {"/usr/bin/env", "qemu-x86_64",
                                             "-cpu", cpu};
  command.insert(command.begin(), emulator.begin(), emulator.end());
  Subprocess process({command, {}});
  Ended run;
  run.exit_code = process.Wait(std::chrono::seconds(180));
  run.output = process.output();
  return run;
}

struct OldCpu {
  const char* name;
  const char* level;
  const char* next_level;
};

class OlderCpuTest : public ::testing::TestWithParam<OldCpu> {};

TEST_P(OlderCpuTest, SelfTestChoosesItsLevel) {
  const Ended run = RunOn(GetParam().name, {"pod_launch", "--selftest"});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output,
              HasSubstr("kernels " + std::string(GetParam().level) + "\n"));
  EXPECT_THAT(run.output, HasSubstr("self-test passed"));
}

TEST_P(OlderCpuTest, SelfTestRunsTheLowestLevel) {
  const Ended run =
      RunOn(GetParam().name, {"pod_launch", "--selftest", "--isa=v2"});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("kernels v2\n"));
}

TEST_P(OlderCpuTest, TheNextLevelIsRefused) {
  const std::string next = GetParam().next_level;
  const Ended run =
      RunOn(GetParam().name, {"pod_launch", "--selftest", "--isa=" + next});
  EXPECT_EQ(run.exit_code, 1) << run.output;
  EXPECT_THAT(run.output, HasSubstr("highest level it runs is " +
                                    std::string(GetParam().level)));
}

// All kernel tests of the level, not only the self-test's few products: an
// instruction of a newer level anywhere would end them. And the level's bits
// are the known ones: this CPU and qemu's arithmetic in software are two
// machines.
TEST_P(OlderCpuTest, KernelsAreRight) {
  const std::string level = GetParam().level;
  const Ended run =
      RunOn(GetParam().name, {"kernels_test", "--gtest_filter=*/" + level});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("[       OK ] Tables/ProductTest.Agrees"));
  EXPECT_THAT(
      run.output,
      HasSubstr("[       OK ] Levels/KnownBitsTest.SameOnEveryMachine/" +
                level));
}

INSTANTIATE_TEST_SUITE_P(Cpus, OlderCpuTest,
                         ::testing::Values(OldCpu{"Nehalem", "v2", "v3"},
                                           OldCpu{"Haswell", "v3", "v4"}),
                         [](const auto& info) { return info.param.name; });

TEST(OlderCpu, BelowTheLowestLevelIsRefusedWithAReason) {
  const Ended run = RunOn("Conroe", {"pod_launch", "--selftest"});
  EXPECT_EQ(run.exit_code, 1) << run.output;
  EXPECT_THAT(run.output, HasSubstr("older than x86-64-v2"));
}

// A job that began on this machine, and goes on where less can be run.
class FallenLevelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    PodRun begun(Job(20));
    ASSERT_EQ(begun.Wait(), 0) << begun.output();
    level_ = begun.Event("plan").value("isa", "");
    ASSERT_NE(level_, "v2") << "this machine has no level to fall from";
  }
  std::vector<std::string> Job(int steps,
                               const std::vector<std::string>& more = {}) {
    std::vector<std::string> flags = {"--topology=v3-8",
                                      "--hidden=16",
                                      "--reference_topology=v3-8",
                                      "--initialization_timeout=100",
                                      "--model_dir=" + dir_.file("model"),
                                      "--train_steps=" + std::to_string(steps)};
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  }

  TempDir dir_;
  std::string level_;  // that the checkpoint was trained at
};

// Silently it would end with other weights than those of a job that was left
// alone.
TEST_F(FallenLevelTest, AHostThatRunsLessThanTheCheckpointIsRefusedByName) {
  const std::string coordinator = "unix:" + dir_.file("coordinator");
  const std::vector<std::pair<std::string, std::string>> token = {
      {"PODSIM_TOKEN", "a-token-of-a-test-that-is-long-enough"}};
  PodRun resumed(Job(40, {"--external_hosts", "--listen=" + coordinator}),
                 token);
  Subprocess host({{"/usr/bin/env", "qemu-x86_64", "-cpu", "Nehalem",
                    Program("pod_host"), "--coordinator=" + coordinator,
                    "--process=0", "--ici_listen=unix:" + dir_.file("ici")},
                   token});
  EXPECT_EQ(resumed.Wait(), 1) << host.output();
  EXPECT_THAT(
      resumed.Event("failure").value("message", ""),
      AllOf(HasSubstr("host 0 (process 0, pid "),
            HasSubstr(") runs no more than v2: the checkpoint was trained at "
                      "ISA level " +
                      level_ + ", the pod runs no more than v2: "),
            HasSubstr("pass --isa=v2 if it shall")))
      << resumed.output();
  EXPECT_EQ(resumed.Event("failure").value("process", ""), "host0");
  EXPECT_TRUE(resumed.Events("plan").empty());
  EXPECT_NE(host.Wait(kDeadline), 0) << host.output();
  // The checkpoint is as it was, and goes on where its level runs.
  PodRun healthy(Job(40));
  EXPECT_EQ(healthy.Wait(), 0) << healthy.output();
  EXPECT_EQ(healthy.Event("resume").value("step", 0), 20);
  EXPECT_EQ(healthy.Event("plan").value("isa", ""), level_);
}

TEST_F(FallenLevelTest, ALevelThatIsAskedForIsANote) {
  PodRun lower(Job(40, {"--isa=v2"}));
  EXPECT_EQ(lower.Wait(), 0) << lower.output();
  EXPECT_EQ(lower.Event("resume").value("step", 0), 20);
  EXPECT_EQ(lower.Event("plan").value("isa", ""), "v2");
  EXPECT_THAT(lower.Unwrapped(),
              HasSubstr("note: the checkpoint's plan is another "
                        "(learning_rate; isa " +
                        level_ + ", now v2)"));
}

}  // namespace
}  // namespace podsim::testing
