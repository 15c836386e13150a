#include "settings/typography.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podsim {
namespace {

struct Pasted {
  const char* text;
  const char* name;  // of its first character of typography
  const char* typed;
};

class TypographyTest : public ::testing::TestWithParam<Pasted> {};

TEST_P(TypographyTest, IsNamedAndTypedAgain) {
  const auto first = FirstTypographic(GetParam().text);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->name, GetParam().name);
  EXPECT_EQ(AsTyped(GetParam().text), GetParam().typed);
}

INSTANTIATE_TEST_SUITE_P(
    All, TypographyTest,
    ::testing::Values(
        Pasted{"–-topology", "a long dash (U+2013)", "--topology"},
        Pasted{"—topology", "a long dash (U+2014)", "-topology"},
        Pasted{"3e−4", "a minus sign of typography (U+2212)", "3e-4"},
        Pasted{"v3‑8", "a non-breaking hyphen (U+2011)", "v3-8"},
        Pasted{"“v3-8”", "a curly quotation mark (U+201C)", "v3-8"},
        Pasted{"‘v3-8’", "a curly quotation mark (U+2018)", "v3-8"},
        Pasted{"--epochs\u00a05", "a no-break space (U+00A0)", "--epochs 5"},
        Pasted{"v3\u200b-8", "an invisible character (U+200B)", "v3-8"},
        Pasted{"\ufeffv3-8", "an invisible character (U+FEFF)", "v3-8"},
        Pasted{"v3-8…v3-64", "an ellipsis (U+2026)", "v3-8..v3-64"},
        Pasted{"4×4", "a multiplication sign (U+00D7)", "4x4"},
        Pasted{"ｖ３-8", "a full-width character (U+FF56)", "v3-8"}));

TEST(TypographyTest, OtherTextHasNone) {
  for (const char* text :
       {"", "--topology", "naïve", "日本", "\xe2\x80", "\xff"})
    EXPECT_FALSE(FirstTypographic(text).has_value()) << text;
}

TEST(TypographyTest, QuotesOfALineStay) {
  EXPECT_EQ(LineAsTyped("topology: “v3‑8”"), "topology: \"v3-8\"");
}

}  // namespace
}  // namespace podsim
