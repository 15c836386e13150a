// Which faults a job may have, and those that a seed draws.
#include "runtime/job/draw_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "runtime/files/fault_file.h"
#include "runtime/job/fault_rules.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const FaultScope kScope = {.hosts = 4, .steps = 100, .checkpoints = true};

FaultPlan PlanDrawn(const std::string& text) {
  const auto plan = ParseFaults(text, "test");
  PODSIM_CHECK(plan.ok());
  return *plan;
}

std::string Kinds(std::initializer_list<const char*> kinds) {
  std::string text;
  for (const char* kind : kinds) text += std::string(" kinds: ") + kind;
  return text;
}

TEST(CheckFaultsTest, TakesEveryKind) {
  EXPECT_THAT(
      CheckFaults(
          PlanDrawn(
              "faults { kind: KILL host: 3 step: 100 phase: 'checkpoint' }"
              "faults { kind: FREEZE host: 1 step: 1 phase: 'all-reduce' }"
              "faults { kind: SLOW host: 1 step: 1 phase: 'input' seconds: "
              "3600 }"
              "faults { kind: CUT host: 3 to: 0 step: 5 }"
              "faults { kind: DELAY host: 0 to: 3 step: 5 seconds: 1e-9 }"
              "faults { kind: FLIP host: 1 to: 2 step: 5 }"
              "faults { kind: STORAGE_FAIL host: 1 step: 5 }"
              "faults { kind: STORAGE_FULL host: 1 step: 5 }"
              "faults { kind: CORRUPT_GRADIENT host: 1 step: 5 }"
              "faults { kind: CORRUPT_WEIGHTS host: 1 step: 5 }"
              "random { seed: 1 per_step: 1 kinds: KILL }"),
          kScope),
      IsOk());
}

struct Bad {
  const char* text;
  const char* says;
};

class BadFaultsTest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadFaultsTest, SaysWhichFaultAndWhatIsAllowedInOneLine) {
  for (const absl::Status& status :
       {CheckFaults(PlanDrawn(GetParam().text), kScope),
        DrawFaults(PlanDrawn(GetParam().text), kScope).status()}) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                                 AllOf(HasSubstr(GetParam().says),
                                       Not(HasSubstr("\n")))));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFaultsTest,
    ::testing::Values(
        Bad{"faults { kind: KILL host: 1 step: 1 } faults { host: 1 step: 2 }",
            "fault 2: has no kind; there are KILL, FREEZE, SLOW, CUT"},
        Bad{"faults { kind: 77 step: 1 }", "fault 1: no kind is 77"},
        Bad{"faults { kind: KILL step: 1 }",
            "fault 1 (KILL): it has no host; say which, as in host: 0"},
        Bad{"{\"faults\": [{\"kind\": \"SLOW\", \"step\": 3}]}",
            "fault 1 (SLOW): it has no host; say which, as in host: 0"},
        Bad{"faults { kind: CUT host: 2 step: 1 }",
            "fault 1 (CUT): it has no other end of the link; say which host it "
            "leads to, as in to: 1"},
        Bad{"faults { kind: KILL host: 4 step: 1 }",
            "fault 1 (KILL): host is 4; allowed: 0 to 3 (the job has 4 hosts); "
            "give one of them"},
        Bad{"faults { kind: KILL host: -1 step: 1 }",
            "host is -1; allowed: 0 to 3"},
        Bad{"faults { kind: KILL host: 1 }",
            "fault 1 (KILL): it has no step; say when, as in step: 20"},
        Bad{"faults { kind: KILL host: 1 step: 0 }",
            "fault 1 (KILL): step is 0; allowed: 1 to 100 (the job has 100 "
            "steps); give one of them"},
        Bad{"faults { kind: KILL host: 1 step: 101 }",
            "step is 101; allowed: 1 to 100 (the job has 100 steps); give one "
            "of "
            "them, or more --train_steps"},
        Bad{"faults { kind: KILL host: 0 to: 2 step: 1 }",
            "to is 2, but it is for CUT, DELAY and FLIP: leave it out"},
        Bad{"faults { kind: CUT host: 1 to: 4 step: 1 }",
            "fault 1 (CUT): to is 4; allowed: 0 to 3"},
        Bad{"faults { kind: FLIP host: 2 to: 2 step: 1 }",
            "no link from host 2 to host 2"},
        Bad{"faults { kind: FREEZE host: 1 step: 1 phase: 'lunch\\n' }",
            "no phase is called 'lunch\\n'; there are input, compute, "
            "all-reduce, update, checkpoint"},
        Bad{"faults { kind: FREEZE host: 1 step: 1 phase: 'all_reduce' }",
            "'all_reduce'; did you mean all-reduce?; there are input"},
        Bad{"faults { kind: CUT host: 0 to: 1 step: 1 phase: 'input' }",
            "phase is 'input', but a phase is for KILL, FREEZE and SLOW: leave "
            "it out"},
        Bad{"faults { kind: SLOW host: 1 step: 1 }",
            "fault 1 (SLOW): it has no seconds; give above 0 and up to 3600"},
        Bad{"faults { kind: SLOW host: 1 step: 1 seconds: nan }",
            "seconds is nan"},
        Bad{"faults { kind: DELAY host: 0 to: 1 step: 1 seconds: 3601 }",
            "seconds is 3601"},
        Bad{"faults { kind: KILL host: 1 step: 1 seconds: 1 }",
            "seconds is 1, but they are for SLOW and DELAY: leave them "
            "out"},
        Bad{"random { per_step: 1.5 kinds: KILL }",
            "random faults: per_step is 1.5; give above 0 and up to 1, as in "
            "per_step: 0.02"},
        Bad{"random { per_step: nan kinds: KILL }", "per_step is nan"},
        Bad{"random { kinds: KILL }", "per_step is 0"},
        Bad{"random { per_step: 0.1 }",
            "random faults: have no kinds; there are KILL"},
        Bad{"random { per_step: 0.1 kinds: UNSET }",
            "random faults, a kind: has no kind"},
        Bad{"random { per_step: 0.1 kinds: 12 }", "no kind is 12"}));

