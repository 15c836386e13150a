#include "base/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace podsim {
namespace {

using namespace std::string_literals;

TEST(PrintableTest, TextStaysAsItIs) {
  for (const std::string& text :
       {""s, "step 12/500, loss: 0.0034"s, "runs/größe/模型 – µs\tü\n2nd"s,
        "\\x1b as typed"s, "\U0001F600"s, "\xc2\xa0"s})
    EXPECT_EQ(Printable(text), text);
}

TEST(PrintableTest, WhatControlsATerminalIsEscaped) {
  EXPECT_EQ(Printable("a\x1b[31mred\x1b[0m"), "a\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(Printable("good\rbad \b\a\x7f"s), "good\\x0dbad \\x08\\x07\\x7f");
  EXPECT_EQ(Printable("nul\0nul"s), "nul\\x00nul");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b"
            "31m")
      << "CSI as C1";
  EXPECT_EQ(Printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xae"
            "b")
      << "right to left from here on";
}

TEST(PrintableTest, BytesThatAreNoUtf8AreEscaped) {
  EXPECT_EQ(Printable("\x9b"
                      "2J"),
            "\\x9b2J")
      << "CSI of an 8-bit terminal";
  EXPECT_EQ(Printable("\xff"), "\\xff");
  EXPECT_EQ(Printable("cut \xe2\x82"), "cut \\xe2\\x82");
  EXPECT_EQ(Printable("\xc3("), "\\xc3(");
  EXPECT_EQ(Printable("\xc0\x9b"), "\\xc0\\x9b") << "longer than needed";
  EXPECT_EQ(Printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(PrintableTest, OneLineKeepsToOneLine) {
  EXPECT_EQ(PrintableLine("error\nFAILED: host7\ttoo"),
            "error\\nFAILED: host7\ttoo");
}

// Whatever comes in, only text that stays as it is comes out.
TEST(PrintableTest, EveryPairOfBytesBecomesText) {
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first),
                                static_cast<char>(second)};
      const std::string shown = Printable(text);
      ASSERT_EQ(Printable(shown), shown) << first << " " << second;
      ASSERT_EQ(shown.find('\x1b'), std::string::npos);
    }
}

}  // namespace
}  // namespace podsim
