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

TEST(MetricsFilesTest, AFileIsItselfAFolderWhatItHolds) {
  const auto store = NewMemoryStore();
  for (const char* path :
       {"runs/b.jsonl", "runs/a.jsonl", "runs/notes.txt", "runs/metrics",
        "runs/metrics.jsonl.1", "runs/deeper/c.jsonl"})
    ASSERT_THAT(store->Write(path, "x"), IsOk());
  EXPECT_THAT(*MetricsFilesAt(*store, "runs/notes.txt"),
              ElementsAre("runs/notes.txt"));
  for (const char* folder : {"runs", "runs/"})
    EXPECT_THAT(*MetricsFilesAt(*store, folder),
                ElementsAre("runs/a.jsonl", "runs/b.jsonl", "runs/metrics"));
}

TEST(MetricsFilesTest, WhatIsNotThereIsSaidWithTheFlag) {
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("runs/10/manifest.json", "x"), IsOk());
  EXPECT_THAT(MetricsFilesAt(*store, "runz"),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("there is no file or folder runz"),
                             HasSubstr("pod_launch --metrics_file"))));
  EXPECT_THAT(MetricsFilesAt(*store, "runs"),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("the folder runs has no metrics file"),
                             HasSubstr("--metrics_file=runs/metrics.jsonl"))));
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
           {"\n{\"a\": 1}\n", "line 2 is no record of a run"}}) {
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
