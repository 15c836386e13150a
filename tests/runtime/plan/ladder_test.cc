// The ladder by the guide's arithmetic, and what it shows.
#include "runtime/plan/ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/text_table.h"
#include "nlohmann/json.hpp"
#include "runtime/job/geography.h"
#include "runtime/plan/ladder_json.h"
#include "runtime/plan/ladder_plot.h"
#include "runtime/plan/ladder_table.h"
#include "runtime/plan/ladder_troubles.h"
#include "runtime/plan/slice_list.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Inputs;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::podsim::testing::Synthetic;
using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<Ladder> LadderOf(const std::string& job,
                                const std::vector<std::string>& slices) {
  const JobSpec spec = Spec("dataset: 'synthetic' " + job);
  return PlanLadder(spec, Inputs(Synthetic()), *SlicesNamed(slices, {}));
}

std::vector<std::string> LinesOf(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

// 1,000 x 100 becomes 4,000 x 25 on every generation: what grows fourfold in
// what the batch is divided among takes a quarter of the steps.
class GuidesLadder
    : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(GuidesLadder, EqualBatchPerCoreAndScaledSteps) {
  ASSERT_OK_AND_ASSIGN(
      const Ladder ladder,
      LadderOf(absl::StrCat("batch_per_core: 128 train_steps: 100 "
                            "learning_rate: 0.001 reference_topology: '",
                            GetParam().first, "'"),
               {GetParam().first, GetParam().second}));
  ASSERT_EQ(ladder.rows.size(), 2);
  EXPECT_FALSE(ladder.is_as_typed);
  const LadderRow& from = ladder.rows[0];
  const LadderRow& to = ladder.rows[1];
  ASSERT_EQ(to.slice.replicas, 4 * from.slice.replicas);
  EXPECT_EQ(from.plan.bits().batch_per_core(), 128);
  EXPECT_EQ(to.plan.bits().batch_per_core(), 128);
  EXPECT_EQ(to.plan.global_batch(), 4 * from.plan.global_batch());
  EXPECT_EQ(from.plan.train_steps(), 100);
  EXPECT_EQ(to.plan.train_steps(), 25);
  EXPECT_EQ(from.plan.total_examples(), to.plan.total_examples());
  EXPECT_DOUBLE_EQ(to.plan.bits().learning_rate().peak(), 0.004);
  EXPECT_EQ(from.efficiency, 1);
  EXPECT_DOUBLE_EQ(to.efficiency, to.forecast.examples_per_second() /
                                      from.forecast.examples_per_second() / 4);
}

INSTANTIATE_TEST_SUITE_P(
    Generations, GuidesLadder,
    ::testing::Values(std::pair{"v2-8", "v2-32"}, std::pair{"v3-8", "v3-32"},
                      std::pair{"v4-8", "v4-32"},
                      std::pair{"v5litepod-4", "v5litepod-16"},
                      std::pair{"v5p-8", "v5p-32"},
                      std::pair{"v6e-4", "v6e-16"},
                      std::pair{"tpu7x-8", "tpu7x-32"}));

TEST(LadderTest, AGlobalBatchIsSharedOut) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("train_batch_size: 4096", {"v3-8..v3-128"}));
  EXPECT_TRUE(ladder.strong);
  EXPECT_THAT(FormatLadder(ladder, {}),
              HasSubstr("with the same global batch"));
  ASSERT_EQ(ladder.rows.size(), 4);
  for (const LadderRow& row : ladder.rows) {
    ASSERT_THAT(row.status, ::podsim::testing::IsOk());
    EXPECT_EQ(row.plan.global_batch(), 4096);
    EXPECT_EQ(row.plan.train_steps(), ladder.rows[0].plan.train_steps());
    EXPECT_EQ(row.plan.bits().batch_per_core(), 4096 / row.slice.replicas);
  }
}

