// Flags and environment to JobSpec and options, and what is refused how.
#include "runtime/launch/flags.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "settings/programs.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<ParsedFlags> Parse(const std::vector<std::string>& args,
                                  const Variables& variables = {}) {
  return ParseFlags(args, variables);
}

// From files only: what a job file may say and no flag does.
TEST(FlagsTest, EveryJobSpecFieldIsAFlagOrSaysThatItIsNone) {
  std::multiset<std::string> flags = {"bench",       "choices",  "faults",
                                      "faults_done", "hardware", "links",
                                      "prices"};
  for (const Flag& flag : FlagsOf(PodLaunch()))
    if (flag.part == 0) flags.insert(flag.field->name());
  const auto* descriptor = JobSpec::descriptor();
  EXPECT_EQ(flags.size(), static_cast<std::size_t>(descriptor->field_count()));
  for (int i = 0; i < descriptor->field_count(); ++i) {
    EXPECT_EQ(flags.count(descriptor->field(i)->name()), 1u)
        << descriptor->field(i)->name();
  }
}

TEST(FlagsTest, NothingGivenSetsNothing) {
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags, Parse({}));
  EXPECT_EQ(flags.spec.ByteSizeLong(), 0u);
  EXPECT_EQ(flags.action, LaunchAction::kTrain);
}

TEST(FlagsTest, EachTypeIsRead) {
  ASSERT_OK_AND_ASSIGN(
      const ParsedFlags flags,
      Parse({"--topology", "v3-32", "--hidden=512,256", "--train_steps=100",
             "--learning_rate=0.5", "--seed=18446744073709551615",
             "--processes", "2"}));
  EXPECT_EQ(flags.spec.topology(), "v3-32");
  EXPECT_THAT(flags.spec.hidden(), ElementsAre(512, 256));
  EXPECT_EQ(flags.spec.train_steps(), 100);
  EXPECT_EQ(flags.spec.learning_rate(), 0.5);
  EXPECT_EQ(flags.spec.seed(), 18446744073709551615u);
  EXPECT_EQ(flags.spec.processes(), 2);
  EXPECT_FALSE(flags.spec.has_model());
}

TEST(FlagsTest, DashesAndUnderscoresAreEqualInNamesOnly) {
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags,
                       Parse({"--log-dir=a-b_c", "--batch-per-core", "8",
                              "--dry-run", "--tpu=v2-8"}));
  EXPECT_EQ(flags.spec.log_dir(), "a-b_c");
  EXPECT_EQ(flags.spec.batch_per_core(), 8);
  EXPECT_EQ(flags.spec.topology(), "v2-8");
  EXPECT_EQ(flags.action, LaunchAction::kDryRun);
}

TEST(FlagsTest, BytesTakeUnits) {
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags,
                       Parse({"--bucket_bytes=4M", "--chunk_bytes=256k",
                              "--host_memory_bytes=123"}));
  EXPECT_EQ(flags.spec.bucket_bytes(), 4 << 20);
  EXPECT_EQ(flags.spec.chunk_bytes(), 256 << 10);
  EXPECT_EQ(flags.spec.host_memory_bytes(), 123);
  EXPECT_FALSE(Parse({"--bucket_bytes=9999999999G"}).ok());
}

TEST(FlagsTest, EnvironmentFillsWhatTheCommandLineLeavesOpen) {
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags,
                       Parse({"--model=mlp"}, {{"PODSIM_MODEL", "other"},
                                               {"PODSIM_TOPOLOGY", "v3-8"},
                                               {"PODSIM_HIDDEN", "1,2"},
                                               {"PODSIM_DRY_RUN", "true"},
                                               {"PODSIM_TOKEN", "secret"}}));
  EXPECT_EQ(flags.spec.model(), "mlp");
  EXPECT_EQ(flags.spec.topology(), "v3-8");
  EXPECT_THAT(flags.spec.hidden(), ElementsAre(1, 2));
  EXPECT_EQ(flags.action, LaunchAction::kDryRun);
}

TEST(FlagsTest, PlacesAreReadAndChecked) {
  ASSERT_OK_AND_ASSIGN(
      const ParsedFlags flags,
      Parse({"--zone=europe-west4-a", "--bucket_location=EUR4",
             "--require_same_region", "--bucket_links=x", "--prices=y"}));
  EXPECT_EQ(flags.spec.zone(), "europe-west4-a");
  EXPECT_EQ(flags.spec.bucket_location(), "EUR4");
  EXPECT_TRUE(flags.spec.require_same_region());
  EXPECT_EQ(flags.settings.links(), "x");
  EXPECT_EQ(flags.settings.prices(), "y");
  EXPECT_THAT(Parse({"--bucket_location=us-centrall1"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("nearest: us-central1")));
}

TEST(FlagsTest, HardwareIsPrinted) {
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags,
                       Parse({"--print_hardware=v4"}, {}));
  EXPECT_EQ(flags.action, LaunchAction::kPrintHardware);
  EXPECT_EQ(flags.settings.print_hardware(), "v4");
}