TEST(CheckFaultsTest, SaysWhichFaultItRefuses) {
  const FaultPlan second = PlanDrawn(
      "faults { kind: KILL host: 1 step: 1 } faults { kind: KILL host: 1 step: "
      "0 }");
  EXPECT_EQ(FaultOf(CheckFaults(second, kScope)), 1);
  EXPECT_EQ(FaultOf(DrawFaults(second, kScope).status()), 1);
  EXPECT_EQ(FaultOf(CheckFaults(PlanDrawn("random { kinds: KILL }"), kScope)),
            std::nullopt);
}

TEST(CheckFaultsTest, SaysHowManyStepsThereAreAndWhy) {
  const FaultPlan late = PlanDrawn("faults { kind: KILL host: 0 step: 5000 }");
  FaultScope one = {.hosts = 4,
                    .steps = 1,
                    .steps_are = "--train_steps 4 of v3-8 are 1 step on v3-32"};
  EXPECT_THAT(CheckFaults(late, one),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "fault 1 (KILL): step is 5000; allowed: 1 "
                       "(--train_steps 4 of v3-8 are 1 step on v3-32); give "
                       "that, or more --train_steps"));
  const FaultScope epochs = {.hosts = 1, .steps = 2, .more_steps = "--epochs"};
  EXPECT_THAT(CheckFaults(late, epochs),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("give one of them, or more --epochs")));
  const FaultScope none = {.hosts = 1};
  EXPECT_THAT(CheckFaults(late, none),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("step is 5000, but the job has 0 steps: give "
                                 "more --train_steps, or leave it out")));
}