// A run on a slice, its plan and its row have one rate and one length.
TEST(LadderTest, WithoutAReferenceARowIsWhatRunsThere) {
  const char* const job =
      "batch_per_core: 128 train_steps: 100 learning_rate: 0.001";
  ASSERT_OK_AND_ASSIGN(const Ladder ladder, LadderOf(job, {"v3-8..v3-128"}));
  EXPECT_TRUE(ladder.is_as_typed);
  EXPECT_THAT(FormatLadder(ladder, {}),
              HasSubstr("--reference_topology=v3-8 scales them"));
  for (const LadderRow& row : ladder.rows) {
    JobSpec spec = Spec(absl::StrCat("dataset: 'synthetic' ", job));
    spec.set_topology(row.slice.name);
    ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                         PlanJob(spec, Inputs(Synthetic())));
    EXPECT_EQ(row.plan.SerializeAsString(), plan.SerializeAsString());
    EXPECT_EQ(plan.train_steps(), 100);
    EXPECT_EQ(plan.bits().learning_rate().peak(), 0.001);
  }
}

// Rows are made side by side, each as if it were the only one.
TEST(LadderTest, ARowIsThatOfItsSliceAlone) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("batch_per_core: 128 train_steps: 100 "
                                "learning_rate: 0.001 "
                                "reference_topology: 'v3-8'",
                                {"v3-8..v3-2048"}));
  ASSERT_EQ(ladder.rows.size(), 8);
  for (const LadderRow& row : ladder.rows) {
    ASSERT_OK_AND_ASSIGN(
        const Ladder alone,
        LadderOf("batch_per_core: 128 train_steps: 100 learning_rate: 0.001 "
                 "reference_topology: 'v3-8'",
                 {row.slice.name}));
    EXPECT_EQ(row.plan.SerializeAsString(),
              alone.rows[0].plan.SerializeAsString());
    EXPECT_EQ(row.forecast.step.total, alone.rows[0].forecast.step.total);
    EXPECT_EQ(row.forecast.band.high, alone.rows[0].forecast.band.high);
  }
}

// Of whatever generation, and where the largest batch is looked for first.
TEST(LadderTest, AllRowsShareOneCompiledModel) {
  for (const LadderBatch batch :
       {LadderBatch::kAsAsked, LadderBatch::kLargest}) {
    PlanInputs inputs = Inputs(Synthetic());
    inputs.compiled = std::make_shared<CompiledModels>();
    const JobSpec spec = Spec("dataset: 'synthetic'");
    ASSERT_OK_AND_ASSIGN(
        const Ladder ladder,
        PlanLadder(spec, inputs, *SlicesNamed({"v3-8..v3-2048", "v4-8"}, {}),
                   batch));
    EXPECT_EQ(ladder.rows.size(), 9);
    EXPECT_EQ(inputs.compiled->made(), 1);
  }
}

TEST(LadderTest, WhatHasNoPlanHasAReason) {
  ASSERT_OK_AND_ASSIGN(
      const Ladder ladder,
      LadderOf("train_batch_size: 64", {"v3-32..v3-128", "v5litepod-256"}));
  ASSERT_EQ(ladder.rows.size(), 4);
  EXPECT_THAT(ladder.rows[1].status, ::podsim::testing::IsOk());
  EXPECT_FALSE(ladder.rows[2].status.ok());  // 64 over 128 cores
  EXPECT_FALSE(ladder.rows[3].status.ok());
  const std::string text = FormatLadder(ladder, {});
  EXPECT_THAT(text, HasSubstr("# v3-128 has no plan: "));
  EXPECT_THAT(text, HasSubstr("# v5litepod-256 has no plan: "));
  EXPECT_THAT(LadderOf("train_batch_size: 63", {"v3-8", "v3-32"}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("63")));
}

TEST(LadderTest, ABatchThatNoSliceDividesIsToldWhatFitsAll) {
  EXPECT_THAT(
      LadderOf("train_batch_size: 100", {"v3-8..v3-64"}).status(),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "train_batch_size 100 does not divide by the 8 cores of v3-8, "
               "nor by those of the other slices; a multiple of 64 fits all of "
               "them, such as 64 or 128"));
  EXPECT_THAT(LadderOf("train_batch_size: 100", {"v3-8"}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("nearest that do: 96 (12 per core) and 104")));
}

// They do not train here, and are planned all the same.
TEST(LadderTest, HostsOfOneAndEightChipsArePlanned) {
  const std::vector<std::string> slices = {"v5litepod-1", "v5litepod-4",
                                           "v5litepod-8", "v6e-1", "v6e-8"};
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("batch_per_core: 8", slices));
  ASSERT_EQ(ladder.rows.size(), slices.size());
  for (const LadderRow& row : ladder.rows) {
    EXPECT_THAT(row.status, ::podsim::testing::IsOk()) << row.slice.name;
    EXPECT_EQ(row.plan.global_batch(), 8 * row.slice.replicas);
    EXPECT_GT(row.forecast.step.total.seconds(), 0) << row.slice.name;
  }
  // A single chip has nobody to sum with.
  EXPECT_THAT(
      FormatLadder(ladder, {}),
      ::testing::ContainsRegex("v5litepod-1 [^\n]* (compute|HBM traffic)"));
}

