// What is said of a refusal whose cause is a character of typography.
#include "settings/pasted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "proto/job.pb.h"
#include "proto/programs.pb.h"
#include "settings/command_line.h"
#include "settings/programs.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;

// What pod_launch would say of its command line.
absl::Status Refused(const std::vector<std::string>& args,
                     const Variables& variables = {}) {
  JobSpec spec;
  LaunchSettings settings;
  ElsewhereSettings elsewhere;
  MonitorSettings monitor;
  return NamePasted(ParseCommandLine(PodLaunch(), args, variables,
                                     {&spec, &settings, &elsewhere, &monitor})
                        .status(),
                    PodLaunch(), args, variables);
}

struct Paste {
  std::vector<std::string> args;
  const char* said;
};

class PastedTest : public ::testing::TestWithParam<Paste> {};

TEST_P(PastedTest, SaysWhichCharacterAndWhatToType) {
  EXPECT_THAT(Refused(GetParam().args), StatusIs(kInvalid, GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    All, PastedTest,
    ::testing::Values(
        Paste{{"--dry_run", "–-topology", "v3-8"},
              "\"–-topology\" begins with a long dash (U+2013), as pages and "
              "word processors write it; type two hyphens: --topology"},
        Paste{{"—topology", "v3-8"},
              "\"—topology\" begins with a long dash (U+2014), as pages and "
              "word processors write it; type two hyphens: --topology"},
        Paste{{"–dry_run"},
              "\"–dry_run\" begins with a long dash (U+2013), as pages and "
              "word processors write it; type two hyphens: --dry_run"},
        Paste{{"–b", "8"},
              "\"–b\" begins with a long dash (U+2013), as pages and word "
              "processors write it; type a hyphen: -b"},
        Paste{{"--train‑steps=5"},
              "\"--train‑steps=5\" has a non-breaking hyphen (U+2011), as "
              "pages and word processors write it; type a hyphen: "
              "--train-steps=5"},
        Paste{{"--learning_rate", "3e−4"},
              "--learning_rate is \"3e−4\", with a minus sign of typography "
              "(U+2212), as pages and word processors write it; type a hyphen: "
              "3e-4"},
        Paste{{"--train_steps=1\u00a0000"},
              "--train_steps is \"1\u00a0000\", with a no-break space "
              "(U+00A0), as pages and word processors write it; leave it "
              "out: 1000"},
        Paste{{"--wrap", "“torus”"},
              "--wrap is \"“torus”\", with a curly quotation mark (U+201C), as "
              "pages and word processors write it; type straight quotes, or "
              "none: torus"},
        Paste{{"--epochs\u00a05"},
              "\"--epochs\u00a05\" has a no-break space (U+00A0), as pages and "
              "word processors write it; type an ordinary space: --epochs 5"},
        Paste{{"\u00a0--dry_run"},
              "\"\u00a0--dry_run\" begins with a no-break space (U+00A0), as "
              "pages and word processors write it; leave it out: --dry_run"},
        Paste{{"--seed=\u200b7"},
              "--seed is \"\u200b7\", with an invisible character (U+200B), as "
              "pages and word processors write it; leave it out: 7"}));

// "\\ --dry_run" of a shell, and a \\ with a blank behind it at the end of a
// line.
INSTANTIATE_TEST_SUITE_P(
    LeadingBlanks, PastedTest,
    ::testing::Values(
        Paste{{"--topology", "v3-8", " --dry_run"},
              "\" --dry_run\" begins with a blank: a \\ that continues a line "
              "must be the last character of its line; leave out \"\\ \", or "
              "write --dry_run without the blank"},
        Paste{{"--model_dir", " --dry_run"},
              "\" --dry_run\" begins with a blank: a \\ that continues a line "
              "must be the last character of its line; leave out \"\\ \", or "
              "write --dry_run without the blank"},
        Paste{{"--wrap", " torus"},
              "\" torus\" begins with a blank: a \\ that continues a line must "
              "be the last character of its line; leave out \"\\ \", or write "
              "torus without the blank"},
        Paste{
            {"--wrap=torus", " "},
            "\" \" is a blank and no more: a \\ that continues a line must be "
            "the last character of its line; delete the blanks behind it"},
        Paste{
            {"--model_dir", " "},
            "\" \" is a blank and no more: a \\ that continues a line must be "
            "the last character of its line; delete the blanks behind "
            "it"}));

TEST(NamePastedTest, AVariableIsNamed) {
  EXPECT_THAT(
      Refused({}, {{"PODSIM_LEARNING_RATE", "3e−4"}}),
      StatusIs(kInvalid,
               "PODSIM_LEARNING_RATE is \"3e−4\", with a minus sign of "
               "typography (U+2212), as pages and word processors write it; "
               "type a hyphen: 3e-4"));
}

TEST(NamePastedTest, AValueOfAFileIsNamedWithItsLine) {
  EXPECT_THAT(
      NamePasted(absl::InvalidArgumentError(
                     "topology: no slice is called 'v3–8'; nearest: v3-8 (from "
                     "k.txt line 3)"),
                 PodLaunch(), {"--job=k.txt"}, {},
                 {{"topology", "k.txt line 3"}}),
      StatusIs(kInvalid,
               "topology is \"v3–8\", with a long dash (U+2013), as pages and "
               "word processors write it; type a hyphen: v3-8 (from k.txt line "
               "3)"));
}

TEST(NamePastedTest, ARefusalOfSomethingElseStaysAsItIs) {
  EXPECT_THAT(Refused({"--seed=x", "--model_dir=my–run"}),
              StatusIs(kInvalid,
                       "--seed is \"x\"; give a whole number from 0 "
                       "up"));
  const absl::Status fine;
  EXPECT_TRUE(NamePasted(fine, PodLaunch(), {"--model_dir=my–run"}).ok());
}

// The refusal is of the other one.
TEST(NamePastedTest, AValueMayBeginWithABlank) {
  EXPECT_THAT(
      Refused({"--seed=x", "--features= features=a:float32, labels=b:int64"}),
      StatusIs(kInvalid, "--seed is \"x\"; give a whole number from 0 up"));
}

TEST(NamePastedTest, APathMayHaveSuchCharacters) {
  const TempDir dir;
  const std::string path = dir.file("my–model");
  const absl::Status refused =
      absl::InvalidArgumentError("there is no model in " + path);
  EXPECT_THAT(
      NamePasted(refused, PodProgram(), {"show", path}),
      StatusIs(kInvalid, "there is no model in " + path + "; \"" + path +
                             "\" has a long dash (U+2013): if that is "
                             "not in its name, type a hyphen: " +
                             dir.file("my-model")));
  std::ofstream(path) << "x";
  EXPECT_EQ(NamePasted(refused, PodProgram(), {"show", path}), refused);
}

}  // namespace
}  // namespace podsim
