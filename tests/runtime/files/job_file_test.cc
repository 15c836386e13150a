// Jobs as text: parsing, printing, merging.
#include "runtime/files/job_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ParseJobTest, APythonFileIsNoJob) {
  EXPECT_THAT(ParseJob("import ml_collections\n", "config.py"),
              StatusIs(kInvalid,
                       "config.py is Python; a job is a text file, written as "
                       "\"train_steps: 100\", a field a line"));
}

TEST(ParseJobTest, ReadsFields) {
  ASSERT_OK_AND_ASSIGN(const JobSpec spec,
                       ParseJob("# a job\ntopology: \"v3-32\"  # slice\n"
                                "hidden: [512, 512]\nlearning_rate: 0.1\n",
                                "job"));
  EXPECT_EQ(spec.topology(), "v3-32");
  EXPECT_THAT(spec.hidden(), ElementsAre(512, 512));
  EXPECT_EQ(spec.learning_rate(), 0.1);
  EXPECT_FALSE(spec.has_train_steps());
}

struct BadJob {
  const char* text;
  const char* place;
  const char* why;
};

class BadJobTest : public ::testing::TestWithParam<BadJob> {};

TEST_P(BadJobTest, NamesFileLineAndColumn) {
  const auto spec = ParseJob(GetParam().text, "my.job");
  EXPECT_THAT(spec, StatusIs(kInvalid, StartsWith(GetParam().place)));
  EXPECT_THAT(spec, StatusIs(kInvalid, HasSubstr(GetParam().why)));
  EXPECT_THAT(spec, StatusIs(kInvalid, Not(HasSubstr("\n"))));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadJobTest,
    ::testing::Values(
        BadJob{"topology: \"v3-8\"\ntrain_stepz: 3",
               "my.job:2:", "train_stepz"},
        BadJob{"train_stepz: 3", "my.job:1:", "did you mean train_steps?"},
        BadJob{"algo: \"ring\"", "my.job:1:7:", "words stand without quotes"},
        BadJob{"algo: rings", "my.job:1:",
               "allowed: auto, ring, bidir_ring, torus2d, halving_doubling"},
        BadJob{"train_steps: x", "my.job:1:14:",
               "train_steps is x; give a whole number from 1 "
               "up"},
        BadJob{"learning_rate: fast", "my.job:1:16:",
               "learning_rate is fast; give a number, more "
               "than 0"},
        BadJob{"learning_rate: 0,1",
               "my.job:1:", "a number has a point: learning_rate: 0.1"},
        BadJob{"train_steps: 10k",
               "my.job:1:", "has no unit: train_steps: 10000"},
        BadJob{"train_steps: 1e4",
               "my.job:1:", "a number is written as train_steps: 10000"},
        BadJob{"bucket_bytes: many",
               "my.job:1:", "give a whole number of bytes, such as 4194304"},
        BadJob{"seed: -1",
               "my.job:1:7:", "seed is -1; give a whole number from 0 up"},
        BadJob{"twist: maybe",
               "my.job:1:", "twist is \"maybe\"; give true or false"},
        BadJob{"hidden: \"64,64\"",
               "my.job:1:9:", "a list stands in brackets: hidden: [64,64]"},
        BadJob{"hidden: 64,64",
               "my.job:1:", "a list stands in brackets: hidden: [64,64]"},
        BadJob{"bucket_bytes: 4M",
               "my.job:1:", "no unit: bucket_bytes: 4194304"},
        BadJob{"train_steps: 1,024", "my.job:1:", "as train_steps: 1024"},
        BadJob{"train_steps:\nseed: 1", "my.job:1:12:",
               "train_steps has no value; give a whole number from 1 up, as in "
               "train_steps: VALUE"},
        BadJob{"seed: 1\noptimizer:", "my.job:2:10:",
               "optimizer has no value; give one, as in optimizer: VALUE; "
               "allowed: sgd, momentum"},
        BadJob{"train_steps 100", "my.job:1:13:",
               "a colon stands behind the name: train_steps: 100"},
        BadJob{"--topology=v3-8", "my.job:1:1:",
               "a field stands without dashes: topology: \"v3-8\""},
        BadJob{"- optimizer: \"adam\"",
               "my.job:1:1:", "a field stands without dashes: optimizer: adam"},
        BadJob{"topology: v3-8", "my.job:1:11:", "string"},
        BadJob{"seed: 1\ntopology:  v3-8 # a slice",
               "my.job:2:12:", "text stands in quotes: topology: \"v3-8\";"},
        BadJob{"hello: 1", "my.job:1:6:", "there is no field \"hello\""},
        BadJob{"\x01\x02", "my.job:1:1:",
               "it is no text: it holds control characters; a job"},
        BadJob{"train_steps: 1 train_steps: 2",
               "my.job:1:27:", "train_steps stands twice; keep one of them"},
        BadJob{"train_steps: 99999999999999999999",
               "my.job:1:14:", "out of range; the largest is 1099511627776"},
        BadJob{"topology: \"v3", "my.job:1:11:",
               "the text of topology is not closed; end it with \": "
               "topology: \"v3\""},
        BadJob{"faults { kind: KILL host: 1 step: 3 }", "my.job is no job: ",
               "it is a fault plan: give it as --faults of pod_launch"},
        BadJob{"{\"event\":\"plan\"}\n{\"event\":\"step\"}\n",
               "my.job is no job: ", "it is a run's metrics file"},
        BadJob{"{'topology': 'v3-8', 'train_steps': None}", "my.job:1:37: ",
               "JSON has true and false, and what is not set is left out"},
        BadJob{"{'topology': 'v3-8}", "my.job:1:14: ",
               "names and words of JSON stand in double quotes"},
        BadJob{"optimizer { name: 'adam' }", "my.job:1:11:",
               "optimizer is one value, no block in braces: write optimizer: "
               "VALUE"},
        BadJob{"optimizer { name: 'adam' }",
               "my.job:1:11:", "allowed: sgd, momentum"},
        BadJob{"{\"end_time\": 3}",
               "my.job:1:2: ", "there is no field \"end_time\""},
        BadJob{"\n\n  }", "my.job:3:3:", "}"},
        BadJob{"[job]\ntopology = \"v3-8\"",
               "my.job:2:1:", "a section in brackets, [job], as TOML has it"},
        BadJob{"topology = \"v3-8\"",
               "my.job:1:10:", "a colon stands for the =: topology: \"v3-8\""},
        BadJob{"topology: “v3-8”", "my.job:1:",
               "the line has a curly quotation mark (U+201C), as pages and "
               "word processors write it; type straight quotes, or none: "
               "topology: \"v3-8\""},
        BadJob{"seed: 1\nlearning_rate: 3e−4", "my.job:2:",
               "a minus sign of typography (U+2212), as pages and word "
               "processors write it; type a hyphen: learning_rate: 3e-4"},
        BadJob{"\x89PNG\r\n\x1a\n\r\nIHDR", "my.job looks like a PNG image",
               "a job is a text file, written as \"train_steps: 100\""}));