// Of every model, whoever brings it.
TEST(LadderTest, EveryModelHasLowAndHigh) {
  ASSERT_OK_AND_ASSIGN(Ladder ladder, LadderOf("", {"v3-8", "v3-32"}));
  for (LadderRow& row : ladder.rows)
    row.plan.mutable_spec()->set_model_file("m.pod");
  const auto json = nlohmann::json::parse(FormatLadderJson(ladder, {}));
  EXPECT_FALSE(json.contains("compute_note"));
  for (const auto& row : json["results"]) {
    EXPECT_GT(row["step_seconds_low"], 0);
    EXPECT_LE(row["step_seconds_low"], row["step_seconds"]);
    EXPECT_GE(row["step_seconds_high"], row["step_seconds"]);
  }
}

// From the start to the end, and what of it the steps are.
TEST(LadderTest, ARunIsMoreThanItsSteps) {
  ASSERT_OK_AND_ASSIGN(Ladder ladder, LadderOf("", {"v3-8", "v3-32"}));
  for (LadderRow& row : ladder.rows) {
    row.forecast.start_up = SimTime::Seconds(60);
    row.forecast.evaluation_seconds = 2;
    // With nothing but the steps in doubt.
    row.forecast.start_up_shares.clear();
    row.forecast.evaluation_shares.clear();
  }
  const auto json = nlohmann::json::parse(FormatLadderJson(ladder, {}));
  for (const auto& row : json["results"]) {
    const double count = row["train_steps"];
    const double step = row["step_seconds"];
    const double chips = row["chips"];
    EXPECT_NEAR(row["seconds"], count * step, 1e-9);
    EXPECT_NEAR(row["chip_hours"], count * step * chips / 3600, 1e-9);
    EXPECT_EQ(row["start_up_seconds"], 60);
    EXPECT_EQ(row["evaluation_seconds"], 2);
    const double run = row["run_seconds"];
    EXPECT_NEAR(run, 62 + count * step, 1e-9);
    EXPECT_NEAR(row["run_chip_hours"], run * chips / 3600, 1e-9);
    const double longer = double{row["run_seconds_high"]} - run;
    EXPECT_NEAR(longer, count * (double{row["step_seconds_high"]} - step),
                1e-9);
    EXPECT_LT(row["run_seconds_low"], run);
  }
}

TEST(LadderTest, ARowSaysWhatItsChipsAreUsedFor) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder, LadderOf("", {"v3-8", "v4-8"}));
  const auto json = nlohmann::json::parse(FormatLadderJson(ladder, {}));
  for (const auto& row : json["results"]) {
    EXPECT_GT(row["model_flops"], 0);
    EXPECT_GT(row["mfu"], 0);
    EXPECT_LT(row["mfu"], 1);
    EXPECT_EQ(row["recomputed_flops"], 0);
    EXPECT_EQ(row["recomputed_share"], 0);
    EXPECT_TRUE(row["tokens_per_second"].is_null());
    EXPECT_NEAR(double{row["step_seconds_without_fixed_cost"]} +
                    double{row["fixed_seconds"]},
                row["step_seconds"], 1e-12);
  }
  EXPECT_THAT(
      FormatLadder(ladder, {}, kAllColumns),
      ::testing::ContainsRegex(
          "# slice +batch +global +steps +learning rate +HBM +step sim +low to "
          "high +less fixed +examples/s +MFU +all-reduce +exposed +eff "
          "+recomputed +run +run low to high +chip-hours +chip-hours low to "
          "high +bound by\n"));
}

