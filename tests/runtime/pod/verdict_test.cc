// Who is blamed, from every order in which the news can arrive.
#include "runtime/pod/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::Time At(double seconds) {
  return absl::FromUnixSeconds(1000) + absl::Seconds(seconds);
}

// The coordinator and host0 ... host3, all alive.
Evidence Pod() {
  Evidence evidence;
  evidence.processes.push_back({.name = "coordinator", .pid = 100});
  for (int i = 0; i < 4; ++i) {
    evidence.processes.push_back(
        {.name = "host" + std::to_string(i), .pid = 200 + i});
  }
  return evidence;
}

ProcessEvidence& Host(Evidence& evidence, int index) {
  return evidence.processes[static_cast<std::size_t>(index) + 1];
}

void Signalled(ProcessEvidence& process, int signal, double at) {
  process.end = ProcessEnd{.signal = signal};
  process.ended_at = At(at);
}

void Exited(ProcessEvidence& process, int code, double at) {
  process.end = ProcessEnd{.exit_code = code};
  process.ended_at = At(at);
}

void Blame(Evidence& evidence, int process, bool lost, double at) {
  JobFailed failed;
  failed.set_host(process);
  failed.set_process(process);
  failed.set_step(17);
  failed.set_phase("all-reduce #12 (bucket 0)");
  failed.set_message("what happened");
  failed.set_lost(lost);
  evidence.failed = failed;
  evidence.failed_at = At(at);
}

TEST(VerdictTest, AllAliveIsNoFailure) {
  Evidence evidence = Pod();
  EXPECT_FALSE(ShowsFailure(evidence));
  EXPECT_FALSE(IsComplete(evidence));
}

TEST(VerdictTest, CleanEndsAfterTheJobAreNoFailure) {
  Evidence evidence = Pod();
  Exited(Host(evidence, 0), 0, 1);
  EXPECT_TRUE(ShowsFailure(evidence));  // before the job is done
  evidence.job_done = true;
  EXPECT_FALSE(ShowsFailure(evidence));
}

// All that the coordinator saw is that its connection broke.
TEST(VerdictTest, AProcessThatSaidWhyItEndedIsBelieved) {
  Evidence evidence = Pod();
  Exited(Host(evidence, 2), 1, 1);
  Host(evidence, 2).last_lines = {"I 12:03:04.500 step 7",
                                  "E /d/x.npy: it was shortened"};
  Blame(evidence, 2, /*lost=*/true, 1.1);
  EXPECT_EQ(Judge(evidence).message, "/d/x.npy: it was shortened");
  Host(evidence, 2).last_lines = {"E 12:03:04.567 process 2: no room",
                                  "I 12:03:04.568 left"};
  EXPECT_EQ(Judge(evidence).message, "process 2: no room");
  Host(evidence, 2).last_lines = {"I 12:03:04.500 step 7"};
  EXPECT_EQ(Judge(evidence).message, "what happened");
  // What it said before somebody killed it is no reason for that.
  Host(evidence, 2).last_lines = {"E /d/x.npy: it was shortened"};
  Signalled(Host(evidence, 2), SIGKILL, 1);
  EXPECT_EQ(Judge(evidence).message, "what happened");
  Exited(Host(evidence, 2), 1, 1);
  Blame(evidence, 2, /*lost=*/false, 1.1);
  EXPECT_EQ(Judge(evidence).message, "what happened");
}

