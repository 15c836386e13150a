// The table of slices, the numbering of hosts and chips, and unknown names.
#include "interconnect/topology/slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "interconnect/topology/nearest_slices.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// A row of the published tables, written down a second time from the source.
struct Row {
  const char* name;
  int cores;
  int replicas;
  GridSize grid;
  int hosts;
  int chips_per_host;
  double total_hbm;   // bytes
  const char* wraps;  // "xy"
};

constexpr double kGi = 1 << 30;

constexpr Row kTable[] = {
    {"v2-8", 8, 8, {2, 2}, 1, 4, 64 * kGi, ""},
    {"v2-32", 32, 32, {4, 4}, 4, 4, 256 * kGi, ""},
    {"v2-128", 128, 128, {8, 8}, 16, 4, 1024 * kGi, ""},
    {"v2-256", 256, 256, {8, 16}, 32, 4, 2048 * kGi, "y"},
    {"v2-512", 512, 512, {16, 16}, 64, 4, 4096 * kGi, "xy"},
    {"v3-8", 8, 8, {2, 2}, 1, 4, 128 * kGi, ""},
    {"v3-32", 32, 32, {4, 4}, 4, 4, 512 * kGi, ""},
    {"v3-64", 64, 64, {4, 8}, 8, 4, 1024 * kGi, ""},
    {"v3-128", 128, 128, {8, 8}, 16, 4, 2048 * kGi, ""},
    {"v3-256", 256, 256, {8, 16}, 32, 4, 4096 * kGi, ""},
    {"v3-512", 512, 512, {16, 16}, 64, 4, 8192 * kGi, ""},
    {"v3-1024", 1024, 1024, {16, 32}, 128, 4, 16384 * kGi, "y"},
    {"v3-2048", 2048, 2048, {32, 32}, 256, 4, 32768 * kGi, "xy"},
    {"v4-8", 8, 4, {2, 2, 1}, 1, 4, 128 * kGi, ""},
    {"v4-16", 16, 8, {2, 2, 2}, 2, 4, 256 * kGi, ""},
    {"v4-32", 32, 16, {2, 2, 4}, 4, 4, 512 * kGi, ""},
    {"v4-64", 64, 32, {2, 4, 4}, 8, 4, 1024 * kGi, ""},
    {"v4-128", 128, 64, {4, 4, 4}, 16, 4, 2048 * kGi, "xyz"},
    {"v4-256", 256, 128, {4, 4, 8}, 32, 4, 4096 * kGi, "xyz"},
    {"v4-512", 512, 256, {4, 8, 8}, 64, 4, 8192 * kGi, "xyz"},
    {"v4-1024", 1024, 512, {8, 8, 8}, 128, 4, 16384 * kGi, "xyz"},
    {"v4-1536", 1536, 768, {8, 8, 12}, 192, 4, 24576 * kGi, "xyz"},
    {"v4-2048", 2048, 1024, {8, 8, 16}, 256, 4, 32768 * kGi, "xyz"},
    {"v4-4096", 4096, 2048, {8, 16, 16}, 512, 4, 65536 * kGi, "xyz"},
    {"v4-8192", 8192, 4096, {16, 16, 16}, 1024, 4, 131072 * kGi, "xyz"},
    {"v5litepod-1", 1, 1, {1, 1}, 1, 1, 16 * kGi, ""},
    {"v5litepod-4", 4, 4, {2, 2}, 1, 4, 64 * kGi, ""},
    {"v5litepod-8", 8, 8, {2, 4}, 1, 8, 128 * kGi, ""},
    {"v5litepod-16", 16, 16, {4, 4}, 4, 4, 256 * kGi, ""},
    {"v5litepod-32", 32, 32, {4, 8}, 8, 4, 512 * kGi, ""},
    {"v5litepod-64", 64, 64, {8, 8}, 16, 4, 1024 * kGi, ""},
    {"v5litepod-128", 128, 128, {8, 16}, 32, 4, 2048 * kGi, "y"},
    {"v5litepod-256", 256, 256, {16, 16}, 64, 4, 4096 * kGi, "xy"},
    {"v5p-8", 8, 4, {2, 2, 1}, 1, 4, 384 * kGi, ""},
    {"v5p-512", 512, 256, {4, 8, 8}, 64, 4, 24576 * kGi, "xyz"},
    {"v5p-1408", 1408, 704, {4, 4, 44}, 176, 4, 67584 * kGi, "xyz"},
    {"v5p-12288", 12288, 6144, {16, 16, 24}, 1536, 4, 589824 * kGi, "xyz"},
    {"v5p-17920", 17920, 8960, {16, 20, 28}, 2240, 4, 860160 * kGi, "xyz"},
    {"v6e-1", 1, 1, {1, 1}, 1, 1, 32 * kGi, ""},
    {"v6e-8", 8, 8, {2, 4}, 1, 8, 256 * kGi, ""},
    {"v6e-16", 16, 16, {4, 4}, 4, 4, 512 * kGi, ""},
    {"v6e-128", 128, 128, {8, 16}, 32, 4, 4096 * kGi, "y"},
    {"v6e-256", 256, 256, {16, 16}, 64, 4, 8192 * kGi, "xy"},
    {"tpu7x-2", 2, 2, {1, 1, 1}, 1, 1, 192 * kGi, ""},
    {"tpu7x-8", 8, 8, {2, 2, 1}, 1, 4, 768 * kGi, ""},
    {"tpu7x-128", 128, 128, {4, 4, 4}, 16, 4, 12288 * kGi, "xyz"},
    {"tpu7x-18432", 18432, 18432, {16, 24, 24}, 2304, 4, 1769472 * kGi, "xyz"},
};

