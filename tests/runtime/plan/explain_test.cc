// pod_plan --explain: its text, its JSON, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/text_layout.h"
#include "base/text_table.h"
#include "nlohmann/json.hpp"
#include "runtime/plan/pod_plan.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string>& SmallResnet() {
  static const auto& args = *new std::vector<std::string>{
      "--model=resnet18", "--topology=v3-8", "--example_shape=64,64,3",
      "--batch_per_core=8"};
  return args;
}

std::string ExplainedText(std::vector<std::string> args) {
  args.emplace_back("--explain");
  const PlanResult result = RunPlan(args);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return result.text;
}

nlohmann::json ExplainedJson(std::vector<std::string> args) {
  args.emplace_back("--json");
  return nlohmann::json::parse(ExplainedText(args));
}

std::string NotExplained(std::vector<std::string> args) {
  args.emplace_back("--explain");
  const PlanResult result = RunPlan(args);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.text, "");
  EXPECT_THAT(result.error, Not(HasSubstr("\n")));
  return result.error;
}

std::size_t CountRows(const std::string& text) {
  std::size_t rows = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    if (!line.empty() && !absl::StartsWith(line, "#")) ++rows;
  return rows;
}

TEST(ExplainTest, AStepOfASmallModelIsShownWhole) {
  const std::string text = ExplainedText({"--model=mlp", "--topology=v3-8"});
  EXPECT_THAT(
      text, AllOf(HasSubstr("# mlp on digits, v3-8: what a core runs "
                            "in one training step of 8"),
                  HasSubstr("# all times sim: computed"), HasSubstr("  from\n"),
                  HasSubstr("# in all: "), HasSubstr("# time by bound: "),
                  HasSubstr("# HBM at its fullest, "),
                  HasSubstr(" of 15.48 GiB: weights ")));
  EXPECT_THAT(
      text, AllOf(HasSubstr("optimizer state"), HasSubstr("activations:\n"),
                  HasSubstr("float32[8,256]"), Not(HasSubstr(" more kernel"))));
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    EXPECT_LE(ColumnsOf(std::string(line)), kTextColumns) << line;
}

TEST(ExplainTest, TwentyRowsAndWhatIsLeft) {
  const std::string text = ExplainedText(SmallResnet());
  EXPECT_EQ(CountRows(text), 20);
  EXPECT_THAT(text, AllOf(HasSubstr("# and "), HasSubstr(" more kernels, "),
                          HasSubstr(" fixed cost; --verbose")));
  std::vector<std::string> all = SmallResnet();
  all.emplace_back("--verbose");
  const std::string verbose = ExplainedText(all);
  EXPECT_GT(CountRows(verbose), 20);
  EXPECT_THAT(verbose, Not(HasSubstr(" more kernels, ")));
}

TEST(ExplainTest, JsonHasEveryKernelBesideTheResults) {
  const auto all = ExplainedJson(SmallResnet());
  EXPECT_EQ(all["clock"], "sim");
  ASSERT_EQ(all["results"].size(), 1);
  const auto& explain = all["explain"];
  EXPECT_EQ(explain["rows"], 8);
  EXPECT_EQ(explain["microbatches"], 1);
  const auto& totals = explain["totals"];
  ASSERT_EQ(explain["kernels"].size(), totals["kernels"]);
  double seconds = 0;
  double flops = 0;
  double bytes = 0;
  int products = 0;
  for (const auto& kernel : explain["kernels"]) {
    seconds += double{kernel["seconds"]};
    flops += double{kernel["flops"]};
    bytes += double{kernel["hbm_bytes"]};
    if (kernel["kind"] == "product") ++products;
    EXPECT_TRUE(totals["by_bound"].contains(kernel["bound_by"]));
    EXPECT_GE(kernel["matrix_flops"], kernel["product_flops"]);
    EXPECT_TRUE(kernel["source"].is_null());
    EXPECT_NE(kernel["name"], "");
  }
  EXPECT_NEAR(totals["seconds"], seconds, 1e-12);
  EXPECT_NEAR(totals["flops"], flops, explain["kernels"].size());
  EXPECT_NEAR(totals["hbm_bytes"], bytes, explain["kernels"].size());
  EXPECT_EQ(totals["products"], products);
  double bounds = 0;
  for (const auto& bound : totals["by_bound"])
    bounds += double{bound["seconds"]};
  EXPECT_NEAR(bounds, seconds, 1e-12);
  EXPECT_GT(totals["seconds"], totals["fixed_cost_seconds"]);
}