// What follows an open mark is where the parser stops, not where the slip is.
INSTANTIATE_TEST_SUITE_P(
    OpenMarks, BadJobTest,
    ::testing::Values(
        BadJob{"topology: \"v3-32\"\nhidden: [512, 512\ntrain_steps: 100\n",
               "my.job:2:9: ",
               "the list of hidden, \"[512, 512\", is not closed; end it with "
               "]: hidden: [512, 512]"},
        BadJob{"hidden: [512, 512,\n# wide\n\nseed: 1", "my.job:1:9: ",
               "\"[512, 512,\", is not closed; end it with ]: hidden: [512, "
               "512]"},
        BadJob{"hidden: [\n  512,  # one\n  256\nseed:\n",
               "my.job:1:9: ", "end it with ]: hidden: [512, 256]"},
        BadJob{"hidden: [\nseed: 1", "my.job:1:9: ",
               "the list of hidden is not closed; end it with ]"},
        BadJob{"hidden: [512, 512", "my.job:1:9: ", "hidden: [512, 512]"},
        BadJob{"\thidden: [512, 512}\n", "my.job:1:10: ", "hidden: [512, 512]"},
        BadJob{"lr_decay_at: [0.5, 0.7\n\toptimizer: sgd",
               "my.job:1:14: ", "lr_decay_at: [0.5, 0.7]"},
        BadJob{"topology: 'v3-8\nseed: 1", "my.job:1:11: ",
               "the text of topology is not closed; end it with ': topology: "
               "'v3-8'"},
        BadJob{"topology: v3-8\"",
               "my.job:1:11: ", "text stands in quotes: topology: \"v3-8\""},
        // A mark in a comment or in quotes is none, and one that is closed
        // is not what is wrong.
        BadJob{"# [ { \"\nmodel: \"[\"\nseed: x", "my.job:3:7: ", "seed is x"},
        BadJob{"hidden: (512, 512)",
               "my.job:1:9: ", "a list stands in brackets: hidden: [512,512]"},
        BadJob{"hidden: [512, abc]",
               "my.job:1:15: ", "give numbers in brackets, such as [512, 512]"},
        // The list is closed, behind a field too many.
        BadJob{"hidden: [512, width: 3]", "my.job:1:15: ",
               "hidden is [512, width: 3]; give numbers in brackets, such as "
               "[512, 512]"},
        BadJob{"hidden: [512, width: 3",
               "my.job:1:9: ", "is not closed; end it with ]: hidden: [512]"},
        BadJob{"hidden: [512,\nlr_decay_at: [0.5]",
               "my.job:1:9: ", "is not closed; end it with ]: hidden: [512]"},
        BadJob{"topology: \"v3-8'", "my.job:1:11: ",
               "is not closed; end it with \": topology: \"v3-8\""}));

