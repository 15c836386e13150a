// A step drawn part by part comes to the forecast that is printed of it.
#include "runtime/forecast/drawn_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "chip/step.h"
#include "interconnect/timing/pricing.h"
#include "job/plan_program.h"
#include "runtime/forecast/forecast.h"
#include "runtime/forecast/job_options.h"
#include "runtime/job/spec_check.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::PlanOf;

struct Drawn {
  JobPlan plan;
  Slice slice;
  DrawnStep step;
  SimStep forecast;
  std::size_t kernels = 0;
};

Drawn Draw(const std::string& text) {
  Drawn drawn;
  drawn.plan = *PlanOf(text);
  drawn.slice = *SliceNamed(drawn.plan.bits().slice(), drawn.plan.spec());
  const auto step = DrawStep(drawn.plan, drawn.slice);
  EXPECT_THAT(step, testing::IsOk());
  drawn.step = *step;
  const Program program = *ProgramOf(drawn.plan);
  const StepOptions options =
      StepOptionsOf(drawn.plan, drawn.plan.bits().batch_per_core());
  SumPrices sums(drawn.slice, AskedAlgorithm(drawn.plan.spec()));
  drawn.forecast = *ForecastStep(program, drawn.slice, options, sums);
  drawn.kernels =
      ChipStepFor(program, drawn.slice, options)->program.kernels.size();
  return drawn;
}

TEST(DrawStep, HasEachKernelInOrderAndTheForecastsTimes) {
  const Drawn drawn = Draw("topology: 'v3-32'");
  const DrawnStep& step = drawn.step;
  EXPECT_EQ(step.kernels.size(), drawn.kernels);
  SimTime computed;
  SimTime last;
  for (const SimulatedSpan& kernel : step.kernels) {
    EXPECT_FALSE(kernel.name.empty());
    EXPECT_GE(kernel.begin, last);
    last = kernel.end;
    computed += kernel.end - kernel.begin;
  }
  EXPECT_EQ(computed, drawn.forecast.compute + drawn.forecast.update);
  SimTime reduced;
  for (const SimulatedSpan& sum : step.sums) {
    EXPECT_GT(sum.bytes, 0);
    reduced += sum.end - sum.begin;
    last = std::max(last, sum.end);
  }
  EXPECT_EQ(reduced, drawn.forecast.communication);
  EXPECT_EQ(step.total, drawn.forecast.total);
  EXPECT_LE(last + step.fixed, step.total);
}

TEST(DrawStep, MessagesLieInTheirSumsAndOneAtATimeOnALink) {
  const Drawn drawn = Draw("topology: 'v3-32'");
  const DrawnStep& step = drawn.step;
  EXPECT_EQ(step.no_messages, "");
  ASSERT_FALSE(step.messages.empty());
  std::map<std::int32_t, SimTime> free;
  for (const SimulatedSpan& message : step.messages) {
    const std::string& link = step.links.at(message.link);
    EXPECT_GE(message.begin, free[message.link]) << link;
    free[message.link] = message.end;
    EXPECT_TRUE(std::any_of(step.sums.begin(), step.sums.end(),
                            [&](const SimulatedSpan& sum) {
                              return message.begin >= sum.begin &&
                                     message.end <= sum.end;
                            }))
        << link;
  }
}

// The price of a sum comes from another run, in which chips stand for others.
TEST(DrawStep, MessagesOfALinkComeToThePricesOfTheSums) {
  const Drawn drawn = Draw("topology: 'v3-32'");
  std::vector<std::int64_t> priced;
  for (const SimulatedSpan& sum : drawn.step.sums) {
    const auto price = PriceCollective(drawn.slice, {.bytes = sum.bytes});
    ASSERT_THAT(price, testing::IsOk());
    priced.resize(price->sent.size());
    for (std::size_t link = 0; link < priced.size(); ++link)
      priced[link] += price->sent[link];
  }
  std::vector<std::int64_t> drawn_bytes(priced.size());
  for (const SimulatedSpan& message : drawn.step.messages)
    drawn_bytes.at(static_cast<std::size_t>(message.link)) += message.bytes;
  EXPECT_EQ(drawn_bytes, priced);
}

// Groups of 16 cores of v3-32: the first has the lower half of the chips, y
// < 2.
TEST(DrawStep, SumsOfGroupsTravelOnTheLinksOfTheFirst) {
  const Drawn drawn =
      Draw("topology: 'v3-32' model: 'lenet5_bn' batch_norm_group: 16");
  const DrawnStep& step = drawn.step;
  ASSERT_EQ(step.no_messages, "");
  const SimTime gradients = step.sums.back().begin;
  int of_groups = 0;
  for (const SimulatedSpan& message : step.messages) {
    if (message.begin >= gradients) continue;
    ++of_groups;
    EXPECT_THAT(message.name, ::testing::MatchesRegex("from chip [0-7]"));
    EXPECT_THAT(step.links.at(message.link),
                ::testing::AllOf(::testing::Not(::testing::HasSubstr(",2)")),
                                 ::testing::Not(::testing::HasSubstr(",3)"))));
  }
  EXPECT_GT(of_groups, 0);
}

TEST(DrawStep, AChipAloneHasNoLinks) {
  EXPECT_TRUE(Draw("topology: 'v5litepod-1'").step.messages.empty());
}

TEST(DrawStep, MessagesOfManyChipsAreLeftOutAndItSaysSo) {
  const DrawnStep step = Draw("topology: 'v3-1024'").step;
  EXPECT_TRUE(step.messages.empty());
  EXPECT_NE(step.no_messages, "");
  EXPECT_FALSE(step.sums.empty());
}

}  // namespace
}  // namespace podsim
