// Flags, environment and arguments of any program; what is refused, and how.
#include "settings/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/job.pb.h"
#include "proto/plan.pb.h"
#include "proto/programs.pb.h"
#include "settings/help.h"
#include "settings/help_json.h"
#include "settings/programs.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Launch {
  JobSpec spec;
  LaunchSettings settings;
  ElsewhereSettings elsewhere;
  MonitorSettings monitor;
  absl::Status Parse(const std::vector<std::string>& args,
                     const Variables& variables = {}) {
    return ParseCommandLine(PodLaunch(), args, variables,
                            {&spec, &settings, &elsewhere, &monitor})
        .status();
  }
};

TEST(CommandLineTest, NamesOfOtherProgramsAreHinted) {
  struct Hint {
    const char* typed;
    const char* meant;
  };
  for (const Hint& hint :
       {Hint{"--batch_size=8", "did you mean --train_batch_size?"},
        Hint{"--batch-size=8", "did you mean --train_batch_size?"},
        Hint{"--lr=1", "did you mean --learning_rate or --base_learning_rate?"},
        Hint{"--steps=3", "did you mean --train_steps?"},
        Hint{"--num_epochs=3", "did you mean --epochs?"}}) {
    EXPECT_THAT(Launch().Parse({hint.typed}),
                StatusIs(kInvalid, HasSubstr(hint.meant)));
  }
}

TEST(CommandLineTest, ATextThatMayBeEmptyIsEmptiedByNothingBehindItsEquals) {
  const std::vector<std::string> lines[] = {
      {"--tensorboard_dir=", "--seed=1"},
      {"--seed=1", "--tensorboard-dir="},
      {"--tensorboard_dir=", "--tensorboard_dir=", "--seed", "1"}};
  for (const std::vector<std::string>& line : lines) {
    Launch launch;
    ASSERT_THAT(launch.Parse(line), IsOk());
    EXPECT_TRUE(launch.spec.has_tensorboard_dir());
    EXPECT_EQ(launch.spec.tensorboard_dir(), "");
    EXPECT_EQ(launch.spec.seed(), 1u);
  }
  Launch none;
  ASSERT_THAT(none.Parse({"--metrics_file=", "--seed=1"}), IsOk());
  EXPECT_TRUE(none.spec.has_metrics_file());
  EXPECT_EQ(none.spec.metrics_file(), "");
  Launch launch;
  ASSERT_THAT(launch.Parse({}, {{"PODSIM_TENSORBOARD_DIR", ""}}), IsOk());
  EXPECT_TRUE(launch.spec.has_tensorboard_dir());
  EXPECT_THAT(Launch().Parse({"--tensorboard_dir"}),
              StatusIs(kInvalid, HasSubstr("has no value; give DIR: ")));
  EXPECT_THAT(Launch().Parse({"--tensorboard_dir=", "--tensorboard_dir=x"}),
              StatusIs(kInvalid, HasSubstr("is given twice")));
  EXPECT_THAT(Launch().Parse({"--seed", "--tensorboard_dir="}),
              StatusIs(kInvalid, HasSubstr("--seed has no value")));
}

TEST(CommandLineTest, ASettingGivenTwiceIsRefusedWithBothValues) {
  EXPECT_THAT(
      Launch().Parse({"--topology=v3-8", "--seed=1", "--tpu", "v3-32"}),
      StatusIs(kInvalid,
               "--topology is given twice, as \"v3-8\" and as \"v3-32\"; "
               "leave one of them out"));
  EXPECT_THAT(Launch().Parse({"--hidden=64", "--hidden", "32"}),
              StatusIs(kInvalid,
                       "--hidden is given twice, as \"64\" and as \"32\"; "
                       "give one list: --hidden 64,32"));
  EXPECT_THAT(Launch().Parse({"--dry_run", "--dry-run=false"}),
              StatusIs(kInvalid,
                       "--dry_run is given twice, as \"true\" and as "
                       "\"false\"; leave one of them out"));
}