TEST(CheckFaultsTest, WhatAJobMustHave) {
  const FaultScope bare = {.hosts = 1, .steps = 10};
  EXPECT_THAT(
      CheckFaults(FaultPlan(), bare),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("has no fault")));
  EXPECT_THAT(
      CheckFaults(PlanDrawn("faults { kind: STORAGE_FAIL host: 0 step: 1 }"),
                  bare),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("add --model_dir")));
  EXPECT_THAT(
      CheckFaults(
          PlanDrawn(
              "faults { kind: KILL host: 0 step: 1 phase: 'checkpoint' }"),
          bare),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("without --model_dir")));
  EXPECT_THAT(CheckFaults(PlanDrawn("random { per_step: 1 kinds: CUT }"), bare),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("random faults, CUT: there is no link in a "
                                 "job of one process; give a --topology of "
                                 "several hosts")));
  const FaultScope packed = {.hosts = 4, .first_host = {0, 2}, .steps = 10};
  EXPECT_THAT(
      CheckFaults(PlanDrawn("faults { kind: CUT host: 1 to: 2 step: 1 }"),
                  packed),
      IsOk());
  EXPECT_THAT(
      CheckFaults(PlanDrawn("faults { kind: CUT host: 3 to: 2 step: 1 }"),
                  packed),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("no link from host 3 to host 2: both are of one "
                         "process; give to a host of another")));
  EXPECT_THAT(CheckFaults(PlanDrawn("random { per_step: 1e-6 kinds: KILL }"),
                          {.hosts = 1, .steps = 10'000'001}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("up to 10000000 steps, not of 10000001; list "
                                 "faults { ... } instead")));
}

TEST(DrawFaultsTest, AreInOrderOfSteps) {
  ASSERT_OK_AND_ASSIGN(
      const std::vector<Fault> faults,
      DrawFaults(PlanDrawn("faults { kind: KILL host: 1 step: 30 }"
                           "faults { kind: KILL host: 2 step: 3 }"
                           "faults { kind: FREEZE host: 3 step: 30 }"
                           "random { seed: 4 per_step: 1 kinds: SLOW }"),
                 kScope));
  ASSERT_EQ(faults.size(), 103);
  for (std::size_t i = 1; i < faults.size(); ++i) {
    EXPECT_LE(faults[i - 1].step(), faults[i].step());
  }
  // Of one step: as listed, then what was drawn.
  std::vector<std::string> of_thirty;
  for (const Fault& fault : faults) {
    if (fault.step() == 30) {
      of_thirty.push_back(Fault::Kind_Name(fault.kind()));
    }
  }
  EXPECT_THAT(of_thirty, ::testing::ElementsAre("KILL", "FREEZE", "SLOW"));
}

TEST(DrawFaultsTest, TheSameSeedDrawsTheSameFaults) {
  const std::string kinds = Kinds({"KILL", "CUT", "DELAY"});
  const auto draw = [&](int seed, std::int64_t steps) {
    auto faults = DrawFaults(PlanDrawn("random { per_step: 0.3 seed: " +
                                       std::to_string(seed) + kinds + " }"),
                             {.hosts = 8, .steps = steps});
    PODSIM_CHECK(faults.ok());
    std::string text;
    for (const Fault& fault : *faults) text += DescribeFault(fault) + "\n";
    return text;
  };
  EXPECT_EQ(draw(7, 200), draw(7, 200));
  EXPECT_NE(draw(7, 200), draw(8, 200));
  // A longer job has more of the same.
  EXPECT_EQ(draw(7, 400).substr(0, draw(7, 200).size()), draw(7, 200));
}

