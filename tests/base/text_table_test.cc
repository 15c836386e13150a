// Tables as wide as the screen.
#include "base/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TextTable Small() {
  return {.columns = {{.name = "slice", .left = true},
                      {.name = "size", .unit = "(B)", .rank = 1},
                      {.name = "eff", .rank = 2},
                      {.name = "bound by", .left = true}},
          .rows = {{"v3-8", "64", "100%", "compute"},
                   {"v3-2048", "16384", "7%", "it"}}};
}

TEST(TextTableTest, ColumnsAreAsWideAsTheirCells) {
  const TableText table = FormatTable(Small(), kAllColumns);
  EXPECT_EQ(table.text,
            "# slice   size   eff  bound by\n"
            "#          (B)\n"
            "v3-8        64  100%  compute\n"
            "v3-2048  16384    7%  it\n");
  EXPECT_THAT(table.left_out, IsEmpty());
}

TEST(TextTableTest, TheHighestRankIsLeftOutFirst) {
  EXPECT_THAT(FormatTable(Small(), 30).left_out, IsEmpty());
  const TableText narrow = FormatTable(Small(), 29);
  EXPECT_THAT(narrow.left_out, ElementsAre("eff"));
  EXPECT_EQ(narrow.text,
            "# slice   size  bound by\n"
            "#          (B)\n"
            "v3-8        64  compute\n"
            "v3-2048  16384  it\n");
  const TableText narrowest = FormatTable(Small(), 1);
  EXPECT_THAT(narrowest.left_out, ElementsAre("size", "eff"));
  EXPECT_EQ(narrowest.text.substr(0, narrowest.text.find('\n')),
            "# slice  bound by");
}

TEST(TextTableTest, CommentsAreBrokenAtWords) {
  EXPECT_EQ(CommentText("one two three four", 14),
            "# one two\n#   three four\n");
  EXPECT_EQ(CommentText("one two three four", kAllColumns),
            "# one two three four\n");
}

}  // namespace
}  // namespace podsim