// Nothing is lost.
TEST(CommandLineTest, BlanksAroundAnEqualsAreTold) {
  struct Case {
    std::vector<std::string> args;
    const char* said;
  };
  for (const Case& c :
       {Case{{"--topology", "=", "v3-8"},
             "--topology = v3-8 has blanks around its =; write "
             "--topology=v3-8"},
        Case{{"--train-steps", "=", "4", "--dry_run"},
             "--train-steps = 4 has blanks around its =; write "
             "--train_steps=4"},
        Case{{"--dry_run", "--topology", "=v3-8"},
             "--topology =v3-8 has a blank in front of its =; write "
             "--topology=v3-8"},
        Case{{"topology", "=", "v3-8"},
             "topology = v3-8 has blanks around its =; write "
             "--topology=v3-8"},
        Case{{"--dry_run", "=", "true"},
             "--dry_run = true has blanks around its =; write "
             "--dry_run=true"},
        Case{{"--topology", "="},
             "--topology = has blanks around its =; write --topology=VALUE"},
        Case{{"--topology=", "v3-8"},
             "--topology= has no value: \"v3-8\" follows behind a blank; if it "
             "is the value, write --topology=v3-8 (a variable of the shell may "
             "be empty)"}})
    EXPECT_THAT(Launch().Parse(c.args), StatusIs(kInvalid, c.said));
  EXPECT_THAT(Launch().Parse({"--lr", "=", "1"}),
              StatusIs(kInvalid, HasSubstr("unknown flag --lr")));
  EXPECT_THAT(Launch().Parse({"--topology=", "--dry_run"}),
              StatusIs(kInvalid, HasSubstr("--topology has no value; give")));
}

TEST(CommandLineTest, ANameWithoutItsDashesIsTold) {
  for (const auto& [args, meant] :
       {std::pair<std::vector<std::string>, const char*>{{"epochs", "3"},
                                                         "--epochs=3"},
        {{"train-steps", "4"}, "--train_steps=4"},
        {{"dry_run"}, "--dry_run"}})
    EXPECT_THAT(Launch().Parse(args),
                StatusIs(kInvalid, absl::StrCat("unexpected \"", args.front(),
                                                "\": settings begin with "
                                                "dashes; give ",
                                                meant,
                                                "; see pod_launch "
                                                "--help")));
}

// Not another switch that is given.
TEST(CommandLineTest, AValueBehindASwitchIsThatSwitchs) {
  for (const auto& args : std::vector<std::vector<std::string>>{
           {"--quiet", "--dry_run", "false"},
           {"--dry-run", "false", "--verbose"}})
    EXPECT_THAT(Launch().Parse(args),
                StatusIs(kInvalid, HasSubstr("as in --dry_run=false")));
}

TEST(CommandLineTest, WhatIsLeftOverIsNotGuessedAt) {
  EXPECT_THAT(Launch().Parse({"help"}),
              StatusIs(kInvalid,
                       "unexpected \"help\": it begins with dashes; give "
                       "--help; see pod_launch --help"));
  EXPECT_THAT(Launch().Parse({"--hidden", "512", "256"}),
              StatusIs(kInvalid, HasSubstr("a list has commas")));
  EXPECT_THAT(
      Launch().Parse({"--verbose", "3"}),
      StatusIs(kInvalid, HasSubstr("unexpected \"3\": settings are given as in "
                                   "pod_launch --model=mlp; a value stands "
                                   "behind its flag, and a switch has none")));
}

