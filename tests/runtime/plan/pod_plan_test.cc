// What pod_plan prints and how it exits.
#include "runtime/plan/pod_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "interconnect/topology/hardware.h"
#include "nlohmann/json.hpp"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Text(const std::vector<std::string>& args) {
  const PlanResult result = RunPlan(args);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.error, "");
  return result.text;
}

std::string Refusal(const std::vector<std::string>& args) {
  const PlanResult result = RunPlan(args);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.text, "");
  EXPECT_THAT(result.error, Not(HasSubstr("\n")));
  return result.error;
}

nlohmann::json Json(std::vector<std::string> args) {
  args.emplace_back("--json");
  return nlohmann::json::parse(Text(args));
}

std::vector<std::string> Rows(const std::string& text) {
  std::vector<std::string> rows;
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    if (!line.empty() && !absl::StartsWith(line, "#")) rows.emplace_back(line);
  return rows;
}

TEST(PodPlanTest, ARowForEachSize) {
  const std::string text =
      Text({"--collective", "all_reduce", "--topology", "v3-32", "-b", "1M",
            "-e", "256M", "-f", "4", "--verbose"});
  EXPECT_THAT(text, HasSubstr("all times sim: computed"));
  EXPECT_THAT(text, HasSubstr("v3-32 (4x4 chips, 32 cores)"));
  EXPECT_THAT(text, HasSubstr("low to high sim"));
  const std::vector<std::string> rows = Rows(text);
  ASSERT_EQ(rows.size(), 5);
  EXPECT_THAT(rows.front(),
              ::testing::StartsWith("  1048576      262144  float  "));
  EXPECT_THAT(rows.back(), HasSubstr("268435456"));
}

TEST(PodPlanTest, ACollectivesTableKeepsToTheScreensWidth) {
  const std::vector<std::string> args = {"--collective=all_reduce",
                                         "--topology=v3-8..v3-2048",
                                         "-b",
                                         "1M",
                                         "-e",
                                         "1M"};
  for (const int width : {80, 100}) {
    const PlanResult result = RunPlan(args, width);
    ASSERT_EQ(result.exit_code, 0) << result.error;
    for (const absl::string_view line : absl::StrSplit(result.text, '\n'))
      EXPECT_LE(line.size(), width) << line;
    EXPECT_THAT(result.text,
                HasSubstr(absl::StrCat("# left out at ", width, " columns: ")));
    EXPECT_THAT(result.text, HasSubstr("busbw"));
  }
  EXPECT_THAT(RunPlan(args, 200).text, Not(HasSubstr("left out at")));
}

// Slices of one kind of wrap share a line.
TEST(PodPlanTest, TellsOfTheWrapOnce) {
  const std::string text =
      Text({"--collective=all_reduce", "--topology=v3-8..v3-32", "-b", "1K",
            "-e", "1K", "--verbose"});
  EXPECT_THAT(text, HasSubstr("v3-8 (2x2 chips, 8 cores), v3-32 (4x4 chips, 32 "
                              "cores): assumed"));
}

// A million messages among chips that a slow link tells apart.
TEST(PodPlanTest, SaysWhatAutoLeftOut) {
  std::vector<std::string> args = {"--collective=reduce_scatter",
                                   "--topology=v3-2048",
                                   "-b",
                                   "1K",
                                   "-e",
                                   "1K",
                                   "--ici_fault=link:(3,1)-(4,1):0.25"};
  EXPECT_THAT(Text(args), HasSubstr("# v3-2048: auto left out direct"));
  EXPECT_EQ(Json(args)["results"][0]["not_tried"],
            nlohmann::json::array({"direct"}));
}

TEST(PodPlanTest, RefusesWhatCannotBeSimulated) {
  EXPECT_THAT(
      Refusal({"--collective=all_to_all", "--topology=v5p-12288", "-b", "1K",
               "-e", "1K", "--ici_fault=link:(3,1,0)-(4,1,0):0.25"}),
      AllOf(HasSubstr("v5p-12288"), HasSubstr("37748736 messages"),
            HasSubstr("take a smaller slice")));
}

