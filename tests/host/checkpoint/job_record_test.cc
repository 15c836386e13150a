#include "host/checkpoint/job_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/checkpoint/folders.h"
#include "host/checkpoint/layout.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;

TEST(JobRecord, ComesBackFromItsText) {
  JobRecord record;
  record.Begin(1785);
  record.Begin(1786);
  record.Put({.step = 200, .stamp = 1785, .manifest_sha256 = "ab"});
  record.Put({.step = 300, .manifest_sha256 = "cd", .retiring = true});
  ASSERT_OK_AND_ASSIGN(const JobRecord back, ParseRecord(RecordJson(record)));
  EXPECT_TRUE(back == record);
  EXPECT_THAT(ParseRecord(RecordJson(JobRecord())), IsOk());
}

TEST(JobRecord, OtherTextsAreNotBelieved) {
  for (const char* text :
       {"", "{}", "<html>", "[]", "{\"format\": 0}", "{\"format\": \"x\"}",
        "{\"format\": 1, \"steps\": [{\"step\": -1}]}",
        "{\"format\": 1, \"stamps\": [0]}"})
    EXPECT_THAT(ParseRecord(text),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("")))
        << text;
  EXPECT_THAT(ParseRecord("{\"format\": 2}"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("go on with a newer one")));
  EXPECT_THAT(ParseRecord("{\"format\": 1, \"later\": {}}"), IsOk());
}

TEST(JobRecord, WhatAWriterLeftIsWhatItBeganAndDidNotSave) {
  JobRecord record;
  record.Begin(7);
  record.Put({.step = 200, .stamp = 7});
  EXPECT_FALSE(record.IsLeftOver(200, 7)) << "saved";
  EXPECT_TRUE(record.IsLeftOver(300, 7)) << "begun";
  EXPECT_FALSE(record.IsLeftOver(300, 8)) << "another's";
  record.Retire(200);
  EXPECT_TRUE(record.IsLeftOver(200, 7)) << "on its way out";
  record.Drop(200);
  EXPECT_TRUE(record.IsLeftOver(200, 7)) << "gone";
  record.Retire(500);
  EXPECT_THAT(record.steps(), ::testing::IsEmpty());
}

// A job that was restarted for ever does not grow its record for ever.
TEST(JobRecord, ForgetsTheOldestStampsThatHaveNoStep) {
  JobRecord record;
  record.Begin(1);
  record.Put({.step = 10, .stamp = 1});
  for (std::int64_t stamp = 2; stamp < 1000; ++stamp) record.Begin(stamp);
  EXPECT_LE(record.stamps().size(), 256u);
  EXPECT_TRUE(record.HasBegun(1)) << "step 10 lies under it";
  EXPECT_FALSE(record.HasBegun(2));
  EXPECT_TRUE(record.HasBegun(999));
}

ConditionalObjects::Listed Object(const std::string& name) {
  return {.name = name};
}

TEST(StepFolder, IsToldFromNames) {
  const std::string part = PartName(1, 1);
  const auto folders = FoldersOf(
      {Object("200/"), Object("200/1785/"), Object("200/1785/" + part),
       Object("200/1785/SHA256SUMS"), Object("200/1785/manifest.json"),
       Object("200/commit_success.txt"), Object("300/manifest.json"),
       Object("300/x/y"), Object("best/manifest.json"), Object("notes.txt")});
  EXPECT_THAT(folders, ElementsAre(Key(200), Key(300)));
  const StepFolder& whole = folders.at(200);
  EXPECT_TRUE(whole.marked);
  EXPECT_EQ(whole.direct.size(), 1u);
  ASSERT_EQ(whole.below.size(), 1u);
  EXPECT_TRUE(StepFolder::IsWhole(whole.below.at(1785)));
  EXPECT_FALSE(folders.at(300).marked);
  EXPECT_FALSE(StepFolder::IsWhole(folders.at(300).direct));
}

TEST(StepFolder, IsWholeWithEveryPartOfItsNumber) {
  const auto of = [](const std::vector<std::string>& names) {
    StepFolder::Files files;
    for (const std::string& name : names) files.push_back(Object(name));
    return files;
  };
  const std::string one = PartName(1, 2);
  const std::string two = PartName(2, 2);
  EXPECT_TRUE(
      StepFolder::IsWhole(of({"SHA256SUMS", "manifest.json", one, two})));
  EXPECT_FALSE(StepFolder::IsWhole(of({"SHA256SUMS", "manifest.json", one})));
  EXPECT_FALSE(StepFolder::IsWhole(of({"manifest.json", one, two})));
  EXPECT_FALSE(StepFolder::IsWhole(of({"SHA256SUMS", one, two})));
  EXPECT_FALSE(StepFolder::IsWhole(of({"SHA256SUMS", "manifest.json"})));
}

}  // namespace
}  // namespace podsim
