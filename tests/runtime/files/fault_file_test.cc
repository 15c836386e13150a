// Fault plans as text: those that are meant, and those that nobody meant.
#include "runtime/files/fault_file.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/job/draw_faults.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/text_mutator.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kFaults[] =
    "# two faults, and more\n"
    "faults { kind: KILL host: 2 step: 20 phase: 'update' }\n"
    "faults { kind: DELAY host: 0 to: 1 step: 5 seconds: 0.05 }\n"
    "random { seed: 7 per_step: 0.02 kinds: KILL kinds: FREEZE }\n";

std::string Print(const google::protobuf::Message& message) {
  std::string text;
  PODSIM_CHECK(google::protobuf::TextFormat::PrintToString(message, &text));
  return text;
}

TEST(ParseFaultsTest, IsReadAndReadBack) {
  ASSERT_OK_AND_ASSIGN(const FaultPlan plan, ParseFaults(kFaults, "x"));
  ASSERT_EQ(plan.faults_size(), 2);
  EXPECT_EQ(plan.faults(0).kind(), Fault::KILL);
  EXPECT_EQ(plan.faults(0).phase(), "update");
  EXPECT_EQ(plan.faults(1).seconds(), 0.05);
  EXPECT_EQ(plan.random().kinds(1), Fault::FREEZE);
  ASSERT_OK_AND_ASSIGN(const FaultPlan again, ParseFaults(Print(plan), "x"));
  EXPECT_EQ(again.SerializeAsString(), plan.SerializeAsString());
}

TEST(ParseFaultsTest, MayStandInAJob) {
  JobSpec spec;
  *spec.mutable_faults() = *ParseFaults(kFaults, "x");
  spec.add_faults_done(1);
  EXPECT_EQ(testing::Spec(PrintJob(spec)).SerializeAsString(),
            spec.SerializeAsString());
}

struct BadFaults {
  const char* text;
  const char* begins;
  const char* says;
};

class BadFaultTextTest : public ::testing::TestWithParam<BadFaults> {};

TEST_P(BadFaultTextTest, NamesFileAndPlaceInOneLine) {
  EXPECT_THAT(ParseFaults(GetParam().text, "my.txt"),
              StatusIs(kInvalid, AllOf(StartsWith(GetParam().begins),
                                       HasSubstr(GetParam().says),
                                       Not(HasSubstr("\n")))));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFaultTextTest,
    ::testing::Values(
        BadFaults{
            "", "my.txt: ", "without a fault; one is written as faults { kind"},
        BadFaults{"# nothing\n", "my.txt: ", "without a fault"},
        BadFaults{"\nfault {}",
                  "my.txt:2:", "is written as faults { kind: KILL"},
        BadFaults{"faults { kind: EXPLODE }", "my.txt:1:16:", "EXPLODE"},
        BadFaults{"faults {\n kind: EXPLODE\n\n}", "my.txt:2:8:", "EXPLODE"},
        BadFaults{
            "faults { kind: KIL }", "my.txt:1:16:",
            "allowed: KILL, FREEZE, SLOW, CUT, DELAY, FLIP, STORAGE_FAIL, "
            "STORAGE_FULL, CORRUPT_GRADIENT, CORRUPT_WEIGHTS; did you "
            "mean KILL?"},
        BadFaults{"faults { kind: kill }", "my.txt:1:16:",
                  "kind is \"kill\"; did you mean KILL? Allowed: KILL, "},
        BadFaults{"faults { knd: KILL }",
                  "my.txt:1:13:", "; did you mean kind?"},
        BadFaults{"faults { kind: KILL step: soon }",
                  "my.txt:1:27:", "step is soon; give a whole number"},
        BadFaults{"faults { kind: KILL host: 99999999999 step: 1 }",
                  "my.txt:1:27:",
                  "host is 99999999999, which is out of range; the largest is "
                  "2147483647"},
        BadFaults{"random { per_step: 10% kinds: KILL }", "my.txt:1:2",
                  "per_step is 10%"},
        BadFaults{"random { seed: -1 }", "my.txt:1:16:",
                  "seed is -1; give a whole number from 0 up"}));

// At the end of the text, and at the next block, which it takes in.
INSTANTIATE_TEST_SUITE_P(
    OpenBlocks, BadFaultTextTest,
    ::testing::Values(
        BadFaults{"faults { kind: KILL host: 1 step: 5\n", "my.txt:1:8: ",
                  "the block of faults, \"{ kind: KILL host: 1 step: 5\", is "
                  "not closed; end it with }: faults { kind: KILL host: 1 "
                  "step: 5 }"},
        BadFaults{
            "faults { kind: KILL\n host: 1\nfaults { kind: KILL }\n",
            "my.txt:1:8: ", "end it with }: faults { kind: KILL host: 1 }"},
        BadFaults{"faults { kind: KILL random { seed: 1 } }",
                  "my.txt:1:28: ", "there is no field \"random\""}));

