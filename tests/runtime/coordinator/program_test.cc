// pod_coordinator as a program: what it refuses, what it says, how it exits.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "base/rpc/credentials.h"
#include "base/rpc/deadline.h"
#include "base/unique_fd.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::Subprocess;
using ::podsim::testing::TempDir;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kLimit(30);

// A connection to a port of this machine.
UniqueFd Dial(int port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)) != 0) {
    return UniqueFd();
  }
  return fd;
}

class ProgramTest : public ::testing::Test {
 protected:
  std::string WriteJob(const std::string& text) {
    const std::string path = dir_.file("job");
    std::ofstream(path) << text;
    return path;
  }
  static Subprocess::Options Command(
      std::vector<std::string> flags,
      const std::string& token = "0123456789abcdef") {
    flags.insert(flags.begin(), POD_COORDINATOR);
    return {.command = std::move(flags),
            .environment = {{"PODSIM_TOKEN", token}}};
  }
  // Runs to the end and returns the exit code.
  int Run(const Subprocess::Options& options) {
    Subprocess program(options);
    const int code = program.Wait(kLimit);
    output_ = program.output();
    return code;
  }

  TempDir dir_;
  std::string output_;
};

constexpr char kJob[] = "topology: 'v3-8' model: 'mlp'";

TEST_F(ProgramTest, NeedsTheToken) {
  EXPECT_EQ(Run(Command({"--job=" + WriteJob(kJob)}, "")), 2);
  EXPECT_THAT(output_, HasSubstr("PODSIM_TOKEN is not set"));
}

TEST_F(ProgramTest, RefusesUnknownFlagsAndMissingFiles) {
  EXPECT_EQ(Run(Command({})), 2);
  EXPECT_THAT(output_, HasSubstr("--job"));
  EXPECT_EQ(Run(Command({"--job=" + dir_.file("none")})), 2);
  EXPECT_EQ(Run(Command({"--job=" + WriteJob(kJob), "--what"})), 2);
  EXPECT_EQ(Run(Command({"--help"})), 0);
}

TEST_F(ProgramTest, RefusesAJobThatCannotBePlanned) {
  EXPECT_EQ(Run(Command({"--job=" + WriteJob("topology: 'v9-1'")})), 2);
  EXPECT_THAT(output_, HasSubstr("v9-1"));
  EXPECT_EQ(Run(Command({"--job=" + WriteJob("modle: 'mlp'")})), 2);
  EXPECT_THAT(output_, HasSubstr("modle"));
}

TEST_F(ProgramTest, RefusesPlainTextBeyondTheMachine) {
  EXPECT_EQ(Run(Command({"--job=" + WriteJob(kJob), "--listen=0.0.0.0:0"})), 2);
  EXPECT_THAT(output_, HasSubstr("--allow_plaintext_network"));
}

// As many connections that say nothing as the program has descriptors, and
// more.
TEST_F(ProgramTest, ConnectionsThatSayNothingKeepNoHostOut) {
  std::ofstream(dir_.file("run"))
      << "ulimit -n 128; exec " << POD_COORDINATOR << " \"$@\"";
  Subprocess program(
      {.command = {"/bin/sh", dir_.file("run"), "--job=" + WriteJob(kJob),
                   "--listen=127.0.0.1:0", "--events_fd=1", "--ready_fd=2"},
       .environment = {{"PODSIM_TOKEN", "0123456789abcdef"}}});
  ASSERT_TRUE(program.ReadUntilText("127.0.0.1:", kLimit));
  ASSERT_TRUE(program.ReadUntil(
      [](const std::string& text) { return text.back() == '\n'; }, kLimit));
  const std::string address =
      program.output().substr(program.output().find("127.0.0.1:"));
  std::vector<UniqueFd> strangers;
  for (int i = 0; i < 300; ++i) {
    strangers.push_back(Dial(std::stoi(address.substr(10))));
    ASSERT_TRUE(strangers.back().valid());
  }
  const RpcSecurity security = {.token = "0123456789abcdef"};
  const auto channel =
      OpenChannel(address.substr(0, address.find('\n')), security);
  ASSERT_THAT(channel, testing::IsOk());
  EXPECT_TRUE((*channel)->WaitForConnected(DeadlineIn(absl::Seconds(30))));
  program.Signal(SIGINT);
  EXPECT_EQ(program.Wait(kLimit), 1) << program.output();
}

TEST_F(ProgramTest, SaysWhereItListensAndEndsOnSigterm) {
  const std::string address = "unix:" + dir_.file("s");
  Subprocess program(Command({"--job=" + WriteJob(kJob), "--listen=" + address,
                              "--events_fd=1", "--ready_fd=2"}));
  ASSERT_TRUE(program.ReadUntilText(address + "\n", kLimit));
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(kLimit), 1);
  EXPECT_THAT(program.output(), HasSubstr("\"failed\":{\"host\":-1"));
  EXPECT_THAT(program.output(), HasSubstr("SIGTERM"));
}

}  // namespace
}  // namespace podsim