TEST(VerdictTest, ADeathAndTheCoordinatorsWordAreOneReport) {
  Evidence evidence = Pod();
  Signalled(Host(evidence, 2), SIGKILL, 1);
  EXPECT_TRUE(ShowsFailure(evidence));
  EXPECT_FALSE(IsComplete(evidence));
  Blame(evidence, 2, true, 1.1);
  EXPECT_TRUE(IsComplete(evidence));
  Host(evidence, 2).last_lines = {"last words"};
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.name, "host2");
  EXPECT_EQ(report.pid, 202);
  EXPECT_EQ(report.how, "was killed by signal 9 (SIGKILL)");
  EXPECT_EQ(report.step, 17);
  EXPECT_EQ(report.phase, "all-reduce #12 (bucket 0)");
  EXPECT_EQ(report.message, "what happened");
  EXPECT_EQ(report.exit_code, 137);
  EXPECT_EQ(report.when, At(1));
  EXPECT_THAT(report.last_lines, ElementsAre("last words"));
  EXPECT_THAT(report.hint, HasSubstr("oom"));
  EXPECT_THAT(report.others, IsEmpty());
}

TEST(VerdictTest, TheDeadIsTheRootWhateverOthersSayAndWhenever) {
  Evidence evidence = Pod();
  // The neighbour noticed first, blamed itself and left; then the news came.
  Exited(Host(evidence, 1), 1, 1.00);
  Blame(evidence, 1, false, 1.01);
  Signalled(Host(evidence, 2), SIGSEGV, 1.02);
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.name, "host2");
  EXPECT_EQ(report.exit_code, 128 + SIGSEGV);
  EXPECT_EQ(report.message, "");  // it was said of host1
  EXPECT_THAT(report.others, ElementsAre("coordinator: host1: what happened"));
}

TEST(VerdictTest, ACrashWhileEndingIsNotTheRoot) {
  Evidence evidence = Pod();
  Blame(evidence, 1, false, 1.0);  // host1 reported a NaN
  Signalled(Host(evidence, 3), SIGABRT, 1.5);
  EXPECT_FALSE(IsComplete(evidence));  // host1's end is still to come
  Exited(Host(evidence, 1), 1, 1.6);
  EXPECT_TRUE(IsComplete(evidence));
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.name, "host1");
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_THAT(report.others,
              ElementsAre("host3 (pid 203) was killed by signal 6 (SIGABRT)"));
}

TEST(VerdictTest, WithoutTheCoordinatorsWordTheEarliestEndIsTheRoot) {
  Evidence evidence = Pod();
  evidence.last_step = 5;
  Exited(Host(evidence, 3), 4, 2);
  Exited(Host(evidence, 0), 3, 1);
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.name, "host0");
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_EQ(report.step, 5);
  EXPECT_EQ(report.phase, "");
}

TEST(VerdictTest, TheCoordinatorsDeathIsItsOwn) {
  Evidence evidence = Pod();
  Exited(Host(evidence, 0), 1, 1.0);
  Signalled(evidence.processes[kCoordinator], SIGKILL, 1.1);
  EXPECT_TRUE(IsComplete(evidence));
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.name, "coordinator");
  EXPECT_EQ(report.exit_code, 137);
}

TEST(VerdictTest, EndingWhenToldToIsNoNews) {
  Evidence evidence = Pod();
  Blame(evidence, 0, false, 1);
  Exited(Host(evidence, 0), 7, 1.1);
  Exited(evidence.processes[kCoordinator], 1, 1.2);
  Exited(Host(evidence, 2), 3, 1.2);
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.name, "host0");
  EXPECT_EQ(report.exit_code, 7);
  EXPECT_THAT(report.others, IsEmpty());
}

TEST(VerdictTest, AStoppedProcessIsNotWaitedFor) {
  Evidence evidence = Pod();
  Blame(evidence, 1, false, 1);
  EXPECT_FALSE(IsComplete(evidence));
  Host(evidence, 1).stopped = true;
  EXPECT_TRUE(IsComplete(evidence));
  const FailureReport report = Judge(evidence);
  EXPECT_THAT(report.how, HasSubstr("SIGSTOP"));
  EXPECT_EQ(report.exit_code, 1);
}

TEST(VerdictTest, AFailureOfNobodyInParticular) {
  Evidence evidence = Pod();
  Blame(evidence, -1, false, 1);
  EXPECT_TRUE(IsComplete(evidence));
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.name, "the job");
  EXPECT_EQ(report.message, "what happened");
  EXPECT_EQ(report.exit_code, 1);
}

