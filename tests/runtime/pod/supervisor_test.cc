// Supervision of real processes: shells that play coordinator and hosts and
// die, hang or refuse to end. No test waits for time to pass: children tell
// each other through FIFOs when they are where the test wants them.
#include "runtime/pod/supervisor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/pod/pipe.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::TempDir;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// The most that may pass from the first failure to the launcher's end.
constexpr absl::Duration kWholeEnd = absl::Seconds(5);

constexpr char kFailedLine[] =
    R"({"failed":{"host":1,"process":1,"step":"17","phase":"all-reduce",)"
    R"("message":"lost it","lost":true}})";
constexpr char kDoneLine[] = R"({"done":{"weightsHash":"feed"}})";

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class SupervisorTest : public ::testing::Test {
 protected:
  SupervisorTest() {
    auto signals = StopSignals::Block();
    PODSIM_CHECK(signals.ok());
    signals_.emplace(*std::move(signals));
    error_file_ = dir_.file("stderr");
    error_fd_ = UniqueFd(open(error_file_.c_str(),
                              O_CREAT | O_WRONLY | O_CLOEXEC | O_APPEND, 0600));
    console_.emplace(error_fd_.get(), error_fd_.get());
    PODSIM_CHECK(mkfifo(dir_.file("fifo").c_str(), 0600) == 0);
    NewSupervisor({});
  }

  void NewSupervisor(const SupervisorOptions& options) {
    supervisor_.reset();
    supervisor_ = std::make_unique<Supervisor>(
        options, *signals_, *console_, clock_,
        [this](const JobEvent& event) { events_.push_back(event); });
  }

  // In scripts: $EVENTS is where events go, $FIFO a FIFO of the test.
  ProcessSpec Shell(const std::string& name, const std::string& script) {
    return {.name = name,
            .argv = {"/bin/sh", "-c", script},
            .environment = {{"FIFO", dir_.file("fifo")}}};
  }

  void StartCoordinator(const std::string& script) {
    auto events = MakePipe();
    ASSERT_THAT(events, IsOk());
    ProcessSpec spec = Shell("coordinator", script);
    const int fd = events->write_end.get();
    spec.environment.emplace_back("EVENTS", absl::StrCat("/proc/self/fd/", fd));
    spec.inherited_fds = {fd};
    ASSERT_THAT(
        supervisor_->StartCoordinator(spec, std::move(events->read_end)),
        IsOk());
  }

  void StartHost(int index, const std::string& script) {
    ASSERT_THAT(
        supervisor_->StartHost(Shell(absl::StrCat("host", index), script)),
        IsOk());
  }

  Outcome Run() {
    const absl::Time begin = clock_.Now();
    const Outcome outcome = supervisor_->Run();
    EXPECT_LT(clock_.Now() - begin, kWholeEnd);
    return outcome;
  }

  // All children are collected, not merely told to go.
  static void ExpectNoChildren() {
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

  std::string Errors() const { return ReadAll(error_file_); }

  TempDir dir_;
  SystemClock clock_;
  std::optional<StopSignals> signals_;
  std::string error_file_;
  UniqueFd error_fd_;
  std::optional<Console> console_;
  std::vector<JobEvent> events_;
  std::unique_ptr<Supervisor> supervisor_;
};

std::string Emit(const std::string& line) {
  return absl::StrCat("echo '", line, "' > $EVENTS; ");
}

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

class StopTest : public SupervisorTest,
                 public ::testing::WithParamInterface<int> {};

TEST_P(StopTest, EndsEverythingWithoutBlamingAnyone) {
  StartCoordinator("exec sleep 100");
  StartHost(0, "exec sleep 100");
  raise(GetParam());
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 128 + GetParam());
  EXPECT_EQ(outcome.stop_signal, GetParam());
  EXPECT_FALSE(outcome.failure.has_value());
  ExpectNoChildren();
}

INSTANTIATE_TEST_SUITE_P(Signals, StopTest,
                         ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGPIPE));

struct Drain {
  int signal;
  bool saves;
  int exit_code;
};

class DrainTest : public SupervisorTest,
                  public ::testing::WithParamInterface<Drain> {};

