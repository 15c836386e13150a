// What people read while a pod forms whose hosts they start themselves.
#include "runtime/pod/waiting_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

JobPlan Plan() {
  JobPlan plan;
  plan.mutable_spec()->set_processes(4);
  plan.mutable_spec()->set_initialization_timeout(60);
  return plan;
}

TEST(InvitationTest, GivesTheLineThatStartsAHost) {
  EXPECT_THAT(
      InvitationText("0.0.0.0:8476", "node-a", Plan(), true),
      AllOf(HasSubstr("waiting for hosts at 0.0.0.0:8476"),
            HasSubstr("process I = 0 to 3"), HasSubstr("PODSIM_TOKEN"),
            HasSubstr("\n    pod_host --coordinator=node-a:8476 --process=I "
                      "--ici_listen=0.0.0.0:8471 --ici_advertise=NAME:8471 "
                      "--allow_plaintext_network\n"),
            HasSubstr("within 60 s")));
  EXPECT_THAT(InvitationText("10.0.0.5:80", "node-a", Plan(), true),
              HasSubstr("--coordinator=10.0.0.5:80 "));
}

TEST(InvitationTest, OnOneMachineNothingIsAdvertised) {
  EXPECT_THAT(InvitationText("unix:/run/c.sock", "node-a", Plan(), false),
              AllOf(HasSubstr("--coordinator=unix:/run/c.sock --process=I\n"),
                    Not(HasSubstr("ici")), Not(HasSubstr("plaintext"))));
}

JobEvent Joined(int process, std::initializer_list<int> missing) {
  JobEvent event;
  HostJoined& joined = *event.mutable_joined();
  joined.mutable_process()->set_process(process);
  joined.mutable_process()->set_pid(77);
  joined.mutable_process()->set_hostname("node-b");
  joined.mutable_process()->set_first_host(2 * process);
  joined.mutable_process()->set_hosts(2);
  joined.set_joined(4 - static_cast<int>(missing.size()));
  for (const int other : missing) joined.add_missing(other);
  return event;
}

TEST(FormingTextTest, TellsWhoCameAndWhoDidNot) {
  EXPECT_EQ(FormingText(Joined(1, {0, 3}), true),
            "joined: hosts 2 to 3 (process 1, pid 77 on node-b), 2 of 4; "
            "missing: processes 0, 3");
  EXPECT_EQ(FormingText(Joined(1, {}), true),
            "joined: hosts 2 to 3 (process 1, pid 77 on node-b), 4 of 4");
  EXPECT_EQ(FormingText(Joined(1, {0}), false), "");
}

TEST(FormingTextTest, TellsWhoHasLeft) {
  JobEvent event;
  HostLeft& left = *event.mutable_left();
  *left.mutable_process() = Joined(1, {}).joined().process();
  left.set_joined(1);
  left.add_missing(1);
  EXPECT_EQ(FormingText(event, true),
            "left: hosts 2 to 3 (process 1, pid 77 on node-b), 1 of 2; "
            "missing: process 1");
  EXPECT_EQ(FormingText(event, false), "");
}

TEST(FormingTextTest, TellsWhyOneWasTurnedAway) {
  JobEvent event;
  event.mutable_refused()->set_reason("another pod's token");
  event.mutable_refused()->set_count(1);
  for (const bool external : {false, true}) {
    EXPECT_EQ(FormingText(event, external), "turned away: another pod's token");
  }
  event.mutable_refused()->set_count(7);
  EXPECT_THAT(FormingText(event, true), HasSubstr(" (7 so far)"));
}

TEST(FormingTextTest, TellsForWhomThePodWaits) {
  JobEvent event;
  event.mutable_waiting()->set_looking("checkpoints in runs/a");
  event.mutable_waiting()->set_seconds_left(12);
  EXPECT_EQ(FormingText(event, /*external_hosts=*/false),
            "waiting: the coordinator looks for checkpoints in runs/a; 12 s "
            "left (--initialization_timeout)");
  event.mutable_waiting()->clear_looking();
  event.mutable_waiting()->add_missing(2);
  event.mutable_waiting()->set_seconds_left(49.7);
  EXPECT_EQ(FormingText(event, true),
            "waiting for process 2 to join; 50 s left "
            "(--initialization_timeout)");
  event.mutable_waiting()->add_unready(0);
  event.mutable_waiting()->add_unready(1);
  EXPECT_THAT(FormingText(event, true),
              HasSubstr("process 2 to join, for processes 0, 1 to be ready;"));
  EXPECT_EQ(FormingText(JobEvent(), true), "");
}

TEST(FormingTextTest, TellsWhoStillWritesItsTrace) {
  JobEvent event;
  event.mutable_waiting()->add_tracing(2);
  EXPECT_EQ(FormingText(event, /*external_hosts=*/false),
            "waiting: all is trained, for process 2 to write the trace");
}

TEST(FormingTextTest, TellsThatCheckpointsAreStillToBeCommitted) {
  JobEvent event;
  event.mutable_waiting()->set_uncommitted(3);
  event.mutable_waiting()->set_seconds_left(58.5);
  EXPECT_EQ(FormingText(event, /*external_hosts=*/false),
            "waiting: all is trained, 3 checkpoints to be committed; 58 s left "
            "for the next (--initialization_timeout)");
}

}  // namespace
}  // namespace podsim