TEST(VerdictTest, AHostOfAnotherMachine) {
  Evidence evidence;
  evidence.processes.push_back({.name = "coordinator", .pid = 100});
  Blame(evidence, 3, true, 1);
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.name, "host3");
  EXPECT_EQ(report.how, "stopped answering");
  EXPECT_EQ(report.message, "what happened");
}

TEST(VerdictTest, LeavingEarlyWithSuccessIsAFailureToo) {
  Evidence evidence = Pod();
  Exited(Host(evidence, 0), 0, 1);
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.how, "exited with code 0 before the job was done");
  EXPECT_EQ(report.exit_code, 1);
}

TEST(VerdictTest, CrashingAfterTheJobSaysSo) {
  Evidence evidence = Pod();
  evidence.job_done = true;
  Signalled(Host(evidence, 0), SIGSEGV, 1);
  const FailureReport report = Judge(evidence);
  EXPECT_THAT(report.how, HasSubstr("after the job was done"));
  EXPECT_EQ(report.exit_code, 139);
}

TEST(VerdictTest, AProcessThatDoesNotEndIsNamed) {
  Evidence evidence = Pod();
  evidence.job_done = true;
  Host(evidence, 2).overdue = true;
  Host(evidence, 2).ended_at = At(9);
  ASSERT_TRUE(ShowsFailure(evidence));
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.name, "host2");
  EXPECT_EQ(report.how, "did not end after the job was done");
  EXPECT_EQ(report.exit_code, 1);
}

// Of failures that are treated alike, whatever --on_corruption says.
bool IsMended(const Evidence& evidence) {
  EXPECT_TRUE(ShowsFailure(evidence));
  const bool stops = IsRecoverable(evidence, /*restores=*/false);
  EXPECT_EQ(IsRecoverable(evidence, /*restores=*/true), stops);
  return stops;
}

void Report(Evidence& evidence, absl::StatusCode code) {
  Blame(evidence, 1, false, 1);
  evidence.failed->set_code(static_cast<int>(code));
}

TEST(IsRecoverableTest, AKilledHostIsWhateverTheCoordinatorSays) {
  for (const int signal : {SIGKILL, SIGSEGV, SIGABRT, SIGTERM, SIGBUS}) {
    Evidence evidence = Pod();
    Signalled(Host(evidence, 2), signal, 1);
    EXPECT_TRUE(IsMended(evidence)) << signal;
    Report(evidence, absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(IsMended(evidence)) << signal << ", and a neighbour blamed";
  }
}

TEST(IsRecoverableTest, AKilledCoordinatorIs) {
  Evidence evidence = Pod();
  Signalled(evidence.processes[kCoordinator], SIGKILL, 1);
  EXPECT_TRUE(IsMended(evidence));
}

TEST(IsRecoverableTest, ACpuWithoutTheInstructionIsNot) {
  Evidence evidence = Pod();
  Signalled(Host(evidence, 2), SIGILL, 1);
  EXPECT_FALSE(IsMended(evidence));
  Blame(evidence, 2, true, 1.1);
  EXPECT_FALSE(IsMended(evidence)) << "lost, but it would be again";
}

TEST(IsRecoverableTest, AStoppedHostIs) {
  Evidence evidence = Pod();
  Report(evidence, absl::StatusCode::kDeadlineExceeded);
  Host(evidence, 1).stopped = true;
  EXPECT_TRUE(IsMended(evidence));
}

// A leak checker stops a process that has said why it ends.
TEST(IsRecoverableTest, AHostThatStandsStillOnItsWayOutIsByItsReport) {
  for (const auto code :
       {absl::StatusCode::kInternal, absl::StatusCode::kResourceExhausted}) {
    Evidence evidence = Pod();
    Report(evidence, code);
    Host(evidence, 1).stopped = true;
    EXPECT_FALSE(IsMended(evidence)) << absl::StatusCodeToString(code);
  }
}

// Whatever kept it from being found: another try would begin there, too.
TEST(IsRecoverableTest, AJobThatHasNoPlaceToBeginAtIsNot) {
  Evidence evidence = Pod();
  JobFailed failed;
  failed.set_host(-1);
  failed.set_code(static_cast<int>(absl::StatusCode::kUnavailable));
  failed.set_message("no checkpoint was found");
  evidence.failed = failed;
  EXPECT_TRUE(IsMended(evidence));
  EXPECT_EQ(Judge(evidence).exit_code, 1);
  evidence.failed->set_refused(true);
  EXPECT_FALSE(IsMended(evidence));
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.exit_code, 2);
  EXPECT_EQ(report.message, "no checkpoint was found");
}

