// Text broken into lines.
#include "base/text_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace podsim {
namespace {

TEST(WrapSentenceTest, BreaksBetweenWords) {
  EXPECT_EQ(WrapSentence("aa bb cc", 2, 7), "aa bb\n  cc");
  EXPECT_EQ(WrapSentence("aa bb cc", 2, 8), "aa bb\n  cc");
  EXPECT_EQ(WrapSentence("aa bb cc", 2, 10), "aa bb cc");
  EXPECT_EQ(WrapSentence("", 2, 5), "");
}

TEST(WrapSentenceTest, LongWordsStandAlone) {
  EXPECT_EQ(WrapSentence("aaaaaaaaaa b", 2, 5), "aaaaaaaaaa\n  b");
  EXPECT_EQ(WrapSentence("b aaaaaaaaaa", 2, 5), "b\n  aaaaaaaaaa");
}

TEST(WrapSentenceTest, SpacesStayWhereNoLineEnds) {
  EXPECT_EQ(WrapSentence("aa  bb cc", 0, 6), "aa  bb\ncc");
  EXPECT_EQ(WrapSentence("a: 1\u00b5 2\u00b5", 0, 8), "a: 1\u00b5 2\u00b5");
}

TEST(WrapWordsTest, WordsMayHoldSpaces) {
  EXPECT_EQ(WrapWords({"0 >", "1 >", "0"}, 4, 11), "0 > 1 >\n    0");
  EXPECT_EQ(WrapWords({"0 >", "1 >", "0"}, 4, 13), "0 > 1 > 0");
  EXPECT_EQ(WrapWords({}, 4), "");
}

TEST(WrapTextTest, LinesThatFitStay) {
  EXPECT_EQ(WrapText("a  b\n   c\n", 20, LongWords::kCut), "a  b\n   c\n");
  EXPECT_EQ(WrapText("", 20, LongWords::kCut), "");
}

TEST(WrapTextTest, WhatFollowsALabelStaysBehindIt) {
  EXPECT_EQ(WrapText("  reason    the host did not answer any more\n  next  x",
                     30, LongWords::kCut),
            "  reason    the host did not\n"
            "            answer any more\n"
            "  next  x");
}

TEST(WrapTextTest, WithoutALabelItGoesALittleToTheRight) {
  EXPECT_EQ(
      WrapText("restarting, because a host was lost", 20, LongWords::kCut),
      "restarting, because\n"
      "    a host was lost");
  EXPECT_EQ(
      WrapText("      continued lines keep their begin", 20, LongWords::kCut),
      "      continued\n      lines keep\n      their begin");
}

TEST(WrapAroundCommandsTest, WhatIsIndentedStaysWhole) {
  EXPECT_EQ(WrapAroundCommands("start each process by\n"
                               "    pod_host --coordinator=node-a:8476\n"
                               "within a minute at most",
                               20, LongWords::kCut),
            "start each process\n    by\n"
            "    pod_host --coordinator=node-a:8476\n"
            "within a minute at\n    most");
}

TEST(WrapTextTest, NumbersKeepTheirUnits) {
  EXPECT_EQ(WrapText("it was paused for 12.5 ms, each", 23, LongWords::kCut),
            "it was paused for\n    12.5 ms, each");
  EXPECT_EQ(WrapText(absl::StrCat("it was paused for ", Tied("a long while")),
                     24, LongWords::kCut),
            "it was paused for\n    a long while");
}

TEST(WrapTextTest, LongWordsOverflowOrGetLinesOfTheirOwn) {
  const std::string hash(24, 'f');
  const std::string line = absl::StrCat("  hash      ", hash, " of it");
  EXPECT_EQ(WrapText(line, 30, LongWords::kOverflow),
            absl::StrCat("  hash      ", hash, "\n            of it"));
  EXPECT_EQ(WrapText(line, 30, LongWords::kCut),
            absl::StrCat("  hash\n    ", hash, "\n            of it"));
  // Pieces of like length, rather than one that is almost whole.
  EXPECT_EQ(WrapText(line, 24, LongWords::kCut),
            "  hash\n    ffffffffffff\n    ffffffffffff\n            of it");
  // Nowhere an empty line.
  EXPECT_EQ(WrapText(absl::StrCat(hash, " ", hash), 20, LongWords::kCut),
            "    ffffffffffff\n    ffffffffffff\n"
            "    ffffffffffff\n    ffffffffffff");
}

TEST(WrapTextTest, CountsCharactersNotBytes) {
  EXPECT_EQ(ColumnsOf("\u00e4\u00f6\u00fc"), 3);
  EXPECT_EQ(WrapText("\u00e4\u00e4\u00e4\u00e4\u00e4 \u00e4\u00e4\u00e4\u00e4 "
                     "\u00e4\u00e4\u00e4\u00e4 \u00e4\u00e4\u00e4\u00e4",
                     20, LongWords::kCut),
            "\u00e4\u00e4\u00e4\u00e4\u00e4 \u00e4\u00e4\u00e4\u00e4 "
            "\u00e4\u00e4\u00e4\u00e4 \u00e4\u00e4\u00e4\u00e4");
}

// Whatever comes: no line is too long, and no character but spaces is lost.
TEST(WrapTextTest, NothingIsLostAndNothingTooLong) {
  constexpr std::uint32_t kSeed = 3;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const auto without_spaces = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    std::string line(random() % 8, ' ');
    for (int word = static_cast<int>(random() % 12); word > 0; --word)
      absl::StrAppend(&line,
                      std::string(1 + random() % (word == 5 ? 60 : 9),
                                  static_cast<char>('a' + word)),
                      std::string(random() % 4 == 0 ? 3 : 1, ' '));
    const int width = 20 + static_cast<int>(random() % 60);
    const std::string wrapped = WrapText(line, width, LongWords::kCut);
    EXPECT_EQ(without_spaces(wrapped), without_spaces(line));
    if (ColumnsOf(line) <= width) continue;
    for (const std::string& part :
         std::vector<std::string>(absl::StrSplit(wrapped, '\n')))
      ASSERT_LE(ColumnsOf(part), width) << "'" << line << "'\n" << wrapped;
  }
}

}  // namespace
}  // namespace podsim