// Behind the first value of a setting quotes would not help.
TEST(CommandLineTest, FurtherValuesOfASettingAreToldTheirCommas) {
  const auto plan = [](const std::vector<std::string>& args) {
    PlanSettings settings;
    JobSpec spec;
    return ParseCommandLine(PodPlan(), args, {}, {&settings, &spec}).status();
  };
  EXPECT_THAT(plan({"--model=mlp", "--topology", "v3-8", "v3-32"}),
              StatusIs(kInvalid,
                       "unexpected \"v3-32\" after --topology v3-8; several "
                       "slices are one value with commas: --topology "
                       "v3-8,v3-32"));
  EXPECT_THAT(
      plan({"--topology=v3-8,v4-8", "v3-32", "v3-64"}),
      StatusIs(kInvalid, HasSubstr("--topology v3-8,v4-8,v3-32,v3-64")));
  EXPECT_THAT(Launch().Parse({"--topology", "v3-8", "v3-32"}),
              StatusIs(kInvalid,
                       "unexpected \"v3-32\" after --topology v3-8; a job "
                       "trains on one slice: leave out the others, or compare "
                       "them with pod_plan --topology v3-8,v3-32"));
  EXPECT_THAT(Launch().Parse({"--optimizer", "adam", "lamb"}),
              StatusIs(kInvalid,
                       "unexpected \"lamb\" after --optimizer adam; it takes "
                       "one: leave out the others"));
}

TEST(CommandLineTest, TheSameValueTwiceIsTaken) {
  Launch launch;
  EXPECT_THAT(launch.Parse({"--dry_run", "--seed=1", "--dry_run", "--seed=1"}),
              IsOk());
  EXPECT_TRUE(launch.settings.dry_run());
  EXPECT_EQ(launch.spec.seed(), 1u);
}

TEST(CommandLineTest, NumbersMayBeTypedAsPlansPrintThem) {
  Launch launch;
  EXPECT_THAT(launch.Parse({"--train_batch_size", "1,024", "--seed=1,000,000",
                            "--bucket_bytes=1,048,576"}),
              IsOk());
  EXPECT_EQ(launch.spec.train_batch_size(), 1024);
  EXPECT_EQ(launch.spec.seed(), 1000000u);
  EXPECT_EQ(launch.spec.bucket_bytes(), 1048576);
  for (const char* text : {"1,24", "1,0240", "10,24", ",024", "1,024,", "0,512",
                           "1024,000", "1.024"})
    EXPECT_THAT(
        Launch().Parse({"--train_batch_size", text}),
        StatusIs(kInvalid, absl::StrCat("--train_batch_size is \"", text,
                                        "\"; give a whole number from 1 up")));
  EXPECT_THAT(launch.Parse({"--hidden=512,256"}), IsOk());
  EXPECT_THAT(launch.spec.hidden(), ElementsAre(512, 256));
  EXPECT_THAT(launch.Parse({"--hidden=1,024"}),
              StatusIs(kInvalid,
                       "--hidden is \"1,024\"; give whole numbers with "
                       "commas, such as 512,512; one number stands without a "
                       "comma, such as 1024"));
}

TEST(CommandLineTest, OneDashIsNoFlag) {
  EXPECT_THAT(
      Launch().Parse({"-topology=v3-8"}),
      StatusIs(kInvalid, "unknown flag -topology; did you mean --topology?"));
}

TEST(CommandLineTest, HelpHasThreeForms) {
  const auto text = [](const std::vector<std::string>& args) {
    JobSpec spec;
    LaunchSettings settings;
    ElsewhereSettings elsewhere;
    MonitorSettings monitor;
    const auto line = ParseCommandLine(
        PodLaunch(), args, {}, {&spec, &settings, &elsewhere, &monitor});
    return line.ok() ? line->text : std::string(line.status().message());
  };
  EXPECT_EQ(text({"-h"}), FormatShortHelp(PodLaunch()));
  EXPECT_EQ(text({"--seed=x", "--help"}), FormatShortHelp(PodLaunch()));
  EXPECT_EQ(text({"--help=all"}), FormatHelp(PodLaunch()));
  EXPECT_EQ(text({"--help", "all"}), FormatHelp(PodLaunch()));
  EXPECT_EQ(text({"--help=json"}), FormatHelpJson(PodLaunch()));
  EXPECT_EQ(text({"--help=html"}),
            "--help is \"html\"; give --help, --help=all or --help=json");
}

