// The table of generations: complete, each figure with its source, and the
// same after it has been written to a file and read again.
#include "interconnect/topology/hardware.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "interconnect/topology/slice.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(HardwareTest, SevenGenerationsShip) {
  std::vector<std::string> names;
  for (const Generation& generation : ShippedHardware().generations())
    names.push_back(generation.name());
  EXPECT_THAT(names,
              ElementsAre("v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x"));
}

TEST(HardwareTest, EveryFigureHasASourceOrARange) {
  for (const Generation& generation : ShippedHardware().generations()) {
    for (const auto& [name, figure] : FiguresIn(generation)) {
      SCOPED_TRACE(generation.name() + " " + name);
      EXPECT_NE(figure->grade(), UNGRADED);
      if (figure->grade() == ASSUMED) {
        EXPECT_LT(figure->low(), figure->high());
        EXPECT_NE(figure->note(), "");
        EXPECT_EQ(figure->source(), "");
      } else {
        EXPECT_NE(figure->source(), "");
      }
      if (figure->grade() == FITTED) {
        EXPECT_LT(figure->low(), figure->high());
      }
    }
  }
}

TEST(HardwareTest, EveryGenerationSaysHowWrongItsLinksMayBe) {
  for (const Generation& generation : ShippedHardware().generations())
    EXPECT_NE(generation.network_note(), "") << generation.name();
  // What is said of other figures is not said of a file's.
  ASSERT_OK_AND_ASSIGN(
      const Hardware mine,
      WithHardware(ShippedHardware(),
                   R"(name: "v3" link_share { value: 0.8 grade: ASSUMED
                      low: 0.7 high: 0.9 note: "mine" })",
                   "mine"));
  EXPECT_THAT(FindGeneration(mine, "v3")->network_note(),
              HasSubstr("of a file"));
  ASSERT_OK_AND_ASSIGN(
      const Hardware clocked,
      WithHardware(ShippedHardware(),
                   R"(name: "v3" clock_hz { value: 1e9 grade: ASSUMED low: 1e9
                      high: 2e9 note: "mine" })",
                   "mine"));
  EXPECT_EQ(FindGeneration(clocked, "v3")->network_note(),
            FindGeneration(ShippedHardware(), "v3")->network_note());
}

TEST(HardwareTest, WhatWasComparedIsSaidOfShippedFiguresAlone) {
  const auto compared = [](const std::string& text) {
    const auto hardware = WithHardware(ShippedHardware(), text, "mine");
    return FindGeneration(*hardware, "v3")->compared_steps();
  };
  const std::string shipped =
      FindGeneration(ShippedHardware(), "v3")->compared_steps();
  EXPECT_THAT(shipped, HasSubstr("ResNet-50"));
  EXPECT_EQ(FindSlice("v3-8")->compared_steps, shipped);
  EXPECT_EQ(FindSlice("v5p-8")->compared_steps, "");
  EXPECT_EQ(compared(R"(name: "v3" clock_hz { value: 1e9 })"), "");
  EXPECT_EQ(compared(R"(name: "v3" slices { name: "v3-4" chips: [2, 1]
                                            board: [2, 1] })"),
            shipped);
  EXPECT_EQ(compared(R"(name: "v3" clock_hz { value: 1e9 }
                        compared_steps: "my own on v3-8")"),
            "my own on v3-8");
}

// A fixed cost that is a guess may be any that was fitted elsewhere.
TEST(HardwareTest, AnAssumedFixedCostSpansAllThatAreFitted) {
  std::vector<Figure> fitted;
  std::vector<Figure> assumed;
  for (const Generation& generation : ShippedHardware().generations()) {
    const Figure& cost = generation.collective_seconds();
    (cost.grade() == FITTED ? fitted : assumed).push_back(cost);
  }
  ASSERT_FALSE(fitted.empty());
  for (const Figure& guess : assumed) {
    EXPECT_EQ(guess.grade(), ASSUMED);
    for (const Figure& known : fitted) {
      EXPECT_LE(guess.low(), known.low());
      EXPECT_GE(guess.high(), known.high());
    }
  }
}