std::string AxesThatWrap(const Slice& slice) {
  std::string axes;
  for (int axis = 0; axis < kMostAxes; ++axis)
    if (slice.wraps[axis]) axes += "xyz"[axis];
  return axes;
}

class SliceTableTest : public ::testing::TestWithParam<Row> {};

TEST_P(SliceTableTest, IsAsPublished) {
  const Row& row = GetParam();
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(row.name));
  EXPECT_EQ(slice.name, row.name);
  EXPECT_EQ(slice.cores, row.cores);
  EXPECT_EQ(slice.replicas, row.replicas);
  EXPECT_EQ(slice.chips, row.grid.places());
  EXPECT_EQ(slice.hosts, row.hosts);
  EXPECT_EQ(slice.grid, row.grid);
  EXPECT_EQ(slice.chips_per_host(), row.chips_per_host);
  EXPECT_EQ(slice.hosts * slice.chips_per_host(), slice.chips);
  EXPECT_EQ(AxesThatWrap(slice), row.wraps);
  EXPECT_EQ(static_cast<double>(slice.chip().hbm_bytes) * slice.replicas,
            row.total_hbm);
  EXPECT_EQ(CheckTrains(slice).ok(), row.chips_per_host == 4);
}

TEST_P(SliceTableTest, SaysHowSureTheWrapIs) {
  const Row& row = GetParam();
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(row.name));
  const std::string generation = slice.generation;
  const bool by_rule = generation != "v2" && generation != "v3";
  const bool pod = row.cores == (generation == "v2" ? 512 : 2048);
  EXPECT_THAT(slice.wrap_note, ::testing::StartsWith(by_rule ? "by rule: "
                                                     : pod   ? "sure: "
                                                             : "assumed: "));
  EXPECT_THAT(slice.wrap_note, Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(All, SliceTableTest, ::testing::ValuesIn(kTable));

class EverySliceTest : public ::testing::TestWithParam<std::string> {};

TEST_P(EverySliceTest, CoordinatesAreBijective) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(GetParam()));
  std::set<int> chips;
  for (int host = 0; host < slice.hosts; ++host) {
    EXPECT_EQ(HostAt(slice, HostCoordinate(slice, host)), host);
    for (int chip = 0; chip < slice.chips_per_host(); ++chip) {
      const Coordinate at = ChipCoordinate(slice, host, chip);
      EXPECT_EQ(HostOfChip(slice, at), host);
      chips.insert(IndexOf(slice.grid, at));  // dies outside the grid
    }
  }
  EXPECT_THAT(chips, SizeIs(slice.chips));
}

