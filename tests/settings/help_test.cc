#include "settings/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/job.pb.h"
#include "proto/programs.pb.h"
#include "settings/programs.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HelpTest : public ::testing::TestWithParam<const MainProgram*> {};

TEST_P(HelpTest, FitsIntoEightyColumns) {
  const std::string help = FormatHelp(*GetParam());
  for (const absl::string_view line : absl::StrSplit(help, '\n'))
    EXPECT_LE(line.size(), 80u) << line;
  EXPECT_THAT(help, Not(HasSubstr("\n\n\n")));
  EXPECT_TRUE(absl::EndsWith(help, ".\n"));
}

TEST_P(HelpTest, TheShortOneFitsAScreen) {
  const std::string help = FormatShortHelp(*GetParam());
  const std::vector<std::string> lines = absl::StrSplit(help, '\n');
  EXPECT_LE(lines.size() - 1, static_cast<std::size_t>(kShortHelpLines));
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_THAT(help, Not(HasSubstr("\n\n\n")));
  EXPECT_LT(help.find("Examples:\n"), help.find("Usage: "));
  EXPECT_THAT(help, HasSubstr(absl::StrCat(
                        "--help=all lists all ", FlagsOf(*GetParam()).size(),
                        " settings, as does docs/flags.md.\n")));
}

// Each flag of the short help, and each that must be given.
TEST_P(HelpTest, TheShortOneHasWhatIsNeeded) {
  const std::string help = FormatShortHelp(*GetParam());
  int shown = 0;
  for (const Flag& flag : FlagsOf(*GetParam())) {
    const Setting& rule = SettingOf(*flag.field);
    if (rule.required()) EXPECT_NE(rule.brief(), "") << FlagOf(*flag.field);
    if (rule.brief().empty()) continue;
    ++shown;
    EXPECT_THAT(help, HasSubstr(FlagOf(*flag.field)));
    EXPECT_THAT(help, HasSubstr(rule.brief()));
  }
  EXPECT_GE(shown, 2);
}

TEST_P(HelpTest, ExamplesStandFirst) {
  const std::string help = FormatHelp(*GetParam());
  EXPECT_LT(help.find("Examples:\n"), help.find("Usage: "));
}

TEST_P(HelpTest, NamesEveryFlag) {
  const std::string help = FormatHelp(*GetParam());
  for (const Flag& flag : FlagsOf(*GetParam())) {
    for (const std::string& name : NamesOf(flag))
      EXPECT_THAT(help, HasSubstr(name));
    for (const Word& word : WordsOf(*flag.field))
      EXPECT_THAT(help, HasSubstr(word.text));
  }
  EXPECT_THAT(help, HasSubstr("--version"));
}

TEST_P(HelpTest, VersionNamesTheProgram) {
  EXPECT_THAT(FormatVersion(*GetParam()), HasSubstr(GetParam()->name));
}

INSTANTIATE_TEST_SUITE_P(All, HelpTest, ::testing::ValuesIn(AllPrograms()),
                         [](const auto& info) {
                           return std::string(info.param->name);
                         });

TEST(ExplainTest, KindsOfAFileAreExplained) {
  const std::string text =
      Explain(*LaunchSettings::descriptor()->FindFieldByName("faults"));
  EXPECT_THAT(text, HasSubstr("Kinds: KILL (the host's process gets SIGKILL)"));
  EXPECT_THAT(text, HasSubstr(" or CORRUPT_WEIGHTS (bits of its weights"));
}

TEST(ExplainTest, WordsAreJoined) {
  const auto* wrap = JobSpec::descriptor()->FindFieldByName("wrap");
  EXPECT_EQ(Explain(*wrap), "Whether grid axes wrap: auto, torus or mesh");
  EXPECT_EQ(DefaultOf(*wrap), "auto");
}

}  // namespace
}  // namespace podsim
