// Signals: a job is stopped, or finishes its step, and nobody is left behind.
#include <csignal>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/runtime/pod/supervisor_fixture.h"

namespace podsim {
namespace {

using ::podsim::testing::Emit;
using ::podsim::testing::kDoneLine;
using ::podsim::testing::kFailedLine;
using ::podsim::testing::SupervisorTest;
using ::testing::HasSubstr;

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
                         ::testing::Values(SIGINT, SIGTERM, SIGUSR1, SIGHUP,
                                           SIGPIPE));

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
                      Drain{SIGUSR1, true, kDrainedExitCode},
                      Drain{SIGINT, true, 130}, Drain{SIGTERM, false, 143},
                      Drain{SIGUSR1, false, 138}, Drain{SIGINT, false, 130}));

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

}  // namespace
}  // namespace podsim
