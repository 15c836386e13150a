// What a path stands for, and reading it.
#include "runtime/report/run_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/runtime/report/run_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::EvenRun;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The paths of its runs.
std::vector<std::string> PathsOf(const FoundRuns& found) {
  std::vector<std::string> paths;
  for (const RunRecords& run : found.runs) paths.push_back(run.path);
  return paths;
}

void WriteAll(ObjectStore& store, const std::string& text,
              const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    ASSERT_THAT(store.Write(path, text), IsOk());
}

TEST(RunsAtTest, AFileIsItselfAFolderWhatItHolds) {
  const auto store = NewMemoryStore();
  WriteAll(*store, EvenRun(),
           {"runs/b.jsonl", "runs/a.jsonl", "runs/notes.txt", "runs/metrics",
            "runs/metrics.jsonl.1", "runs/one/c.jsonl", "runs/one/two/d.jsonl",
            "runs/ones.jsonl"});
  ASSERT_OK_AND_ASSIGN(const FoundRuns file,
                       ReadRunsAt(*store, "runs/notes.txt"));
  EXPECT_THAT(PathsOf(file), ElementsAre("runs/notes.txt"));
  EXPECT_EQ(file.runs.front().steps.size(), 40u);
  for (const char* folder : {"runs", "runs/"}) {
    ASSERT_OK_AND_ASSIGN(const FoundRuns found, ReadRunsAt(*store, folder));
    EXPECT_THAT(PathsOf(found),
                ElementsAre("runs/a.jsonl", "runs/b.jsonl", "runs/metrics",
                            "runs/ones.jsonl", "runs/one/c.jsonl"));
    EXPECT_THAT(found.passed_over, IsEmpty());
  }
}

// As pod_ladder --ladder_dir leaves it.
TEST(RunsAtTest, OfALadderTheRungsAreRead) {
  const auto store = NewMemoryStore();
  WriteAll(*store, EvenRun(),
           {"ladder/v3-8/metrics.jsonl", "ladder/v3-32/metrics.jsonl"});
  WriteAll(*store, "{\"slice\": \"v3-8\"}\n", {"ladder/results.jsonl"});
  WriteAll(*store, "", {"ladder/v3-128/metrics.jsonl"});
  ASSERT_OK_AND_ASSIGN(const FoundRuns found, ReadRunsAt(*store, "ladder"));
  EXPECT_THAT(PathsOf(found), ElementsAre("ladder/v3-32/metrics.jsonl",
                                          "ladder/v3-8/metrics.jsonl"));
  EXPECT_THAT(found.passed_over,
              ElementsAre("ladder/results.jsonl: line 1 is no record of a run",
                          "ladder/v3-128/metrics.jsonl: it has no line"));
}

// A model_dir has one for each checkpoint, each of which costs a bucket a
// request.
TEST(RunsAtTest, CheckpointsBesideARunAreNotLookedInto) {
  const auto store = NewMemoryStore();
  WriteAll(*store, EvenRun(), {"m/10/a.jsonl", "m/20/a.jsonl"});
  ASSERT_OK_AND_ASSIGN(const FoundRuns numbered, ReadRunsAt(*store, "m"));
  EXPECT_THAT(PathsOf(numbered), ElementsAre("m/10/a.jsonl", "m/20/a.jsonl"));
  WriteAll(*store, EvenRun(), {"m/metrics.jsonl", "m/v3-8/a.jsonl"});
  ASSERT_OK_AND_ASSIGN(const FoundRuns found, ReadRunsAt(*store, "m"));
  EXPECT_THAT(PathsOf(found), ElementsAre("m/metrics.jsonl", "m/v3-8/a.jsonl"));
}