// A coordinator that does `at_sigterm` when it is told to end, and has the
// launcher told so once the pod has formed.
std::string ToldToEnd(int signal, const std::string& at_sigterm) {
  return absl::StrCat("trap '", at_sigterm, "' TERM; ",
                      Emit(R"({"formed":{}})"), "kill -", signal,
                      " $PPID; while :; do sleep 0.01; done");
}

// The coordinator is asked to finish the step, and is waited for.
TEST_P(DrainTest, TheFirstSignalLetsAJobFinishItsStep) {
  const auto& [signal, saves, exit_code] = GetParam();
  NewSupervisor({.term_wait = absl::Hours(1), .drains = true, .saves = saves});
  StartCoordinator(ToldToEnd(
      signal, R"(echo {\"done\":{\"drained\":true}} > $EVENTS; exit 0)"));
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, exit_code);
  EXPECT_TRUE(outcome.drained);
  EXPECT_EQ(outcome.stop_signal, 0);
  EXPECT_THAT(Errors(), HasSubstr(saves ? "finishes its step, saves and ends"
                                        : "finishes its step and ends"));
  ExpectNoChildren();
}

INSTANTIATE_TEST_SUITE_P(
    Signals, DrainTest,
    ::testing::Values(Drain{SIGTERM, true, kDrainedExitCode},
                      Drain{SIGINT, true, 130}, Drain{SIGTERM, false, 143},
                      Drain{SIGINT, false, 130}));

TEST_F(SupervisorTest, AHostThatWasToldToEndDrainsAPodThatDoesNotSave) {
  NewSupervisor({.drains = true});
  StartCoordinator(Emit(R"({"formed":{}})") +
                   Emit(R"({"done":{"drained":true}})"));
  EXPECT_EQ(Run().exit_code, 128 + SIGTERM);
}

TEST_F(SupervisorTest, APodThatHasNotFormedIsStoppedAtOnce) {
  NewSupervisor({.drains = true, .saves = true});
  StartCoordinator("exec sleep 100");
  raise(SIGINT);
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 128 + SIGINT);
  EXPECT_EQ(outcome.stop_signal, SIGINT);
  EXPECT_FALSE(outcome.drained);
  EXPECT_EQ(Errors(), "");
  ExpectNoChildren();
}

TEST_F(SupervisorTest, AJobThatFailsOnItsWayToTheEndIsNotStartedAgain) {
  for (const int signal : {0, SIGINT}) {
    NewSupervisor({.drains = true, .saves = true});
    std::ofstream(dir_.file("failed")) << kFailedLine << "\n";
    const std::string fail =
        absl::StrCat("cat ", dir_.file("failed"), " > $EVENTS; exit 1");
    StartCoordinator(signal == 0 ? fail : ToldToEnd(signal, fail));
    const Outcome outcome = Run();
    ASSERT_TRUE(outcome.failure.has_value());
    EXPECT_EQ(outcome.recoverable, signal == 0);
  }
}

TEST_F(SupervisorTest, ASecondSignalDoesNotWaitForTheObstinate) {
  NewSupervisor({.term_wait = absl::Hours(1)});
  StartCoordinator("exec sleep 100");
  StartHost(0, "trap '' INT; echo > $FIFO; exec sleep 100");
  std::ifstream(dir_.file("fifo")).get();  // the trap is set
  raise(SIGINT);
  raise(SIGTERM);
  Run();
  ExpectNoChildren();
}

TEST_F(SupervisorTest, ASignalThatComesWhenTheJobIsDoneLosesNoResult) {
  StartCoordinator(Emit(kDoneLine) + "echo > $FIFO");
  StartHost(0, "cat $FIFO; kill -TERM $PPID");
  const Outcome outcome = Run();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.stop_signal, 0);
  EXPECT_FALSE(outcome.failure.has_value());
  ExpectNoChildren();
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

