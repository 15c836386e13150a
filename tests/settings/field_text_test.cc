// Each type from text, and the words in which other text is refused.
#include "settings/field_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/job.pb.h"
#include "proto/programs.pb.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;

absl::Status Set(const std::string& name, const std::string& text,
                 JobSpec& spec) {
  return SetFieldFromText(name, text,
                          *JobSpec::descriptor()->FindFieldByName(name), spec);
}

TEST(FieldTextTest, EachType) {
  JobSpec spec;
  EXPECT_THAT(Set("hidden", "512,1e3", spec), IsOk());
  EXPECT_THAT(spec.hidden(), ElementsAre(512, 1000));
  EXPECT_THAT(Set("hidden", "7", spec), IsOk());
  EXPECT_THAT(spec.hidden(), ElementsAre(7));
  EXPECT_THAT(Set("train_steps", "1e4", spec), IsOk());
  EXPECT_EQ(spec.train_steps(), 10'000);
  EXPECT_THAT(Set("bucket_bytes", "4M", spec), IsOk());
  EXPECT_EQ(spec.bucket_bytes(), 4 << 20);
  EXPECT_THAT(Set("learning_rate", "1e-3", spec), IsOk());
  EXPECT_EQ(spec.learning_rate(), 1e-3);
  BenchSpec bench;
  EXPECT_THAT(SetFieldFromText(
                  "root", "2,all",
                  *BenchSpec::descriptor()->FindFieldByName("root"), bench),
              IsOk());
  EXPECT_THAT(bench.root(), ElementsAre(2, -1));
}

TEST(FieldTextTest, AnArgumentHasNoDashes) {
  CkptSettings settings;
  const auto& path = *CkptSettings::descriptor()->FindFieldByName("path");
  EXPECT_THAT(AddFieldText("path", "runs/a,b", path, settings), IsOk());
  EXPECT_THAT(settings.path(), ElementsAre("runs/a,b"));
  EXPECT_THAT(
      AddFieldText("path", "~/runs", path, settings),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "path is \"~/runs\"; give \"$HOME/runs\"; in quotes and behind "
               "a = the shell leaves ~ as it is"));
}

struct Bad {
  const char* name;
  const char* text;
  const char* message;
};

class BadTextTest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadTextTest, SaysWhatToGive) {
  JobSpec spec;
  EXPECT_THAT(Set(GetParam().name, GetParam().text, spec),
              StatusIs(absl::StatusCode::kInvalidArgument, GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadTextTest,
    ::testing::Values(
        Bad{"seed", "-1", "--seed is \"-1\"; give a whole number from 0 up"},
        Bad{"model_dir", "~/run",
            "--model_dir is \"~/run\"; give \"$HOME/run\"; "
            "in quotes and behind a = the shell leaves ~ as it is"},
        Bad{"train_steps", "1.5",
            "--train_steps is \"1.5\"; give a whole number from 1 up"},
        Bad{"train_steps", "10k",
            "--train_steps is \"10k\"; give a whole number from 1 up: 10000"},
        Bad{"checkpoint_every", "10m",
            "--checkpoint_every is \"10m\"; give a whole number of steps "
            "from 0 up, without a unit; --checkpoint_every_seconds takes "
            "seconds"},
        Bad{"batch_per_core", "max",
            "--batch_per_core is \"max\"; give a whole number from 1 up; max "
            "is for pod_plan alone, which says how many fit"},
        Bad{"train_steps", "max",
            "--train_steps is \"max\"; give a whole number from 1 up"},
        Bad{"processes", "4294967297",
            "--processes is \"4294967297\"; give a whole number from 1 to "
            "65,536"},
        Bad{"processes", "0.5k",
            "--processes is \"0.5k\"; give a whole number from 1 to 65,536: "
            "500"},
        // More than the setting allows is not offered.
        Bad{"processes", "100k",
            "--processes is \"100k\"; give a whole number from 1 to 65,536"},
        Bad{"hidden", "many",
            "--hidden is \"many\"; give whole numbers with commas, such as "
            "512,512"},
        Bad{"hidden", "512,",
            "--hidden is \"512,\"; give it as a list with commas: 512"},
        Bad{"hidden", "[512, 256]",
            "--hidden is \"[512, 256]\"; give it as a list with commas: "
            "512,256"},
        Bad{"hidden", "512x256",
            "--hidden is \"512x256\"; give it as a list with commas: 512,256"},
        Bad{"weight_decay_exclude", "bias,,norm",
            "--weight_decay_exclude is \"bias,,norm\"; give it as a list with "
            "commas: bias,norm"},
        Bad{"bucket_bytes", "1X",
            "--bucket_bytes is \"1X\"; give a number of bytes such as 4096 or "
            "4M"},
        Bad{"bucket_bytes", "1.5 MB",
            "--bucket_bytes is \"1.5 MB\"; give a number of bytes such as 4096 "
            "or 4M, here 1536K"},
        Bad{"lr_decay_at", "0.5;0.75",
            "--lr_decay_at is \"0.5;0.75\"; give it as a list with commas: "
            "0.5,0.75"},
        Bad{"learning_rate", "0,1",
            "--learning_rate is \"0,1\"; give a number with a point, 0.1"},
        Bad{"learning_rate", "1,000",
            "--learning_rate is \"1,000\"; give a number without commas, "
            "1000, or with a point, 1.000"},
        Bad{"momentum", "fast",
            "--momentum is \"fast\"; give a number, at least 0 and less than "
            "1"},
        Bad{"momentum", "90%",
            "--momentum is \"90%\"; give a number, at least 0 and less than 1: "
            "0.9"},
        Bad{"checkpoint_every_seconds", "5m",
            "--checkpoint_every_seconds is \"5m\"; give a number of seconds, "
            "at least 0, without a unit: 300"},
        Bad{"stall_timeout", "long",
            "--stall_timeout is \"long\"; give a number of seconds, more than "
            "0"},
        Bad{"model", "", "--model is \"\"; give a value"}));

}  // namespace
}  // namespace podsim