// Each draw is within the rules, and each value that the rules allow comes up.
TEST(DrawFaultsTest, DrawsAreFaultsThatMayBeListed) {
  const FaultScope scope = {.hosts = 3, .steps = 20'000, .checkpoints = true};
  FaultPlan plan;
  plan.mutable_random()->set_per_step(0.25);
  for (int kind = Fault::KILL; kind <= Fault::CORRUPT_WEIGHTS; ++kind) {
    plan.mutable_random()->add_kinds(static_cast<Fault::Kind>(kind));
  }
  ASSERT_OK_AND_ASSIGN(const std::vector<Fault> faults,
                       DrawFaults(plan, scope));
  // Five standard deviations of a binomial count: sqrt(n p (1 - p)) = 61.
  EXPECT_NEAR(faults.size(), 5000, 306);
  std::map<Fault::Kind, int> kinds;
  std::set<std::pair<int, int>> links;
  std::set<std::string> phases;
  for (const Fault& fault : faults) {
    FaultPlan one;
    *one.add_faults() = fault;
    ASSERT_THAT(CheckFaults(one, scope), IsOk()) << DescribeFault(fault);
    ++kinds[fault.kind()];
    phases.insert(fault.phase());
    if (fault.kind() == Fault::CUT) links.emplace(fault.host(), fault.to());
  }
  EXPECT_EQ(kinds.size(), 10);
  for (const auto& [kind, count] : kinds) EXPECT_GT(count, 350);
  EXPECT_EQ(links.size(), 6);
  EXPECT_EQ(phases, (std::set<std::string>{"", "input", "compute", "all-reduce",
                                           "update"}));
}

TEST(DrawFaultsTest, LinksAreBetweenProcesses) {
  const FaultScope scope = {.hosts = 5, .first_host = {0, 1, 4}, .steps = 2000};
  ASSERT_OK_AND_ASSIGN(
      const std::vector<Fault> faults,
      DrawFaults(PlanDrawn("random { per_step: 1 kinds: CUT }"), scope));
  std::set<std::pair<int, int>> links;
  for (const Fault& fault : faults) links.emplace(fault.host(), fault.to());
  // Of 20 pairs, six are within hosts 1 to 3.
  EXPECT_EQ(links.size(), 14);
  EXPECT_FALSE(links.contains({1, 3}));
  EXPECT_TRUE(links.contains({4, 0}) && links.contains({3, 4}));
}

// On a ring of four, each host sends to the next.
TEST(DrawFaultsTest, LinksAreThoseThatFramesTake) {
  const FaultScope ring = {
      .hosts = 4,
      .steps = 400,
      .lines = std::set<std::pair<int, int>>{{0, 1}, {1, 3}, {3, 2}, {2, 0}}};
  EXPECT_THAT(
      CheckFaults(PlanDrawn("faults { kind: FLIP host: 3 to: 0 step: 1 }"),
                  ring),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("no frames go from host 3 to host 0 in this job, only "
                         "to 2: give to: 2")));
  EXPECT_THAT(
      CheckFaults(PlanDrawn("faults { kind: FLIP host: 3 to: 2 step: 1 }"),
                  ring),
      IsOk());
  ASSERT_OK_AND_ASSIGN(
      const std::vector<Fault> faults,
      DrawFaults(PlanDrawn("random { per_step: 1 kinds: FLIP kinds: DELAY }"),
                 ring));
  std::set<std::pair<int, int>> links;
  for (const Fault& fault : faults) links.emplace(fault.host(), fault.to());
  EXPECT_EQ(links, *ring.lines);
}

// Of two processes only the ends of the ring's halves send to the other.
TEST(DrawFaultsTest, HostsThatSendToNoOtherProcessHaveNoLine) {
  const FaultScope packed = {
      .hosts = 4,
      .first_host = {0, 2},
      .steps = 100,
      .lines = std::set<std::pair<int, int>>{{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
  EXPECT_THAT(
      CheckFaults(PlanDrawn("faults { kind: CUT host: 0 to: 2 step: 1 }"),
                  packed),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("only to hosts of its own process: give another "
                         "host")));
  ASSERT_OK_AND_ASSIGN(
      const std::vector<Fault> faults,
      DrawFaults(PlanDrawn("random { per_step: 1 kinds: CUT }"), packed));
  for (const Fault& fault : faults) {
    EXPECT_EQ(fault.host() % 2, 1) << DescribeFault(fault);
  }
}

TEST(DrawFaultsTest, RefusesMoreThanAnyoneCouldWant) {
  EXPECT_THAT(DrawFaults(PlanDrawn("random { per_step: 1 kinds: SLOW }"),
                         {.hosts = 1, .steps = 10'001}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("more than 10000 faults; lower per_step")));
}

TEST(DescribeFaultTest, SaysWhatMatters) {
  const FaultPlan plan = PlanDrawn(
      "faults { kind: KILL host: 2 step: 20 phase: 'all-reduce' }"
      "faults { kind: CUT host: 0 to: 1 step: 5 }"
      "faults { kind: SLOW host: 3 step: 5 seconds: 0.25 }"
      "faults { kind: 99 }");
  EXPECT_EQ(DescribeFault(plan.faults(0)),
            "KILL host 2 at step 20, all-reduce");
  EXPECT_EQ(DescribeFault(plan.faults(1)),
            "CUT from host 0 to host 1 at step 5");
  EXPECT_EQ(DescribeFault(plan.faults(2)), "SLOW host 3 at step 5, for 0.25 s");
  EXPECT_EQ(DescribeFault(plan.faults(3)), "kind 99 host 0 at step 0");
}

}  // namespace
}  // namespace podsim
