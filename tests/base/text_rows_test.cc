// Rows that fit a number of lines.
#include "base/text_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podsim {
namespace {

std::string Line(const TextRow& row) { return row.label + row.text + "\n"; }

TEST(TextRowsTest, TheHighestRankIsLeftOutFirst) {
  const std::vector<TextRow> rows = {
      {"a", ""}, {"b", "", 1}, {"c", "", 3}, {"d", "", 3}, {"e", "", 2}};
  EXPECT_EQ(FitRows(rows, Line, kAllLines), "a\nb\nc\nd\ne\n");
  EXPECT_EQ(FitRows(rows, Line, 5), "a\nb\nc\nd\ne\n");
  EXPECT_EQ(FitRows(rows, Line, 4), "a\nb\nc\ne\n");
  EXPECT_EQ(FitRows(rows, Line, 3), "a\nb\ne\n");
  EXPECT_EQ(FitRows(rows, Line, 1), "a\n");
}

TEST(TextRowsTest, RankZeroStays) {
  EXPECT_EQ(FitRows({{"a", ""}, {"b", ""}}, Line, 1), "a\nb\n");
  EXPECT_EQ(FitRows({}, Line, 1), "");
}

TEST(TextRowsTest, ARowBecomesBriefBeforeItIsLeftOut) {
  const std::vector<TextRow> rows = {
      {.label = "a", .text = "1\n2\n3", .brief = "1\n2", .brief_rank = 3},
      {.label = "b", .text = "", .rank = 2},
      {.label = "c", .text = "1\n2", .rank = 1, .brief = "1", .brief_rank = 4},
      {.label = "d", .text = ""}};
  EXPECT_EQ(FitRows(rows, Line, kAllLines), "a1\n2\n3\nb\nc1\n2\nd\n");
  EXPECT_EQ(FitRows(rows, Line, 6), "a1\n2\n3\nb\nc1\nd\n");
  EXPECT_EQ(FitRows(rows, Line, 5), "a1\n2\nb\nc1\nd\n");
  EXPECT_EQ(FitRows(rows, Line, 4), "a1\n2\nc1\nd\n");
  EXPECT_EQ(FitRows(rows, Line, 1), "a1\n2\nd\n");
}

TEST(TextRowsTest, LinesOfARowCount) {
  EXPECT_EQ(FitRows({{"a", ""}, {"b", "1\n2\n3", 1}, {"c", "", 2}}, Line, 4),
            "a\nb1\n2\n3\n");
  EXPECT_EQ(FitRows({{"a", ""}, {"b", "1\n2\n3", 2}, {"c", "", 1}}, Line, 4),
            "a\nc\n");
}

}  // namespace
}  // namespace podsim