TEST(PodPlanTest, JsonHasTheSameRows) {
  const auto all = Json({"--collective=all_gather", "--topology=v3-8..v3-32",
                         "-b", "4M", "-e", "4M"});
  EXPECT_EQ(all["clock"], "sim");
  ASSERT_EQ(all["results"].size(), 2);
  for (const auto& row : all["results"]) {
    EXPECT_LE(row["low_us"], row["time_us"]);
    EXPECT_GE(row["high_us"], row["time_us"]);
    EXPECT_GE(row["time_us"], row["bound_us"]);
    EXPECT_NEAR(double{row["alg_bw"]},
                double{row["size"]} / double{row["time_us"]} / 1e3, 1e-9);
    EXPECT_NEAR(double{row["network_us"]} + double{row["software_us"]} +
                    double{row["cores_us"]},
                double{row["time_us"]}, 1e-6);
  }
  EXPECT_EQ(all["results"][1]["slice"], "v3-32");
}

TEST(PodPlanTest, AllAlgorithmsAndTheCheapest) {
  const std::vector<std::string> size = {"--collective=all_reduce", "-b", "1M",
                                         "-e", "1M"};
  std::vector<std::string> args = size;
  args.emplace_back("--ici_algorithm=all");
  const auto all = Json(args);
  const auto best = Json(size);
  ASSERT_EQ(all["results"].size(), 6);
  double least = all["results"][0]["time_us"];
  for (const auto& row : all["results"])
    least = std::min(least, double{row["time_us"]});
  EXPECT_EQ(double{best["results"][0]["time_us"]}, least);
}

TEST(PodPlanTest, BfloatTravelsAsHalfTheElements) {
  const auto wide = Json({"--collective=all_reduce", "-b", "4M", "-e", "4M"});
  const auto narrow = Json({"--collective=all_reduce", "-b", "4M", "-e", "4M",
                            "--ici_dtype=bfloat16"});
  EXPECT_EQ(narrow["results"][0]["type"], "bfloat16");
  EXPECT_EQ(int{narrow["results"][0]["count"]},
            2 * int{wide["results"][0]["count"]});
}

TEST(PodPlanTest, LinksAreDrawn) {
  const std::string text = Text({"--collective=all_to_all", "--topology=v3-8",
                                 "-b", "1M", "-e", "1M", "--draw_links"});
  EXPECT_THAT(text, HasSubstr("# links of v3-8 for 1.00 MiB by direct"));
  EXPECT_THAT(text, HasSubstr("busiest of 8 links"));
}

// The largest size, by what is cheapest of those that were asked for.
TEST(PodPlanTest, LinksOfEverySliceAreDrawn) {
  const std::string text =
      Text({"--collective=all_reduce", "--topology=v3-8,v3-32", "-b", "1M",
            "-e", "4M", "--ici_algorithm=all", "--draw_links"});
  EXPECT_THAT(text, HasSubstr("# links of v3-8 for 4.00 MiB by "));
  EXPECT_THAT(text, HasSubstr("# links of v3-32 for 4.00 MiB by torus_all:"));
  EXPECT_THAT(text, Not(HasSubstr("for 1.00 MiB")));
  EXPECT_THAT(text, Not(HasSubstr("by direct")));
}

TEST(PodPlanTest, OneChipAndOneCoreAreNoPlurals) {
  const std::string text =
      Text({"--collective=all_reduce", "--topology=v5litepod-1", "-b", "1M",
            "-e", "1M"});
  EXPECT_THAT(text, HasSubstr("v5litepod-1 (1x1 chip, 1 core)"));
}

