// What is said, and what is refused, of a pod that goes on from a checkpoint.
#include "runtime/coordinator/start_origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/build.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

JobPlan FormedPod(const std::string& isa) {
  JobPlan plan;
  plan.mutable_bits()->set_slice("v3-32");
  plan.mutable_bits()->set_batch_per_core(8);
  plan.mutable_bits()->set_isa(isa);
  plan.set_hash("hash of " + isa);
  plan.mutable_spec()->set_mode(words::Mode::train);
  return plan;
}

StartOrigin TrainedAt(const std::string& isa) {
  StartOrigin origin;
  *origin.manifest.mutable_bits() = FormedPod(isa).bits();
  origin.manifest.set_plan_hash(FormedPod(isa).hash());
  origin.manifest.set_build_id(BuildId());
  origin.manifest.set_examples_consumed(2560);
  return origin;
}

TEST(CompareStartTest, TheSamePlanIsNoNews) {
  ASSERT_OK_AND_ASSIGN(const auto notes,
                       CompareStart(TrainedAt("amx"), FormedPod("amx")));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(CompareStartTest, AnotherPlanIsNoted) {
  JobPlan formed = FormedPod("v4");
  formed.set_hash("2e1f");
  formed.mutable_bits()->set_slice("v3-8");
  formed.mutable_bits()->set_batch_per_core(16);
  ASSERT_OK_AND_ASSIGN(const auto notes, CompareStart(TrainedAt("v4"), formed));
  EXPECT_THAT(notes, ElementsAre(AllOf(HasSubstr("(slice v3-32, now v3-8; "
                                                 "batch_per_core 8, now 16)"),
                                       HasSubstr("2560"))));
}

TEST(CompareStartTest, AnotherBuildIsNoted) {
  StartOrigin origin = TrainedAt("v4");
  origin.manifest.set_build_id("0.0.1 g++ 4.8");
  ASSERT_OK_AND_ASSIGN(const auto notes, CompareStart(origin, FormedPod("v4")));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("build 0.0.1 g++ 4.8")));
}

TEST(CompareStartTest, ALowerIsaIsRefusedUnlessAskedFor) {
  StartOrigin origin = TrainedAt("amx");
  EXPECT_THAT(CompareStart(origin, FormedPod("v4")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("amx"), HasSubstr("--isa=v4"))));
  origin.isa_asked = true;
  ASSERT_OK_AND_ASSIGN(const auto notes, CompareStart(origin, FormedPod("v4")));
  EXPECT_THAT(notes,
              ElementsAre(HasSubstr("another (isa amx, now v4): training")));
}

TEST(CompareStartTest, AHigherIsaIsNoted) {
  ASSERT_OK_AND_ASSIGN(const auto notes,
                       CompareStart(TrainedAt("v4"), FormedPod("amx")));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("isa v4")));
}

// It writes nothing.
TEST(CompareStartTest, AnEvaluationMayRunAtALowerIsa) {
  JobPlan formed = FormedPod("v4");
  formed.mutable_spec()->set_mode(words::Mode::eval);
  ASSERT_OK_AND_ASSIGN(const auto notes,
                       CompareStart(TrainedAt("amx"), formed));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(CompareStartTest, WhatDiffersIsNamed) {
  const StartOrigin origin = TrainedAt("v4");
  JobPlan formed = FormedPod("v4");
  PlanBits& bits = *formed.mutable_bits();
  bits.set_batch_per_core(origin.manifest.bits().batch_per_core() + 3);
  bits.mutable_learning_rate()->set_warmup_examples(77);
  formed.set_hash("of the other");
  ASSERT_OK_AND_ASSIGN(const auto notes, CompareStart(origin, formed));
  EXPECT_THAT(
      notes,
      ElementsAre(HasSubstr(absl::StrCat(
          "(batch_per_core ", origin.manifest.bits().batch_per_core(), ", now ",
          bits.batch_per_core(), "; learning_rate): training"))));
}

// A manifest may come from another build, or be made up.
TEST(CompareStartTest, AnUnknownIsaIsNoted) {
  ASSERT_OK_AND_ASSIGN(const auto notes,
                       CompareStart(TrainedAt("v9"), FormedPod("v4")));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("isa v9")));
}

}  // namespace
}  // namespace podsim
