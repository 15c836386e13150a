// What a host's threads learn of what the coordinator said.
#include "host/process/coordinator_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;

constexpr absl::Duration kLong = absl::Hours(1);

class CoordinatorNewsTest : public ::testing::Test {
 protected:
  void HearAssignment(int generation) {
    CoordinatorMessage message;
    message.mutable_assignment()->set_generation(generation);
    news_.Hear(message);
  }
  void HearStart() {
    CoordinatorMessage message;
    message.mutable_start();
    news_.Hear(message);
  }
  void HearNote(int index) {
    CoordinatorMessage message;
    message.mutable_fault_noted()->set_index(index);
    news_.Hear(message);
  }
  void HearFinish() {
    CoordinatorMessage message;
    message.mutable_finish();
    news_.Hear(message);
  }

  CoordinatorNews news_{"host:1", kLong};
};

TEST_F(CoordinatorNewsTest, WhatCameBeforeTheWaitIsThere) {
  HearAssignment(7);
  HearStart();
  HearNote(3);
  HearFinish();
  ASSERT_OK_AND_ASSIGN(const Assignment assignment, news_.WaitAssignment());
  EXPECT_EQ(assignment.generation(), 7);
  EXPECT_THAT(news_.WaitStart(), IsOk());
  EXPECT_THAT(news_.WaitFaultNoted(3), IsOk());
  EXPECT_THAT(news_.WaitFinish(), IsOk());
}

TEST_F(CoordinatorNewsTest, EachWaitEndsWithItsOwnNews) {
  const auto hear_all_but_one = [&](const std::function<void()>& last) {
    std::jthread speaker([&] {
      HearNote(0);
      last();
    });
    return news_.WaitFaultNoted(1);
  };
  EXPECT_THAT(hear_all_but_one([&] { HearNote(1); }), IsOk());
  std::jthread speaker([&] { HearStart(); });
  EXPECT_THAT(news_.WaitStart(), IsOk());
}

TEST_F(CoordinatorNewsTest, WhatTheCoordinatorLooksForIsKnownUntilItHas) {
  EXPECT_EQ(news_.looking(), "");
  CoordinatorMessage message;
  message.mutable_looking()->set_what("checkpoints in m");
  news_.Hear(message);
  EXPECT_EQ(news_.looking(), "checkpoints in m");
  message.mutable_looking()->clear_what();
  news_.Hear(message);
  EXPECT_EQ(news_.looking(), "");
}

TEST_F(CoordinatorNewsTest, WhatDoesNotComeIsNamed) {
  CoordinatorNews impatient("host:1", absl::ZeroDuration());
  const auto late = [](const char* what) {
    return StatusIs(absl::StatusCode::kDeadlineExceeded, what);
  };
  EXPECT_THAT(impatient.WaitAssignment(),
              late("no assignment from host:1 within 0"));
  EXPECT_THAT(impatient.WaitStart(),
              late("no start signal from host:1 within 0"));
  EXPECT_THAT(impatient.WaitFaultNoted(2),
              late("no note of a fault from host:1 within 0"));
}

TEST_F(CoordinatorNewsTest, AnotherFaultsNoteIsNotTheOneAwaited) {
  CoordinatorNews impatient("host:1", absl::ZeroDuration());
  CoordinatorMessage note;
  note.mutable_fault_noted()->set_index(0);
  impatient.Hear(note);
  EXPECT_THAT(impatient.WaitFaultNoted(0), IsOk());
  EXPECT_THAT(impatient.WaitFaultNoted(1),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       "no note of a fault from host:1 within 0"));
}

TEST_F(CoordinatorNewsTest, TheFirstEndIsTheReasonOfEveryWait) {
  std::jthread line([&] {
    EXPECT_TRUE(news_.End(absl::AbortedError("host 2 died")));
    EXPECT_FALSE(news_.End(absl::UnavailableError("coordinator lost")));
  });
  const auto died =
      StatusIs(absl::StatusCode::kAborted, ::testing::Eq("host 2 died"));
  EXPECT_THAT(news_.WaitFinish(), died);
  EXPECT_THAT(news_.WaitStart(), died);
  EXPECT_THAT(news_.WaitAssignment(), died);
}

TEST_F(CoordinatorNewsTest, WhatCameBeforeTheEndStillCounts) {
  HearAssignment(1);
  EXPECT_TRUE(news_.End(absl::AbortedError("over")));
  EXPECT_THAT(news_.WaitAssignment(), IsOk());
}

TEST_F(CoordinatorNewsTest, WhoIsRefusedWasTurnedAway) {
  for (const absl::Status& refusal :
       {absl::UnauthenticatedError("no"), absl::FailedPreconditionError("no"),
        absl::AlreadyExistsError("no"), absl::InvalidArgumentError("no")}) {
    EXPECT_THAT(
        news_.EndOfLine(refusal),
        StatusIs(refusal.code(), ::testing::Eq("turned away by host:1: no")));
  }
}

TEST_F(CoordinatorNewsTest, ALineThatBreaksIsALostCoordinator) {
  const auto lost = [](absl::StatusCode code) {
    return StatusIs(code, ::testing::Eq("coordinator lost: gone"));
  };
  EXPECT_THAT(news_.EndOfLine(absl::UnavailableError("gone")),
              lost(absl::StatusCode::kUnavailable));
  EXPECT_THAT(news_.EndOfLine(absl::OkStatus()),
              StatusIs(absl::StatusCode::kUnavailable,
                       ::testing::Eq("the coordinator closed the line")));
  // Whoever was assigned a part has joined.
  HearAssignment(1);
  EXPECT_THAT(news_.EndOfLine(absl::FailedPreconditionError("gone")),
              lost(absl::StatusCode::kFailedPrecondition));
}

TEST_F(CoordinatorNewsTest, AfterTheJobIsDoneALostLineIsNoNews) {
  HearFinish();
  EXPECT_FALSE(news_.End(absl::UnavailableError("coordinator lost")));
  EXPECT_THAT(news_.WaitFinish(), IsOk());
}

TEST_F(CoordinatorNewsTest, WhoLeavesHearsOfNoLostLine) {
  news_.Leave();
  EXPECT_FALSE(news_.End(absl::UnavailableError("coordinator lost")));
}

TEST_F(CoordinatorNewsTest, ClosedIsWaitedFor) {
  EXPECT_FALSE(news_.closed());
  news_.WaitClosed(absl::ZeroDuration());
  EXPECT_FALSE(news_.closed());
  std::jthread line([&] { news_.Close(); });
  news_.WaitClosed(kLong);
  EXPECT_TRUE(news_.closed());
}

}  // namespace
}  // namespace podsim