// In a ring each of 4 chips sends one and a half times the gradients, 19,210
// floats and what makes them even, all to a neighbour.
TEST(ExplainTest, JsonHasTheMessagesOfEachLink) {
  const auto explain = ExplainedJson(
      {"--model=mlp", "--topology=v3-8", "--ici_algorithm=ring"})["explain"];
  std::set<std::string> names;
  std::int64_t bytes = 0;
  for (const auto& link : explain["links"]) {
    EXPECT_TRUE(names.insert(link["link"]).second) << link;
    EXPECT_GT(link["messages"], 0);
    EXPECT_GT(link["bytes"], 0);
    bytes += std::int64_t{link["bytes"]};
  }
  EXPECT_GE(bytes, 6 * 4 * 19210);
  EXPECT_LT(bytes, 6 * 4 * 19210 * 1.01);
  const auto alone =
      ExplainedJson({"--model=mlp", "--topology=v5litepod-1"})["explain"];
  EXPECT_EQ(alone["links"], nlohmann::json::array());
}

TEST(ExplainTest, JsonSaysWhyMessagesAreLeftOut) {
  const auto explain =
      ExplainedJson({"--model=mlp", "--topology=v3-1024"})["explain"];
  EXPECT_TRUE(explain["links"].is_null());
  EXPECT_THAT(std::string(explain["links_left_out"]), HasSubstr("256"));
}

// Each kernel is in one line; layers of the same work share one.
TEST(ExplainTest, LinesAreOfAllKernels) {
  const auto explain =
      ExplainedJson({"--model=gpt2_small", "--topology=v3-8",
                     "--model_config=layers=3,sequence_length=64"})["explain"];
  std::vector<int> lines_of(explain["kernels"].size());
  double share = 0;
  double last = 1;
  bool has_layers = false;
  for (const auto& line : explain["lines"]) {
    for (const int kernel : line["kernels"]) ++lines_of.at(kernel);
    EXPECT_LE(line["share"], last);
    last = line["share"];
    share += last;
    has_layers =
        has_layers || (line["kernels"].size() == 3 &&
                       absl::StrContains(std::string(line["name"]), "_*/"));
  }
  EXPECT_THAT(lines_of, ::testing::Each(1));
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_TRUE(has_layers);
}

TEST(ExplainTest, HbmIsTheSumOfItsClasses) {
  const auto hbm = ExplainedJson(SmallResnet())["explain"]["hbm"];
  EXPECT_EQ(hbm["bytes_available"], (16384LL - 528) << 20);
  double sum = 0;
  for (const char* name :
       {"weights", "gradients", "optimizer_state", "activations", "inputs"})
    sum += double{hbm[absl::StrCat(name, "_bytes")]};
  EXPECT_NEAR(hbm["bytes"], sum, 5);
  ASSERT_EQ(hbm["largest_activations"].size(), 5);
  double most = hbm["activations_bytes"];
  double shown = 0;
  for (const auto& each : hbm["largest_activations"]) {
    const double together = double{each["count"]} * double{each["bytes"]};
    EXPECT_LE(together, most);
    most = together;
    shown += together;
    EXPECT_FALSE(each["shape"].empty());
  }
  EXPECT_LE(shown, hbm["activations_bytes"]);
}

TEST(ExplainTest, APassOfMicrobatchesIsNamedSo) {
  const std::vector<std::string> args = {
      "--model=mlp", "--topology=v3-8", "--batch_per_core=8",
      "--reduction=tree", "--microbatch_size=2"};
  EXPECT_THAT(ExplainedText(args),
              HasSubstr("what a core runs in one of the 4"));
  const auto explain = ExplainedJson(args)["explain"];
  EXPECT_EQ(explain["rows"], 2);
  EXPECT_EQ(explain["microbatches"], 4);
}

TEST(ExplainTest, AChipWhoseCoresActAsOneIsNamedSo) {
  EXPECT_THAT(ExplainedText({"--model=mlp", "--topology=v4-8"}),
              HasSubstr("v4-8: what a chip runs in one training step"));
}

TEST(ExplainTest, TakesTheSliceOfAJobsFile) {
  const testing::TempDir directory;
  const std::string path = directory.path() + "/job.txt";
  std::ofstream(path) << "topology: 'v3-64' batch_per_core: 4";
  EXPECT_THAT(ExplainedText({"--job=" + path}), HasSubstr(" v3-64: what a "));
  std::ofstream(path) << "topology: 'v3-8..v3-64' batch_per_core: 4";
  EXPECT_THAT(NotExplained({"--job=" + path}),
              AllOf(HasSubstr("topology is v3-8..v3-64, 3 slices"),
                    HasSubstr("job.txt")));
  EXPECT_THAT(ExplainedText({"--job=" + path, "--topology=v3-32"}),
              HasSubstr(" v3-32: what a "));
}

