// Published steps, and which generations say that theirs are compared with
// them.
#include "bench/validation/published_steps.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "interconnect/topology/hardware.h"
#include "interconnect/topology/slice.h"

namespace podsim::validation {
namespace {

TEST(PublishedSteps, AreOfTheGenerationsThatSaySo) {
  std::set<std::string> compared;
  for (const PublishedStep& step : ScoredSteps()) {
    const auto slice = FindSlice(step.slice);
    ASSERT_TRUE(slice.ok()) << slice.status();
    compared.insert(slice->generation);
  }
  std::set<std::string> say_so;
  for (const Generation& generation : ShippedHardware().generations())
    if (!generation.compared_steps().empty()) say_so.insert(generation.name());
  EXPECT_EQ(say_so, compared);
}

}  // namespace
}  // namespace podsim::validation