// As pod_bench has them.
TEST(PodPlanTest, SizesAreWholeElements) {
  const auto odd =
      Json({"--collective=all_reduce", "-b", "1", "-e", "7", "-f", "7"});
  ASSERT_EQ(odd["results"].size(), 2);
  EXPECT_EQ(int{odd["results"][0]["size"]}, 0);
  EXPECT_EQ(int{odd["results"][0]["count"]}, 0);
  EXPECT_EQ(int{odd["results"][1]["size"]}, 4);
  EXPECT_EQ(int{odd["results"][1]["count"]}, 1);
  const auto none = Json({"--collective=all_reduce", "-b", "0", "-e", "0"});
  EXPECT_EQ(odd["results"][0]["time_us"], none["results"][0]["time_us"]);
  const auto narrow = Json({"--collective=all_reduce", "-b", "7", "-e", "7",
                            "--ici_dtype=bfloat16"});
  EXPECT_EQ(int{narrow["results"][0]["size"]}, 6);
  EXPECT_EQ(int{narrow["results"][0]["count"]}, 3);
}

// A ring leaves wires out; others have little to do.
TEST(PodPlanTest, AFaultThatNobodyWaitsForSaysWhy) {
  const auto says = [](const std::string& algorithm, const std::string& fault) {
    return Text({"--collective=all_reduce", "-b", "4M", "-e", "4M",
                 "--ici_algorithm=" + algorithm, "--ici_fault=link:" + fault});
  };
  EXPECT_THAT(says("ring", "(0,1)-(1,1):0.5"),
              HasSubstr("by ring: nobody waits for it, the plan sends nothing "
                        "over it\n"));
  EXPECT_THAT(says("torus_all", "(0,0)-(1,0):1"),
              HasSubstr("nobody waits for it, it has its whole rate\n"));
  EXPECT_THAT(says("torus_all", "(0,1)-(0,2):0.99"),
              HasSubstr("it is not what others wait for, its delay hides "
                        "behind other links\n"));
}

TEST(PodPlanTest, AFaultSaysWhoWaits) {
  const std::string slow = Text({"--collective=all_reduce", "-b", "64M", "-e",
                                 "64M", "--ici_fault=link:(0,0)-(1,0):0.25"});
  EXPECT_THAT(slow, HasSubstr("# v3-32, link (0,0)-(1,0) at 0.25 of its rate"));
  EXPECT_THAT(slow, HasSubstr("times as long"));
  EXPECT_THAT(slow, HasSubstr("end later, most of all ("));
  EXPECT_THAT(
      Refusal({"--collective=all_reduce", "--ici_fault=link:(0,0)-(3,3):0.25"}),
      HasSubstr("no wire joins"));
}

TEST(PodPlanTest, AJobWithASlowLinkSaysSo) {
  const std::vector<std::string> job = {"--model=mlp",
                                        "--topology=v3-8..v3-32"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), job.begin(), job.end());
    return more;
  };
  const std::string fault = "--ici_fault=link:(2,1)-(3,1):0.01";
  const auto sound = Json(job)["results"];
  const auto slow = Json(with({fault}))["results"];
  ASSERT_EQ(slow.size(), 2u);
  EXPECT_FALSE(sound[1].contains("ici_fault"));
  // A board of 2x2 chips has no such link.
  EXPECT_FALSE(slow[0].contains("ici_fault"));
  EXPECT_EQ(slow[0]["step_seconds"], sound[0]["step_seconds"]);
  EXPECT_EQ(slow[1]["ici_fault"], "link (2,1)-(3,1) at 0.01 of its rate");
  EXPECT_GT(slow[1]["all_reduce_seconds"], sound[1]["all_reduce_seconds"]);
  EXPECT_GT(slow[1]["step_seconds"], sound[1]["step_seconds"]);
  EXPECT_THAT(Text(with({fault, "--verbose"})),
              AllOf(HasSubstr("# priced with link (2,1)-(3,1) at 0.01 of its "
                              "rate\n"),
                    HasSubstr("# v3-8 has no link of --ici_fault: priced as if "
                              "there were no fault\n")));
  EXPECT_THAT(Refusal(with({"--ici_fault=link:(7,1)-(8,1):0.01"})),
              HasSubstr("ici_fault on v3-8: link (7,1)-(8,1): no wire joins"));
}