// Whoever reads results[] finds these, whatever comes beside them.
TEST(LadderTest, AResultHasTheNamesThatItAlwaysHad) {
  const std::set<std::string> names = {
      "slice", "generation", "topology", "chips", "replicas", "replica_name",
      // of the plan
      "batch_per_core", "global_batch", "train_steps", "learning_rate",
      "hbm_bytes_per_core", "hbm_bytes_available",
      // of a step
      "step_seconds", "step_seconds_low", "step_seconds_high", "fixed_seconds",
      "step_seconds_without_fixed_cost", "input_seconds", "compute_seconds",
      "all_reduce_seconds", "exposed_seconds", "algorithm", "bound_by",
      "examples_per_second", "tokens_per_second", "efficiency",
      "efficiency_low", "efficiency_high", "mfu", "model_flops",
      "recomputed_flops", "recomputed_share",
      // of all steps, and of the whole run
      "seconds", "chip_hours", "start_up_seconds", "evaluation_seconds",
      "run_seconds", "run_seconds_low", "run_seconds_high", "run_chip_hours",
      "run_chip_hours_low", "run_chip_hours_high", "price", "price_low",
      "price_high", "network_note", "warnings"};
  ASSERT_OK_AND_ASSIGN(const Ladder ladder, LadderOf("", {"v3-8", "v4-8"}));
  const LadderQuestion asked = {.prices = {.of_all = 2}};
  const auto json = nlohmann::json::parse(FormatLadderJson(ladder, asked));
  ASSERT_EQ(json["results"].size(), 2);
  for (const auto& row : json["results"])
    for (const std::string& name : names)
      EXPECT_TRUE(row.contains(name)) << name;
  const auto unpriced = nlohmann::json::parse(FormatLadderJson(ladder, {}));
  EXPECT_FALSE(unpriced["results"][0].contains("price"));
}

// Steps differ by their all-reduce alone: the fixed cost, which is most of both
// and in doubt, moves both.
TEST(LadderTest, AnEfficiencyHasLowAndHigh) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("batch_per_core: 8", {"v3-8..v3-2048"}));
  const auto json = nlohmann::json::parse(FormatLadderJson(ladder, {}));
  const auto& results = json["results"];
  EXPECT_EQ(results[0]["efficiency_low"], 1);
  EXPECT_EQ(results[0]["efficiency_high"], 1);
  for (const auto& row : results) {
    EXPECT_LE(row["efficiency_low"], row["efficiency"]);
    EXPECT_GE(row["efficiency_high"], row["efficiency"]);
  }
  const auto& last = results.back();
  EXPECT_LT(last["efficiency_low"], last["efficiency"]);
  EXPECT_GT(last["efficiency_high"], last["efficiency"]);
  // A ratio is far surer than the steps that it is of.
  const auto width = [](const nlohmann::json& row, const std::string& of) {
    return (double{row[of + "_high"]} - double{row[of + "_low"]}) /
           double{row[of]};
  };
  EXPECT_LT(width(last, "efficiency"), 0.5 * width(last, "step_seconds"));
  const auto& knee = json["knees"][0];
  EXPECT_TRUE(knee.contains("slice_low"));
  EXPECT_TRUE(knee.contains("slice_high"));
  EXPECT_THAT(FormatLadder(ladder, {}, kAllColumns),
              ::testing::ContainsRegex(" eff +eff low to high +recomputed "));
}

TEST(LadderTest, WhatShardingTheUpdateSavesIsSaid) {
  const std::string job = "batch_per_core: 1 hidden: [4096, 4096] ";
  ASSERT_OK_AND_ASSIGN(const Ladder whole, LadderOf(job, {"v3-2048"}));
  ASSERT_OK_AND_ASSIGN(const Ladder sharded,
                       LadderOf(job + "sim_sharded_update: true", {"v3-2048"}));
  const auto json = nlohmann::json::parse(FormatLadderJson(sharded, {}));
  const auto& row = json["results"][0];
  const double before = whole.rows[0].forecast.step.total.seconds();
  EXPECT_EQ(row["step_seconds_without_sharded_update"], before);
  EXPECT_NEAR(row["sharded_update_saves"],
              1 - double{row["step_seconds"]} / before, 1e-12);
  EXPECT_GT(row["sharded_update_saves"], 0);
  EXPECT_LE(row["sharded_update_saves_low"], row["sharded_update_saves"]);
  EXPECT_GE(row["sharded_update_saves_high"], row["sharded_update_saves"]);
  EXPECT_THAT(
      FormatLadder(sharded, {}, kAllColumns),
      HasSubstr("\n# what sharding the update saves of a step: v3-2048 "));
  EXPECT_THAT(FormatLadder(whole, {}), Not(HasSubstr("sharding the update")));
  EXPECT_THAT(FormatLadderJson(whole, {}), Not(HasSubstr("sharded_update")));
}

