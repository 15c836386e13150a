#include "host/train/step_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <random>
#include <thread>
#include <vector>

namespace podsim {
namespace {

TEST(StepGateTest, LetsPassWhatIsNotHeld) {
  StepGate gate;
  for (int step = 7; step < 20; ++step) {
    const StepGate::Next next = gate.After(step);
    EXPECT_FALSE(next.save);
    EXPECT_FALSE(next.end);
  }
}

TEST(StepGateTest, SaysWhatHasBegun) {
  StepGate gate;
  EXPECT_EQ(gate.Hold(), 0);
  gate.Go(0, false);
  gate.After(4);
  EXPECT_EQ(gate.Hold(), 5);
}

TEST(StepGateTest, AStepThatWasDoneWhileHeldIsStillSaved) {
  StepGate gate;
  gate.After(4);
  ASSERT_EQ(gate.Hold(), 5);
  gate.Go(5, false);
  const StepGate::Next next = gate.After(5);
  EXPECT_TRUE(next.save);
  EXPECT_FALSE(next.end);
  EXPECT_FALSE(gate.After(6).save);
}

TEST(StepGateTest, EndsBeforeTheFirstStepWhenToldSo) {
  StepGate gate;
  gate.Hold();
  gate.Go(0, true);
  EXPECT_TRUE(gate.After(0).end);
}

TEST(StepGateTest, OpenReleasesWhoeverWaits) {
  StepGate gate;
  gate.Hold();
  std::jthread waiter([&] { gate.After(3); });
  gate.Open();
}

// Processes in lock step (a barrier stands for the all-reduce), each with a
// gate; a coordinator holds them at random moments. All must save after the
// same steps and end after the same one.
TEST(StepGateTest, ProcessesInLockStepAgreeOnEveryStep) {
  constexpr int kProcesses = 4;
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::vector<StepGate> gates(kProcesses);
  std::vector<std::vector<std::int64_t>> saved(kProcesses);
  std::vector<std::int64_t> ended(kProcesses);
  std::barrier all_reduce(kProcesses);
  std::vector<std::int64_t> chosen;
  {
    std::vector<std::jthread> processes;
    for (int p = 0; p < kProcesses; ++p)
      processes.emplace_back([&, p] {
        for (std::int64_t step = 0;; ++step) {
          if (step > 0) all_reduce.arrive_and_wait();
          const StepGate::Next next = gates[p].After(step);
          if (next.save) saved[p].push_back(step);
          ended[p] = step;
          if (next.end) return;
        }
      });
    for (int round = 0; round < 200; ++round) {
      std::vector<int> order(kProcesses);
      for (int p = 0; p < kProcesses; ++p) order[p] = p;
      std::shuffle(order.begin(), order.end(), random);
      std::int64_t step = 0;
      for (const int p : order) step = std::max(step, gates[p].Hold());
      for (const int p : order) gates[p].Go(step, round == 199);
      chosen.push_back(step);
    }
  }
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  for (int p = 0; p < kProcesses; ++p) {
    EXPECT_EQ(saved[p], chosen) << "process " << p;
    EXPECT_EQ(ended[p], chosen.back()) << "process " << p;
  }
}

}  // namespace
}  // namespace podsim