TEST(FlagsTest, WhatAnActionDoesNotReadIsRefused) {
  EXPECT_THAT(Parse({"--describe=v3-8", "--epochs=3"}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--describe reads --wrap, --twist and --hardware alone "
                       "of a job's settings: leave --epochs out"));
  EXPECT_THAT(Parse({"--selftest", "--topology=v3-8"}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("leave --topology out")));
  EXPECT_THAT(Parse({"--print_hardware=v3", "--seed=1"}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("leave --seed out")));
  ASSERT_OK_AND_ASSIGN(
      const ParsedFlags wrapped,
      Parse({"--describe=v3-8", "--wrap=torus"}, {{"PODSIM_EPOCHS", "3"}}));
  EXPECT_EQ(wrapped.action, LaunchAction::kDescribe);
}

TEST(FlagsTest, TheEnvironmentGivesWayToATypedAction) {
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags,
                       Parse({"--describe=v3-8"},
                             {{"PODSIM_DRY_RUN", "1"}, {"PODSIM_QUIET", "1"}}));
  EXPECT_EQ(flags.action, LaunchAction::kDescribe);
  for (const char* action : {"--dry_run", "--print_job", "--selftest"}) {
    ASSERT_OK_AND_ASSIGN(const ParsedFlags quiet,
                         Parse({action}, {{"PODSIM_QUIET", "1"}}));
    EXPECT_NE(quiet.action, LaunchAction::kTrain);
    EXPECT_FALSE(quiet.settings.quiet());
  }
  ASSERT_OK_AND_ASSIGN(const ParsedFlags train,
                       Parse({}, {{"PODSIM_QUIET", "1"}}));
  EXPECT_EQ(train.action, LaunchAction::kTrain);
  EXPECT_TRUE(train.settings.quiet());
}

// A plan that starts nothing has more to say too.
TEST(FlagsTest, VerboseGoesWithTrainingAndADryRun) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"--verbose"},
                                             {"--verbose", "--dry_run"},
                                             {"--verbose", "--quiet"}}) {
    ASSERT_OK_AND_ASSIGN(const ParsedFlags flags, Parse(args, {}));
    EXPECT_TRUE(flags.settings.verbose());
  }
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags,
                       Parse({"--dry_run"}, {{"PODSIM_VERBOSE", "1"}}));
  EXPECT_TRUE(flags.settings.verbose());
}