TEST_P(EverySliceTest, IsItsOwnNearestName) {
  EXPECT_EQ(NearestSlices(GetParam()), std::vector<std::string>{GetParam()});
}

INSTANTIATE_TEST_SUITE_P(All, EverySliceTest,
                         ::testing::ValuesIn(SliceNames()));

TEST(SliceTest, NamesAscendWithinAGeneration) {
  const std::vector<std::string> names = SliceNames();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(),
            names.size());
  int last = 0;
  std::string generation;
  for (const std::string& name : names) {
    ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(name));
    if (slice.generation == generation) {
      EXPECT_GT(slice.chips, last) << name;
    }
    generation = slice.generation;
    last = slice.chips;
  }
}

// The published pairs, and what is not offered.
TEST(SliceTest, TwistsWhereThatIsOffered) {
  for (const char* name : {"v4-256", "v4-512", "v5p-256", "v5p-2048"}) {
    ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(name, {.twist = true}));
    EXPECT_TRUE(slice.twisted);
    EXPECT_THAT(slice.wrap_note, HasSubstr("twisted as asked"));
  }
  for (const char* name : {"v4-128", "v4-32", "v3-32", "tpu7x-256", "v4-1536"})
    EXPECT_THAT(FindSlice(name, {.twist = true}),
                StatusIs(kInvalid, HasSubstr("twist")))
        << name;
  EXPECT_THAT(FindSlice("v4-256", {.wrap = WrapPolicy::kMesh, .twist = true}),
              StatusIs(kInvalid, HasSubstr("that wrap")));
}

TEST(SliceTest, BoardsOfOtherSizesDoNotTrain) {
  EXPECT_THAT(CheckTrains(*FindSlice("v5litepod-8")),
              StatusIs(kInvalid, HasSubstr("8 chips")));
  EXPECT_THAT(CheckTrains(*FindSlice("v6e-1")),
              StatusIs(kInvalid,
                       "v6e-1 cannot train here: its host drives 1 chip, "
                       "podsim emulates hosts of 4; it can be planned "
                       "(pod_launch --dry_run, pod_plan) and described "
                       "(pod_launch --describe); these train: v6e-4, v6e-16 "
                       "and 4 more up to v6e-256"));
}

TEST(SliceTest, AnyGridCanBeStudied) {
  const Generation& v3 = *FindGeneration(ShippedHardware(), "v3");
  ASSERT_OK_AND_ASSIGN(const Slice slice, SliceOfGrid(v3, {2, 4}, true));
  EXPECT_EQ(slice.chips, 8);
  EXPECT_EQ(AxesThatWrap(slice), "xy");
  EXPECT_THAT(SliceOfGrid(v3, {3, 4}, true),
              StatusIs(kInvalid, HasSubstr("3x4")));
}

TEST(SliceTest, ChipsOfABoardAreNumberedRowByRow) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice("v3-64"));
  EXPECT_EQ(HostCoordinate(slice, 3), (Coordinate{1, 1}));
  EXPECT_EQ(ChipCoordinate(slice, 3, 0), (Coordinate{2, 2}));
  EXPECT_EQ(ChipCoordinate(slice, 3, 1), (Coordinate{3, 2}));
  EXPECT_EQ(ChipCoordinate(slice, 3, 2), (Coordinate{2, 3}));
  EXPECT_EQ(ChipCoordinate(slice, 3, 3), (Coordinate{3, 3}));
}