TEST(CommandLineTest, TheSameValueIsRefusedInTheSameWords) {
  struct Case {
    const char* flag;
    const char* variable;
    const char* value;
    const char* message;
  };
  for (const Case& c :
       {Case{"--processes", "PODSIM_PROCESSES", "0",
             "processes is 0; allowed: 1 to 65,536"},
        Case{"--classes", "PODSIM_CLASSES", "1",
             "classes is 1; allowed: 2 to 1,048,576"},
        Case{"--momentum", "PODSIM_MOMENTUM", "1",
             "momentum is 1; allowed: at least 0 and less than 1"}}) {
    EXPECT_THAT(Launch().Parse({c.flag, c.value}),
                StatusIs(kInvalid, absl::StrCat("--", c.message)));
    EXPECT_THAT(Launch().Parse({}, {{c.variable, c.value}}),
                StatusIs(kInvalid,
                         absl::StrCat(c.message, " (from ", c.variable, ")")));
  }
}

TEST(CommandLineTest, AnUnknownWordIsToldTheWordsThereAre) {
  const std::string refused = "--wrap is \"x\"; give one of auto, torus, mesh";
  EXPECT_THAT(Launch().Parse({"--wrap=x"}), StatusIs(kInvalid, refused));
  EXPECT_THAT(Launch().Parse({}, {{"PODSIM_WRAP", "x"}}),
              StatusIs(kInvalid, refused + " (from PODSIM_WRAP)"));
}

TEST(CommandLineTest, AFlagWithoutAValueSaysWhatItTakes) {
  const std::string refused =
      "--topology has no value; give NAME: Slice to emulate, of v2 (v2-8 ... "
      "v2-512), v3, v4, v5e (v5litepod-16), v5p, v6e or tpu7x; --describe "
      "explains one";
  for (const char* arg : {"--topology=", "--tpu=", "--topology"})
    EXPECT_THAT(Launch().Parse({"--seed=1", arg}), StatusIs(kInvalid, refused))
        << arg;
  EXPECT_THAT(Launch().Parse({}, {{"PODSIM_TOPOLOGY", ""}}),
              StatusIs(kInvalid, refused + " (from PODSIM_TOPOLOGY)"));
  EXPECT_THAT(
      Launch().Parse({"--wrap=", "--seed=1"}),
      StatusIs(kInvalid, "--wrap has no value; give one of auto, torus, mesh"));
  EXPECT_THAT(Launch().Parse({"--dry_run"}), IsOk()) << "a switch needs none";
}

TEST(CommandLineTest, ANumberThatIsMissingSaysItsBounds) {
  EXPECT_THAT(Launch().Parse({"--train_batch_size="}),
              StatusIs(kInvalid,
                       "--train_batch_size has no value; give a whole number "
                       "from 1 up: Global batch on this slice"));
  EXPECT_THAT(
      Launch().Parse({"--epochs", "--dry_run"}),
      StatusIs(kInvalid,
               "--epochs has no value: \"--dry_run\" follows it; give a "
               "number, more than 0, as in --epochs X (a variable of "
               "the shell may be empty)"));
}

TEST(CommandLineTest, TheEnvironmentSaysWhereItWasRead) {
  EXPECT_THAT(Launch().Parse({}, {{"PODSIM_SEED", "x"}}),
              StatusIs(kInvalid,
                       "--seed is \"x\"; give a whole number from 0 up (from "
                       "PODSIM_SEED)"));
}

TEST(CommandLineTest, ABoundSaysWhereItsValueWasRead) {
  EXPECT_THAT(Launch().Parse({}, {{"PODSIM_THREADS", "-1"}}),
              StatusIs(kInvalid,
                       "threads is -1; allowed: 0 to 4,096 (from "
                       "PODSIM_THREADS)"));
  EXPECT_THAT(Launch().Parse({"--threads=-1"}, {{"PODSIM_THREADS", "2"}}),
              StatusIs(kInvalid, "--threads is -1; allowed: 0 to 4,096"));
}