TEST(PodPlanTest, HardwareOfOnesOwn) {
  const testing::TempDir directory;
  const std::string path = directory.path() + "/mine.txt";
  std::ofstream(path) << "name: \"v3\" link_bytes_per_second { value: 8.2e9 }";
  const std::vector<std::string> args = {"--collective=all_reduce", "-b", "64M",
                                         "-e", "64M"};
  std::vector<std::string> mine = args;
  mine.push_back("--hardware=" + path);
  EXPECT_GT(double{Json(mine)["results"][0]["time_us"]},
            5 * double{Json(args)["results"][0]["time_us"]});
  EXPECT_THAT(Refusal({"--collective=all_reduce", "--hardware=/no/such"}),
              HasSubstr("/no/such"));
}

TEST(PodPlanTest, AJobIsPlannedSliceBySlice) {
  const auto all = Json({"--model=mlp", "--topology=v3-8..v3-32,v4-8"});
  EXPECT_EQ(all["job"], "mlp on digits");
  ASSERT_EQ(all["results"].size(), 3);
  EXPECT_EQ(all["results"][1]["slice"], "v3-32");
  EXPECT_EQ(all["results"][1]["train_steps"], 500);
  // Without any flag: the default model on all of v3.
  EXPECT_THAT(Text({}), AllOf(HasSubstr("v3-8 "), HasSubstr("v3-2048 ")));
}

// A published size, and another with fewer layers.
TEST(PodPlanTest, AModelForPlansIsPlanned) {
  const auto images =
      Json({"--model=resnet18", "--topology=v3-32", "--example_shape=64,64,3"});
  ASSERT_EQ(images["results"].size(), 1);
  EXPECT_EQ(images["results"][0]["batch_per_core"], 128);
  const auto tokens = Json({"--model=gpt2_small", "--topology=v3-32,v4-32",
                            "--model_config=layers=1,sequence_length=64"});
  ASSERT_EQ(tokens["results"].size(), 2);
  EXPECT_EQ(tokens["results"][1]["slice"], "v4-32");
  EXPECT_THAT(Refusal({"--model=gpt2_small", "--model_config=layer=1"}),
              HasSubstr("did you mean layers?"));
  EXPECT_THAT(Refusal({"--model=resnet5", "--topology=v3-8"}),
              HasSubstr("did you mean resnet50"));
}

TEST(PodPlanTest, AJobsFileIsReadAndFlagsWin) {
  const testing::TempDir directory;
  const std::string path = directory.path() + "/job.txt";
  std::ofstream(path) << "topology: 'v3-64' batch_per_core: 4";
  const auto file = Json({"--job=" + path});
  ASSERT_EQ(file["results"].size(), 1);
  EXPECT_EQ(file["results"][0]["slice"], "v3-64");
  EXPECT_EQ(file["results"][0]["batch_per_core"], 4);
  std::ofstream(path) << "topology: 'v3-8..v3-64' batch_per_core: 4";
  EXPECT_EQ(Json({"--job=" + path})["results"].size(), 3);
  std::ofstream(path) << "topology: 'v3-8,v3-64' batch_per_core: 4";
  EXPECT_EQ(Json({"--job=" + path})["results"].size(), 2);
  std::ofstream(path) << "topology: 'v3-8..v3-64' batch_per_core: 4";
  const auto flags =
      Json({"--job=" + path, "--train_batch_size=64", "--topology=v3-32"});
  EXPECT_EQ(flags["scaling"], "strong");
  EXPECT_EQ(flags["results"][0]["batch_per_core"], 2);
}

TEST(PodPlanTest, FilesOfPlacesAreRead) {
  const testing::TempDir directory;
  const std::string links = directory.path() + "/links.txt";
  std::ofstream(links) << "links { from: 'anywhere'"
                          " round_trip_seconds { value: 1 } }";
  const std::string prices = directory.path() + "/prices.txt";
  std::ofstream(prices) << "currency: 'XTS' prices { from: 'mars' }";
  // The job's data are of no bucket, which is the first to know what was read.
  EXPECT_THAT(Refusal({"--links=" + links}),
              HasSubstr("links is about a bucket"));
  EXPECT_THAT(Refusal({"--prices=" + prices}), HasSubstr("prices 1: "));
  EXPECT_THAT(Refusal({"--bucket_links=" + directory.path() + "/none"}),
              HasSubstr("table of links"));
  EXPECT_THAT(Refusal({"--collective=all_reduce", "--bucket_links=" + links}),
              HasSubstr("--links is for a training job"));
  EXPECT_THAT(Refusal({"--collective=all_reduce", "--links"}),
              HasSubstr("to draw how busy links are: --draw_links"));
  EXPECT_THAT(Refusal({"--collective=all_reduce", "--links", "--json"}),
              HasSubstr("to draw how busy links are: --draw_links"));
  EXPECT_THAT(Refusal({"--collective=all_reduce", "--zone=us-central1-a"}),
              HasSubstr("--zone is for a training job"));
}

