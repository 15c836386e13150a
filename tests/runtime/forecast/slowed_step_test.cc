// What faults make of a step, by hand.
#include "runtime/forecast/slowed_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace podsim {
namespace {

SimTime Micros(std::int64_t count) {
  return SimTime::Picoseconds(count * 1'000'000);
}

// 45 us without input and fixed cost.
const SimStep kStep = {.input = Micros(2),
                       .compute = Micros(30),
                       .communication = Micros(20),
                       .update = Micros(5),
                       .exposed_communication = Micros(10),
                       .fixed = Micros(8),
                       .total = Micros(53)};

Fault FaultFor(Fault::Kind kind, int host, const std::string& phase,
               std::int64_t us) {
  Fault fault;
  fault.set_kind(kind);
  fault.set_host(host);
  fault.set_phase(phase);
  fault.set_seconds(1e-6 * static_cast<double>(us));
  return fault;
}

SimStep Slowed(const std::vector<Fault>& faults) {
  return SlowedStep(kStep, faults);
}

TEST(SlowedStepTest, WithoutFaultsItIsTheStep) {
  const SimStep step = Slowed({});
  EXPECT_EQ(step.total, Micros(53));
  const PodPhases phases = PhasesOf(step);
  EXPECT_EQ(phases.input, Micros(0));
  EXPECT_EQ(phases.compute, Micros(30));
  EXPECT_EQ(phases.reduce, Micros(10));
  EXPECT_EQ(phases.update, Micros(5));
  EXPECT_EQ(phases.fixed, Micros(8));
  EXPECT_EQ(phases.total(), step.total);
}

// A batch that comes beside the step delays it by what it takes longer.
TEST(SlowedStepTest, InputCountsWhereItIsLongerThanTheRest) {
  EXPECT_EQ(Slowed({FaultFor(Fault::SLOW, 0, "input", 43)}).total, Micros(53));
  for (const char* phase : {"input", ""}) {
    const SimStep late = Slowed({FaultFor(Fault::SLOW, 0, phase, 60)});
    EXPECT_EQ(late.total, Micros(62 + 8));
    EXPECT_EQ(PhasesOf(late).input, Micros(62 - 45));
    EXPECT_EQ(PhasesOf(late).total(), late.total);
  }
  SimStep stored = kStep;
  stored.store = Micros(50);
  stored.total = Micros(58);
  const std::vector<Fault> ten = {FaultFor(Fault::SLOW, 0, "input", 10)};
  EXPECT_EQ(SlowedStep(stored, ten).total, Micros(60 + 8));
}

TEST(SlowedStepTest, OtherPhasesTakeSoMuchLonger) {
  EXPECT_EQ(PhasesOf(Slowed({FaultFor(Fault::SLOW, 0, "compute", 7)})).compute,
            Micros(37));
  EXPECT_EQ(PhasesOf(Slowed({FaultFor(Fault::SLOW, 0, "update", 7)})).update,
            Micros(12));
  for (const Fault& fault : {FaultFor(Fault::SLOW, 0, "all-reduce", 7),
                             FaultFor(Fault::SLOW, 0, "checkpoint", 7),
                             FaultFor(Fault::DELAY, 0, "", 7)}) {
    EXPECT_EQ(PhasesOf(Slowed({fault})).reduce, Micros(17));
    EXPECT_EQ(Slowed({fault}).total, Micros(60));
  }
  EXPECT_EQ(Slowed({FaultFor(Fault::KILL, 0, "compute", 0)}).total, Micros(53));
}

TEST(SlowedStepTest, TheSlowestHostCounts) {
  const SimStep step = Slowed({FaultFor(Fault::SLOW, 0, "compute", 7),
                               FaultFor(Fault::SLOW, 1, "compute", 5),
                               FaultFor(Fault::SLOW, 1, "update", 4),
                               FaultFor(Fault::SLOW, 2, "input", 50)});
  EXPECT_EQ(step.total, Micros(53 + 9));
  EXPECT_EQ(step.compute, Micros(35));
  EXPECT_EQ(step.update, Micros(9));
}

}  // namespace
}  // namespace podsim
