// What a supervisor makes of how its children end, and what it says of it.
#include <csignal>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/runtime/pod/supervisor_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Emit;
using ::podsim::testing::IsOk;
using ::podsim::testing::kDoneLine;
using ::podsim::testing::kFailedLine;
using ::podsim::testing::ReadAll;
using ::podsim::testing::StatusIs;
using ::podsim::testing::SupervisorTest;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(SupervisorTest, AGoodRunEndsByItself) {
  StartCoordinator(Emit(R"({"step":{"step":"1","metrics":[)"
                        R"({"name":"loss","combine":"SUM","total":0.5}]}})") +
                   Emit(kDoneLine));
  StartHost(0, "echo 'I fine'");
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_FALSE(outcome.failure.has_value());
  ASSERT_EQ(events_.size(), 2u);
  EXPECT_EQ(events_[0].step().metrics(0).total(), 0.5);
  EXPECT_EQ(events_[1].done().weights_hash(), "feed");
  EXPECT_EQ(Errors(), "");
  ExpectNoChildren();
}

TEST_F(SupervisorTest, AHostThatLeavesBeforeTheNewsIsNoFailure) {
  // host0 is gone (its end of the FIFO closes) before the event is written.
  StartCoordinator("cat $FIFO; " + Emit(kDoneLine));
  StartHost(0, "exec > $FIFO");
  EXPECT_EQ(Run().exit_code, 0);
}

TEST_F(SupervisorTest, AKilledHostIsNamedWithWhatTheCoordinatorKnows) {
  StartCoordinator("cat $FIFO; " + Emit(kFailedLine) + "exec sleep 100");
  StartHost(0, "exec sleep 100");
  StartHost(1, "echo 'I working' >&2; exec 3> $FIFO; kill -9 $$");
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 137);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->name, "host1");
  EXPECT_EQ(outcome.failure->how, "was killed by signal 9 (SIGKILL)");
  EXPECT_EQ(outcome.failure->step, 17);
  EXPECT_EQ(outcome.failure->phase, "all-reduce");
  EXPECT_EQ(outcome.failure->message, "lost it");
  EXPECT_THAT(outcome.failure->last_lines, Contains("I working"));
  ExpectNoChildren();
}

TEST_F(SupervisorTest, AnExitCodeIsPassedOn) {
  NewSupervisor({.cause_wait = absl::Milliseconds(200)});
  StartCoordinator("exec sleep 100");
  StartHost(0, "echo 'E no such file' >&2; exit 3");
  StartHost(1, "exec sleep 100");
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 3);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->name, "host0");
  EXPECT_THAT(outcome.failure->last_lines, Contains("E no such file"));
  EXPECT_THAT(Errors(), HasSubstr("[host0] E no such file\n"));
  ExpectNoChildren();
}

TEST_F(SupervisorTest, TheCoordinatorsDeathIsBlamedOnIt) {
  StartCoordinator("kill -SEGV $$");
  StartHost(0, "exec sleep 100");
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 128 + SIGSEGV);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->name, "coordinator");
  ExpectNoChildren();
}

TEST_F(SupervisorTest, ChildrenThatIgnoreSigtermAreKilled) {
  StartCoordinator("cat $FIFO; exit 5");
  StartHost(0, "trap '' INT; echo > $FIFO; exec sleep 100");
  EXPECT_EQ(Run().exit_code, 5);
  ExpectNoChildren();
}

TEST_F(SupervisorTest, AStoppedChildIsNamedAndEnded) {
  StartCoordinator("read pid < $FIFO; kill -STOP $pid; " + Emit(kFailedLine) +
                   "exec sleep 100");
  StartHost(0, "exec sleep 100");
  StartHost(1, "echo $$ > $FIFO; exec sleep 100");
  const Outcome outcome = Run();
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->name, "host1");
  EXPECT_THAT(outcome.failure->how, HasSubstr("SIGSTOP"));
  EXPECT_EQ(outcome.exit_code, 1);
  ExpectNoChildren();
}

TEST_F(SupervisorTest, LeavingEarlyWithSuccessIsAFailure) {
  NewSupervisor({.cause_wait = absl::Milliseconds(100)});
  StartCoordinator("exec sleep 100");
  StartHost(0, "exit 0");
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_THAT(outcome.failure->how, HasSubstr("before the job was done"));
}

TEST_F(SupervisorTest, AProcessThatHangsAfterTheJobIsNamedAndEnded) {
  NewSupervisor({.shutdown_wait = absl::Milliseconds(100)});
  StartCoordinator(Emit(kDoneLine));
  StartHost(0, "exec sleep 100");
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->name, "host0");
  EXPECT_THAT(outcome.failure->how, HasSubstr("did not end"));
  ExpectNoChildren();
}

TEST_F(SupervisorTest, WhoStillHasNewsAfterTheJobIsWaitedFor) {
  NewSupervisor({.shutdown_wait = absl::Milliseconds(1000)});
  std::string script = Emit(kDoneLine);
  for (int i = 0; i < 4; ++i)
    absl::StrAppend(&script, "sleep 0.4; ",
                    Emit(R"({"deleted":{"step":"5"}})"));
  StartCoordinator(script);
  StartHost(0, "exit 0");
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_FALSE(outcome.failure.has_value());
  EXPECT_EQ(events_.size(), 5u);
}