TEST(PodPlanTest, ALadderIsDrawnIntoAFile) {
  const testing::TempDir directory;
  const std::string path = directory.path() + "/ladder.svg";
  EXPECT_THAT(Text({"--topology=v3-8..v3-32", "--plot=" + path}),
              HasSubstr("# drawn as " + path));
  std::string first;
  std::getline(std::ifstream(path) >> std::ws, first);
  EXPECT_THAT(first, HasSubstr("<svg"));
  EXPECT_THAT(Refusal({"--plot=x.png"}),
              HasSubstr("--plot is \"x.png\", but must end in .svg, which is "
                        "what is drawn: give --plot=x.svg"));
  EXPECT_THAT(Refusal({"--topology=v3-8", "--plot=/dev/null/x.svg"}),
              HasSubstr("/dev/null"));
}

// Of the rows whose run keeps both limits, the one with the least of `what`.
std::string SearchedSlice(const nlohmann::json& results, double deadline,
                          double budget, const char* what) {
  std::string slice;
  double least = 0;
  for (const auto& row : results) {
    if (row["run_seconds"] > deadline || row["price"] > budget) continue;
    if (!slice.empty() && double{row[what]} >= least) continue;
    least = row[what];
    slice = row["slice"];
  }
  return slice;
}

TEST(PodPlanTest, ADeadlineAndABudgetNameSlicesOfTheTable) {
  const testing::TempDir directory;
  const std::string prices = directory.path() + "/prices.txt";
  std::ofstream(prices) << "currency: 'XTS' "
                           "chip { generation: 'v3' per_hour: 1 } "
                           "chip { generation: 'v4' per_hour: 3 }";
  const std::vector<std::string> args = {"--model=mlp",
                                         "--topology=v3-8..v3-128,v4-8..v4-64",
                                         "--chip_prices=" + prices};
  const auto all = Json(args);
  EXPECT_FALSE(all.contains("which"));
  EXPECT_EQ(all["currency"], "XTS");
  const auto& results = all["results"];
  int named = 0;
  for (const auto& time : results)
    for (const auto& cost : results) {
      // Just so that these two keep it.
      const double deadline = 1.001 * double{time["run_seconds"]};
      const double budget = 1.001 * double{cost["price"]};
      std::vector<std::string> more = args;
      more.push_back(absl::StrFormat("--deadline=%.17gs", deadline));
      more.push_back(absl::StrFormat("--budget=%.17g", budget));
      const auto which = Json(more)["which"];
      const std::string cheapest =
          SearchedSlice(results, deadline, budget, "price");
      EXPECT_EQ(which["nearest"].is_null(), !cheapest.empty());
      EXPECT_EQ(which["cheapest"].is_null(), cheapest.empty());
      if (cheapest.empty()) continue;
      ++named;
      EXPECT_EQ(which["cheapest"]["slice"], cheapest);
      EXPECT_EQ(which["fastest"]["slice"],
                SearchedSlice(results, deadline, budget, "run_seconds"));
      EXPECT_GT(which["fastest"]["holds"], 0);
    }
  EXPECT_GT(named, 0);
}

std::string Mark(double low, double high, double limit) {
  if (high <= limit) return "meets";
  return low <= limit ? "may miss" : "misses";
}

