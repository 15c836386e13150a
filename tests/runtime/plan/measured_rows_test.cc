// Measured runs in a ladder: in the table, in JSON and drawn.
#include "runtime/plan/measured_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "runtime/plan/ladder_json.h"
#include "runtime/plan/ladder_plot.h"
#include "runtime/plan/ladder_table.h"
#include "tests/runtime/plan/made_ladder.h"

namespace podsim {
namespace {

using ::podsim::testing::MadeLadder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// mlp on digits with 8 examples on each core of v3-8 and v3-32, steps of 1 s
// and 2 s.
Ladder TwoRows() {
  Ladder ladder = MadeLadder(
      {{.slice = "v3-8", .step = 1}, {.slice = "v3-32", .step = 2, .high = 3}});
  for (LadderRow& row : ladder.rows) {
    PlanBits& bits = *row.plan.mutable_bits();
    bits.mutable_model()->set_name("mlp");
    bits.mutable_dataset()->set_name("digits");
    bits.set_batch_per_core(8);
    row.plan.set_global_batch(8 * row.slice.replicas);
  }
  return ladder;
}

MeasuredRun RunOn(const std::string& slice, std::int64_t batch, double sim) {
  return {.path = "a.jsonl",
          .model = "mlp",
          .dataset = "digits",
          .slice = slice,
          .global_batch = batch,
          .steps = 40,
          .step_seconds = 0.125,
          .examples_per_second = 512,
          .sim_step_seconds = sim,
          .loss = 0.5};
}

TEST(WithMeasuredTest, ARunIsInTheRowOfItsSliceAndBatch) {
  const Ladder ladder = WithMeasured(TwoRows(), {RunOn("v3-8", 64, 1)});
  ASSERT_TRUE(ladder.rows[0].measured.has_value());
  EXPECT_EQ(ladder.rows[0].measured->step_seconds, 0.125);
  EXPECT_FALSE(ladder.rows[1].measured.has_value());
  EXPECT_THAT(ladder.measured_notes, IsEmpty());
  EXPECT_TRUE(HasMeasured(ladder));
  EXPECT_FALSE(HasMeasured(TwoRows()));
}

TEST(WithMeasuredTest, WhatFitsNoRowIsNamedWithTheReason) {
  const auto note = [](Ladder ladder, const MeasuredRun& run) {
    const Ladder with = WithMeasured(std::move(ladder), {run});
    EXPECT_FALSE(HasMeasured(with));
    EXPECT_EQ(with.measured_notes.size(), 1u);
    return with.measured_notes.front();
  };
  EXPECT_EQ(note(TwoRows(), RunOn("v4-8", 64, 1)),
            "a.jsonl is not in the table: it ran on v4-8, which is none of the "
            "table's slices: add it to --topology");
  EXPECT_EQ(note(TwoRows(), RunOn("v3-8", 128, 1)),
            "a.jsonl is not in the table: its global batch on v3-8 is 128, the "
            "row's is 64: --batch_per_core=16 plans the run's");
  Ladder strong = TwoRows();
  strong.strong = true;
  EXPECT_THAT(note(strong, RunOn("v3-8", 128, 1)),
              HasSubstr("--train_batch_size=128 plans the run's"));
  MeasuredRun other = RunOn("v3-8", 64, 1);
  other.model = "cnn";
  EXPECT_EQ(note(TwoRows(), other),
            "a.jsonl is not in the table: it trained cnn on digits, the table "
            "is of mlp on digits");
  MeasuredRun none = RunOn("v3-8", 64, 1);
  none.steps = 0;
  EXPECT_THAT(note(TwoRows(), none), HasSubstr("it finished no step"));
  Ladder refused = TwoRows();
  refused.rows[1].status = absl::InvalidArgumentError("too large");
  EXPECT_THAT(note(refused, RunOn("v3-32", 256, 1)),
              HasSubstr("v3-32 has no plan here"));
}

TEST(WithMeasuredTest, OfSeveralInARowTheLastCounts) {
  MeasuredRun second = RunOn("v3-8", 64, 1);
  second.path = "b.jsonl";
  const Ladder ladder = WithMeasured(TwoRows(), {RunOn("v3-8", 64, 1), second});
  EXPECT_EQ(ladder.rows[0].measured->path, "b.jsonl");
  EXPECT_THAT(ladder.measured_notes,
              ElementsAre("a.jsonl is not in the table: b.jsonl, given after "
                          "it, is of the same row"));
}

TEST(WithMeasuredTest, AnotherSimulatedStepIsSaidWithBothFigures) {
  EXPECT_THAT(WithMeasured(TwoRows(), {RunOn("v3-8", 64, 1.5)}).measured_notes,
              ElementsAre("a.jsonl: its simulated step on v3-8 is 1.5 s, the "
                          "row's is 1 s: settings or hardware figures differ"));
  // Three digits do not tell these apart.
  EXPECT_THAT(
      WithMeasured(TwoRows(), {RunOn("v3-8", 64, 1.000001)}).measured_notes,
      ElementsAre(HasSubstr("is 1.000001 s, the row's is 1 s")));
  // Less than half a picosecond is the same step.
  EXPECT_THAT(
      WithMeasured(TwoRows(), {RunOn("v3-8", 64, 1 + 2e-13)}).measured_notes,
      IsEmpty());
  MeasuredRun early = RunOn("v3-8", 64, 1);
  early.sim_step_seconds.reset();
  EXPECT_THAT(WithMeasured(TwoRows(), {early}).measured_notes,
              ElementsAre("a.jsonl: it ended before its step was simulated"));
}

TEST(WithMeasuredTest, LinesThatWereLeftOutAreSaid) {
  MeasuredRun torn = RunOn("v3-8", 64, 1);
  torn.bad_lines = 2;
  torn.first_bad_line = 7;
  EXPECT_THAT(WithMeasured(TwoRows(), {torn}).measured_notes,
              ElementsAre("a.jsonl: 2 lines left out, no record of a run; the "
                          "first is line 7"));
}

// 1,000 steps, half a second longer each.
TEST(MeasuredRunSecondsTest, TheWholeRunWithTheRunsOwnStep) {
  const Ladder ladder = WithMeasured(TwoRows(), {RunOn("v3-8", 64, 1.5)});
  ASSERT_TRUE(MeasuredRunSeconds(ladder.rows[0]).has_value());
  EXPECT_DOUBLE_EQ(*MeasuredRunSeconds(ladder.rows[0]), 1500);
  EXPECT_EQ(MeasuredRunSeconds(ladder.rows[1]), std::nullopt);
}

TEST(MeasuredTableTest, TwoColumnsAndTheNotesBelow) {
  const std::string text =
      FormatLadder(WithMeasured(TwoRows(), {RunOn("v3-8", 64, 1.5)}), {},
                   /*columns=*/200);
  EXPECT_THAT(text, AllOf(HasSubstr("step wall  sim of run"),
                          HasSubstr("on the machine that emulated the slice"),
                          HasSubstr("# a.jsonl: its simulated step")));
  std::vector<std::string> rows;
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    if (line.substr(0, 3) == "v3-") rows.emplace_back(line);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(rows[0], HasSubstr("   125 ms       1.5 s  "));
  EXPECT_THAT(rows[1], HasSubstr("        -           -  "));
  const std::string without = FormatLadder(TwoRows(), {}, 200);
  EXPECT_THAT(without,
              AllOf(Not(HasSubstr("step wall")), Not(HasSubstr("sim of run"))));
}

TEST(MeasuredJsonTest, ARowHasItsRunTheOthersNone) {
  const auto all = nlohmann::json::parse(
      FormatLadderJson(WithMeasured(TwoRows(), {RunOn("v3-8", 64, 1.5)}), {}));
  EXPECT_EQ(all["results"][0]["measured"],
            nlohmann::json::parse(
                R"({"path":"a.jsonl","steps":40,"step_seconds_wall":0.125,)"
                R"("simulated_step_seconds":1.5,)"
                R"("examples_per_second_wall":512.0,"loss":0.5,)"
                R"("eval_loss":null})"));
  EXPECT_FALSE(all["results"][1].contains("measured"));
  ASSERT_EQ(all["measured_notes"].size(), 1u);
  const auto without = nlohmann::json::parse(FormatLadderJson(TwoRows(), {}));
  EXPECT_FALSE(without.contains("measured_notes"));
}

TEST(MeasuredPlotTest, ARingWithBothTimes) {
  const std::string drawn =
      PlotLadder(WithMeasured(TwoRows(), {RunOn("v3-8", 64, 1.5)}));
  EXPECT_THAT(drawn, AllOf(HasSubstr("<title>a.jsonl: step 1.5 s sim, 125 ms "
                                     "wall, 40 steps</title>"),
                           HasSubstr("ring: with the step (sim)")));
  EXPECT_THAT(PlotLadder(TwoRows()), Not(HasSubstr("ring")));
}

}  // namespace
}  // namespace podsim