// As other formats and languages have it.
INSTANTIATE_TEST_SUITE_P(
    OtherFormats, BadJobTest,
    ::testing::Values(
        BadJob{"seed: 1\n\"topology\": \"v3-8\",\n", "my.job:2:1: ",
               "a name stands without quotes: topology: \"v3-8\""},
        BadJob{"train-steps: 4",
               "my.job:1:6: ", "a name has _ for each -: train_steps: 4"},
        BadJob{"hidden:\n  - 512\n  - 256", "my.job:3:3: ",
               "a list stands in brackets behind its name, with commas: "
               "hidden: [512, 256]"},
        BadJob{"---\nseed: 1", "my.job:1:1: ",
               "--- begins a document of YAML, and nothing here: leave it "
               "out"},
        BadJob{"topology: |\n  v3-8", "my.job:1:11: ",
               "text stands in quotes, on the line of its name: topology: "
               "\"...\""},
        BadJob{"trainer {\n  seed: 1\n}", "my.job:1:",
               "there is no field \"trainer\"; settings are not nested: write "
               "those in its braces on lines of their own, without it"},
        BadJob{"// mine\nseed: 1", "my.job:1:1: ",
               "the line begins with //; a comment begins with #"},
        BadJob{"; mine\nseed: 1", "my.job:1:1: ",
               "the line begins with ;; a comment begins with #"},
        BadJob{"model: None", "my.job:1:8: ",
               "what is not set is left out: leave out the line"},
        BadJob{"seed: null", "my.job:1:7: ",
               "seed is null; what is not set is left out: leave out the "
               "line"},
        BadJob{"data_dir: \"C:\\data\"",
               "my.job:1:", "; write \\\\ for each backslash of a text"},
        BadJob{"faults: \"f.txt\"", "my.job:1:9: ",
               "faults is \"f.txt\"; it is a block in braces: faults { ... }; "
               "a file of them is given as --faults=FILE"},
        BadJob{"learning_rate: +1", "my.job:1:16: ",
               "learning_rate is +1; a number has no + in front: "
               "learning_rate: 1"},
        // No number is made of two.
        BadJob{"hidden: 512 256", "my.job:1:13: ",
               "hidden is 512 256; a list stands in brackets: hidden: "
               "[512,256]"},
        BadJob{"hidden: [512 256]",
               "my.job:1:14: ", "a list has commas: hidden: [512,256]"}));

