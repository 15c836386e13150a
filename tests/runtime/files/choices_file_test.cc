// Tables of algorithms as text, by themselves and within a job.
#include "runtime/files/choices_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "interconnect/collectives/choice_table.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<ChoiceRow> kRows = {
    {.most_ranks = 4, .most_bytes = 2048, .algorithm = Algorithm::kDirect},
    {.most_ranks = 4, .algorithm = Algorithm::kTorus2d},
    {.collective = Collective::kAllGather, .algorithm = Algorithm::kDirect}};

std::string Serialized(
    const google::protobuf::RepeatedPtrField<AlgorithmChoice>& choices) {
  JobSpec spec;
  *spec.mutable_choices() = choices;
  return spec.SerializeAsString();
}

TEST(PrintChoicesTest, IsARowALineThatIsReadBack) {
  const std::string text = PrintChoices(kRows);
  EXPECT_THAT(text, StartsWith("choices { collective: \"all_reduce\" "
                               "most_ranks: 4 most_bytes: 2048 algorithm: "
                               "\"direct\" }\nchoices { "));
  ASSERT_OK_AND_ASSIGN(const auto choices,
                       ParseChoices("# measured\n" + text, "x"));
  ASSERT_EQ(choices.size(), 3);
  for (int i = 0; i < choices.size(); ++i) {
    EXPECT_EQ(choices[i].SerializeAsString(),
              MessageOf(kRows[i]).SerializeAsString());
  }
}

TEST(PrintChoicesTest, FilesMayFollowOneAnother) {
  const std::string text = PrintChoices(kRows);
  EXPECT_EQ(ParseChoices(text + "# more ranks\n" + text, "x")->size(), 6);
}

TEST(PrintChoicesTest, ItsRowsMayStandInAJob) {
  const JobSpec spec = testing::Spec("seed: 1\n" + PrintChoices(kRows));
  EXPECT_EQ(Serialized(spec.choices()),
            Serialized(*ParseChoices(PrintChoices(kRows), "x")));
  EXPECT_EQ(testing::Spec(PrintJob(spec)).SerializeAsString(),
            spec.SerializeAsString());
}

struct Bad {
  const char* text;
  const char* begins;
  const char* says;
};

class BadChoicesTest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadChoicesTest, NamesFileAndPlaceInOneLine) {
  const auto choices = ParseChoices(GetParam().text, "my.txt");
  EXPECT_THAT(choices, StatusIs(kInvalid, AllOf(StartsWith(GetParam().begins),
                                                HasSubstr(GetParam().says),
                                                Not(HasSubstr("\n")))));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadChoicesTest,
    ::testing::Values(
        Bad{"", "my.txt: ", "without a row; write one by pod_bench"},
        Bad{"# nothing but words\n", "my.txt: ", "without a row"},
        Bad{"\nchoises {}", "my.txt:2:", "is written as choices { "},
        Bad{"choices { most_bytes: x }",
            "my.txt:1:23:", "most_bytes is x; give a whole number"},
        Bad{"choices { collective: 'all_reduce' algorithm: 'rng' }",
            "my.txt: table of algorithms, row 1: ", "'rng'; there are ring, "},
        Bad{"choices { algorithm: 'ring' }",
            "my.txt: ", "no collective is called ''; there are all_reduce, "},
        Bad{"choices { collective: 'all_to_all' algorithm: 'ring' }",
            "my.txt: ", "ring does not do all_to_all"}));

TEST(ReadChoicesTest, ReadsAFileAndNamesOneThatIsMissing) {
  const TempDir dir;
  std::ofstream(dir.file("x")) << PrintChoices(kRows);
  ASSERT_OK_AND_ASSIGN(const auto choices, ReadChoices(dir.file("x")));
  EXPECT_EQ(choices.size(), 3);
  EXPECT_THAT(ReadChoices(dir.file("none")),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("there is no table of algorithms "),
                             HasSubstr("none"))));
}

}  // namespace
}  // namespace podsim