// At most two constants of the links are fitted to a generation's measurements.
// Those of a kernel are in tests/chip/kernel_constants_test.cc.
TEST(HardwareTest, FewConstantsOfTheLinksAreFitted) {
  const std::set<std::string> of_kernels = {"matrix_share", "hbm_share",
                                            "kernel_seconds"};
  for (const Generation& generation : ShippedHardware().generations()) {
    int fitted = 0;
    for (const auto& [name, figure] : FiguresIn(generation))
      if (of_kernels.count(name) == 0) fitted += figure->grade() == FITTED;
    EXPECT_LE(fitted, 2) << generation.name();
  }
}

// A list to be read by whoever changes it: what no source says.
TEST(HardwareTest, ConstantsThatAreNotPublished) {
  std::set<std::string> unpublished;
  for (const Generation& generation : ShippedHardware().generations())
    for (const auto& [name, figure] : FiguresIn(generation))
      if (figure->grade() == ASSUMED || figure->grade() == FITTED)
        unpublished.insert(generation.name() + " " + name);
  EXPECT_THAT(
      unpublished,
      ElementsAre(
          "tpu7x clock_hz", "tpu7x collective_seconds",
          "tpu7x core_piece_bytes", "tpu7x hbm_share", "tpu7x hop_seconds",
          "tpu7x host_bytes_per_second", "tpu7x kernel_seconds",
          "tpu7x link_share", "tpu7x matrix_share",
          "tpu7x matrix_units_per_core", "tpu7x on_chip_bytes",
          "tpu7x start_seconds", "tpu7x start_seconds_per_chip",
          "tpu7x transcendental_flops", "tpu7x vector_flops_per_cycle_per_core",
          "v2 collective_seconds", "v2 core_piece_bytes", "v2 hbm_share",
          "v2 hop_seconds", "v2 kernel_seconds", "v2 link_share",
          "v2 matrix_share", "v2 start_seconds", "v2 start_seconds_per_chip",
          "v2 step_seconds", "v2 transcendental_flops",
          "v2 vector_flops_per_cycle_per_core", "v3 collective_seconds",
          "v3 core_piece_bytes", "v3 hbm_share", "v3 kernel_seconds",
          "v3 link_share", "v3 matrix_share", "v3 step_seconds",
          "v3 transcendental_flops", "v3 vector_flops_per_cycle_per_core",
          "v4 collective_seconds", "v4 hbm_share", "v4 hop_seconds",
          "v4 kernel_seconds", "v4 link_share", "v4 matrix_share",
          "v4 on_chip_bytes", "v4 start_seconds", "v4 start_seconds_per_chip",
          "v4 transcendental_flops", "v5e collective_seconds",
          "v5e hbm_reserved_bytes", "v5e hbm_share", "v5e kernel_seconds",
          "v5e link_share", "v5e matrix_share", "v5e on_chip_bytes",
          "v5e start_seconds", "v5e start_seconds_per_chip",
          "v5e transcendental_flops", "v5p clock_hz", "v5p collective_seconds",
          "v5p hbm_share", "v5p hop_seconds", "v5p kernel_seconds",
          "v5p link_share", "v5p matrix_share", "v5p on_chip_bytes",
          "v5p start_seconds", "v5p start_seconds_per_chip",
          "v5p transcendental_flops", "v6e clock_hz", "v6e collective_seconds",
          "v6e hbm_share", "v6e hop_seconds", "v6e kernel_seconds",
          "v6e link_share", "v6e matrix_share", "v6e on_chip_bytes",
          "v6e start_seconds", "v6e start_seconds_per_chip",
          "v6e transcendental_flops", "v6e vector_flops_per_cycle_per_core"));
}

