// What --describe prints: golden fragments, and bounds for every slice.
#include "interconnect/topology/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string DescribeName(const char* name) {
  return Describe(*FindSlice(name));
}

TEST(DescribeTest, V332) {
  const std::string text = DescribeName("v3-32");
  EXPECT_THAT(
      text,
      HasSubstr("v3-32: 32 cores = 4 hosts x 1 board x 4 chips x 2 cores\n"));
  EXPECT_THAT(text, HasSubstr("4x4 (x by y), 16 chips\n"));
  EXPECT_THAT(text,
              HasSubstr("16 GiB per core, 128 GiB per host, 512 GiB in all\n"));
  EXPECT_THAT(text, HasSubstr("no axis wraps\n              assumed: "));
  EXPECT_THAT(text, HasSubstr(R"(
      +--------------+--------------+
      | host 0       | host 1       |
 y  0 |   0,0   1,0  |   2,0   3,0  |
 y  1 |   0,1   1,1  |   2,1   3,1  |
      +--------------+--------------+
      | host 2       | host 3       |
 y  2 |   0,2   1,2  |   2,2   3,2  |
 y  3 |   0,3   1,3  |   2,3   3,3  |
      +--------------+--------------+
)"));
  EXPECT_THAT(text, HasSubstr("  ring        0 > 1 > 3 > 2 > 0\n"));
  EXPECT_THAT(text, HasSubstr("\n  TPU_HOST_BOUNDS=2,2,1\n"));
  EXPECT_THAT(text, HasSubstr("  host 3      TPU_WORKER_ID=3 "));
}

TEST(DescribeTest, OneHostHasNoRing) {
  const std::string text = DescribeName("v2-8");
  EXPECT_THAT(text, HasSubstr("8 cores = 1 host x 1 board"));
  EXPECT_THAT(text, HasSubstr("one host, nothing to send"));
  EXPECT_THAT(text, HasSubstr("\n  TPU_WORKER_ID=0\n"));
}

TEST(DescribeTest, AWholePodIsATableOfHosts) {
  const std::string text = DescribeName("v3-2048");
  EXPECT_THAT(text, HasSubstr("32 TiB in all"));
  EXPECT_THAT(text, HasSubstr("both axes wrap\n              sure: "));
  EXPECT_THAT(text, HasSubstr("   first chip x   0   2   4   6"));
  EXPECT_THAT(text, HasSubstr("\n   y    30-31   240 241 242 "));
  EXPECT_THAT(text,
              HasSubstr("TPU_WORKER_HOSTNAMES=host-0,host-1,...,host-255"));
  EXPECT_THAT(text, HasSubstr("253 hosts likewise"));
  EXPECT_THAT(text, HasSubstr("  host 255    TPU_WORKER_ID=255 "));
}

TEST(DescribeTest, PlanesOfAThreeDimensionalGrid) {
  const std::string text = DescribeName("v4-32");
  EXPECT_THAT(text, HasSubstr("v4-32: 32 cores = 4 hosts x 1 board x 4 chips x "
                              "2 cores\n"));
  EXPECT_THAT(text, HasSubstr("2x2x4 (x by y by z), 16 chips\n"));
  EXPECT_THAT(text, HasSubstr("counted per chip, whose 2 cores act as one: "
                              "16\n"));
  EXPECT_THAT(text, HasSubstr("32 GiB per chip, 128 GiB per host"));
  EXPECT_THAT(text, HasSubstr(R"(
   plane z 1
      +--------------+
      | host 1       |
 y  0 |   0,0   1,0  |
 y  1 |   0,1   1,1  |
      +--------------+
   plane z 2
)"));
  EXPECT_THAT(text, HasSubstr("  ring        0 > 1 > 2 > 3 > 0\n"));
}

TEST(DescribeTest, ManyPlanesAreCut) {
  const std::string text = DescribeName("v4-2048");
  EXPECT_THAT(text, HasSubstr("all axes wrap\n              by rule: "));
  EXPECT_THAT(text, HasSubstr("   plane z 1\n"));
  EXPECT_THAT(text, HasSubstr("   ... 13 planes likewise, host numbers 16 "
                              "higher from one to the next\n"
                              "   plane z 15\n"));
}

TEST(DescribeTest, OtherBoards) {
  EXPECT_THAT(DescribeName("v5litepod-8"), HasSubstr(R"(
      +--------------+
      | host 0       |
 y  0 |   0,0   1,0  |
 y  1 |   0,1   1,1  |
 y  2 |   0,2   1,2  |
 y  3 |   0,3   1,3  |
      +--------------+
)"));
  EXPECT_THAT(DescribeName("v5litepod-1"), HasSubstr(" y  0 |   0,0        |"));
}

class DescribeEveryTest : public ::testing::TestWithParam<std::string> {};

// But for tables of sixteen hosts across, and words that are longer.
TEST_P(DescribeEveryTest, FitsANarrowTerminal) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(GetParam()));
  const std::vector<std::string> lines =
      absl::StrSplit(Describe(slice, 60), '\n');
  for (const std::string& line : lines) {
    const bool table = line.rfind("   ", 0) == 0;
    const bool one_word =
        line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
    EXPECT_TRUE(table || one_word || line.size() <= 60) << line;
  }
}

TEST_P(DescribeEveryTest, FitsATerminalAndNamesEveryHost) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(GetParam()));
  const std::vector<std::string> lines = absl::StrSplit(Describe(slice), '\n');
  EXPECT_LE(lines.size(), 180);
  for (const std::string& line : lines) {
    const bool environment = line.rfind("  TPU_", 0) == 0;
    EXPECT_TRUE(environment || line.size() <= 80) << line;
    EXPECT_THAT(line, Not(::testing::EndsWith(" ")));
  }
  const std::string grid = absl::StrCat(DrawGrid(slice), " ");
  const int shown = slice.axes == 2 ? slice.hosts : 1;
  for (int host = 0; host < shown; ++host)
    EXPECT_THAT(grid,
                ::testing::ContainsRegex(absl::StrCat(" ", host, "[ \n]")));
}

INSTANTIATE_TEST_SUITE_P(All, DescribeEveryTest,
                         ::testing::ValuesIn(SliceNames()));

}  // namespace
}  // namespace podsim