// The second row's own forecast is a limit that a part of its band keeps.
TEST(PodPlanTest, EachRowIsMarkedByTheLimits) {
  std::vector<std::string> args = {"--model=mlp", "--topology=v3-8..v3-128",
                                   "--price_per_chip_hour=1"};
  const auto before = Json(args)["results"];
  EXPECT_FALSE(before[0].contains("deadline"));
  const double deadline = before[1]["run_seconds"];
  const double budget = before[1]["price"];
  args.push_back(absl::StrFormat("--deadline=%.17gs", deadline));
  args.push_back(absl::StrFormat("--budget=%.17g", budget));
  const auto results = Json(args)["results"];
  ASSERT_EQ(results.size(), before.size());
  for (const auto& row : results) {
    EXPECT_EQ(row["deadline"],
              Mark(row["run_seconds_low"], row["run_seconds_high"], deadline));
    EXPECT_EQ(row["budget"], Mark(row["price_low"], row["price_high"], budget));
  }
  EXPECT_EQ(results[1]["deadline"], "may miss");
  EXPECT_EQ(results[1]["budget"], "may miss");
  args.emplace_back("--verbose");
  EXPECT_THAT(Text(args),
              ::testing::ContainsRegex(
                  " run +run low to high +chip-hours +chip-hours low to high "
                  "+price +price low to high "
                  "+deadline +budget +bound by\n"));
}

TEST(PodPlanTest, TheMarksHaveRoomOnANarrowScreen) {
  const PlanResult result =
      RunPlan({"--model=mlp", "--topology=v3-8..v3-128", "--deadline=2d"}, 80);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(
      result.text,
      ::testing::ContainsRegex(
          "\n# slice +step sim +.*eff +run +run low to high +deadline"));
  EXPECT_THAT(Rows(result.text), ::testing::Each(HasSubstr(" meets")));
}

// With one global batch, and a reference whose batch follows from each row's.
TEST(PodPlanTest, RowsThatTrainOnDifferentExamplesAreSaid) {
  const std::vector<std::string> job = {"--model=mlp", "--topology=v3-32,v4-32",
                                        "--train_batch_size=512",
                                        "--train_steps=100"};
  EXPECT_THAT(Text(job), Not(HasSubstr("the rows train on")));
  std::vector<std::string> scaled = job;
  scaled.emplace_back("--reference_topology=v3-32");
  EXPECT_THAT(Text(scaled), HasSubstr("! the rows train on 51,200 to 102,400"));
  scaled.emplace_back("--reference_batch_size=512");
  EXPECT_THAT(Text(scaled), Not(HasSubstr("the rows train on")));
}

TEST(PodPlanTest, WhatLowToHighCannotKnowIsSaid) {
  const auto answer = [](const std::string& slice) {
    return Text(
        {"--model=mlp", "--topology=" + slice, "--deadline=2d", "--verbose"});
  };
  EXPECT_THAT(answer("v5litepod-16"), HasSubstr("no step of v5e was compared"));
  EXPECT_THAT(answer("v3-32"), Not(HasSubstr("was compared")));
}

// A short run is mostly its start, which is of another program's.
TEST(PodPlanTest, WhatMovesLowAndHighMostIsNamed) {
  const std::vector<std::string> args = {"--model=mlp", "--topology=v3-32",
                                         "--deadline=2d"};
  const auto cheapest = Json(args)["which"]["cheapest"];
  for (const char* end : {"low_moved_by", "high_moved_by"}) {
    ASSERT_GE(cheapest[end].size(), 1);
    EXPECT_LE(cheapest[end].size(), 2);
    EXPECT_EQ(cheapest[end][0], "start_seconds");
  }
  std::vector<std::string> verbose = args;
  verbose.emplace_back("--verbose");
  EXPECT_THAT(Text(verbose),
              HasSubstr("\n# the figures that move a run on v3-32 most: low"));
}