TEST(SliceTest, WrapCanBeSet) {
  ASSERT_OK_AND_ASSIGN(const Slice torus,
                       FindSlice("v3-32", {.wrap = WrapPolicy::kTorus}));
  EXPECT_EQ(AxesThatWrap(torus), "xy");
  EXPECT_THAT(torus.wrap_note, HasSubstr("--wrap=torus"));
  ASSERT_OK_AND_ASSIGN(const Slice mesh,
                       FindSlice("v3-2048", {.wrap = WrapPolicy::kMesh}));
  EXPECT_EQ(AxesThatWrap(mesh), "");
  EXPECT_THAT(mesh.wrap_note, HasSubstr("--wrap=mesh"));
}

TEST(SliceTest, UpperCaseIsAcceptedAndTheNameIsTheListedOne) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice("V3-32"));
  EXPECT_EQ(slice.name, "v3-32");
}

struct Near {
  const char* typed;
  std::vector<std::string> names;
};

class NearestSlicesTest : public ::testing::TestWithParam<Near> {};

TEST_P(NearestSlicesTest, AreNamed) {
  const Near& near = GetParam();
  EXPECT_EQ(NearestSlices(near.typed), near.names);
  const auto found = FindSlice(near.typed);
  EXPECT_THAT(found, StatusIs(kInvalid, HasSubstr(near.typed)));
  for (const std::string& name : near.names)
    EXPECT_THAT(found, StatusIs(kInvalid, HasSubstr(name)));
}

INSTANTIATE_TEST_SUITE_P(
    All, NearestSlicesTest,
    ::testing::Values(
        Near{"v3-33", {"v3-32", "v3-64"}}, Near{"v3-31", {"v3-8", "v3-32"}},
        Near{"v3-16", {"v3-8", "v3-32"}}, Near{"v2-64", {"v2-32", "v2-128"}},
        Near{"v3-4096", {"v3-2048"}}, Near{"v3-1", {"v3-8"}},
        Near{"v9-32", {"tpu7x-32", "v6e-32", "v5p-32"}},
        Near{"v4-17", {"v4-16", "v4-32"}}, Near{"v5e-16", {"v5litepod-16"}},
        Near{"v5p-8320x", {"v5p-8320"}}, Near{"v2-2048", {"v2-512"}},
        Near{"V3_64", {"v3-64"}}, Near{"v332", {"v3-32"}},
        Near{"v3-512x", {"v3-512"}}, Near{"tpu-v3-32", {"v3-32"}},
        Near{"tpuv4-16", {"v4-16"}},
        Near{"4x4", {"v2-32", "v3-32", "v5litepod-16", "v6e-16"}},
        Near{"v3-99999999999999999999", {"v3-1024", "v3-128", "v3-2048"}}));

TEST(NearestSlicesTest, V316IsExplained) {
  EXPECT_THAT(FindSlice("v3-16"),
              StatusIs(kInvalid, HasSubstr("no such type was offered")));
}

TEST(NearestSlicesTest, MoreThanAPodIsExplained) {
  EXPECT_THAT(
      FindSlice("v3-4096"),
      StatusIs(kInvalid, HasSubstr("the largest v3 slice has 2048 cores")));
}

TEST(NearestSlicesTest, AnyTextGivesOneShortPrintableLine) {
  const std::string binary("\x00\n\xff v3", 6);
  for (const std::string& typed :
       {std::string(), binary, std::string(100'000, 'v'), std::string("-"),
        std::string("v3-"), std::string("-32"), std::string("v3--32")}) {
    const auto found = FindSlice(typed);
    ASSERT_FALSE(found.ok());
    EXPECT_LT(found.status().message().size(), 500);
    EXPECT_THAT(std::string(found.status().message()),
                Each(AllOf(::testing::Ge(' '), ::testing::Le('~'))));
    EXPECT_FALSE(NearestSlices(typed).empty());
  }
}

}  // namespace
}  // namespace podsim
