#include "runtime/trace/sim_step_part.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "runtime/job/spec_check.h"
#include "runtime/trace/perfetto.h"
#include "runtime/trace/sim_tracks.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::PlanOf;

class SimStepPartTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan, PlanOf("topology: 'v3-32'"));
    ASSERT_OK_AND_ASSIGN(const Slice slice, SliceNamed("v3-32", plan.spec()));
    ASSERT_OK_AND_ASSIGN(step_, DrawStep(plan, slice));
    ASSERT_FALSE(step_.kernels.empty());
    ASSERT_FALSE(step_.sums.empty());
    ASSERT_FALSE(step_.messages.empty());
  }

  DrawnStep step_;
};

std::string DrawingOf(const DrawnStep& step) {
  return PerfettoTrace(SimTracks(step, {.first = 3,
                                        .count = 2,
                                        .begin = 1'000'000,
                                        .slice = "v3-32",
                                        .cores = 8,
                                        .of_cores = 32}));
}

TEST_F(SimStepPartTest, IsDrawnAsTheStepIs) {
  SimStepPart read;
  ASSERT_TRUE(read.ParseFromString(ToProto(step_).SerializeAsString()));
  ASSERT_OK_AND_ASSIGN(const DrawnStep same, FromProto(read));
  EXPECT_EQ(DrawingOf(same), DrawingOf(step_));
  EXPECT_EQ(same.no_messages, step_.no_messages);
  step_.no_messages = "too many";
  ASSERT_OK_AND_ASSIGN(const DrawnStep told, FromProto(ToProto(step_)));
  EXPECT_EQ(told.no_messages, "too many");
}

TEST_F(SimStepPartTest, WhatIsNoStepIsRefused) {
  const SimStepPart whole = ToProto(step_);
  const std::vector<std::function<void(SimStepPart&)>> slips = {
      [](SimStepPart& part) { part.Clear(); },
      [](SimStepPart& part) { part.set_total(-1); },
      [](SimStepPart& part) {
        part.set_total(std::numeric_limits<std::int64_t>::max());
      },
      [](SimStepPart& part) { part.set_input(-1); },
      [](SimStepPart& part) {
        part.set_store(std::numeric_limits<std::int64_t>::max());
      },
      [](SimStepPart& part) { part.set_fixed(part.total() + 1); },
      [](SimStepPart& part) { part.mutable_kernels(0)->set_begin(-1); },
      [](SimStepPart& part) {
        part.mutable_sums(0)->set_begin(part.sums(0).end() + 1);
      },
      [](SimStepPart& part) {
        part.mutable_messages(0)->set_end(part.total() + 1);
      },
      [](SimStepPart& part) { part.clear_links(); }};
  for (std::size_t slip = 0; slip < slips.size(); ++slip) {
    SimStepPart part = whole;
    slips[slip](part);
    EXPECT_FALSE(FromProto(part).ok()) << "slip " << slip;
  }
}

}  // namespace
}  // namespace podsim