TEST(HardwareTest, AWrittenFileChangesNothing) {
  for (const Generation& generation : ShippedHardware().generations()) {
    ASSERT_OK_AND_ASSIGN(
        const Hardware again,
        WithHardware(ShippedHardware(), HardwareText(generation), "again"));
    EXPECT_EQ(again.SerializeAsString(), ShippedHardware().SerializeAsString())
        << generation.name();
  }
}

TEST(HardwareTest, AFigureIsReplacedWithItsSource) {
  ASSERT_OK_AND_ASSIGN(
      const Hardware mine,
      WithHardware(ShippedHardware(),
                   R"(name: "v3" hop_seconds { value: 2e-6 grade: ASSUMED
                      low: 1e-6 high: 3e-6 note: "mine" })",
                   "mine"));
  const Figure& hop = FindGeneration(mine, "v3")->hop_seconds();
  EXPECT_EQ(hop.value(), 2e-6);
  EXPECT_EQ(hop.source(), "");
  EXPECT_EQ(FindGeneration(mine, "v3")->clock_hz().value(), 940e6);
  ASSERT_OK_AND_ASSIGN(const Slice slice,
                       FindSlice("v3-32", {.hardware = &mine}));
  EXPECT_EQ(slice.chip().hop_seconds, 2e-6);
}

TEST(HardwareTest, SlicesAscend) {
  ASSERT_OK_AND_ASSIGN(
      const Hardware mine,
      WithHardware(ShippedHardware(),
                   R"(name: "v3" slices { name: "v3-16" chips: [4, 2] })",
                   "mine"));
  const std::vector<std::string> names =
      SliceNamesOf(*FindGeneration(mine, "v3"));
  EXPECT_EQ(names[0], "v3-8");
  EXPECT_EQ(names[1], "v3-16");
  EXPECT_EQ(names[2], "v3-32");
}

// A rule for all axes is for those that the pod has.
TEST(HardwareTest, APlaneWrapsByTheRuleOfV4) {
  Generation mine = *FindGeneration(ShippedHardware(), "v4");
  mine.set_name("x1");
  mine.clear_slices();
  mine.clear_pod();
  mine.mutable_links()->set_value(4);
  SliceShape& shape = *mine.add_slices();
  shape.set_name("x1-128");
  for (const int length : {8, 8}) {
    mine.add_pod(length);
    shape.add_chips(length);
  }
  ASSERT_OK_AND_ASSIGN(
      const Hardware all,
      WithHardware(ShippedHardware(), HardwareText(mine), "mine"));
  ASSERT_OK_AND_ASSIGN(const Slice slice,
                       FindSlice("x1-128", {.hardware = &all}));
  EXPECT_TRUE(slice.wraps[0] && slice.wraps[1]);
}

TEST(HardwareTest, ANewGenerationBringsItsSlices) {
  Generation mine = *FindGeneration(ShippedHardware(), "v4");
  mine.set_name("x1");
  mine.clear_slices();
  SliceShape& shape = *mine.add_slices();
  shape.set_name("x1-48");
  for (const int length : {2, 4, 3}) shape.add_chips(length);
  Hardware file;
  *file.add_generations() = mine;
  ASSERT_OK_AND_ASSIGN(
      const Hardware all,
      WithHardware(ShippedHardware(), HardwareText(mine), "mine"));
  ASSERT_OK_AND_ASSIGN(const Slice slice,
                       FindSlice("x1-48", {.hardware = &all}));
  EXPECT_EQ(slice.chips, 24);
  EXPECT_EQ(slice.hosts, 6);
  EXPECT_THAT(FindSlice("x1-48"), StatusIs(kInvalid, HasSubstr("x1-48")));
}

TEST(HardwareTest, LinksAreTwoForEachAxis) {
  for (const Generation& generation : ShippedHardware().generations())
    EXPECT_EQ(generation.links().value(), 2 * generation.pod_size())
        << generation.name();
  // An axis of one chip has no neighbours.
  Generation mine = *FindGeneration(ShippedHardware(), "v3");
  mine.add_pod(1);
  EXPECT_THAT(CheckGeneration(mine), IsOk());
  mine.set_pod(2, 2);
  EXPECT_THAT(CheckGeneration(mine),
              StatusIs(kInvalid, HasSubstr("links is 4: must be 6")));
  mine.mutable_links()->set_value(6);
  EXPECT_THAT(CheckGeneration(mine), IsOk());
}

