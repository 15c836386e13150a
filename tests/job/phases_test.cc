#include "job/phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr KnownPhase kUnknown = {"infeed", "infeed"};

std::vector<std::string> NamesOf(const std::vector<NamedPhase>& phases) {
  std::vector<std::string> names;
  for (const NamedPhase& phase : phases) names.push_back(phase.name);
  return names;
}

TEST(PhasesTest, AddUpByName) {
  Phases phases;
  AddSeconds(kUnknown, 1, phases);
  AddSeconds(kInputPhase, 2, phases);
  AddSeconds(kUnknown, 4, phases);
  EXPECT_EQ(phases.size(), 2);
  EXPECT_EQ(SecondsIn(phases, kUnknown), 5);
  EXPECT_EQ(SecondsIn(phases, kInputPhase), 2);
  EXPECT_EQ(SecondsIn(phases, kComputePhase), 0);
}

TEST(PhasesTest, KnownOnesComeFirstAndAllAreThere) {
  Phases phases;
  AddSeconds(kUnknown, 1, phases);
  AddSeconds(kReducePhase, 2, phases);
  const std::vector<NamedPhase> list = PhasesInOrder(phases, kPhaseNames);
  EXPECT_THAT(NamesOf(list), ElementsAre("input", "compute", "reduce", "update",
                                         "other", "infeed"));
  EXPECT_EQ(list[0].seconds, 0);
  EXPECT_EQ(list[2].label, "all-reduce");
  EXPECT_EQ(list[2].seconds, 2);
  EXPECT_EQ(list[5].label, "infeed");
  EXPECT_EQ(list[5].seconds, 1);
}

TEST(PhasesTest, OfAHostSomeAreKept) {
  Phases sent;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "phase" + std::to_string(i);
    AddSeconds({name.c_str(), ""}, i, sent);
  }
  AddSeconds({"no name", ""}, 1, sent);
  Phases phases;
  AddPhases(sent, 0.5, phases);
  AddPhases(sent, 0.5, phases);
  EXPECT_EQ(phases.size(), 32);
  EXPECT_EQ(SecondsIn(phases, {"phase31", ""}), 31);
  EXPECT_EQ(SecondsIn(phases, {"no name", ""}), 0);
}

TEST(PhasesTest, OfProcessesStandInTheirOrder) {
  StepDone step;
  EXPECT_THAT(ByProcess(step, kInputPhase), IsEmpty());
  for (const float seconds : {1.0F, 0.0F, 2.0F})
    AddOfProcess(kInputPhase, seconds, step);
  AddOfProcess(kComputePhase, 3, step);
  EXPECT_THAT(ByProcess(step, kInputPhase), ElementsAre(1, 0, 2));
  EXPECT_THAT(ByProcess(step, kComputePhase), ElementsAre(3));
}

}  // namespace
}  // namespace podsim
