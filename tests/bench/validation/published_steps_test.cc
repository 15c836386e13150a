// Published steps, and which generations say that theirs are compared with
// them.
#include "bench/validation/published_steps.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "bench/validation/blind_steps.h"
#include "interconnect/topology/hardware.h"
#include "interconnect/topology/slice.h"

namespace podsim::validation {
namespace {

TEST(PublishedSteps, AreOfTheGenerationsThatSaySo) {
  std::set<std::string> compared;
  std::vector<PublishedStep> steps = ScoredSteps();
  for (const BlindStep& blind : ScoredBlindSteps()) steps.push_back(blind.step);
  for (const PublishedStep& step : steps) {
    const auto slice = FindSlice(step.slice);
    ASSERT_TRUE(slice.ok()) << slice.status();
    compared.insert(slice->generation);
  }
  std::set<std::string> say_so;
  for (const Generation& generation : ShippedHardware().generations())
    if (!generation.compared_steps().empty()) say_so.insert(generation.name());
  EXPECT_EQ(say_so, compared);
}

// A forecast that was not written down first is none of these.
TEST(BlindSteps, HaveAForecastThatWasWrittenDown) {
  for (const auto& blind_steps : {ScoredBlindSteps(), OtherBlindSteps()})
    for (const BlindStep& blind : blind_steps) {
      EXPECT_GT(blind.fixed.low, 0) << blind.step.zoo << blind.step.slice;
      EXPECT_LT(blind.fixed.low, blind.fixed.sim);
      EXPECT_LT(blind.fixed.sim, blind.fixed.high);
    }
  EXPECT_LT(kTimedBlindSteps, ScoredBlindSteps().size());
}

}  // namespace
}  // namespace podsim::validation
