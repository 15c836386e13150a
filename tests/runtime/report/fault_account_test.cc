// Faults that struck, were noticed and recovered from, as events tell it.
#include "runtime/report/fault_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class FaultAccountTest : public ::testing::Test {
 protected:
  FaultAccountTest() {
    Add(Fault::KILL, 2, 5);
    Add(Fault::SLOW, 1, 8).set_seconds(0.5);
    Add(Fault::FREEZE, 0, 90);  // beyond the end
  }

  Fault& Add(Fault::Kind kind, int host, std::int64_t step) {
    Fault& fault = *plan_.add_faults();
    fault.set_kind(kind);
    fault.set_host(host);
    fault.set_step(step);
    return fault;
  }
  void Formed(std::int64_t start = 0) {
    JobEvent event;
    *event.mutable_formed()->mutable_plan() = plan_;
    event.mutable_formed()->mutable_start()->set_step(start);
    meter_.OnEvent(event);
  }
  // Finished, up to and with `last`.
  void Steps(std::int64_t first, std::int64_t last, double seconds = 0.1) {
    for (std::int64_t step = first; step <= last; ++step) {
      JobEvent event;
      event.mutable_step()->set_step(step);
      event.mutable_step()->set_seconds(seconds);
      meter_.OnEvent(event);
    }
  }
  void Struck(int index, std::int64_t step, double wall_time = 0) {
    JobEvent event;
    event.set_wall_time(wall_time);
    event.mutable_fault()->set_index(index);
    event.mutable_fault()->set_step(step);
    if (index < plan_.faults_size()) {
      *event.mutable_fault()->mutable_fault() = plan_.faults(index);
    }
    meter_.OnEvent(event);
  }
  void Failed(const std::string& why = "host 2 was lost") {
    JobEvent event;
    event.mutable_failed()->set_message(why);
    meter_.OnEvent(event);
  }
  void Restarting() {
    JobEvent event;
    event.mutable_restarting()->set_reason("host 2 was lost");
    meter_.OnEvent(event);
  }
  void Done(double wall_time = 0) {
    JobEvent event;
    event.set_wall_time(wall_time);
    event.mutable_done();
    meter_.OnEvent(event);
  }

  JobPlan plan_;
  FaultMeter meter_;
};

TEST_F(FaultAccountTest, AllIsWell) {
  Formed();
  Steps(1, 4);
  Struck(0, 5);
  EXPECT_EQ(FormatFaults(meter_.Account()),
            "injected 1, detected 0, recovered 0, steps lost 0");
  Failed();
  Restarting();
  EXPECT_EQ(FormatFaults(meter_.Account()),
            "injected 1, detected 1, recovered 0, steps lost 0");
  Formed(2);
  Steps(3, 7);
  EXPECT_EQ(FormatFaults(meter_.Account()),
            "injected 1, detected 1, recovered 1, steps lost 2");
  Struck(1, 8);
  Steps(8, 8, 0.75);
  Steps(9, 10);
  Done();
  const FaultAccount account = meter_.Account();
  EXPECT_EQ(FormatFaults(account),
            "injected 2, detected 2, recovered 2, steps lost 2");
  EXPECT_EQ(account.planned, 3);
  EXPECT_THAT(account.complaints, IsEmpty());
}

TEST_F(FaultAccountTest, ACoordinatorThatIsLostSaysNothing) {
  Formed();
  Steps(1, 4);
  Struck(0, 5);
  Restarting();
  Formed(0);
  Steps(1, 5);
  EXPECT_EQ(FormatFaults(meter_.Account()),
            "injected 1, detected 1, recovered 1, steps lost 4");
  EXPECT_THAT(meter_.Account().complaints, IsEmpty());
}

TEST_F(FaultAccountTest, NoRestartIsNoRecovery) {
  Formed();
  Steps(1, 4);
  Struck(0, 5);
  Failed();
  EXPECT_EQ(FormatFaults(meter_.Account()),
            "injected 1, detected 1, recovered 0, steps lost 0");
  EXPECT_THAT(meter_.Account().complaints, IsEmpty());
}

TEST_F(FaultAccountTest, WhatNobodyNoticedAndWhatDidNotStrike) {
  Add(Fault::FLIP, 0, 3).set_to(1);
  Formed();
  Steps(1, 2);
  Struck(3, 3);
  Steps(3, 10);
  Done();
  const FaultAccount account = meter_.Account();
  EXPECT_EQ(FormatFaults(account),
            "injected 1, detected 0, recovered 0, steps lost 0");
  EXPECT_THAT(
      account.complaints,
      UnorderedElementsAre(
          "fault 3 (FLIP from host 0 to host 1 at step 3) struck and nobody "
          "noticed",
          "fault 0 (KILL host 2 at step 5) did not strike",
          "fault 1 (SLOW host 1 at step 8, for 0.5 s) did not strike"));
}