struct Bad {
  const char* text;
  const char* says;
};

class BadHardwareTest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadHardwareTest, IsRefusedInOneLine) {
  EXPECT_THAT(WithHardware(ShippedHardware(), GetParam().text, "mine.txt"),
              StatusIs(kInvalid, AllOf(HasSubstr("hardware file mine.txt: "),
                                       HasSubstr(GetParam().says),
                                       Not(HasSubstr("\n")))));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadHardwareTest,
    ::testing::Values(
        Bad{"", "it is empty; it is written as"},
        Bad{"# nothing\n", "it is empty"},
        Bad{R"(generations { name: "V9" })", "lower-case"},
        Bad{R"(generations { name: "v9" })", "name_counts"},
        Bad{R"(name: "v3" hop_seconds { value: -1 })", "must be above 0"},
        Bad{R"(name: "v3" hop_seconds { value: nan })", "must be above 0"},
        Bad{R"(name: "v3" link_share { value: 1.5 })", "0.001 to 1"},
        Bad{R"(name: "v3" link_share { value: 0.7 low: 1e-15 high: 1 })",
            "link_share is 1e-15"},
        Bad{R"(name: "v3" link_bytes_per_second { value: 1e-3 })", "1e+06 to"},
        Bad{R"(name: "v3" hop_seconds { value: 1e7 })", "to 0.001"},
        Bad{R"(name: "v3" matrix_share { value: 1.2 })", "0.001 to 1"},
        Bad{R"(name: "v3" kernel_seconds { value: 2 })", "1e-12 to 1"},
        Bad{R"(name: "v3" on_chip_bytes { value: 0 })", "must be above 0"},
        // Of a core, whose HBM is half a chip's.
        Bad{R"(name: "v3" hbm_reserved_bytes { value: 17179869184 })",
            "must be below the 17179869184 bytes of HBM that a core has"},
        Bad{R"(name: "v4" hbm_reserved_bytes { value: 34359738368 })",
            "must be below the 34359738368 bytes of HBM that a chip has"},
        Bad{R"(name: "v3" vector_flops_per_cycle_per_core { value: 0.5 })",
            "must be 1 to 1e+09"},
        Bad{R"(name: "v3" transcendental_flops { value: 0.5 })",
            "must be 1 to 1e+06"},
        Bad{R"(name: "v3" links { value: 2.5 })",
            "links is 2.5: must be 4, two for each axis"},
        Bad{R"(name: "v3" links { value: 1 })", "links is 1: must be 4"},
        Bad{R"(name: "v3" links { value: 6 })", "links is 6: must be 4"},
        Bad{R"(name: "v4" links { value: 4 })", "links is 4: must be 6"},
        Bad{R"(name: "v3" slices { name: "v3-16" chips: [2, 4] }
               slices { name: "v3-16" chips: [4, 2] })",
            "slice 'v3-16' is there twice; leave one out"},
        // Boards have two axes unless they say otherwise.
        Bad{R"(name: "v3" slices { name: "v3-16" chips: [8] })",
            "do not tile it; give other chips, or board: [X, Y]"},
        Bad{R"(name: "v3" slices { name: "v3-32" chips: [4, 4]
               board: [2, 2, 2] })",
            "do not tile"},
        Bad{R"(name: "v3" link_share { value: 0.5 low: 0.6 high: 0.7 })",
            "outside its 0.6 to 0.7; give low, value and high in order"},
        Bad{R"(name: "v3" slices { name: "v3-48" chips: [4, 4] })",
            "must be called v3-32"},
        Bad{R"(name: "v3" slices { name: "v3-18" chips: [3, 3] })",
            "do not tile"},
        Bad{R"(name: "v3" slices { name: "v3-8" chips: [1, 2, 2, 1] })",
            "1 to 3 axes"},
        Bad{R"(name: "v3" slices { name: "v3-99" chips: [1024, 1024] })",
            "at most 65536"},
        Bad{R"(name: "v3" cores_per_chip: 99)", "must be 1 to 16"}));