// Protobuf's parser of JSON says no line.
INSTANTIATE_TEST_SUITE_P(
    Json, BadJobTest,
    ::testing::Values(
        BadJob{"{\n  \"topology\": \"v3-8\",\n  \"train_steps\": 4\n"
               "  \"learning_rate\": 0.1\n}\n",
               "my.job:3:19: ",
               "expected , or } after 4, found \"learning_rate\" at 4:3; put a "
               "comma between them"},
        BadJob{"{\"train_steps\": 4 \"seed\": 1}", "my.job:1:18: ",
               "after 4, found \"seed\"; put a comma between them"},
        BadJob{"{\"hidden\": [512 512]}", "my.job:1:16: ",
               "expected , or ] after 512, found 512; put a comma"},
        // What follows is no next item: nobody knows what was meant.
        BadJob{"{\"log_dir\": \"my \"own\" logs\"}",
               "my.job:1:18: ", "expected , or } after \"my \", found own"},
        BadJob{"{\"hidden\": [512, 512}", "my.job:1:21: ",
               "expected , or ] after 512, found } (the [ is at 1:12)"},
        BadJob{"{\"hidden\": [512, 512", "my.job:1:12: ",
               "the list that begins here is not closed; end it with ]"},
        BadJob{"{\n\"seed\": 1\n", "my.job:1:1: ",
               "the object that begins here is not closed; end it with }"},
        BadJob{"{\"seed\": 1}\n{\"seed\": 2}",
               "my.job:2:1: ", "expected no more after }, found {"},
        BadJob{"{\"seed\" = 1}",
               "my.job:1:9: ", "expected : after the name seed, found ="},
        BadJob{"{\"seed\": , \"epochs\": 1}",
               "my.job:1:10: ", "expected a value of seed, found ,"},
        BadJob{"{\"seed\": 1,, \"epochs\": 1}", "my.job:1:12: ",
               "expected a name in double quotes or }, found ,"},
        BadJob{"{\n  // my first job\n  \"seed\": 1}", "my.job:2:3: ",
               "\"// my first job\" is a comment, which JSON has not; delete "
               "the line, or write the job as text, where # begins a comment"},
        BadJob{"{\"seed\": 1  # mine\n}", "my.job:1:13: ",
               "\"# mine\" is a comment, which JSON has not; delete it, or "
               "write the job as text"},
        BadJob{"{\"seed\": /* a\nb */ 1}", "my.job:1:10: ",
               "\"/* a\" is a comment, which JSON has not; delete it, as far "
               "as its */, or write"},
        BadJob{"{\n\"topology\": \"v3-8\",\n\"trainer\": "
               "{\"learning_rate\": 0.1,\n  \"train_steps\": 4}}",
               "my.job:3:1: ",
               "there is no field \"trainer\"; settings are not nested: write "
               "\"learning_rate\": 0.1, \"train_steps\": 4 beside "
               "\"topology\""},
        BadJob{"{\"job\": {\"hidden\": [8, 8], \"log_dir\": \"}\"}}",
               "my.job:1:2: ",
               "settings are not nested: write \"hidden\": [8, 8], "
               "\"log_dir\": \"}\" in the outermost braces, without it"},
        // Nobody knows what these were meant for.
        BadJob{"{\"trainer\": {\"width\": 4}}", "my.job:1:2: ",
               "there is no field \"trainer\"; a job is written as"},
        BadJob{"{\"topology\": v3-8}", "my.job:1:14: ",
               "topology is v3-8; text of JSON stands in double quotes: "
               "\"v3-8\""},
        BadJob{"{\"optimizer\": adm}", "my.job:1:15: ",
               "optimizer is adm; text of JSON stands in double quotes: "
               "\"adm\"; allowed: sgd, momentum"},
        BadJob{"{\"train_steps\": 10k}",
               "my.job:1:17: ", "train_steps is 10k; JSON writes it 10000"},
        BadJob{"{\"learning_rate\": .5}",
               "my.job:1:19: ", "learning_rate is .5; JSON writes it 0.5"},
        BadJob{"{\"learning_rate\": fast}", "my.job:1:19: ",
               "learning_rate is fast; give a number, more than 0"},
        BadJob{"{\"twist\": True}",
               "my.job:1:11: ", "twist is True; JSON has true and false"},
        BadJob{"{\"topology\": \"v3-8,\n\"seed\": 1}",
               "my.job:1:14: ", "not closed on its line; end it with \""},
        BadJob{"{“topology”: 1}", "my.job:1:2: ",
               "which is a curly quotation mark (U+201C), as pages and word "
               "processors write it; type straight quotes"},
        BadJob{"{\n\"optimizer\": \"adm\"}",
               "my.job:2:14: ", "optimizer is \"adm\"; allowed: sgd, momentum"},
        BadJob{"{\"optimizer\": \"adm\"}",
               "my.job:1:15: ", "did you mean adam"},
        BadJob{"{\n\"train_steps\": \"10k\"}", "my.job:2:16: ",
               "train_steps is \"10k\"; give a whole number from 1 up: 10000"},
        BadJob{"{\"seed\": 1,\n \"train_stepz\": 3}", "my.job:2:2: ",
               "there is no field \"train_stepz\"; did you mean train_steps?"},
        BadJob{"{\"trainSteps\": 1,\n\"train_steps\": 2}",
               "my.job:2:1: ", "train_steps stands twice; keep one of them"}));

