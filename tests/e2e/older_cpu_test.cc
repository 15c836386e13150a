// The programs on CPUs older than this machine's, emulated by qemu-user: the
// level that is chosen, that its kernels run and are right, and that those
// above are refused. The emulator knows AVX2 from version 7.2 on and no
// AVX-512, and an instruction that the emulated CPU lacks is SIGILL there as on
// the real one. Needs qemu-x86_64 (Debian: qemu-user).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/pod.h"

namespace podsim::testing {
namespace {

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

}  // namespace
}  // namespace podsim::testing