TEST_F(SupervisorTest, HostsStartOnceTheCoordinatorSaysWhereItIs) {
  ASSERT_OK_AND_ASSIGN(Pipe ready, MakePipe());
  const int fd = ready.write_end.get();
  ASSERT_OK_AND_ASSIGN(Pipe events, MakePipe());
  ProcessSpec spec =
      Shell("coordinator",
            "echo 127.0.0.1:4711 > $READY; cat $FIFO; " + Emit(kDoneLine));
  spec.environment.emplace_back("READY", absl::StrCat("/proc/self/fd/", fd));
  spec.environment.emplace_back(
      "EVENTS", absl::StrCat("/proc/self/fd/", events.write_end.get()));
  spec.inherited_fds = {fd, events.write_end.get()};
  ASSERT_THAT(supervisor_->StartCoordinator(spec, std::move(events.read_end)),
              IsOk());
  std::string address;
  supervisor_->StartHostsWhenReady(
      std::move(ready.read_end), [&](const std::string& line) {
        address = line;
        return std::vector<ProcessSpec>{Shell("host0", "exec > $FIFO")};
      });
  EXPECT_EQ(Run().exit_code, 0);
  EXPECT_EQ(address, "127.0.0.1:4711");
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

// A launcher that is killed outright: the kernel ends its children.
TEST(ProcessTest, ChildrenDieWithTheLauncher) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  ASSERT_OK_AND_ASSIGN(Pipe pipe, MakePipe());
  const pid_t launcher = fork();
  ASSERT_GE(launcher, 0);
  if (launcher == 0) {
    const auto child = Process::Start(
        {.name = "child", .argv = {"/bin/sh", "-c", "exec sleep 100"}});
    const pid_t pid = child.ok() ? child->pid() : 0;
    if (write(pipe.write_end.get(), &pid, sizeof(pid)) < 0) _exit(1);
    pause();
    _exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(fcntl(pipe.read_end.get(), F_SETFL, 0), 0);  // wait for it
  ASSERT_EQ(read(pipe.read_end.get(), &child, sizeof(child)),
            static_cast<ssize_t>(sizeof(child)));
  ASSERT_GT(child, 0);
  ASSERT_EQ(kill(launcher, SIGKILL), 0);
  ASSERT_EQ(waitpid(launcher, nullptr, 0), launcher);
  int status = 0;
  // Comes back at once, or never if the child lives on.
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 127);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

// As in a program that embeds us.
TEST(ProcessTest, AnEndThatSomebodyElseCollectedIsAnEnd) {
  signal(SIGCHLD, SIG_IGN);
  ASSERT_OK_AND_ASSIGN(
      Process process,
      Process::Start(
          {.name = "child", .argv = {"/bin/sh", "-c", "trap | grep CHLD"}}));
  while (!process.Reap()) {
  }
  signal(SIGCHLD, SIG_DFL);
  EXPECT_TRUE(process.end()->unknown);
  EXPECT_THAT(DescribeEnd(*process.end()), HasSubstr("nobody knows how"));
}

TEST(ProcessTest, HidesWhatIsNotForTheChild) {
  setenv("PODSIM_ICI_ADVERTISE", "elsewhere:1", 1);
  ASSERT_OK_AND_ASSIGN(
      Process process,
      Process::Start(
          {.name = "child",
           .argv = {"/bin/sh", "-c", "test -z \"${PODSIM_ICI_ADVERTISE+set}\""},
           .hidden_environment = {"PODSIM_ICI_ADVERTISE"}}));
  unsetenv("PODSIM_ICI_ADVERTISE");
  while (!process.Reap()) {
  }
  EXPECT_TRUE(process.end()->clean());
}

TEST(ProcessTest, InheritsOnlyWhatItIsGiven) {
  ASSERT_OK_AND_ASSIGN(Pipe given, MakePipe());
  ASSERT_OK_AND_ASSIGN(Pipe kept, MakePipe());
  ASSERT_OK_AND_ASSIGN(
      Process process,
      Process::Start(
          {.name = "child",
           .argv = {"/bin/sh", "-c",
                    absl::StrCat(
                        "test -e /proc/self/fd/", given.write_end.get(),
                        " && test ! -e /proc/self/fd/", kept.write_end.get())},
           .inherited_fds = {given.write_end.get()}}));
  while (!process.Reap()) {
  }
  EXPECT_TRUE(process.end()->clean());
}

}  // namespace
}  // namespace podsim
