#include "runtime/pod/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podsim {
namespace {

using ::testing::ElementsAre;

TEST(LineSplitterTest, LinesComeWhenTheyAreWhole) {
  LineSplitter splitter(100);
  EXPECT_THAT(splitter.Feed("one\ntw"), ElementsAre("one"));
  EXPECT_THAT(splitter.Feed("o\n\nthree"), ElementsAre("two", ""));
  EXPECT_EQ(splitter.TakeRest(), "three");
  EXPECT_EQ(splitter.TakeRest(), "");
}

TEST(LineSplitterTest, ByteByByteIsTheSame) {
  LineSplitter splitter(100);
  std::vector<std::string> lines;
  for (const char c : std::string("ab\n\ncd\n")) {
    for (std::string& line : splitter.Feed(std::string_view(&c, 1))) {
      lines.push_back(std::move(line));
    }
  }
  EXPECT_THAT(lines, ElementsAre("ab", "", "cd"));
}

TEST(LineSplitterTest, EndlessLinesComeInPieces) {
  LineSplitter splitter(4);
  EXPECT_THAT(splitter.Feed("abcdefghij\nk"),
              ElementsAre("abcd", "efgh", "ij"));
  EXPECT_EQ(splitter.TakeRest(), "k");
  EXPECT_THAT(splitter.Feed("abc\n"), ElementsAre("abc"));
}

TEST(LineSplitterTest, ALineOfExactlyTheLimitIsOneLine) {
  LineSplitter splitter(4);
  EXPECT_THAT(splitter.Feed("abcd\nef\n"), ElementsAre("abcd", "ef"));
}

}  // namespace
}  // namespace podsim