// With prices the runs are what is compared, on a narrow screen too.
TEST(LadderTest, PricesBringTheRunsAndTheirChipHours) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("", {"v3-128", "v4-64", "v5litepod-64"}));
  const std::string text =
      FormatLadder(ladder, {.prices = {.of_all = 2, .currency = "USD"}}, 80);
  EXPECT_THAT(text, ::testing::ContainsRegex(
                        "\n# slice +step sim .*eff +run +run low to high "
                        "+chip-hours +price"));
  for (const std::string& line : LinesOf(text))
    EXPECT_LE(line.size(), 80) << line;
  EXPECT_THAT(
      FormatLadder(ladder, {}, 80),
      Not(::testing::ContainsRegex("\n# slice [^\n]* run low to high")));
  EXPECT_THAT(FormatLadder(ladder, {}, kAllColumns),
              ::testing::ContainsRegex("\n# slice .* run +run low to high "
                                       "+chip-hours +chip-hours low to high "));
}

// Attention is planned plain on the one and as a kernel on the other.
TEST(LadderTest, RowsOfTwoProgramsAreSaid) {
  for (const bool mixed : {true, false}) {
    ASSERT_OK_AND_ASSIGN(
        const Ladder ladder,
        PlanLadder(Spec("dataset: 'digits' model: 'encoder'"),
                   Inputs(testing::Digits()),
                   *SlicesNamed(
                       {mixed ? "v4-8" : "v5litepod-8", "v5litepod-16"}, {})));
    for (const int columns : {80, kAllColumns})
      EXPECT_EQ(
          FormatLadder(ladder, {}, columns).find("rows of two programs") !=
              std::string::npos,
          mixed);
  }
}

TEST(LadderTest, SequencesAreCountedInTokens) {
  const JobSpec spec = Spec("dataset: 'digits' model: 'encoder'");
  ASSERT_OK_AND_ASSIGN(
      const Ladder ladder,
      PlanLadder(spec, Inputs(testing::Digits()), *SlicesNamed({"v3-8"}, {})));
  EXPECT_EQ(ladder.tokens_per_example, 64);
  const auto json = nlohmann::json::parse(FormatLadderJson(ladder, {}));
  EXPECT_EQ(json["tokens_per_example"], 64);
  const auto& row = json["results"][0];
  EXPECT_DOUBLE_EQ(row["tokens_per_second"],
                   64 * double{row["examples_per_second"]});
  EXPECT_THAT(FormatLadder(ladder, {}, kAllColumns),
              ::testing::ContainsRegex(" examples/s +tokens/s "));
}

TEST(LadderTest, ShowsWarningsAndPrices) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("", {"v3-8", "v3-1024", "v4-8"}));
  const LadderQuestion asked = {.prices = {.of_all = 2}};
  const std::string text = FormatLadder(ladder, asked, kAllColumns);
  EXPECT_THAT(text, HasSubstr("all times sim"));
  EXPECT_THAT(text, HasSubstr("\n# v3-1024 ! "));
  EXPECT_THAT(text, HasSubstr("  price  price low to high  bound by"));
  EXPECT_THAT(FormatLadder(ladder, {}), Not(HasSubstr("price")));
  const auto json = nlohmann::json::parse(FormatLadderJson(ladder, asked));
  EXPECT_EQ(json["clock"], "sim");
  EXPECT_EQ(json["scaling"], "weak");
  ASSERT_EQ(json["results"].size(), 3);
  for (const auto& row : json["results"]) {
    EXPECT_DOUBLE_EQ(double{row["price"]}, 2 * double{row["run_chip_hours"]});
    EXPECT_LE(row["price_low"], row["price"]);
    EXPECT_GE(row["price_high"], row["price"]);
    EXPECT_LE(row["step_seconds_low"], row["step_seconds"]);
    EXPECT_GE(row["step_seconds_high"], row["step_seconds"]);
    EXPECT_GT(row["hbm_bytes_per_core"], 0);
    EXPECT_LT(row["hbm_bytes_per_core"], row["hbm_bytes_available"]);
    EXPECT_EQ(row["replica_name"], row["slice"] == "v4-8" ? "chip" : "core");
    EXPECT_NEAR(double{row["examples_per_second"]},
                double{row["global_batch"]} / double{row["step_seconds"]},
                1e-6 * double{row["examples_per_second"]});
  }
  EXPECT_FALSE(json["results"][1]["warnings"].empty());
  // Each generation is its own ladder.
  EXPECT_EQ(json["results"][2]["efficiency"], 1);
}

