// results.jsonl: there and back, and damaged.
#include "runtime/ladder/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/runtime/ladder/made_climb.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::FailedClimb;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

LadderResults Made() {
  return ResultsOf(FailedClimb(), {{"model", "mlp"}, {"seed", "3"}});
}

TEST(ResultsFileTest, ComesBackAsItWas) {
  const LadderResults made = Made();
  ASSERT_OK_AND_ASSIGN(const LadderResults read,
                       ParseResults(FormatResults(made), "r"));
  EXPECT_EQ(read.settings, made.settings);
  EXPECT_THAT(read.verdicts, ElementsAre("passed", "loss"));
  ASSERT_EQ(read.rungs.size(), 2u);
  EXPECT_EQ(read.rungs[0].plan.slice, "v3-8");
  EXPECT_EQ(read.rungs[1].plan.learning_rate, made.rungs[1].plan.learning_rate);
  ASSERT_EQ(read.rungs[0].runs.size(), 3u);
  EXPECT_EQ(read.rungs[0].runs[2].seed, 2u);
  EXPECT_EQ(read.rungs[0].runs[2].eval_loss, 0.12);
  EXPECT_EQ(read.rungs[1].runs[0].sim_step_most, 0.005);
  // Every field of it.
  EXPECT_EQ(FormatResults(read), FormatResults(made));
}

TEST(ResultsFileTest, ANumberThatIsNoneComesBack) {
  LadderResults made = Made();
  made.rungs[1].runs[0].last_loss = NAN;
  made.rungs[1].runs[0].eval_loss.reset();
  ASSERT_OK_AND_ASSIGN(const LadderResults read,
                       ParseResults(FormatResults(made), "r"));
  EXPECT_TRUE(std::isnan(read.rungs[1].runs[0].last_loss));
  EXPECT_FALSE(read.rungs[1].runs[0].eval_loss.has_value());
}

TEST(ResultsFileTest, IsWrittenAndReadAsAFile) {
  const testing::TempDir folder;
  const std::string path = folder.file("results.jsonl");
  EXPECT_TRUE(absl::IsNotFound(ReadResults(path).status()));
  ASSERT_TRUE(WriteResults(path, {.settings = {{"model", "mlp"}}}).ok());
  ASSERT_TRUE(WriteResults(path, Made()).ok());
  ASSERT_OK_AND_ASSIGN(const LadderResults read, ReadResults(path));
  EXPECT_EQ(read.rungs.size(), 2u);
}

// Wherever it is cut within a line, that line is named.
TEST(ResultsFileTest, DamageIsNamed) {
  const std::string text = FormatResults(Made());
  const std::size_t second = text.find('\n') + 1;
  const auto damaged = [](const std::string& line) {
    return StatusIs(
        kDataLoss,
        AllOf(HasSubstr(absl::StrCat("r line ", line, " is damaged")),
              HasSubstr("--ladder_dir"), Not(HasSubstr("\n"))));
  };
  EXPECT_THAT(ParseResults(text.substr(0, second + 20), "r").status(),
              damaged("2"));
  EXPECT_THAT(ParseResults(text.substr(0, text.size() - 3), "r").status(),
              damaged("3"));
  EXPECT_THAT(ParseResults("", "r").status(), damaged("1"));
  EXPECT_THAT(ParseResults("[1]\n", "r").status(), damaged("1"));
  // Of a metrics file.
  EXPECT_THAT(ParseResults("{\"event\":\"plan\"}\n", "r").status(),
              damaged("1"));
  EXPECT_THAT(
      ParseResults(text.substr(0, second) + "{\"slice\":\"v3-8\"}\n", "r")
          .status(),
      damaged("2"));
}

TEST(ResultsFileTest, DifferencesAreNamed) {
  EXPECT_EQ(DifferenceOf({{"a", "1"}}, {{"a", "1"}}), "");
  EXPECT_EQ(DifferenceOf({{"a", "1"}, {"b", "2"}}, {{"a", "1"}, {"b", "3"}}),
            "b is 2, and was 3 there");
  EXPECT_EQ(DifferenceOf({{"a", "1"}, {"b", "2"}}, {{"b", "3"}}),
            "a is 1, and was not given there; b is 2, and was 3 there");
  EXPECT_EQ(DifferenceOf({{"a", "1"}}, {}), "a is 1, and was not given there");
  EXPECT_EQ(DifferenceOf({}, {{"a", "1"}}), "a is not given, and was 1 there");
}

TEST(ResultsFileTest, SettingsThatChangeNoResultAreLeftOut) {
  JobSpec job;
  job.set_topology("v3-32");
  job.set_learning_rate(0.25);
  job.set_train_steps(100);
  job.set_processes(4);
  job.set_stall_timeout(20);
  job.set_data_dir("/somewhere");
  EXPECT_THAT(TextsOfJob(job), ElementsAre(Pair("learning_rate", "0.25"),
                                           Pair("train_steps", "100")));
}

}  // namespace
}  // namespace podsim