TEST(PodPlanTest, TheTableSaysWhichSliceAndWhereTheKneeIs) {
  const std::string text =
      Text({"--model=mlp", "--topology=v3-8..v3-512", "--deadline=2d",
            "--price_per_chip_hour=2", "--verbose"});
  EXPECT_THAT(text, HasSubstr("\n# knee, the largest slice with an efficiency "
                              "of at least 80%: v3-"));
  EXPECT_THAT(text, HasSubstr("\n# cheapest within 48 h: v3-"));
  EXPECT_THAT(text, HasSubstr(": holds in all of low to high\n"));
  EXPECT_THAT(text, Not(HasSubstr("fastest")));
  EXPECT_THAT(Text({"--model=mlp", "--topology=v3-8", "--deadline=1ms"}),
              HasSubstr("\n# no slice of these keeps 1 ms; v3-8 comes"));
}

// A batch a tenth beyond what v3 has room for, which v4 has: v3 computes
// products again, and says so; forbidden to, it has no plan.
TEST(PodPlanTest, ASliceThatOnlyFitsWithRecomputationIsPricedWithIt) {
  const std::vector<std::string> job = {
      "--model=resnet18", "--example_shape=64,64,3", "--topology=v3-8,v4-8"};
  std::vector<std::string> largest = job;
  largest.emplace_back("--batch_per_core=max");
  const auto full = Json(largest);
  EXPECT_EQ(full["largest_batch"], true);
  const std::int64_t most = full["results"][0]["batch_per_core"];
  EXPECT_EQ(most % 8, 0);
  std::vector<std::string> more = job;
  more.push_back(absl::StrCat("--batch_per_core=", most / 10 * 11 / 8 * 8));
  more.emplace_back("--price_per_chip_hour=1");
  more.emplace_back("--deadline=1000d");
  const auto json = Json(more);
  const auto& v3 = json["results"][0];
  const auto& v4 = json["results"][1];
  EXPECT_GT(v3["recomputed_share"], 0);
  EXPECT_EQ(v4["recomputed_share"], 0);
  EXPECT_EQ(json["which"]["cheapest"]["slice"],
            SearchedSlice(json["results"], 1e9, 1e9, "price"));
  more.emplace_back("--remat=none");
  const auto without = Json(more);
  EXPECT_TRUE(without["results"][0].contains("refused"));
  EXPECT_EQ(without["which"]["cheapest"]["slice"], "v4-8");
}

TEST(PodPlanTest, QuestionsWithoutAnAnswerAreRefused) {
  EXPECT_THAT(Refusal({"--topology=v3-8", "--budget=5"}),
              HasSubstr("--budget needs the price of a chip"));
  EXPECT_THAT(Refusal({"--topology=v3-8", "--deadline=4"}),
              HasSubstr("--deadline is \"4\", a number without a unit"));
  EXPECT_THAT(Refusal({"--collective=all_reduce", "--deadline=4h"}),
              HasSubstr("--deadline is for a training job"));
  EXPECT_THAT(Refusal({"--collective=all_reduce", "--batch_per_core=max"}),
              HasSubstr("--batch_per_core is for a training job"));
  EXPECT_THAT(Refusal({"--topology=v3-8", "--explain", "--deadline=4h"}),
              HasSubstr("--deadline adds an answer to the table"));
  EXPECT_THAT(Refusal({"--price_per_chip_hour=1", "--chip_prices=x"}),
              HasSubstr("both say what a chip costs"));
}

// As a flag wins over a number in a file.
TEST(PodPlanTest, TheLargestBatchWinsOverAFile) {
  const testing::TempDir directory;
  const std::string path = directory.path() + "/job.txt";
  std::ofstream(path) << "topology: 'v3-8' train_batch_size: 64";
  const auto json = Json({"--job=" + path, "--batch_per_core=max"});
  EXPECT_EQ(json["scaling"], "weak");
  EXPECT_GT(json["results"][0]["batch_per_core"], 8);
}

TEST(PodPlanTest, AFlagOfTheOtherQuestionIsRefused) {
  EXPECT_THAT(Refusal({"--model=mlp", "--draw_links"}),
              HasSubstr("--draw_links is for"));
  EXPECT_THAT(Refusal({"-b", "1M"}), HasSubstr("--minbytes is for"));
  EXPECT_THAT(Refusal({"--collective=all_reduce", "--model=mlp"}),
              HasSubstr("--model is for a training job"));
  EXPECT_THAT(Refusal({"--collective=all_reduce", "--plot=x.svg"}),
              HasSubstr("--plot is for a training job"));
  EXPECT_THAT(Refusal({"--ici_algorithm=ring,torus"}),
              HasSubstr("one algorithm: give one of them, or auto"));
  EXPECT_THAT(Refusal({"--ici_algorithm=all"}),
              HasSubstr("pod_plan --collective"));
}

