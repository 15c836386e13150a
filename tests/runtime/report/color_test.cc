#include "runtime/report/color.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(ColorTest, OnlyWhereATerminalHasItAndNobodyForbidsIt) {
  EXPECT_TRUE(WantsColor("xterm", nullptr));
  EXPECT_TRUE(WantsColor("xterm", ""));
  EXPECT_FALSE(WantsColor("xterm", "1"));
  EXPECT_FALSE(WantsColor("xterm", "0"));
  EXPECT_FALSE(WantsColor("dumb", nullptr));
  EXPECT_FALSE(WantsColor("", nullptr));
  EXPECT_FALSE(WantsColor(nullptr, nullptr));
}

TEST(ColorTest, MarksTheWordThatALineBeginsWith) {
  EXPECT_EQ(Colored("WARNING     few steps\n  warning: x\n"),
            "\x1b[1;33mWARNING\x1b[0m     few steps\n"
            "  \x1b[1;33mwarning:\x1b[0m x\n");
  EXPECT_EQ(Colored("---\nFAILED: host1\n"),
            "---\n\x1b[1;31mFAILED:\x1b[0m host1\n");
  EXPECT_EQ(Colored("error: no"), "\x1b[1;31merror:\x1b[0m no");
  const char* plain = "no WARNING here\n  hint  FAILED: x\nFAILEDxy\n";
  EXPECT_EQ(Colored(plain), plain);
}

}  // namespace
}  // namespace podsim
