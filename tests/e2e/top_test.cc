// pod_top beside jobs of pod_launch: it finds them, shows them, and disturbs
// none of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/pod.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

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

// A job whose coordinator listens on TCP, as one of another machine does.
class TopAddressTest : public ::testing::Test {
 protected:
  void StartPod() {
    pod_ = std::make_unique<PodRun>(
        std::vector<std::string>{"--topology=v3-8", "--hidden=16",
                                 "--train_steps=100000000", "--external_hosts",
                                 "--listen=127.0.0.1:0"},
        Token(kToken));
    ASSERT_TRUE(pod_->process().ReadUntilText("(--initialization_timeout)\n",
                                              kDeadline))
        << pod_->output();
    address_ = Between(pod_->output(), "--coordinator=", " ");
    host_ = std::make_unique<Subprocess>(Subprocess::Options{
        {Program("pod_host"), "--coordinator=" + address_, "--process=0"},
        Token(kToken)});
    ASSERT_TRUE(pod_->WaitForEvents("step", 3)) << pod_->output();
  }
  // pod_top with these flags, behind these words of a command.
  Subprocess::Options Top(const std::vector<std::string>& flags,
                          const std::string& token = kToken,
                          std::vector<std::string> before = {}) const {
    before.insert(before.end(), {Program("pod_top"), "--address=" + address_});
    before.insert(before.end(), flags.begin(), flags.end());
    return {.command = std::move(before), .environment = Token(token)};
  }
  void EndPod() {
    pod_->process().Signal(SIGINT);
    pod_->Wait();
    host_->Wait(kDeadline);
  }

  static constexpr char kToken[] = "a-token-of-a-test-that-is-long-enough";

 private:
  static std::vector<std::pair<std::string, std::string>> Token(
      const std::string& token) {
    return {{"PODSIM_TOKEN", token}};
  }
  static std::string Between(const std::string& text, const std::string& from,
                             const std::string& to) {
    const auto begin = text.find(from) + from.size();
    return text.substr(begin, text.find(to, begin) - begin);
  }

  std::string address_;
  std::unique_ptr<PodRun> pod_;
  std::unique_ptr<Subprocess> host_;
};

TEST_F(TopAddressTest, OverTcpWithTheJobsToken) {
  ASSERT_NO_FATAL_FAILURE(StartPod());
  Subprocess json(Top({"--once", "--json"}));
  EXPECT_EQ(json.Wait(kDeadline), 0) << json.output();
  const auto shown = nlohmann::json::parse(json.output(), nullptr, false);
  ASSERT_TRUE(shown.is_object()) << json.output();
  EXPECT_EQ(shown["phase"], "training");
  EXPECT_EQ(shown["slice"], "v3-8");
  EXPECT_GE(shown["step"], 3);

  Subprocess other(
      Top({"--once"}, "another-token-of-a-test-that-is-long-enough"));
  EXPECT_EQ(other.Wait(kDeadline), 1) << other.output();
  EXPECT_THAT(other.output(),
              MatchesRegex("pod_top: [^\n]*PODSIM_TOKEN[^\n]*\n"));
  EndPod();
}

// A test that runs as root gives that up for it: of what root may, it keeps
// only to look into folders, such as the one that has the programs.
TEST_F(TopAddressTest, WithoutRootACommandIsRefusedInALine) {
  ASSERT_NO_FATAL_FAILURE(StartPod());
  const std::vector<std::string> as_nobody =
      geteuid() != 0 ? std::vector<std::string>()
                     : std::vector<std::string>{"/usr/bin/setpriv",
                                                "--reuid=65534",
                                                "--regid=65534",
                                                "--clear-groups",
                                                "--inh-caps=+dac_override",
                                                "--ambient-caps=+dac_override"};
  Subprocess top(Top({"--tpu_info", "--", "echo", "begun"}, kToken, as_nobody));
  EXPECT_EQ(top.Wait(kDeadline), 1) << top.output();
  EXPECT_THAT(top.output(), MatchesRegex("pod_top: --tpu_info [^\n]*only root "
                                         "may: run it with sudo[^\n]*\n"));
  EndPod();
}

}  // namespace
}  // namespace podsim::testing