TEST(ReadJobFileTest, ReadsAFileAndNamesOneThatIsMissing) {
  const TempDir dir;
  std::ofstream(dir.file("job")) << "seed: 12\n";
  ASSERT_OK_AND_ASSIGN(const JobSpec spec, ReadJobFile(dir.file("job")));
  EXPECT_EQ(spec.seed(), 12);
  EXPECT_THAT(
      ReadJobFile(dir.file("none")),
      StatusIs(absl::StatusCode::kNotFound,
               AllOf(HasSubstr("there is no job file"), HasSubstr("none"))));
  std::ofstream(dir.file("bad")) << "seed: twelve\n";
  EXPECT_THAT(ReadJobFile(dir.file("bad")),
              StatusIs(kInvalid, HasSubstr("/bad:1:7:")));
  // What to do with such a data set is no advice for a job.
  std::ofstream(dir.file("png"), std::ios::binary) << "\x89PNG\r\n\x1a\n";
  EXPECT_THAT(
      ReadJobFile(dir.file("png")),
      StatusIs(kInvalid,
               AllOf(HasSubstr("png is a PNG image; a job is a text file, "
                               "written as \"train_steps: 100\""),
                     Not(HasSubstr("--dataset=")))));
  std::ofstream(dir.file("gz"), std::ios::binary) << "\x1f\x8b\x08";
  EXPECT_THAT(ReadJobFile(dir.file("gz")),
              StatusIs(kInvalid, HasSubstr("unpack it with gunzip ")));
  EXPECT_THAT(ReadJobFile(dir.path()),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("is a folder; give a file")));
  EXPECT_THAT(ReadJobFile("/dev/null"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("/dev/null is a device or a pipe")));
  for (const char* text : {"", "\n\n", "{}"}) {
    std::ofstream(dir.file("empty")) << text;
    EXPECT_THAT(ReadJobFile(dir.file("empty")),
                StatusIs(kInvalid, HasSubstr("/empty sets no field; a job is "
                                             "written as")))
        << text;
  }
}

TEST(ReadJobFileTest, SaysWhereEachFieldStands) {
  const TempDir dir;
  std::ofstream(dir.file("job")) << "# a job\nseed: 1\n\nhidden: [8, 8]\n";
  Origins lines;
  ASSERT_OK_AND_ASSIGN(const JobSpec spec, ReadJobFile(dir.file("job"), lines));
  EXPECT_EQ(spec.seed(), 1u);
  EXPECT_EQ(lines, (Origins{{"seed", dir.file("job") + " line 2"},
                            {"hidden", dir.file("job") + " line 4"}}));
  JobSpec flags;
  flags.add_hidden(16);
  EXPECT_EQ(MergeOrigins(lines, flags, {{"threads", "PODSIM_THREADS"}}),
            (Origins{{"seed", dir.file("job") + " line 2"},
                     {"threads", "PODSIM_THREADS"}}));
  std::ofstream(dir.file("json")) << "{\n\"seed\": 1}";
  lines.clear();
  ASSERT_OK_AND_ASSIGN(const JobSpec json,
                       ReadJobFile(dir.file("json"), lines));
  EXPECT_EQ(lines, (Origins{{"seed", dir.file("json") + " line 2"}}));
}

TEST(ReadJobFileTest, ReadsTheDefaultJobWhereACommentSaysSo) {
  const TempDir dir;
  std::ofstream(dir.file("default")) << "# nothing else\n";
  ASSERT_OK_AND_ASSIGN(const JobSpec spec, ReadJobFile(dir.file("default")));
  EXPECT_EQ(spec.ByteSizeLong(), 0);
}

TEST(ReadJobFileTest, RefusesWhatIsTooLargeForAJob) {
  const TempDir dir;
  std::ofstream(dir.file("large")) << std::string((1 << 20) + 1, '#');
  EXPECT_THAT(ReadJobFile(dir.file("large")),
              StatusIs(kInvalid, HasSubstr("at most 1.00 MiB")));
}