// What is no text of a generation, with its place.
class NoHardwareTest : public ::testing::TestWithParam<Bad> {};

TEST_P(NoHardwareTest, IsRefusedWithItsPlace) {
  EXPECT_THAT(ParseHardware(GetParam().text, "mine.txt"),
              StatusIs(kInvalid, AllOf(StartsWith("mine.txt:"),
                                       HasSubstr(GetParam().says),
                                       Not(HasSubstr("\n")))));
}

INSTANTIATE_TEST_SUITE_P(
    All, NoHardwareTest,
    ::testing::Values(
        Bad{"nonsense", "mine.txt:1:"},
        Bad{"hello: 3", "there is no field \"hello\"; it is written as"},
        Bad{R"(name: "v3" colour: 3)", "colour"},
        Bad{"name: \"v3\"\nhop_seconds { value: 1e-6 source: \"me, 2024\" "
            "grade: MEASURED }\n",
            "mine.txt:2:53: grade is MEASURED; give one of PRIMARY, SECONDARY, "
            "DERIVED, ASSUMED, FITTED"},
        Bad{"hop_seconds { value: 1 grade: primary\n}",
            "mine.txt:1:31: grade is primary; give one of PRIMARY, "},
        Bad{"name_counts: HOSTS",
            "mine.txt:1:14: name_counts is HOSTS; give one of CORES, CHIPS"},
        Bad{R"(name: "v3" core_share { value: 0.5 })",
            "there is no field \"core_share\"; give matrix_share and "
            "hbm_share; it is written as"},
        Bad{"name: \"v3\"\nlink_bytes_per_second { value: \"70 GB/s\" grade: "
            "SECONDARY source: \"me\" }\n",
            "mine.txt:2:32: link_bytes_per_second is \"70 GB/s\"; a number in "
            "a "
            "file has no unit and no quotes: value: 70e9"},
        Bad{"link_bytes_per_second {\n  value: 70 GB/s\n  low: 1e9\n}",
            "link_bytes_per_second is 70 GB/s; a number in a file has no unit: "
            "value: 70e9"},
        Bad{"link_bytes_per_second { value: 70GB/s low: 1e9 }",
            "link_bytes_per_second is 70GB/s; a number in a file has no unit: "
            "value: 70e9"},
        Bad{"link_bytes_per_second { value: 70e9 high: \"100 Gbps\" }",
            "link_bytes_per_second is \"100 Gbps\"; a number in a file has no "
            "unit and no quotes: high: 12.5e9"},
        Bad{"hop_seconds { value: \"1.5us\" }", "quotes: value: 1.5e-6"},
        Bad{"hbm_bytes { value: \"16 GiB\" }", "quotes: value: 17179869184"},
        Bad{"link_share { value: \"80%\" }", "quotes: value: 0.8"},
        Bad{"matrix_flops_per_second { value: \"1.1e2 TFLOP/s\" }",
            "quotes: value: 110000000000000"},
        Bad{"clock_hz { value: '940 MHz' }", "quotes: value: 940e6"},
        Bad{"hop_seconds { value: \"5e-7\" }",
            "hop_seconds is \"5e-7\"; a number in a file has no quotes: value: "
            "5e-7"},
        Bad{"hop_seconds { value: fast }",
            "hop_seconds is fast; give a number"},
        Bad{"hop_seconds { value: \"3 furlongs\" }",
            "a number in a file has no unit and no quotes"},
        Bad{"cores_per_chip: \"2\"",
            "cores_per_chip is \"2\"; a number in a file has no quotes: "
            "cores_per_chip: 2"}));

}  // namespace
}  // namespace podsim
