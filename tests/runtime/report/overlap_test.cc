#include "runtime/report/overlap.h"

#include <gtest/gtest.h>

#include "job/phases.h"

namespace podsim {
namespace {

StepDone StepWithOverlap(std::int64_t number, bool serial, double seconds,
                         double reduce) {
  StepDone step;
  step.set_step(number);
  step.set_serial(serial);
  step.set_seconds(seconds);
  AddSeconds(kReducePhase, reduce, *step.mutable_phases());
  return step;
}

TEST(OverlapTest, ComparesMediansOfOneRun) {
  OverlapMeter meter;
  meter.OnStep(
      StepWithOverlap(1, false, 900, 900));  // the start does not count
  meter.OnStep(StepWithOverlap(2, false, 13, 2));
  meter.OnStep(StepWithOverlap(3, true, 19, 8));
  meter.OnStep(StepWithOverlap(4, false, 13, 2));
  meter.OnStep(StepWithOverlap(5, false, 500, 400));  // an outlier
  const auto overlap = meter.Measured();
  ASSERT_TRUE(overlap.has_value());
  EXPECT_EQ(overlap->serial_step, 19);
  EXPECT_EQ(overlap->overlapped_step, 13);
  EXPECT_EQ(overlap->communication, 8);
  EXPECT_EQ(overlap->serial_steps, 1);
  EXPECT_DOUBLE_EQ(overlap->hidden(), 6.0 / 8);
}

TEST(OverlapTest, WhatWaitsForInputIsNoMatterOfIt) {
  OverlapMeter meter;
  StepDone slow = StepWithOverlap(2, false, 1013, 2);
  AddSeconds(kInputPhase, 1000, *slow.mutable_phases());
  meter.OnStep(slow);
  meter.OnStep(StepWithOverlap(3, true, 19, 8));
  ASSERT_TRUE(meter.Measured().has_value());
  EXPECT_EQ(meter.Measured()->overlapped_step, 13);
  EXPECT_DOUBLE_EQ(meter.Measured()->hidden(), 6.0 / 8);
}

TEST(OverlapTest, SaysNothingWithoutBothKindsOfStep) {
  OverlapMeter meter;
  EXPECT_FALSE(meter.Measured().has_value());
  meter.OnStep(StepWithOverlap(2, false, 10, 2));
  EXPECT_FALSE(meter.Measured().has_value());
  meter.OnStep(StepWithOverlap(3, true, 10, 0));
  EXPECT_FALSE(meter.Measured().has_value()) << "no communication";
}

}  // namespace
}  // namespace podsim