TEST_F(FaultAccountTest, ADelayMayShowInTheNextStepButNotLater) {
  Formed();
  Steps(1, 7);
  Struck(1, 8);
  Steps(8, 8);
  EXPECT_EQ(meter_.Account().detected, 0);
  Steps(9, 9, 0.3);
  EXPECT_EQ(meter_.Account().recovered, 1);
  Struck(1, 10);
  Steps(10, 11);
  Steps(12, 12, 2);
  EXPECT_EQ(meter_.Account().detected, 1);
}

TEST_F(FaultAccountTest, ADelayAfterTheLastStepShowsInTheEndOfTheJob) {
  Formed();
  Steps(1, 7);
  Struck(1, 8, 100);
  Steps(8, 8);
  FaultMeter at_once = meter_;
  Done(100.5);
  EXPECT_EQ(meter_.Account().detected, 1);
  EXPECT_EQ(meter_.Account().recovered, 1);
  JobEvent done;
  done.mutable_done();
  done.set_wall_time(100.1);
  at_once.OnEvent(done);
  EXPECT_EQ(at_once.Account().detected, 0);
}

TEST_F(FaultAccountTest, WhatWasNotPlanned) {
  Formed();
  Struck(0, 5);
  Failed();
  Restarting();
  Formed();
  Struck(0, 5);
  Struck(7, 5);
  Failed();
  Formed();
  Failed("out of memory");
  EXPECT_THAT(
      meter_.Account().complaints,
      ElementsAre("fault 0 (KILL host 2 at step 5) struck twice",
                  HasSubstr("fault 7 (kind 0 host 0 at step 0) struck and was "
                            "not planned"),
                  "the pod failed and no fault explains it: out of memory"));
}

TEST_F(FaultAccountTest, AResumedJobOwesNothingOfItsPast) {
  plan_.mutable_spec()->add_faults_done(1);
  Formed(5);
  Steps(6, 20);
  Done();
  EXPECT_THAT(meter_.Account().complaints, IsEmpty());
}

// What corrupts is detected only by what says so.
struct Detection {
  Fault::Kind kind;
  absl::StatusCode code;
  std::int64_t step;
  int process;
  bool detected;
};

class DetectionTest : public FaultAccountTest,
                      public ::testing::WithParamInterface<Detection> {};

TEST_P(DetectionTest, NeedsTheRightFailure) {
  const Detection& given = GetParam();
  plan_.clear_faults();
  for (const int first : {0, 2}) plan_.add_first_host(first);
  plan_.mutable_spec()->set_processes(2);
  Add(given.kind, 3, 5);
  Formed();
  Steps(1, 4);
  Struck(0, 5);
  JobEvent event;
  event.mutable_failed()->set_code(static_cast<int>(given.code));
  event.mutable_failed()->set_step(given.step);
  event.mutable_failed()->set_process(given.process);
  meter_.OnEvent(event);
  EXPECT_EQ(meter_.Account().detected, given.detected ? 1 : 0);
}

constexpr auto kLost = absl::StatusCode::kUnavailable;
constexpr auto kCorrupt = absl::StatusCode::kDataLoss;

INSTANTIATE_TEST_SUITE_P(
    Kinds, DetectionTest,
    ::testing::Values(Detection{Fault::KILL, kLost, 5, 1, true},
                      Detection{Fault::KILL, kCorrupt, 5, 1, false},
                      Detection{Fault::FLIP, kCorrupt, 5, 0, true},
                      Detection{Fault::FLIP, kCorrupt, 9, 0, false},
                      Detection{Fault::FLIP, kLost, 5, 0, false},
                      Detection{Fault::CORRUPT_GRADIENT, kCorrupt, 5, 1, true},
                      Detection{Fault::CORRUPT_GRADIENT, kCorrupt, 6, 1, false},
                      Detection{Fault::CORRUPT_WEIGHTS, kCorrupt, 9, 1, true},
                      Detection{Fault::CORRUPT_WEIGHTS, kCorrupt, 9, 0, false},
                      Detection{Fault::CORRUPT_WEIGHTS, kLost, 9, 1, false}));

}  // namespace
}  // namespace podsim