TEST(ExplainTest, RefusesAllButOneSlice) {
  EXPECT_THAT(NotExplained({"--model=mlp"}),
              HasSubstr("--explain tells of one slice, and none is given: say "
                        "which, as in --topology v3-8"));
  EXPECT_THAT(NotExplained({"--topology=v3-32,v4-8"}),
              HasSubstr("topology is v3-32,v4-8, 2 slices, but --explain tells "
                        "of one: give one of them, as in --topology v3-32"));
  EXPECT_THAT(ExplainedText({"--topology=v3-8..v3-8"}),
              HasSubstr(" v3-8: what a "));
}

TEST(ExplainTest, RefusesWhatItDoesNotPrint) {
  EXPECT_THAT(NotExplained({"--collective=all_reduce", "--topology=v3-8"}),
              HasSubstr("--explain is for a training job and goes with no "
                        "--collective: leave out one of the two"));
  const std::vector<std::string> priced = {"--topology=v3-8",
                                           "--price_per_chip_hour=2"};
  EXPECT_THAT(NotExplained(priced),
              AllOf(HasSubstr("--price_per_chip_hour adds a column"),
                    HasSubstr("or add --json")));
  EXPECT_GT(double{ExplainedJson(priced)["results"][0]["price"]}, 0);
}

// Its kernels are those that the row's step is priced of, the update's too.
TEST(ExplainTest, AShardedUpdateIsExplainedAsItIsPriced) {
  std::vector<std::string> args = {"--model=mlp", "--topology=v3-32"};
  const auto whole = ExplainedJson(args);
  args.emplace_back("--sim_sharded_update");
  const auto sharded = ExplainedJson(args);
  EXPECT_EQ(whole["explain"]["update_parts"], 1);
  EXPECT_EQ(sharded["explain"]["update_parts"], 32);
  for (const auto& all : {whole, sharded})
    EXPECT_NEAR(all["explain"]["totals"]["seconds"],
                all["results"][0]["compute_seconds"], 1e-11);
  EXPECT_LT(sharded["explain"]["totals"]["hbm_bytes"],
            whole["explain"]["totals"]["hbm_bytes"]);
  EXPECT_EQ(sharded["explain"]["hbm"], whole["explain"]["hbm"]);
  EXPECT_THAT(
      ExplainedText(args),
      HasSubstr("# sim_sharded_update: kernels of the update do 1 of 32 "
                "parts"));
}

// So many examples need far more than v3 has.
TEST(ExplainTest, WhatIsRefusedForHbmIsToldByClass) {
  std::vector<std::string> args = {"--model=resnet18", "--topology=v3-8",
                                   "--example_shape=64,64,3",
                                   "--batch_per_core=100000", "--remat=none"};
  const PlanResult plain = RunPlan(args);
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_EQ(plain.details, "");
  args.emplace_back("--explain");
  const PlanResult refused = RunPlan(args, kAllColumns);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.text, "");
  EXPECT_EQ(refused.error, plain.error);
  EXPECT_THAT(
      refused.details,
      AllOf(HasSubstr("# refused on v3-8: what a core would hold in "
                      "one training step of 100,000 examples\n"
                      "# HBM at its fullest, "),
            HasSubstr(" too much: weights "), HasSubstr(", optimizer state "),
            HasSubstr("activations:\n#   "), Not(HasSubstr("computed again"))));
  const std::string narrow = RunPlan(args).details;
  for (const absl::string_view line : absl::StrSplit(narrow, '\n'))
    EXPECT_LE(ColumnsOf(std::string(line)), kTextColumns) << line;
}

// A step that has room is not what is refused; nor is a batch that does not
// divide.
TEST(ExplainTest, OtherRefusalsHaveNoHbm) {
  const PlanResult memory =
      RunPlan({"--topology=v3-8", "--input_memory=1", "--explain"});
  EXPECT_EQ(memory.exit_code, 2);
  EXPECT_EQ(memory.details, "");
  const PlanResult batch =
      RunPlan({"--topology=v3-8", "--train_batch_size=9", "--explain"});
  EXPECT_EQ(batch.exit_code, 2);
  EXPECT_EQ(batch.details, "");
}

// What the plan warns of is said beneath.
TEST(ExplainTest, WarningsAreKept) {
  EXPECT_THAT(ExplainedText({"--model=mlp", "--topology=v3-256"}),
              HasSubstr("# ! fewer steps than the 125"));
}

}  // namespace
}  // namespace podsim
