// A file that a command reads is never one that it writes.
#include "runtime/files/output_clash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/job.pb.h"
#include "proto/plan.pb.h"
#include "proto/programs.pb.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::HasSubstr;

absl::Status CheckPair(const std::string& read, const std::string& written) {
  return CheckOutputsApart(
      {.read = {{.name = "path", .path = read}},
       .written = {{.name = "--output", .path = written}}});
}

TEST(OutputClashTest, AFileThatIsReadIsNotWritten) {
  const TempDir dir;
  const std::string run = dir.file("run.jsonl");
  std::ofstream(run) << "x";
  EXPECT_THAT(CheckPair(run, run),
              StatusIs(kInvalid,
                       absl::StrCat("--output is \"", run, "\", but path ", run,
                                    " reads that file; name another file")));
  EXPECT_THAT(CheckPair(run, dir.file("page.html")), IsOk());
}

TEST(OutputClashTest, LinksAreTheFileThatTheyLeadTo) {
  const TempDir dir;
  const std::string run = dir.file("run.jsonl");
  std::ofstream(run) << "x";
  std::filesystem::create_symlink("run.jsonl", dir.file("soft"));
  std::filesystem::create_hard_link(run, dir.file("hard"));
  for (const std::string& written :
       {dir.file("soft"), dir.file("hard"), dir.file("./run.jsonl")})
    EXPECT_THAT(CheckPair(run, written),
                StatusIs(kInvalid, HasSubstr("reads that file")))
        << written;
}

TEST(OutputClashTest, PathsOfFilesThatAreNotThereAreMadeWhole) {
  const TempDir dir;
  const auto clash = StatusIs(kInvalid, HasSubstr("reads that file"));
  EXPECT_THAT(CheckPair("new", "./new"), clash);
  EXPECT_THAT(CheckPair("a/../new", "new"), clash);
  std::filesystem::create_directory(dir.file("real"));
  std::filesystem::create_symlink("real", dir.file("link"));
  EXPECT_THAT(CheckPair(dir.file("real/new"), dir.file("link/new")), clash);
  EXPECT_THAT(CheckPair(dir.file("real/new"), dir.file("new")), IsOk());
}

TEST(OutputClashTest, ObjectsAreTheSameByName) {
  EXPECT_THAT(CheckPair("gs://b/run", "gs://b/run"),
              StatusIs(kInvalid, HasSubstr("reads that file")));
  EXPECT_THAT(CheckPair("gs://b/run", "gs://b/run2"), IsOk());
  EXPECT_THAT(CheckPair("gs://b/run", "run"), IsOk());
}

TEST(OutputClashTest, APatternStandsForWhatItMatches) {
  const TempDir dir;
  std::ofstream(dir.file("train-0")) << "x";
  EXPECT_THAT(CheckPair(dir.file("train-*"), dir.file("train-0")),
              StatusIs(kInvalid, HasSubstr("reads that file")));
  EXPECT_THAT(CheckPair(dir.file("train-*"), dir.file("metrics.jsonl")),
              IsOk());
}

TEST(OutputClashTest, DevicesPass) {
  EXPECT_THAT(CheckPair("/dev/null", "/dev/null"), IsOk());
  EXPECT_THAT(
      CheckOutputsApart({.read = {},
                         .written = {{.name = "--trace", .path = "/dev/null"},
                                     {.name = "--plot", .path = "/dev/null"}}}),
      IsOk());
}

TEST(OutputClashTest, AFolderIsSaidToBeOne) {
  const TempDir dir;
  EXPECT_THAT(CheckPair(dir.path(), dir.path()),
              StatusIs(kInvalid, HasSubstr("reads that folder; name another "
                                           "folder")));
}

// By what proto/setting.proto says of each field.
TEST(OutputClashTest, SettingsSayWhatIsReadAndWritten) {
  JobSpec spec;
  LaunchSettings settings;
  settings.set_job("job.txt");
  spec.set_metrics_file("./job.txt");
  EXPECT_THAT(CheckOutputsApart(FilesIn({&spec, &settings})),
              StatusIs(kInvalid,
                       "--metrics_file is \"./job.txt\", but --job job.txt "
                       "reads that file; name another file"));
  spec.set_metrics_file("a.jsonl");
  EXPECT_THAT(CheckOutputsApart(FilesIn({&spec, &settings})), IsOk());
  spec.set_trace("a.jsonl");
  EXPECT_THAT(CheckOutputsApart(FilesIn({&spec, &settings})),
              StatusIs(kInvalid,
                       "--trace is \"a.jsonl\", but --metrics_file a.jsonl "
                       "writes that file; name another file"));
  spec.set_trace("logs");
  for (const char* folder : {"logs", "logs/"}) {
    spec.set_log_dir(folder);
    EXPECT_THAT(
        CheckOutputsApart(FilesIn({&spec, &settings})),
        StatusIs(kInvalid,
                 absl::StrCat("--trace is \"logs\", but --log_dir ", folder,
                              " names a folder; name another file")));
  }
}

TEST(OutputClashTest, EachOfAListIsRead) {
  PlanSettings settings;
  settings.add_measured("a.jsonl");
  settings.add_measured("b.svg");
  settings.set_plot("b.svg");
  EXPECT_THAT(CheckOutputsApart(FilesIn({&settings})),
              StatusIs(kInvalid, HasSubstr("--measured b.svg reads that")));
}

}  // namespace
}  // namespace podsim