// A launcher that is behind with reading: a host that leaves with success is
// no failure before all news is read.
TEST_F(SupervisorTest, NewsThatIsStillComingIsReadBeforeAVerdict) {
  NewSupervisor({.cause_wait = absl::Milliseconds(1000)});
  std::string script = "cat $FIFO; ";
  for (int i = 0; i < 4; ++i)
    absl::StrAppend(&script, "sleep 0.4; ",
                    Emit(R"({"deleted":{"step":"5"}})"));
  StartCoordinator(script + Emit(kDoneLine));
  StartHost(0, "echo > $FIFO");
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_FALSE(outcome.failure.has_value());
}

TEST_F(SupervisorTest, OutputIsKeptInFilesAndOnlyTroubleIsShown) {
  NewSupervisor({.log_dir = dir_.path()});
  StartCoordinator("cat $FIFO; " + Emit(kDoneLine));
  StartHost(0,
            "echo 'I all is well'; echo 'W careful' >&2; "
            "printf 'no newline' >&2; exec > $FIFO");
  EXPECT_EQ(Run().exit_code, 0);
  EXPECT_EQ(ReadAll(dir_.file("host0.log")),
            "[host0] I all is well\n[host0] W careful\n[host0] no newline\n");
  EXPECT_THAT(Errors(), HasSubstr("[host0] W careful\n"));
  EXPECT_THAT(Errors(), HasSubstr("[host0] no newline\n"));
  EXPECT_THAT(Errors(), Not(HasSubstr("all is well")));
}

TEST_F(SupervisorTest, ANamedPipeInThePlaceOfALogIsRefusedNotWaitedOn) {
  ASSERT_EQ(mkfifo(dir_.file("host0.log").c_str(), 0600), 0);
  NewSupervisor({.log_dir = dir_.path()});
  StartCoordinator("exec cat $FIFO");
  EXPECT_THAT(supervisor_->StartHost(Shell("host0", "exec true")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("host0.log: it is a named pipe")));
}

// A coordinator that is asked where it listens, and writes that to $READY.
class ReadyTest : public SupervisorTest {
 protected:
  // Bash's; `hosts` start once it has said so.
  void StartAsked(const std::string& script, std::vector<ProcessSpec> hosts) {
    ASSERT_OK_AND_ASSIGN(Pipe ready, MakePipe());
    ASSERT_OK_AND_ASSIGN(Pipe events, MakePipe());
    const int fds[] = {ready.write_end.get(), events.write_end.get()};
    ProcessSpec spec = Shell("coordinator", script);
    spec.argv.front() = "/bin/bash";
    spec.environment.emplace_back("READY",
                                  absl::StrCat("/proc/self/fd/", fds[0]));
    spec.environment.emplace_back("EVENTS",
                                  absl::StrCat("/proc/self/fd/", fds[1]));
    spec.inherited_fds = {fds[0], fds[1]};
    ASSERT_THAT(supervisor_->StartCoordinator(spec, std::move(events.read_end)),
                IsOk());
    supervisor_->StartHostsWhenReady(
        std::move(ready.read_end),
        [this, hosts = std::move(hosts)](const std::string& line) {
          address_ = line;
          return hosts;
        });
  }

  std::string address_;  // as it was said
};

TEST_F(ReadyTest, HostsStartOnceTheCoordinatorSaysWhereItIs) {
  StartAsked("echo 127.0.0.1:4711 > $READY; cat $FIFO; " + Emit(kDoneLine),
             {Shell("host0", "exec > $FIFO")});
  EXPECT_EQ(Run().exit_code, 0);
  EXPECT_EQ(address_, "127.0.0.1:4711");
}

TEST_F(SupervisorTest, ACoordinatorThatNeverListensIsNamed) {
  NewSupervisor({.ready_wait = absl::Milliseconds(50),
                 .cause_wait = absl::Milliseconds(50)});
  ASSERT_OK_AND_ASSIGN(Pipe ready, MakePipe());
  StartCoordinator("exec sleep 100");
  supervisor_->StartHostsWhenReady(
      std::move(ready.read_end),
      [](const std::string&) { return std::vector<ProcessSpec>(); });
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->name, "coordinator");
  EXPECT_EQ(outcome.failure->how, "did not come up");
}

TEST_F(SupervisorTest, AProgramThatCannotBeRunSaysWhy) {
  NewSupervisor({.cause_wait = absl::Milliseconds(200)});
  StartCoordinator("exec sleep 100");
  ASSERT_THAT(
      supervisor_->StartHost({.name = "host0", .argv = {"/no/such/program"}}),
      IsOk());
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 127);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_THAT(outcome.failure->last_lines,
              Contains(HasSubstr("/no/such/program")));
}

TEST_F(SupervisorTest, TheDestructorLeavesNobodyBehind) {
  StartCoordinator("trap '' INT; exec sleep 100");
  StartHost(0, "kill -STOP $$");
  supervisor_.reset();
  ExpectNoChildren();
}

}  // namespace
}  // namespace podsim
