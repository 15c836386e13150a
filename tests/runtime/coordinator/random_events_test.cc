// Random sequences of inputs, good and bad: the state machine never crashes,
// always ends, says why exactly once, and never speaks to a closed stream.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/runtime/coordinator/pod_script.h"

namespace podsim {
namespace {

using ::podsim::testing::BeatMessage;
using ::podsim::testing::DoneMessage;
using ::podsim::testing::EvalMessage;
using ::podsim::testing::FailureMessage;
using ::podsim::testing::JoinOf;
using ::podsim::testing::PodScript;
using ::podsim::testing::ReadyMessage;
using ::podsim::testing::StepMessage;
using ::podsim::testing::TestPlan;

constexpr int kRandomHosts = 6;
constexpr int kRandomSteps = 3;

// One process as the script plays it: mostly well-behaved.
struct Actor {
  bool joined = false;
  bool open = false;
  bool ready = false;
  std::int64_t step = 0;
  int held = 0;  // times that it answered Hold
  bool done = false;
};

class RandomPod {
 public:
  RandomPod(std::uint32_t seed, int processes)
      : random_(seed),
        pod_(TestPlan(kRandomHosts, processes, kRandomSteps)),
        actors_(processes) {
    // How often something goes wrong, per mille; some runs are flawless.
    constexpr int kBadness[] = {0, 5, 30, 150};
    badness_ = kBadness[Draw(4)];
  }

  // Plays until the machine has ended; false if it never does.
  bool Play() {
    for (int turn = 0; turn < 20000; ++turn) {
      if (pod_.machine().ended()) return true;
      Turn();
    }
    return false;
  }
  PodScript& pod() { return pod_; }

 private:
  int Draw(int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random_);
  }

  void Turn() {
    const int p = Draw(static_cast<int>(actors_.size()));
    if (Draw(1000) < badness_) {
      Misbehave(p);
    } else {
      Behave(p);
    }
    if (pod_.machine().state() == PodState::kRunning && Draw(100) == 0)
      pod_.Drain("told to end");
    if (Draw(4) == 0) pod_.Pass(absl::Milliseconds(100 * (1 + Draw(4))));
  }

  void Behave(int p) {
    Actor& actor = actors_[p];
    const bool active = pod_.machine().state() == PodState::kForming ||
                        pod_.machine().state() == PodState::kRunning;
    if (!active) {
      if (actor.open) Close(p);
      pod_.Pass(absl::Milliseconds(100));
      return;
    }
    if (!actor.joined) {
      actor.joined = actor.open = pod_.Join(JoinOf(p)).ok();
      return;
    }
    if (!actor.open) return;
    pod_.Send(p, BeatMessage(++progress_, actor.step, "compute"));
    if (pod_.sent(p, CoordinatorMessage::kAssignment) == 0) return;
    if (!actor.ready) {
      actor.ready = true;
      pod_.Send(p, ReadyMessage());
      return;
    }
    if (pod_.sent(p, CoordinatorMessage::kStart) == 0) return;
    const int holds = pod_.sent(p, CoordinatorMessage::kHold);
    if (actor.held < holds) {
      ++actor.held;
      HostMessage held;
      held.mutable_held()->set_step(actor.step);
      pod_.Send(p, held);
      return;
    }
    // Begins no step before it may go on.
    if (actor.done || pod_.sent(p, CoordinatorMessage::kGo) < holds) return;
    const Go go = pod_.last(p, CoordinatorMessage::kGo).go();
    if (actor.step < (go.end() ? go.step() : kRandomSteps)) {
      ++actor.step;
      const HostRange hosts = HostsOf(pod_.plan(), p);
      for (int h = hosts.first; h < hosts.end; ++h) {
        pod_.Send(p, StepMessage(h, actor.step));
      }
      return;
    }
    actor.done = true;
    pod_.Send(p, DoneMessage("weights"));
  }

  void Misbehave(int p) {
    Actor& actor = actors_[p];
    if (!actor.open) {
      Join join = JoinOf(Draw(kRandomHosts + 2) - 1);
      if (Draw(2) == 0) join.set_protocol_version(Draw(3));
      if (pod_.Join(join).ok()) {
        actors_[join.process()].joined = actors_[join.process()].open = true;
      }
      return;
    }
    const int host = Draw(kRandomHosts + 2) - 1;
    switch (Draw(10)) {
      case 0:
        return Close(p);
      case 1:
        return pod_.Send(
            p, FailureMessage(host, static_cast<absl::StatusCode>(Draw(20) - 1),
                              "failure", Draw(kRandomHosts + 2) - 1));
      case 2:
        return pod_.Send(p, StepMessage(host, Draw(kRandomSteps + 2), Draw(2)));
      case 3:
        return pod_.Send(p, EvalMessage(host, Draw(kRandomSteps + 2)));
      case 4:
        return pod_.Send(p, DoneMessage(Draw(2) == 0 ? "weights" : "other"));
      case 5:
        return pod_.Send(p, ReadyMessage());
      case 6:
        return pod_.Send(p, HostMessage());
      case 7:
        return pod_.Pass(absl::Seconds(Draw(12)));
      case 8:
        return pod_.Send(p, BeatMessage(progress_, 1, "all-reduce"));
      default:
        if (Draw(5) == 0) pod_.Stop("stopped");
    }
  }

  void Close(int p) {
    actors_[p].open = false;
    pod_.Close(p);
    // The place is free: another plays it.
    if (pod_.sent(p, CoordinatorMessage::kAssignment) == 0)
      actors_[p] = Actor();
  }

  std::mt19937 random_;
  PodScript pod_;
  std::vector<Actor> actors_;
  std::uint64_t progress_ = 0;
  int badness_ = 0;
};

TEST(RandomEventsTest, EveryPodEndsAndSaysWhyOnce) {
  int done = 0;
  int drained = 0;
  int failed = 0;
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomPod random(seed, 1 + static_cast<int>(seed % kRandomHosts));
    ASSERT_TRUE(random.Play());
    PodScript& pod = random.pod();
    const auto failures = pod.events(JobEvent::kFailed);
    const auto ends = pod.events(JobEvent::kDone);
    ASSERT_EQ(failures.size() + ends.size(), 1);
    ASSERT_EQ(pod.machine().failure().ok(), failures.empty());
    ASSERT_EQ(pod.machine().state(),
              failures.empty() ? PodState::kDone : PodState::kFailed);
    if (failures.empty()) {
      ++done;
      const JobDone& end = ends[0].done();
      drained += end.drained() ? 1 : 0;
      ASSERT_EQ(pod.events(JobEvent::kStep).size(), end.steps());
      ASSERT_GE(end.steps(), 1);
      ASSERT_EQ(end.steps() < kRandomSteps, end.drained());
    } else {
      ++failed;
      ASSERT_FALSE(failures[0].failed().message().empty());
    }
  }
  // All ends must have been reached often, or the test tests nothing.
  EXPECT_GT(done, 400);
  EXPECT_GT(failed, 400);
  EXPECT_GT(drained, 10);
}

}  // namespace
}  // namespace podsim