TEST(PodPlanTest, RefusesInOneLine) {
  EXPECT_THAT(Refusal({"--collective=all_reduce", "--topology=v3-9"}),
              HasSubstr("nearest: v3-8, v3-32"));
  EXPECT_THAT(Refusal({"--collective=all_reduce", "-b", "2M", "-e", "1M"}),
              HasSubstr("-b 2M is more than -e 1M"));
  EXPECT_THAT(
      Refusal({"--topology=v3-8..v3-64", "--train_batch_size=100"}),
      HasSubstr("a multiple of 64 fits all of them, such as 64 or 128"));
  EXPECT_THAT(Refusal({"--collective=all_to_all", "--ici_algorithm=ring"}),
              HasSubstr("all_to_all by ring: is not done so; give "
                        "--ici_algorithm=direct, or auto"));
  EXPECT_THAT(
      Refusal({"--collective=all_reduce", "--topology=v3-32", "--twist"}),
      HasSubstr("offered twisted"));
}

// What pod_launch's metrics file begins with, and two steps.
void WriteRun(const std::string& file, const std::string& slice) {
  std::ofstream(file)
      << R"({"event":"plan","slice":")" << slice
      << R"(","model":"mlp","dataset":"digits","global_batch":64})"
         "\n"
      << R"({"event":"step","step":1,"loss":2,"seconds":9})"
         "\n"
      << R"({"event":"step","step":2,"loss":1,"seconds":0.25})"
         "\n";
}

TEST(PodPlanTest, AMeasuredRunIsInItsRow) {
  const testing::TempDir directory;
  const std::string file = directory.file("run.jsonl");
  WriteRun(file, "v3-8");
  const std::vector<std::string> args = {
      "--model=mlp", "--dataset=digits", "--topology=v3-8..v3-32",
      "--batch_per_core=8", absl::StrCat("--measured=", file)};
  EXPECT_THAT(Text(args),
              AllOf(HasSubstr("step wall  sim of run"), HasSubstr("  250 ms")));
  const auto all = Json(args);
  const auto& measured = all["results"][0]["measured"];
  EXPECT_EQ(measured["path"], file);
  EXPECT_EQ(measured["steps"], 2);
  EXPECT_EQ(measured["step_seconds_wall"], 0.25);
  EXPECT_EQ(measured["loss"], 1);
  EXPECT_TRUE(measured["simulated_step_seconds"].is_null());
  EXPECT_FALSE(all["results"][1].contains("measured"));
  WriteRun(file, "v4-8");
  EXPECT_EQ(Json(args)["measured_notes"][0],
            absl::StrCat(file,
                         " is not in the table: it ran on v4-8, which is none "
                         "of the table's slices: add it to --topology"));
}

TEST(PodPlanTest, MeasuredFilesAreRefusedWhereTheyAreNone) {
  const testing::TempDir directory;
  const std::string file = directory.file("notes.txt");
  std::ofstream(file) << "hello\n";
  const std::string flag = absl::StrCat("--measured=", file);
  EXPECT_THAT(Refusal({"--model=mlp", "--dataset=digits", flag}),
              AllOf(HasSubstr("--measured: "),
                    HasSubstr("is no metrics file: line 1 is no record"),
                    HasSubstr("pod_launch --metrics_file=FILE")));
  EXPECT_THAT(Refusal({"--collective=all_reduce", flag}),
              HasSubstr("--measured is for a training job"));
  EXPECT_THAT(Refusal({"--model=mlp", "--dataset=digits", "--topology=v3-8",
                       "--explain", flag}),
              HasSubstr("--measured adds columns to the table"));
}

}  // namespace
}  // namespace podsim
