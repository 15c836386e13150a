// pod_top beside jobs of pod_launch: it finds them, shows them, and disturbs
// none of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
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

class TopTest : public ::testing::Test {
 protected:
  static std::vector<std::string> Job(int steps) {
    return {"--topology=v3-32",
            "--train_batch_size=256",
            "--learning_rate=0.2",
            "--reference_batch_size=256",
            "--warmup_steps=20",
            "--processes=2",
            "--train_steps=" + std::to_string(steps)};
  }
  std::vector<std::string> Saving(int steps) const {
    return WithFlags(Job(steps), {"--model_dir=" + dir_.file("m")});
  }
  Subprocess::Options Top(std::vector<std::string> flags) const {
    flags.insert(flags.begin(),
                 {Program("pod_top"), "--model_dir=" + dir_.file("m")});
    return {.command = std::move(flags)};
  }

  TempDir dir_;
};

TEST_F(TopTest, ShowsAJobThatRuns) {
  PodRun pod(Saving(1000000));
  ASSERT_TRUE(pod.WaitForEvents("step", 3)) << pod.output();
  Subprocess json(Top({"--once", "--json"}));
  EXPECT_EQ(json.Wait(kDeadline), 0) << json.output();
  const auto shown = nlohmann::json::parse(json.output());
  EXPECT_EQ(shown["phase"], "training");
  EXPECT_EQ(shown["slice"], "v3-32");
  EXPECT_GE(shown["step"], 3);
  EXPECT_EQ(shown["hosts"].size(), 4u);
  EXPECT_GT(shown["hosts"][3]["devices"][0]["hbm_used_bytes_sim"], 0);
  Subprocess text(Top({"--host=3"}));  // once: this is no terminal
  EXPECT_EQ(text.Wait(kDeadline), 0) << text.output();
  EXPECT_THAT(text.output(),
              AllOf(HasSubstr("TPU Chips\n"), HasSubstr("TPU v3 chip"),
                    HasSubstr("TPU Runtime Utilization\n")));
  pod.process().Signal(SIGINT);
  pod.Wait();
  Subprocess late(Top({"--once"}));
  EXPECT_EQ(late.Wait(kDeadline), 2) << late.output();
  EXPECT_THAT(late.output(), HasSubstr("no job of yours runs"));
}

// Where tests may not mount, they are told so.
TEST_F(TopTest, ACommandFindsTheChipsOfAHost) {
  PodRun pod(Saving(1000000));
  ASSERT_TRUE(pod.WaitForEvents("step", 1)) << pod.output();
  Subprocess command(Top({"--tpu_info", "--host=3", "--", "sh", "-c",
                          "cat /sys/bus/pci/devices/*/device; exit 7"}));
  const int code = command.Wait(kDeadline);
  if (code == 7)
    EXPECT_EQ(command.output(), "0x0027\n0x0027\n0x0027\n0x0027\n");
  else
    EXPECT_THAT(command.output(),
                AnyOf(HasSubstr("sudo"), HasSubstr("CAP_SYS_ADMIN")));
  pod.process().Signal(SIGINT);
  pod.Wait();
}

// /proc has the command and what waits for it, and each may be looked into.
TEST_F(TopTest, ACommandSeesItsOwnProcessesAlone) {
  PodRun pod(Saving(1000000));
  ASSERT_TRUE(pod.WaitForEvents("step", 1)) << pod.output();
  Subprocess command(Top(
      {"--tpu_info", "--", "sh", "-c",
       "echo $$ /proc/[0-9]*; "
       "for fd in /proc/[0-9]*/fd/*; do "
       "  if [ -L $fd ] && ! readlink $fd > /dev/null; then echo no $fd; fi;"
       "done; cat /sys/bus/pci/devices/*/vendor; exit 7"}));
  if (command.Wait(kDeadline) == 7)
    EXPECT_EQ(command.output(),
              "2 /proc/1 /proc/2\n0x1ae0\n0x1ae0\n0x1ae0\n0x1ae0\n");
  else
    EXPECT_THAT(command.output(),
                AnyOf(HasSubstr("sudo"), HasSubstr("CAP_SYS_ADMIN")));
  pod.process().Signal(SIGINT);
  pod.Wait();
}

// What the command leaves behind is reaped: the loop ends.
TEST_F(TopTest, ACommandsEndIsPodTops) {
  PodRun pod(Saving(1000000));
  ASSERT_TRUE(pod.WaitForEvents("step", 1)) << pod.output();
  Subprocess command(
      Top({"--tpu_info", "--", "sh", "-c",
           "orphan=$(sh -c ': & echo $!'); "
           "while [ -d /proc/$orphan ]; do :; done; kill -TERM $$"}));
  if (command.Wait(kDeadline) == 128 + SIGTERM)
    EXPECT_EQ(command.output(), "");
  else
    EXPECT_THAT(command.output(),
                AnyOf(HasSubstr("sudo"), HasSubstr("CAP_SYS_ADMIN")));
  pod.process().Signal(SIGINT);
  pod.Wait();
}

// The output ends once nobody has it open any more.
TEST_F(TopTest, ACommandDiesWithPodTop) {
  PodRun pod(Saving(1000000));
  ASSERT_TRUE(pod.WaitForEvents("step", 1)) << pod.output();
  Subprocess command(
      Top({"--tpu_info", "--", "sh", "-c", "echo begun; exec sleep 1000000"}));
  if (command.ReadUntilText("begun\n", kDeadline)) {
    command.Signal(SIGKILL);
    EXPECT_EQ(command.Wait(kDeadline), 128 + SIGKILL);
    EXPECT_TRUE(command.output_ended());
  } else {
    EXPECT_THAT(command.output(),
                AnyOf(HasSubstr("sudo"), HasSubstr("CAP_SYS_ADMIN")));
  }
  pod.process().Signal(SIGINT);
  pod.Wait();
}

}  // namespace
}  // namespace podsim::testing
