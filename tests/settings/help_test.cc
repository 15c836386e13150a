#include "settings/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "proto/job.pb.h"
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

TEST(ExplainTest, WordsAreJoined) {
  const auto* wrap = JobSpec::descriptor()->FindFieldByName("wrap");
  EXPECT_EQ(Explain(*wrap), "Whether grid axes wrap: auto, torus or mesh");
  EXPECT_EQ(DefaultOf(*wrap), "auto");
}

}  // namespace
}  // namespace podsim
