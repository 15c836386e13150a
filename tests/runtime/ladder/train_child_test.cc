// The child of a rung: its command, its end and what it said.
#include "runtime/ladder/train_child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <utility>

#include "base/clock.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TrainChildTest, TheJobFileAloneHasASay) {
  const ProcessSpec spec = LaunchCommand("/bin/of", "/tmp/job.txt");
  EXPECT_THAT(spec.argv, ElementsAre("/bin/of/pod_launch", "--quiet",
                                     "--job=/tmp/job.txt"));
  EXPECT_THAT(spec.hidden_environment, Contains("PODSIM_TRAIN_STEPS"));
  EXPECT_THAT(spec.hidden_environment, Contains("TPU_ACCELERATOR_TYPE"));
  // No settings, and needed.
  EXPECT_THAT(spec.hidden_environment, Not(Contains("PODSIM_TOKEN")));
  EXPECT_THAT(spec.hidden_environment, Not(Contains("PODSIM_KERNEL_DIR")));
}

TEST(TrainChildTest, ProgramsThatAreMissingAreNamed) {
  const testing::TempDir folder;
  EXPECT_THAT(std::string(CheckPrograms(folder.path()).message()),
              HasSubstr(folder.file("pod_launch")));
}

ChildEnd RunShell(const std::string& script) {
  Console console(-1, -1);
  const SystemClock clock;
  auto signals = StopSignals::Block();
  EXPECT_TRUE(signals.ok());
  auto ended = RunToItsEnd({.name = "shell", .argv = {"/bin/sh", "-c", script}},
                           *signals, console, clock);
  EXPECT_TRUE(ended.ok()) << ended.status();
  return *std::move(ended);
}

TEST(TrainChildTest, ItsEndAndItsLastWordsAreKept) {
  const ChildEnd ended =
      RunShell("echo one; echo 'error: no such slice' >&2; echo hint; exit 3");
  EXPECT_EQ(ended.end.exit_code, 3);
  EXPECT_EQ(ended.stop_signal, 0);
  EXPECT_EQ(FailureOf(ended), "no such slice");
  EXPECT_EQ(FailureOf(RunShell("echo all; exit 1")), "all");
  EXPECT_EQ(FailureOf(RunShell("exit 4")), "pod_launch exited with code 4");
  EXPECT_TRUE(RunShell("exit 0").end.clean());
}

// The child tells its parent to stop, and gets that passed on.
TEST(TrainChildTest, ASignalIsPassedOn) {
  const ChildEnd ended = RunShell(
      "trap 'kill $!; exit 7' INT; tail -f /dev/null & "
      "kill -INT $PPID; wait");
  EXPECT_EQ(ended.stop_signal, SIGINT);
  EXPECT_EQ(ended.end.exit_code, 7);
}

}  // namespace
}  // namespace podsim