TEST(CommandLineTest, AWarmUpGivenAsARatioIsToldInSteps) {
  const std::string said =
      "unknown flag --warmup_ratio; --warmup_steps gives the warm-up in steps: "
      "ratio x --train_steps, such as 100 for 0.1 of 1000 steps";
  for (const char* ratio : {"--warmup_ratio=0.05", "--warmup-ratio=0.05"})
    EXPECT_THAT(Launch().Parse({ratio, "--train_steps=400"}),
                StatusIs(kInvalid, said + "; here --warmup_steps=20"));
  EXPECT_THAT(
      Launch().Parse({"--train_steps", "400", "--warmup_ratio", "0.05"}),
      StatusIs(kInvalid, said + "; here --warmup_steps=20"));
  EXPECT_THAT(Launch().Parse({"--warmup_ratio=0.05"}),
              StatusIs(kInvalid, said));
  EXPECT_THAT(Launch().Parse({"--warmup_ratio=x", "--train_steps=400"}),
              StatusIs(kInvalid, said));
}

TEST(CommandLineTest, AFlagWinsOverAVariableThatItExcludes) {
  struct Pair {
    const char* flag;
    const char* variable;
    const char* other;  // the variable's field
  };
  for (const Pair& pair :
       {Pair{"--train_steps=10", "PODSIM_EPOCHS", "epochs"},
        Pair{"--epochs=10", "PODSIM_TRAIN_STEPS", "train_steps"},
        Pair{"--batch_per_core=1", "PODSIM_TRAIN_BATCH_SIZE",
             "train_batch_size"},
        Pair{"--learning_rate=1", "PODSIM_BASE_LEARNING_RATE",
             "base_learning_rate"}}) {
    Launch launch;
    EXPECT_THAT(launch.Parse({pair.flag}, {{pair.variable, "5"}}), IsOk());
    EXPECT_FALSE(
        IsSet(launch.spec, *JobSpec::descriptor()->FindFieldByName(pair.other)))
        << pair.other;
    EXPECT_GT(launch.spec.ByteSizeLong(), 0u);
  }
}

TEST(CommandLineTest, WhatTheEnvironmentGaveIsTold) {
  JobSpec spec;
  LaunchSettings settings;
  ElsewhereSettings elsewhere;
  MonitorSettings monitor;
  ASSERT_OK_AND_ASSIGN(
      const CommandLine line,
      ParseCommandLine(PodLaunch(), {"--seed=1"},
                       {{"PODSIM_SEED", "2"}, {"PODSIM_DRY_RUN", "true"}},
                       {&spec, &settings, &elsewhere, &monitor}));
  EXPECT_THAT(
      line.from_environment,
      ElementsAre(LaunchSettings::descriptor()->FindFieldByName("dry_run")));
  EXPECT_EQ(spec.seed(), 1u);
}

TEST(CommandLineTest, VariablesThatExcludeEachOtherAreNamed) {
  const Variables both = {{"PODSIM_EPOCHS", "5"}, {"PODSIM_TRAIN_STEPS", "10"}};
  EXPECT_THAT(Launch().Parse({}, both),
              StatusIs(kInvalid,
                       "PODSIM_TRAIN_STEPS=10 and PODSIM_EPOCHS=5 both set "
                       "the length of the run; leave one of them out: unset "
                       "PODSIM_EPOCHS"));
  EXPECT_THAT(Launch().Parse({"--epochs=1"}, both), IsOk());
}

TEST(CommandLineTest, SwitchesTakeTrueFalseOrNothing) {
  Launch launch;
  EXPECT_THAT(launch.Parse({"--dry_run", "--selftest=false"},
                           {{"PODSIM_SELFTEST", "true"}}),
              IsOk());
  EXPECT_TRUE(launch.settings.dry_run());
  EXPECT_FALSE(launch.settings.selftest());
  EXPECT_THAT(
      launch.Parse({"--dry-run=perhaps"}),
      StatusIs(kInvalid, "--dry_run is \"perhaps\"; give true or false"));
}

TEST(CommandLineTest, ArgumentsAreTakenInOrder) {
  CkptSettings settings;
  EXPECT_THAT(ParseCommandLine(PodCkpt(), {"diff", "/a", "/b"}, {}, {&settings})
                  .status(),
              IsOk());
  EXPECT_EQ(settings.command(), words::CkptCommand::diff);
  EXPECT_THAT(settings.path(), ElementsAre("/a", "/b"));
}