int Count(const std::string& text, const std::string& word) {
  return static_cast<int>(
             std::vector<std::string>(absl::StrSplit(text, word)).size()) -
         1;
}

TEST(LadderTest, ASliceThatTheZoneDoesNotOfferIsToldWhereItIs) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("zone: 'us-central1-a'", {"v3-8..v3-64"}));
  ASSERT_EQ(ladder.rows.size(), 3);
  EXPECT_THAT(ladder.rows[0].status, testing::IsOk());
  for (const std::size_t row : {1, 2})
    EXPECT_THAT(ladder.rows[row].status,
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("it is offered in europe-west4-a")));
  EXPECT_THAT(FormatLadder(ladder, {}, kAllColumns),
              HasSubstr("# v3-32 has no plan: zone: us-central1-a does not "
                        "offer v3-32; it is offered in europe-west4-a\n"));
  const auto json = nlohmann::json::parse(FormatLadderJson(ladder, {}));
  EXPECT_EQ(json["results"][0]["zone"], "us-central1-a");
  EXPECT_TRUE(json["results"][1].contains("refused"));
}

TEST(LadderTest, ABucketElsewhereMarksTheSlice) {
  ASSERT_OK_AND_ASSIGN(Ladder ladder, LadderOf("", {"v3-8", "v3-32"}));
  for (LadderRow& row : ladder.rows) {
    JobSpec spec = row.plan.spec();
    spec.set_data_dir("gs://data/x");
    spec.set_bucket_location("us-central1");
    BucketPrice& price = *spec.mutable_prices()->add_prices();
    price.set_from("us-central1");
    price.set_to("europe");
    price.set_per_gib(1000);
    spec.mutable_prices()->set_currency("USD");
    ASSERT_THAT(FillGeography(spec, row.slice, {}, row.plan), testing::IsOk());
  }
  // The first zone of v3-8 is in us-central1.
  const std::string text = FormatLadder(ladder, {}, kAllColumns);
  EXPECT_THAT(text, HasSubstr("# v3-32 ! gs://data is in us-central1, the pod "
                              "in europe-west4"));
  EXPECT_THAT(text, Not(HasSubstr("# v3-8 !")));
  const auto json = nlohmann::json::parse(FormatLadderJson(ladder, {}));
  EXPECT_EQ(json["results"][0]["buckets"][0]["nearness"], "SAME_REGION");
  EXPECT_EQ(json["results"][1]["buckets"][0]["nearness"], "ELSEWHERE");
  EXPECT_THAT(text, HasSubstr("# v3-32, gs://data: at the prices given: USD "));
  EXPECT_THAT(json["results"][1]["buckets"][0].value("cost", std::string()),
              HasSubstr("to read it"));
}

TEST(LadderTest, KeepsToTheScreensWidth) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("", {"v3-8..v3-2048", "v4-8..v4-4096"}));
  for (const int width : {80, 100, 120})
    for (const std::string& line : LinesOf(FormatLadder(ladder, {}, width)))
      EXPECT_LE(line.size(), width) << line;
  const std::string narrow = FormatLadder(ladder, {}, 80);
  EXPECT_THAT(narrow, HasSubstr("\n# left out at 80 columns: "));
  // The heading: what matters most stays.
  EXPECT_THAT(narrow,
              ::testing::ContainsRegex(
                  "\n# slice +step sim +low to high .*eff +.*bound by"));
  EXPECT_THAT(narrow, Not(HasSubstr("  less fixed  ")));
  const std::string wide = FormatLadder(ladder, {}, kAllColumns);
  EXPECT_THAT(wide, Not(HasSubstr("left out")));
  EXPECT_THAT(wide, HasSubstr("  low to high  "));
}