TEST(ReadFaultsTest, ReadsAFileAndNamesOneThatIsMissing) {
  const TempDir dir;
  std::ofstream(dir.file("x")) << kFaults;
  ASSERT_OK_AND_ASSIGN(const FaultPlan plan, ReadFaults(dir.file("x")));
  EXPECT_EQ(plan.faults_size(), 2);
  EXPECT_THAT(ReadFaults(dir.file("none")),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("fault plan file"), HasSubstr("none"))));
}

TEST(InFaultFileTest, SaysTheLineOfTheFault) {
  const TempDir dir;
  const std::string path = dir.file("x");
  std::ofstream(path) << kFaults;
  const absl::Status refused =
      absl::InvalidArgumentError("fault 2 (DELAY): step is 5; allowed: 1");
  const auto says = [&](const std::string& rest) {
    return StatusIs(kInvalid, absl::StrCat(path, rest));
  };
  EXPECT_THAT(InFaultFile(refused, 1, path), says(":3: step is 5; allowed: 1"));
  EXPECT_THAT(InFaultFile(refused, std::nullopt, path),
              says(": fault 2 (DELAY): step is 5; allowed: 1"));
  EXPECT_THAT(InFaultFile(refused, 7, path),
              says(": fault 2 (DELAY): step is 5; allowed: 1"));
  // Which of the line's it is.
  std::ofstream(path) << "\nfaults { step: 1 } faults {\n step: 5 }";
  EXPECT_THAT(InFaultFile(refused, 1, path),
              says(":2: fault 2 (DELAY): step is 5; allowed: 1"));
  std::ofstream(path) << "{\"faults\": [{\"step\": 1}, {\"step\": 5}]}";
  EXPECT_THAT(InFaultFile(refused, 1, path),
              says(": fault 2 (DELAY): step is 5; allowed: 1"));
}

TEST(ReadFaultsTest, AnotherEncodingIsSaidAndAMarkOfUtf8PassedOver) {
  const TempDir dir;
  std::ofstream(dir.file("wide.txt")) << "\xff\xfe"
                                      << "f";
  EXPECT_THAT(
      ReadFaults(dir.file("wide.txt")),
      StatusIs(kInvalid,
               AllOf(HasSubstr("wide.txt is UTF-16 text; podsim reads "
                               "UTF-8: iconv -f UTF-16 -t UTF-8 "),
                     HasSubstr("> utf8.txt; a fault plan is written"))));
  std::ofstream(dir.file("latin.txt")) << "f\xe4ults { }";
  EXPECT_THAT(ReadFaults(dir.file("latin.txt")),
              StatusIs(kInvalid, HasSubstr("latin.txt:1 is no text in UTF-8; a "
                                           "fault plan is a text file")));
  std::ofstream(dir.file("page.txt")) << "<!DOCTYPE html><html></html>";
  EXPECT_THAT(ReadFaults(dir.file("page.txt")),
              StatusIs(kInvalid, HasSubstr("page.txt is a web page (HTML)")));
  std::ofstream(dir.file("marked.txt"))
      << "\xef\xbb\xbf"
      << "faults { kind: KILL host: 2 step: 20 }";
  EXPECT_THAT(ReadFaults(dir.file("marked.txt")), ::podsim::testing::IsOk());
}

TEST(FaultFuzzTest, AnyTextGivesFaultsThatFitOrAnErrorInOneLine) {
  constexpr int kMutants = 20'000;
  const std::uint32_t seed = testing::FuzzSeed();
  SCOPED_TRACE(::testing::Message() << "PODSIM_FUZZ_SEED=" << seed);
  RecordProperty("seed", std::to_string(seed));
  testing::TextMutator mutator(
      seed,
      {kFaults, "random { seed: 3 per_step: 0.5 kinds: SLOW kinds: CUT }",
       "faults { kind: FLIP host: 3 to: 1 step: 7 }\n"
       "faults { kind: STORAGE_FULL host: 1 step: 100 }",
       "faults { kind: SLOW step: 1 seconds: 1.5 phase: 'checkpoint' }"},
      {"-1", "0", "1", "3", "7", "1000", "0.5", "9223372036854775807", "1e308",
       "nan", "KILL", "DELAY", "11", "'input'", "\"", "}", "\xff", "#"});
  const FaultScope scope = {.hosts = 4, .steps = 1000, .checkpoints = true};
  int parsed = 0;
  int planned = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string text = mutator.Next();
    const auto plan = ParseFaults(text, "mutant");
    if (!plan.ok()) {
      ASSERT_THAT(plan, StatusIs(kInvalid, StartsWith("mutant:"))) << text;
      continue;
    }
    ++parsed;
    const auto faults = DrawFaults(*plan, scope);
    if (!faults.ok()) {
      ASSERT_THAT(faults, StatusIs(kInvalid, Not(HasSubstr("\n")))) << text;
      continue;
    }
    ++planned;
    for (const Fault& fault : *faults) {
      ASSERT_TRUE(fault.host() >= 0 && fault.host() < scope.hosts) << text;
      ASSERT_TRUE(fault.step() >= 1 && fault.step() <= scope.steps) << text;
    }
  }
  // The mutations reach every depth.
  EXPECT_GT(parsed, kMutants / 10);
  EXPECT_GT(planned, kMutants / 50);
  EXPECT_LT(planned, parsed);
}

}  // namespace
}  // namespace podsim