TEST(IsRecoverableTest, AnOverdueHostIs) {
  for (const bool done : {false, true}) {
    Evidence evidence = Pod();
    evidence.job_done = done;
    Host(evidence, 2).overdue = true;
    Host(evidence, 2).ended_at = At(9);
    EXPECT_TRUE(IsMended(evidence));
  }
}

TEST(IsRecoverableTest, ALostHostIsAlsoOnAnotherMachine) {
  Evidence evidence = Pod();
  Blame(evidence, 2, true, 1);
  EXPECT_TRUE(IsMended(evidence));
  Evidence external;
  external.processes.push_back({.name = "coordinator", .pid = 100});
  Blame(external, 3, true, 1);
  EXPECT_TRUE(IsMended(external));
}

TEST(IsRecoverableTest, AnExitThatNobodyExplainsIsNot) {
  for (const int code : {0, 1, 2, 127}) {
    Evidence evidence = Pod();
    Exited(Host(evidence, 2), code, 1);
    EXPECT_FALSE(IsMended(evidence)) << code;
  }
}

TEST(IsRecoverableTest, AReportIsByItsCode) {
  const std::set<absl::StatusCode> mended = {
      absl::StatusCode::kUnavailable, absl::StatusCode::kDeadlineExceeded,
      absl::StatusCode::kAborted, absl::StatusCode::kCancelled};
  for (int code = 0; code <= 16; ++code) {
    const auto status = static_cast<absl::StatusCode>(code);
    if (status == absl::StatusCode::kDataLoss) continue;  // below
    Evidence evidence = Pod();
    Report(evidence, status);
    EXPECT_EQ(IsMended(evidence), mended.count(status) == 1)
        << absl::StatusCodeToString(status);
    Exited(Host(evidence, 1), 1, 1.1);
    EXPECT_EQ(IsMended(evidence), mended.count(status) == 1)
        << absl::StatusCodeToString(status) << ", and it has exited";
    evidence.failed->set_host(-1);
    evidence.failed->set_process(-1);
    EXPECT_EQ(IsMended(evidence), mended.count(status) == 1)
        << absl::StatusCodeToString(status) << ", of nobody in particular";
  }
}

TEST(IsRecoverableTest, HashesThatDifferedAreWhereTheUserWantsIt) {
  Evidence evidence = Pod();
  Report(evidence, absl::StatusCode::kDataLoss);
  EXPECT_FALSE(IsRecoverable(evidence, /*restores=*/false));
  EXPECT_TRUE(IsRecoverable(evidence, /*restores=*/true));
}

TEST(IsRecoverableTest, HostsThatLeaveAFrozenCoordinatorAreNotToBlame) {
  Evidence evidence = Pod();
  evidence.processes[kCoordinator].stopped = true;
  for (int host = 0; host < 4; ++host)
    Exited(Host(evidence, host), 1, 5 + host);
  const FailureReport report = Judge(evidence);
  EXPECT_EQ(report.name, "coordinator");
  EXPECT_EQ(report.pid, 100);
  EXPECT_THAT(report.how, HasSubstr("SIGSTOP"));
  EXPECT_EQ(report.others.size(), 4);
  EXPECT_TRUE(IsMended(evidence));
}

}  // namespace
}  // namespace podsim
