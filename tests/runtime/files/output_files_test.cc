// Files that cannot be written are refused before anything is computed.
#include "runtime/files/output_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

TEST(OutputFileTest, ItsFolderMustExistAndIsNotMade) {
  const TempDir dir;
  const std::string folder = dir.file("nodir");
  const std::string path = absl::StrCat(folder, "/l.svg");
  EXPECT_THAT(
      CheckOutputFile("plot", path),
      StatusIs(kInvalid,
               absl::StrCat("--plot is \"", path, "\", but there is no folder ",
                            folder, "; make it, or name a file elsewhere")));
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_THAT(CheckOutputFile("plot", dir.file("l.svg")), IsOk());
  EXPECT_THAT(CheckOutputFile("plot", "l.svg"), IsOk());
}

TEST(OutputFileTest, AFolderIsNoFile) {
  const TempDir dir;
  for (const std::string& path : {dir.path(), dir.file("new/")})
    EXPECT_THAT(CheckOutputFile("output", path),
                StatusIs(kInvalid, HasSubstr("that is a folder")));
  const std::string file = dir.file("file");
  std::ofstream(file) << "x";
  EXPECT_THAT(CheckOutputFile("output", file), IsOk());
  EXPECT_THAT(CheckOutputFile("output", "/dev/null"), IsOk());
  EXPECT_THAT(CheckOutputFile("output", file + "/x"),
              StatusIs(kInvalid, HasSubstr("is no folder")));
}

TEST(OutputFileTest, APageIsOfHtml) {
  for (const char* path : {"a.html", "a.HTM", "/dev/stdout", "runs/v1.2", ""})
    EXPECT_THAT(CheckPageName("report", path), IsOk()) << path;
  EXPECT_THAT(
      CheckPageName("report", "d/a.PDF"),
      StatusIs(kInvalid,
               "--report is \"d/a.PDF\", but a page of HTML is written: "
               "give --report=d/a.html"));
}

TEST(OutputFileTest, ANamedPipeIsNoFile) {
  const TempDir dir;
  ASSERT_EQ(mkfifo(dir.file("pipe").c_str(), 0600), 0);
  EXPECT_THAT(CheckOutputFile("metrics_file", dir.file("pipe")),
              StatusIs(kInvalid, HasSubstr("that is a named pipe")));
  EXPECT_THAT(CheckOutputFile("metrics_file", "/dev/stdout"), IsOk());
}

template <typename Settings, typename Setter>
absl::Status CheckOf(Setter set, const std::string& path) {
  Settings settings;
  (settings.*set)(path);
  return CheckOutputFiles(settings);
}

// Every setting of every program that names a file to be written.
TEST(OutputFolderTest, AFileIsNone) {
  const TempDir dir;
  std::ofstream(dir.file("file")) << "x";
  for (const std::string& path : {dir.file("file"), dir.file("file/new/er")})
    EXPECT_THAT(
        CheckOutputFolder("model_dir", path),
        StatusIs(kInvalid,
                 absl::StrCat("--model_dir is \"", path,
                              "\", but that is a file, or lies below one; name "
                              "a folder, which is made if need be")));
  for (const std::string& path :
       {dir.path(), dir.file("new"), dir.file("new/er"), std::string("new"),
        std::string(), std::string("gs://bucket/run")})
    EXPECT_THAT(CheckOutputFolder("model_dir", path), IsOk()) << path;
}

TEST(OutputFolderTest, ItMustBeWritten) {
  const TempDir dir;
  const std::string folder = dir.file("read_only");
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_read |
                                           std::filesystem::perms::owner_exec);
  const absl::Status status =
      CheckOutputFolder("log_dir", absl::StrCat(folder, "/logs"));
  if (geteuid() == 0) {
    EXPECT_THAT(status, IsOk());  // root may
  } else {
    EXPECT_THAT(
        status,
        StatusIs(kInvalid, HasSubstr(absl::StrCat(
                               "but nothing can be written in ", folder,
                               "; name a folder that you may write to"))));
  }
}

TEST(OutputFilesTest, APictureIsAnSvgFile) {
  const auto check = [](const std::string& path) {
    return CheckOf<PlanSettings>(&PlanSettings::set_plot<const std::string&>,
                                 path);
  };
  EXPECT_THAT(check("l.svg"), IsOk());
  EXPECT_THAT(check("l.png"),
              StatusIs(kInvalid,
                       "--plot is \"l.png\", but must end in .svg, which is "
                       "what is drawn: give --plot=l.svg"));
  EXPECT_THAT(check(".svg"),
              StatusIs(kInvalid,
                       "--plot is \".svg\", but nothing stands before .svg (a "
                       "variable of the shell may be empty): give "
                       "--plot=run.svg"));
  EXPECT_THAT(check("l.svg/"),
              StatusIs(kInvalid, HasSubstr("that is a folder")));
}

TEST(OutputFilesTest, AStoreIsForWhatMayLieThere) {
  EXPECT_THAT(CheckOf<PlanSettings>(&PlanSettings::set_plot<const std::string&>,
                                    "gs://b/l.svg"),
              StatusIs(kInvalid, HasSubstr("--plot: ")));
  EXPECT_THAT(CheckOf<LaunchSettings>(
                  &LaunchSettings::set_write_model<const std::string&>,
                  "gs://bucket/m"),
              IsOk());
}

TEST(OutputFilesTest, AllAreLookedAt) {
  const std::string path = "no/such/folder/file";
  for (const absl::Status& status : {
           CheckOf<PlanSettings>(&PlanSettings::set_plot<const std::string&>,
                                 path + ".svg"),
           CheckOf<JobSpec>(&JobSpec::set_metrics_file<const std::string&>,
                            path),
           CheckOf<LaunchSettings>(
               &LaunchSettings::set_write_model<const std::string&>, path),
           CheckOf<BenchSettings>(
               &BenchSettings::set_output_file<const std::string&>, path),
           CheckOf<BenchSettings>(
               &BenchSettings::set_write_choices<const std::string&>, path),
           CheckOf<ProgramSettings>(
               &ProgramSettings::set_output<const std::string&>, path),
       })
    EXPECT_THAT(status,
                StatusIs(kInvalid, HasSubstr("no folder no/such/folder")));
}

TEST(OutputFilesTest, AStoreIsNoFolder) {
  JobSpec spec;
  spec.set_metrics_file("gs://bucket/metrics.jsonl");
  EXPECT_THAT(CheckOutputFiles(spec), IsOk());
  EXPECT_THAT(CheckOutputFiles(JobSpec()), IsOk());
}

}  // namespace
}  // namespace podsim