TEST(RunsAtTest, WhatIsNotThereIsSaidWithTheFlag) {
  const auto store = NewMemoryStore();
  WriteAll(*store, "x", {"runs/10/manifest.json", "gs://b/m/10/manifest.json"});
  EXPECT_THAT(ReadRunsAt(*store, "runz").status(),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("there is no file or folder runz"),
                             HasSubstr("pod_launch --metrics_file"))));
  EXPECT_THAT(ReadRunsAt(*store, " runs").status(),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr(", \" runs\" with a blank in front: leave it "
                                 "out; ")));
  EXPECT_THAT(ReadRunsAt(*store, "runs").status(),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("the folder runs has no metrics file"),
                             HasSubstr("--metrics_file=runs/metrics.jsonl"))));
  EXPECT_THAT(
      ReadRunsAt(*store, "gs://b/m").status(),
      StatusIs(absl::StatusCode::kNotFound,
               AllOf(HasSubstr("into a bucket a job writes one only where it "
                               "is told to: pod_launch "
                               "--metrics_file=gs://b/m/metrics.jsonl"))));
}

TEST(RunsAtTest, AFolderOfOtherFilesNamesSome) {
  const auto store = NewMemoryStore();
  WriteAll(*store, "hello\n",
           {"d/1.jsonl", "d/2.jsonl", "d/3.jsonl", "d/4.jsonl", "d/5.jsonl",
            "d/x/6.jsonl"});
  EXPECT_THAT(
      ReadRunsAt(*store, "d").status(),
      StatusIs(kInvalid,
               AllOf(HasSubstr("the folder d has no metrics file: d/1.jsonl: "
                               "line 1 is no record of a run; "),
                     HasSubstr("d/4.jsonl: line 1 is no record of a run; 2 "
                               "more; pod_launch --metrics_file=d/"))));
}

TEST(RunsAtTest, WhatWasMeantByAMissingPathIsSaid) {
  const auto store = NewMemoryStore();
  for (const auto& [path, way] :
       std::vector<std::pair<std::string, std::string>>{
           {"a.jsonl,b.jsonl", "several are parted by blanks"},
           {"page.html", "the page to write is named by --output"},
           {"a.jsonl", "pod_launch --metrics_file=FILE writes one"}})
    EXPECT_THAT(ReadRunsAt(*store, path).status(),
                StatusIs(absl::StatusCode::kNotFound,
                         HasSubstr(absl::StrCat("there is no file or folder ",
                                                path, "; ", way))));
  EXPECT_THAT(ReadRunsAt(*store, "/dev/null").status(),
              StatusIs(kInvalid, HasSubstr("is neither a file nor a folder")));
}

TEST(ReadRunTest, ReadsWhatAJobWrote) {
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("a.jsonl", EvenRun()), IsOk());
  ASSERT_OK_AND_ASSIGN(const RunRecords run, ReadRun(*store, "a.jsonl"));
  EXPECT_EQ(run.path, "a.jsonl");
  EXPECT_EQ(run.steps.size(), 40u);
}

TEST(ReadRunTest, AFileOfOtherThingsIsRefused) {
  const auto store = NewMemoryStore();
  for (const auto& [text, why] :
       std::vector<std::pair<std::string, std::string>>{
           {"", "it has no line"},
           {"\n\n", "it has no line"},
           {"hello\nworld\n", "line 1 is no record of a run"},
           {"hello", "line 1 is no record of a run"},
           {"\n{\"a\": 1}\n", "line 2 is no record of a run"},
           {"{\"event\": \"hello\"}\n", "its lines are no records of a run"},
           {"\x1f\x8b\b", "it is compressed by gzip: unpack it first"},
           {"\xff\xfe{", "it is UTF-16: make it UTF-8 first"},
           {"\n{\"traceEvents\": [\n{}]}", "it is a trace, which"},
           {"<!DOCTYPE html>\n", "it is a page of HTML"},
           {"\n$2\n\b\x01wall", "it is no text; a trace, say, is for"}}) {
    ASSERT_THAT(store->Write("a", text), IsOk());
    EXPECT_THAT(
        ReadRun(*store, "a"),
        StatusIs(kInvalid,
                 AllOf(HasSubstr(absl::StrCat("a is no metrics file: ", why)),
                       HasSubstr("pod_launch --metrics_file=FILE"))));
  }
  EXPECT_THAT(ReadRun(*store, "b"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("b")));
}

}  // namespace
}  // namespace podsim
