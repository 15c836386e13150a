// The launcher's small text pieces: nearest names and line splitting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/launch/nearest_names.h"
#include "runtime/pod/line_splitter.h"

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TypingDistanceTest, CountsSlips) {
  EXPECT_EQ(TypingDistance("", ""), 0);
  EXPECT_EQ(TypingDistance("", "abc"), 3);
  EXPECT_EQ(TypingDistance("kitten", "sitting"), 3);
  EXPECT_EQ(TypingDistance("sede", "seed"), 1);  // a swap
  EXPECT_EQ(TypingDistance("log-dir", "log_dir"), 0);
}

TEST(NearestNamesTest, NearestFirstAndNoStrangers) {
  const std::vector<std::string> names = {
      "seed", "model", "epochs", "hidden", "train_steps", "train_batch_size"};
  EXPECT_THAT(NearestNames("sede", names), ElementsAre("seed"));
  EXPECT_THAT(NearestNames("epoch", names), ElementsAre("epochs"));
  EXPECT_THAT(NearestNames("train", names),
              ElementsAre("train_steps", "train_batch_size"));
  EXPECT_THAT(NearestNames("zzz", names), IsEmpty());
}

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