// However many slices have it.
TEST(LadderTest, AKindOfWarningHasOneLine) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder, LadderOf("", {"v3-8..v3-2048"}));
  int warned = 0;
  std::set<std::string> kinds;
  for (const LadderRow& row : ladder.rows)
    for (const PlanWarning& warning : row.plan.warnings()) {
      ++warned;
      kinds.insert(warning.kind());
    }
  ASSERT_GT(warned, static_cast<int>(kinds.size()));
  int lines = 0;
  for (const std::string& line : LinesOf(FormatLadder(ladder, {}, 200)))
    lines += line.rfind("# ! ", 0) == 0 ? 1 : 0;
  EXPECT_EQ(lines, static_cast<int>(kinds.size()));
  EXPECT_EQ(Count(FormatLadder(ladder, {}, kAllColumns), " ! "), warned);
}

TEST(LadderTest, NeighboursAreToldAsARange) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("", {"v3-8..v3-128", "v4-8..v4-32"}));
  ASSERT_EQ(ladder.rows.size(), 7);
  EXPECT_EQ(SliceNamesText(ladder, {0, 2, 3}), "v3-8, v3-64, v3-128");
  EXPECT_EQ(SliceNamesText(ladder, {1, 2, 3, 4}), "v3-32 to v3-128, v4-8");
  EXPECT_EQ(SliceNamesText(ladder, {4, 5, 6}), "v4-8 to v4-32");
  EXPECT_EQ(SliceNamesText(ladder, {}), "");
}

TEST(LadderTest, ManyRefusalsShareALine) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("train_batch_size: 64", {"v3-8..v3-2048"}));
  EXPECT_THAT(FormatLadder(ladder, {}, 200),
              HasSubstr("# v3-128 to v3-2048 have no plan; the first: "
                        "train_batch_size 64 "));
  EXPECT_EQ(Count(FormatLadder(ladder, {}, kAllColumns), " has no plan: "), 5);
}

// Where a chip's cores act as one, the batch is the chip's.
TEST(LadderTest, TheBatchIsPerCoreOrChip) {
  const auto about = [](const std::vector<std::string>& slices) {
    return LinesOf(FormatLadder(*LadderOf("", slices), {}, 200)).front();
  };
  EXPECT_THAT(about({"v3-8", "v3-32"}), HasSubstr("batch per core on every"));
  EXPECT_THAT(about({"v4-8", "v4-16"}), HasSubstr("batch per chip on every"));
  EXPECT_THAT(about({"v3-8", "v4-8"}),
              HasSubstr("batch per core (v2, v3) or chip on every"));
}

TEST(LadderTest, IsDrawn) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("", {"v3-8..v3-128", "v4-8..v4-32"}));
  const std::string svg = PlotLadder(ladder);
  EXPECT_EQ(svg.rfind("<svg xmlns=", 0), 0);
  EXPECT_EQ(Count(svg, "<svg"), Count(svg, "</svg>"));
  EXPECT_EQ(Count(svg, "<text"), Count(svg, "</text>"));
  // Two panels, each with a marker for a slice and one for a generation.
  EXPECT_EQ(Count(svg, "<title>"), 2 * (4 + 3 + 2));
  // Bands of runs and of efficiencies.
  EXPECT_EQ(Count(svg, "<polygon"), 4);
  EXPECT_EQ(Count(svg, "stroke-dasharray"), 1);
  EXPECT_EQ(Count(svg, ">v3-128</text>"), 2);
  EXPECT_EQ(Count(svg, ">v4-32</text>"), 2);
  EXPECT_THAT(svg, HasSubstr("<title>v3-128: "));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(LadderTest, SixGenerationsAreToldApart) {
  ASSERT_OK_AND_ASSIGN(const Ladder ladder,
                       LadderOf("", {"v2-8..v2-32", "v3-8..v3-32",
                                     "v4-8..v4-16", "v5litepod-4..v5litepod-16",
                                     "v5p-8..v5p-16", "v6e-4..v6e-16"}));
  const std::string svg = PlotLadder(ladder);
  constexpr std::size_t kColor = sizeof("#123456") - 1;
  const std::string stroke = "stroke-width=\"2\" stroke=\"";
  std::set<std::string> colors;
  for (std::size_t at = svg.find(stroke); at != std::string::npos;
       at = svg.find(stroke, at + 1))
    colors.insert(svg.substr(at + stroke.size(), kColor));
  EXPECT_EQ(colors.size(), 6);
  for (const char* last :
       {"v2-32", "v3-32", "v4-16", "v5litepod-16", "v5p-16", "v6e-16"})
    EXPECT_EQ(Count(svg, absl::StrCat(">", last, "</text>")), 2) << last;
}

}  // namespace
}  // namespace podsim
