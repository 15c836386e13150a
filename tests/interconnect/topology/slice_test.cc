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

using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// A row of the published table, written down a second time from the source.
struct Row {
  const char* name;
  int cores;
  int chips;
  Coordinate grid;
  int hosts;
  Coordinate host_grid;
  int total_hbm_gib;
  bool wrap_x;
  bool wrap_y;
};

constexpr Row kTable[] = {
    {"v2-8", 8, 4, {2, 2}, 1, {1, 1}, 64, false, false},
    {"v2-32", 32, 16, {4, 4}, 4, {2, 2}, 256, false, false},
    {"v2-128", 128, 64, {8, 8}, 16, {4, 4}, 1024, false, false},
    {"v2-256", 256, 128, {8, 16}, 32, {4, 8}, 2048, false, true},
    {"v2-512", 512, 256, {16, 16}, 64, {8, 8}, 4096, true, true},
    {"v3-8", 8, 4, {2, 2}, 1, {1, 1}, 128, false, false},
    {"v3-32", 32, 16, {4, 4}, 4, {2, 2}, 512, false, false},
    {"v3-64", 64, 32, {4, 8}, 8, {2, 4}, 1024, false, false},
    {"v3-128", 128, 64, {8, 8}, 16, {4, 4}, 2048, false, false},
    {"v3-256", 256, 128, {8, 16}, 32, {4, 8}, 4096, false, false},
    {"v3-512", 512, 256, {16, 16}, 64, {8, 8}, 8192, false, false},
    {"v3-1024", 1024, 512, {16, 32}, 128, {8, 16}, 16384, false, true},
    {"v3-2048", 2048, 1024, {32, 32}, 256, {16, 16}, 32768, true, true},
};

class SliceTableTest : public ::testing::TestWithParam<Row> {};

TEST_P(SliceTableTest, IsAsPublished) {
  const Row& row = GetParam();
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(row.name));
  EXPECT_EQ(slice.name, row.name);
  EXPECT_EQ(slice.generation, std::string(row.name).substr(0, 2));
  EXPECT_EQ(slice.cores, row.cores);
  EXPECT_EQ(slice.chips, row.chips);
  EXPECT_EQ(slice.hosts, row.hosts);
  EXPECT_EQ(slice.grid, row.grid);
  EXPECT_EQ(slice.host_grid, row.host_grid);
  EXPECT_EQ(slice.wrap_x, row.wrap_x);
  EXPECT_EQ(slice.wrap_y, row.wrap_y);
  EXPECT_EQ(slice.chip().hbm_bytes_per_core * slice.cores,
            std::int64_t{row.total_hbm_gib} << 30);
}

TEST_P(SliceTableTest, CoordinatesAreBijective) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(GetParam().name));
  std::set<std::pair<int, int>> chips;
  for (int host = 0; host < slice.hosts; ++host) {
    EXPECT_EQ(HostAt(slice, HostCoordinate(slice, host)), host);
    for (int chip = 0; chip < kChipsPerHost; ++chip) {
      const Coordinate at = ChipCoordinate(slice, host, chip);
      ASSERT_TRUE(at.x >= 0 && at.x < slice.grid.x);
      ASSERT_TRUE(at.y >= 0 && at.y < slice.grid.y);
      EXPECT_EQ(HostAt(slice, {at.x / 2, at.y / 2}), host);
      chips.insert({at.x, at.y});
    }
  }
  EXPECT_THAT(chips, SizeIs(slice.chips));
}

TEST_P(SliceTableTest, SaysHowSureTheWrapIs) {
  const Row& row = GetParam();
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(row.name));
  EXPECT_THAT(slice.wrap_note, HasSubstr(row.wrap_x ? "sure: " : "assumed: "));
  EXPECT_THAT(slice.wrap_note, Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(All, SliceTableTest, ::testing::ValuesIn(kTable));

TEST(SliceTest, NamesAreThoseOfTheTableInOrder) {
  std::vector<std::string> names;
  for (const Row& row : kTable) names.emplace_back(row.name);
  EXPECT_EQ(SliceNames(), names);
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
                       FindSlice("v3-32", WrapPolicy::kTorus));
  EXPECT_TRUE(torus.wrap_x && torus.wrap_y);
  EXPECT_THAT(torus.wrap_note, HasSubstr("--wrap=torus"));
  ASSERT_OK_AND_ASSIGN(const Slice mesh,
                       FindSlice("v3-2048", WrapPolicy::kMesh));
  EXPECT_FALSE(mesh.wrap_x || mesh.wrap_y);
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
        Near{"v4-32", {"v3-32", "v2-32"}}, Near{"v2-2048", {"v2-512"}},
        Near{"V3_64", {"v3-64", "v3-128"}}, Near{"v332", {"v3-32"}},
        Near{"v3-512x", {"v3-512"}},
        Near{"v3-99999999999999999999", {"v3-1024", "v3-128", "v3-2048"}}));

TEST(NearestSlicesTest, V316IsExplained) {
  EXPECT_THAT(FindSlice("v3-16"),
              StatusIs(kInvalid, HasSubstr("no such type was offered")));
}

TEST(NearestSlicesTest, MoreThanAPodIsExplained) {
  EXPECT_THAT(FindSlice("v3-4096"),
              StatusIs(kInvalid, HasSubstr("a full v3 pod has 2048 cores")));
}

TEST(NearestSlicesTest, AnyTextGivesOneShortPrintableLine) {
  const std::string binary("\x00\n\xff v3", 6);
  for (const std::string& typed :
       {std::string(), binary, std::string(100'000, 'v'), std::string("-"),
        std::string("v3-"), std::string("-32"), std::string("v3--32")}) {
    const auto found = FindSlice(typed);
    ASSERT_FALSE(found.ok());
    EXPECT_LT(found.status().message().size(), 400);
    EXPECT_THAT(std::string(found.status().message()),
                Each(AllOf(::testing::Ge(' '), ::testing::Le('~'))));
    EXPECT_FALSE(NearestSlices(typed).empty());
  }
}

}  // namespace
}  // namespace podsim