TEST(ParseJobTest, ReadsTheSameMessageAsJson) {
  ASSERT_OK_AND_ASSIGN(
      const JobSpec spec,
      ParseJob(" {\"topology\": \"v3-32\", \"hidden\": [512, 512],\n"
               "\"learning_rate\": 0.1, \"trainSteps\": 7, \"seed\": "
               "18446744073709551615,\n"
               "\"faults\": {\"faults\": [{\"kind\": \"KILL\"}]}}",
               "job"));
  EXPECT_EQ(spec.topology(), "v3-32");
  EXPECT_THAT(spec.hidden(), ElementsAre(512, 512));
  EXPECT_EQ(spec.learning_rate(), 0.1);
  EXPECT_EQ(spec.train_steps(), 7);
  EXPECT_EQ(spec.seed(), 18446744073709551615u);
  EXPECT_EQ(spec.faults().faults(0).kind(), Fault::KILL);
}

TEST(ParseJobTest, JsonTooIsToldTheWordsThereAre) {
  EXPECT_THAT(ParseJob("{\"transport\": \"tpc\"}", "my.json"),
              StatusIs(kInvalid, HasSubstr("allowed: shm, unix, tcp")));
}

TEST(ParseJobTest, AJsonValueOfAnotherTypeIsToldWhatIsMeant) {
  EXPECT_THAT(ParseJob("{\"train_steps\": \"many\"}", "my.json"),
              StatusIs(kInvalid,
                       "my.json:1:17: train_steps is \"many\"; give a "
                       "whole number from 1 up"));
}

TEST(ParseJobTest, BadJsonIsRefusedInOneLine) {
  for (const char* text :
       {"{", "{}x", "{\"train_stepz\": 3}", "{\"train_steps\": \"x\"}",
        "{\"train_steps\": 1.5}", "{\"seed\": -1}", "{\"hidden\": {}}",
        "{\"topology\" \"v3-8\"}", "{\"topology\": \"\xff\"}"}) {
    EXPECT_THAT(
        ParseJob(text, "my.json"),
        StatusIs(kInvalid, AllOf(StartsWith("my.json:"), Not(HasSubstr("\n")))))
        << text;
  }
}

TEST(PrintJobTest, IsReadBackAsTheSame) {
  const JobSpec spec = Spec(
      "topology: 'v3-32' hidden: [512, 256] learning_rate: 0.1 seed: 5 "
      "log_dir: 'a \\\"b\\n\\303\\244' epochs: 1e-300");
  const std::string text = PrintJob(spec);
  EXPECT_THAT(text, HasSubstr("topology: \"v3-32\"\nhidden: [512, 256]\n"));
  ASSERT_OK_AND_ASSIGN(const JobSpec again, ParseJob(text, "printed"));
  EXPECT_EQ(again.SerializeAsString(), spec.SerializeAsString());
  EXPECT_EQ(PrintJob(JobSpec()), "");
}

TEST(MergeSpecsTest, FlagsWinAndListsAreReplaced) {
  const JobSpec merged =
      MergeSpecs(Spec("topology: 'v3-8' hidden: [1, 2] seed: 1"),
                 Spec("hidden: 9 seed: 0 classes: 4"));
  EXPECT_EQ(merged.topology(), "v3-8");
  EXPECT_THAT(merged.hidden(), ElementsAre(9));
  EXPECT_TRUE(merged.has_seed());
  EXPECT_EQ(merged.seed(), 0);
  EXPECT_EQ(merged.classes(), 4);
}

TEST(MergeSpecsTest, ATableReplacesATable) {
  const JobSpec merged = MergeSpecs(
      Spec("choices { algorithm: 'ring' } choices { algorithm: 'direct' }"),
      Spec("choices { algorithm: 'torus2d' }"));
  ASSERT_EQ(merged.choices_size(), 1);
  EXPECT_EQ(merged.choices(0).algorithm(), "torus2d");
}

TEST(MergeSpecsTest, AFlagClearsWhatItExcludes) {
  const JobSpec merged = MergeSpecs(
      Spec("batch_per_core: 8 epochs: 2 learning_rate: 1"),
      Spec("train_batch_size: 64 train_steps: 3 base_learning_rate: 2"));
  EXPECT_EQ(PrintJob(merged), PrintJob(Spec("train_batch_size: 64 train_steps: "
                                            "3 base_learning_rate: 2")));
}

TEST(MergeSpecsTest, ExclusiveFlagsStayForTheCheckToRefuse) {
  const JobSpec merged =
      MergeSpecs(JobSpec(), Spec("train_steps: 1 epochs: 2"));
  EXPECT_TRUE(merged.has_train_steps() && merged.has_epochs());
}

}  // namespace
}  // namespace podsim