TEST(CommandLineTest, AnArgumentThatIsMissingIsAskedFor) {
  CkptSettings settings;
  EXPECT_THAT(ParseCommandLine(PodCkpt(), {}, {}, {&settings}).status(),
              StatusIs(kInvalid,
                       "which command? ls, show, verify, diff, adopt, clean, "
                       "such as pod_ckpt ls runs/a; see pod_ckpt --help"));
  EXPECT_THAT(ParseCommandLine(PodCkpt(), {"ls"}, {}, {&settings}).status(),
              StatusIs(kInvalid, HasSubstr("which path?")));
}

// Of a command that writes the second of two is where to; of others a path is
// one too many.
TEST(CommandLineTest, OnlyACommandThatWritesIsOfferedOutput) {
  const auto refused = [](const MainProgram& program, auto settings,
                          const std::vector<std::string>& args) {
    return std::string(
        ParseCommandLine(program, args, {}, {&settings}).status().message());
  };
  EXPECT_EQ(refused(PodData(), DataSettings(), {"convert", "a", "b"}),
            "unexpected \"b\": one path is given; where to write is "
            "--output=b; see pod_data --help");
  EXPECT_EQ(refused(PodProgram(), ProgramSettings(), {"import", "a", "b"}),
            "unexpected \"b\": one path is given; where to write is "
            "--output=b; see pod_program --help");
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"verify", "a", "b"},
        std::vector<std::string>{"convert", "a", "b", "--output=c"},
        std::vector<std::string>{"convert", "a", "b", "c"}})
    EXPECT_THAT(refused(PodData(), DataSettings(), args),
                AllOf(HasSubstr(absl::StrCat(args[0], " takes one path and ")),
                      ::testing::Not(HasSubstr("--output"))));
  EXPECT_EQ(refused(PodProgram(), ProgramSettings(), {"show", "a", "b"}),
            "show takes one path and 2 are given, a and b; give one at a "
            "time: pod_program show a; see pod_program --help");
}

TEST(CommandLineTest, AFlagThatIsMissingIsAskedFor) {
  CoordinatorSettings settings;
  MonitorSettings monitor;
  EXPECT_THAT(ParseCommandLine(PodCoordinator(), {}, {{"PODSIM_JOB", "x"}},
                               {&settings, &monitor})
                  .status(),
              StatusIs(kInvalid, AllOf(HasSubstr("--job is missing"),
                                       HasSubstr("does not read PODSIM_JOB"))));
}

TEST(CommandLineTest, AVariableOfAnotherProgramHasNoSay) {
  HostSettings settings;
  EXPECT_THAT(ParseCommandLine(PodHost(), {"--coordinator=a:1"},
                               {{"PODSIM_THREADS", "3"}}, {&settings})
                  .status(),
              IsOk());
  EXPECT_FALSE(settings.has_threads());
}

class EveryProgramTest : public ::testing::TestWithParam<const MainProgram*> {};

TEST_P(EveryProgramTest, NoTwoFlagsShareAName) {
  std::vector<std::string> names = {"help", "version", "h"};
  for (const Flag& flag : FlagsOf(*GetParam())) {
    const Setting& rule = SettingOf(*flag.field);
    if (rule.positional()) continue;
    for (const std::string& name : NamesOf(flag)) names.push_back(name);
    if (!rule.letter().empty()) names.push_back(rule.letter());
  }
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
  // And a name that is hinted at is no flag.
  for (const Flag& flag : FlagsOf(*GetParam()))
    for (const std::string& mistaken : SettingOf(*flag.field).mistaken())
      EXPECT_EQ(std::count(names.begin(), names.end(), mistaken), 0)
          << mistaken;
}

INSTANTIATE_TEST_SUITE_P(All, EveryProgramTest,
                         ::testing::ValuesIn(AllPrograms()),
                         [](const auto& info) {
                           return std::string(info.param->name);
                         });

}  // namespace
}  // namespace podsim