TEST(FlagsTest, ActionsOfTheEnvironmentAreNamedAsItsVariables) {
  EXPECT_THAT(
      Parse({}, {{"PODSIM_DRY_RUN", "1"}, {"PODSIM_SELFTEST", "1"}}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("PODSIM_DRY_RUN and PODSIM_SELFTEST exclude")));
  EXPECT_THAT(Parse({"--quiet"}, {{"PODSIM_DRY_RUN", "1"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--quiet is for training; PODSIM_DRY_RUN")));
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags,
                       Parse({"--dry_run=false"}, {{"PODSIM_DRY_RUN", "1"}}));
  EXPECT_EQ(flags.action, LaunchAction::kTrain);
}

TEST(FlagsTest, EnvironmentIsRefusedInTheSameWords) {
  EXPECT_THAT(Parse({}, {{"PODSIM_SEED", "x"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--seed is \"x\"")));
  EXPECT_THAT(Parse({}, {{"PODSIM_DRY_RUN", "perhaps"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--dry_run is \"perhaps\"; give true or "
                                 "false (from PODSIM_DRY_RUN)")));
}

TEST(FlagsTest, ARepeatedFlagIsRefused) {
  EXPECT_THAT(Parse({"--seed=1", "--seed=2"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--seed is given twice, as \"1\" and as \"2\"; leave "
                       "one of them out"));
}

TEST(FlagsTest, SeveralSlicesAreForPodPlan) {
  for (const char* topology : {"v3-8..v3-32", "v3-8,v3-32"})
    EXPECT_THAT(
        Parse({absl::StrCat("--topology=", topology)}),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("topology is '", topology,
                              "', several slices; a job trains on one, such "
                              "as v3-32; pod_plan compares several")));
}

struct Refusal {
  std::vector<std::string> args;
  std::vector<std::string> words;  // all in the message
};

class RefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusalTest, SaysWhatIsWrongInOneLine) {
  const auto result = Parse(GetParam().args);
  ASSERT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument,
                               Not(HasSubstr("\n"))));
  for (const std::string& word : GetParam().words) {
    EXPECT_THAT(std::string(result.status().message()), HasSubstr(word));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusalTest,
    ::testing::Values(
        Refusal{{"--topolgy", "v3-8"}, {"--topolgy", "--topology?"}},
        Refusal{{"--batch=4"}, {"--batch", "--batch_per_core"}},
        Refusal{{"-topology", "v3-8"}, {"-topology", "--topology"}},
        Refusal{{"--qqqqqqqq"}, {"--qqqqqqqq", "--help"}},
        Refusal{{"train"}, {"\"train\"", "--model=mlp"}},
        Refusal{{"--topology", "--model", "mlp"}, {"--topology", "no value"}},
        Refusal{{"--topology"}, {"--topology"}},
        Refusal{{"--model="}, {"--model"}},
        Refusal{{"--seed=-1"}, {"--seed", "-1", "0 up"}},
        Refusal{{"--train_steps=1.5"}, {"--train_steps", "whole"}},
        Refusal{{"--learning_rate=fast"}, {"--learning_rate", "fast"}},
        Refusal{{"--learning_rate=nan"}, {"learning_rate", "nan"}},
        Refusal{{"--hidden=512,"}, {"--hidden", "with commas: 512"}},
        Refusal{{"--lr_scaling=cubic"}, {"lr_scaling", "linear, sqrt, none"}},
        Refusal{{"--dry_run=perhaps"}, {"--dry_run", "true"}},
        Refusal{{"--dry_run", "--selftest"}, {"--dry_run and --selftest"}},
        Refusal{{"--quiet", "--dry_run"}, {"--quiet", "--dry_run"}},
        Refusal{{"--describe=v3-8", "--dry_run"}, {"--describe and --dry_run"}},
        Refusal{{"--print_compose=v3-8", "--dry_run"},
                {"--print_compose and --dry_run"}},
        Refusal{{"--print_compose=v3-8", "--train_steps=3"},
                {"goes with no setting of a job: leave --train_steps out"}},
        Refusal{{"--external_hosts"}, {"--listen"}},
        Refusal{{"--listen=0.0.0.0:1"}, {"--external_hosts"}},
        Refusal{{"--external_hosts", "--listen=0.0.0.0:1"},
                {"--listen: address 0.0.0.0:1", "--allow_plaintext_network"}},
        Refusal{{"--external_hosts", "--listen=nonsense"},
                {"--listen: ", "nonsense"}},
        Refusal{{"--train_batch_size=8", "--batch_per_core=1"},
                {"train_batch_size=8 and batch_per_core=1 both set the batch"}},
        Refusal{{"--epochs=1", "--train_steps=1"},
                {"train_steps=1 and epochs=1"}},
        Refusal{{"--learning_rate=1", "--base_learning_rate=1"},
                {"learning_rate=1 and base_learning_rate=1"}}));

TEST(FlagsTest, HelpTeaches) {
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags, Parse({"--help=all"}));
  EXPECT_EQ(flags.action, LaunchAction::kText);
  EXPECT_THAT(flags.text, HasSubstr("Examples:"));
  EXPECT_THAT(flags.text, Not(HasSubstr("\n\n\n")));
  for (const Flag& flag : FlagsOf(PodLaunch()))
    EXPECT_THAT(flags.text, HasSubstr("--" + FlagOf(*flag.field)));
}

TEST(FlagsTest, QuietIsNotPartOfTheJob) {
  const auto parsed = Parse({"--quiet"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed->settings.quiet());
  EXPECT_EQ(parsed->spec.ByteSizeLong(), 0U);
}

TEST(FlagsTest, VersionIsText) {
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags, Parse({"--version"}));
  EXPECT_EQ(flags.action, LaunchAction::kText);
  EXPECT_THAT(flags.text, AllOf(HasSubstr("podsim"), HasSubstr(".")));
}

TEST(FlagsTest, ChoicesAreAFile) {
  ASSERT_OK_AND_ASSIGN(
      const ParsedFlags flags,
      Parse({"--algo=auto", "--choices=x.txt"}, {{"PODSIM_CHOICES", "y.txt"}}));
  EXPECT_EQ(flags.settings.choices(), "x.txt");
  EXPECT_TRUE(flags.spec.choices().empty());
  EXPECT_EQ(Parse({}, {{"PODSIM_CHOICES", "y.txt"}})->settings.choices(),
            "y.txt");
}

TEST(FlagsTest, ExternalHostsWithTheirAddress) {
  ASSERT_OK_AND_ASSIGN(const ParsedFlags flags,
                       Parse({"--external-hosts", "--listen=0.0.0.0:8476",
                              "--allow-plaintext-network"}));
  EXPECT_TRUE(flags.elsewhere.external_hosts());
  EXPECT_TRUE(flags.elsewhere.allow_plaintext_network());
  EXPECT_EQ(flags.elsewhere.listen(), "0.0.0.0:8476");
}

}  // namespace
}  // namespace podsim
