// Command lines of the job's processes.
#include "runtime/pod/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

const PodFiles kFiles = {.program_dir = "/bin",
                         .private_dir = "/run/podsim-x",
                         .job_file = "/run/podsim-x/job",
                         .token = "s3cret"};

JobPlan CommandPlan(words::Transport::Word transport) {
  JobPlan plan;
  plan.mutable_bits()->set_hosts(8);
  plan.mutable_spec()->set_processes(3);
  for (const int first : {0, 1, 4}) plan.add_first_host(first);
  plan.mutable_spec()->set_transport(transport);
  return plan;
}

Slice V3Slice() {
  auto slice = FindSlice("v3-64");
  PODSIM_CHECK(slice.ok());
  return *std::move(slice);
}

TEST(CommandsTest, NamesSayWhichHostsAProcessPlays) {
  const JobPlan plan = CommandPlan(words::Transport::unix);
  EXPECT_EQ(HostProcessName(plan, 0), "host0");
  EXPECT_EQ(HostProcessName(plan, 1), "host1-3");
  EXPECT_EQ(HostProcessName(plan, 2), "host4-7");
}

TEST(CommandsTest, SocketsAreInThePrivateDirectory) {
  const std::string listen = LocalListenAddress(kFiles, words::Transport::unix);
  EXPECT_EQ(listen, "unix:/run/podsim-x/coordinator-1.sock");
  const ProcessSpec host = HostCommand(
      kFiles, CommandPlan(words::Transport::unix), V3Slice(), 1, listen);
  EXPECT_EQ(host.name, "host1-3");
  EXPECT_THAT(host.argv,
              ElementsAre("/bin/pod_host",
                          "--coordinator=unix:/run/podsim-x/coordinator-1.sock",
                          "--process=1",
                          "--ici_listen=unix:/run/podsim-x/ici-1-1.sock"));
}

TEST(CommandsTest, ProcessesOfATracedJobAreToldWhereTheirPartGoes) {
  const JobPlan plan = CommandPlan(words::Transport::unix);
  PodFiles files = kFiles;
  files.traced = true;
  EXPECT_EQ(HostCommand(files, plan, V3Slice(), 1, "unix:/c").argv.back(),
            "--trace_part=/run/podsim-x/trace-1-1");
  EXPECT_THAT(CoordinatorCommand(files, "x", 7, -1).argv,
              Not(Contains(HasSubstr("trace"))));
}

TEST(CommandsTest, OfHostsElsewhereTheCoordinatorTakesTheParts) {
  PodFiles files = kFiles;
  files.external_hosts = true;
  EXPECT_THAT(CoordinatorCommand(files, "x", 7, -1).argv,
              Not(Contains(HasSubstr("trace"))));
  files.traced = true;
  EXPECT_THAT(CoordinatorCommand(files, "x", 7, -1).argv,
              Contains("--trace_parts=/run/podsim-x"));
}

TEST(CommandsTest, TcpTakesAnyPortOfThisMachine) {
  EXPECT_EQ(LocalListenAddress(kFiles, words::Transport::tcp), "127.0.0.1:0");
  EXPECT_THAT(HostCommand(kFiles, CommandPlan(words::Transport::tcp), V3Slice(),
                          0, "127.0.0.1:4711")
                  .argv,
              Contains("--ici_listen=127.0.0.1:0"));
}

TEST(CommandsTest, TheCoordinatorInheritsItsDescriptors) {
  const ProcessSpec spec = CoordinatorCommand(kFiles, "127.0.0.1:0", 7, 9);
  EXPECT_THAT(
      spec.argv,
      ElementsAre("/bin/pod_coordinator", "--job=/run/podsim-x/job",
                  "--listen=127.0.0.1:0", "--events_fd=7", "--generation=1",
                  "--wall_offset_ns=0", "--ready_fd=9"));
  EXPECT_THAT(spec.inherited_fds, ElementsAre(7, 9));
  EXPECT_THAT(CoordinatorCommand(kFiles, "x", 7, -1).inherited_fds,
              ElementsAre(7));
  PodFiles files = kFiles;
  files.model_dir.lock_fd = 11;
  const ProcessSpec locked = CoordinatorCommand(files, "x", 7, -1);
  EXPECT_THAT(locked.argv, Contains("--model_dir_lock_fd=11"));
  EXPECT_THAT(locked.inherited_fds, ElementsAre(7, 11));
}

TEST(CommandsTest, TheCoordinatorServesWhatWasAskedFor) {
  PodFiles files = kFiles;
  files.monitor.set_metrics_port(0);
  files.monitor.set_metrics_host("10.0.0.1");
  files.monitor.set_tpu_metrics_port(8431);
  EXPECT_THAT(
      CoordinatorCommand(files, "x", 7, -1).argv,
      AllOf(Contains("--metrics_port=0"), Contains("--metrics_host=10.0.0.1"),
            Contains("--tpu_metrics_port=8431")));
}

TEST(CommandsTest, TheTokenIsInTheEnvironmentAndNeverInTheArguments) {
  for (const ProcessSpec& spec :
       {CoordinatorCommand(kFiles, "x", 7, -1),
        HostCommand(kFiles, CommandPlan(words::Transport::unix), V3Slice(), 0,
                    "x")}) {
    EXPECT_THAT(spec.environment, Contains(Pair("PODSIM_TOKEN", "s3cret")));
    EXPECT_THAT(spec.argv, Not(Contains(HasSubstr("s3cret"))));
  }
}

TEST(CommandsTest, AProcessSeesTheEnvironmentOfItsFirstHost) {
  const ProcessSpec spec = HostCommand(
      kFiles, CommandPlan(words::Transport::unix), V3Slice(), 2, "x");
  EXPECT_THAT(spec.environment, Contains(Pair("TPU_WORKER_ID", "4")));
  EXPECT_THAT(spec.environment, Contains(Pair("RANK", "4")));
  EXPECT_THAT(spec.environment,
              Contains(Pair("TPU_ACCELERATOR_TYPE", "v3-64")));
}

TEST(CommandsTest, WhatIsMeantForAHostElsewhereIsNotPassedOn) {
  EXPECT_THAT(HostCommand(kFiles, CommandPlan(words::Transport::unix),
                          V3Slice(), 0, "x")
                  .hidden_environment,
              Contains("PODSIM_ICI_ADVERTISE"));
}

TEST(CommandsTest, TheCoordinatorKnowsThatHostsAreElsewhere) {
  PodFiles files = kFiles;
  files.external_hosts = true;
  EXPECT_THAT(CoordinatorCommand(files, "x", 7, -1).argv,
              Contains("--external"));
}

TEST(CommandsTest, ThePlainTextOverrideIsSpelledOut) {
  PodFiles files = kFiles;
  files.allow_plaintext_network = true;
  EXPECT_THAT(CoordinatorCommand(files, "x", 7, -1).argv,
              Contains("--allow_plaintext_network"));
}

}  // namespace
}  // namespace podsim
