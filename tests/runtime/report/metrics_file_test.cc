// The metrics file: whole lines, those of one job.
#include "runtime/report/metrics_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include "host/storage/wrapper.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::HasSubstr;

constexpr auto kFresh = MetricsFile::Start::kFresh;
constexpr auto kGoesOn = MetricsFile::Start::kGoesOn;

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(MetricsPathTest, IsInTheModelDirUnlessItIsSaid) {
  JobSpec spec;
  EXPECT_EQ(MetricsPath(spec), "");
  for (const char* model_dir : {"runs/a", "runs/a/"}) {
    spec.set_model_dir(model_dir);
    EXPECT_EQ(MetricsPath(spec), "runs/a/metrics.jsonl");
  }
  spec.set_metrics_file("gs://bucket/a.jsonl");
  EXPECT_EQ(MetricsPath(spec), "gs://bucket/a.jsonl");
  spec.set_metrics_file("");
  EXPECT_EQ(MetricsPath(spec), "");
}

// What cannot append gets one only if it is said; so does an evaluation, whose
// model_dir another job may train in.
TEST(MetricsPathTest, ABucketAndAnEvaluationHaveOneOnlyIfItIsSaid) {
  JobSpec bucket;
  bucket.set_model_dir("gs://bucket/a");
  JobSpec evaluation;
  evaluation.set_model_dir("runs/a");
  evaluation.set_mode(words::Mode::eval);
  for (JobSpec* spec : {&bucket, &evaluation}) {
    EXPECT_EQ(MetricsPath(*spec), "");
    spec->set_metrics_file("m.jsonl");
    EXPECT_EQ(MetricsPath(*spec), "m.jsonl");
  }
}

TEST(MetricsFileTest, EachWriteIsOneWholeLineAtOnce) {
  TempDir dir;
  ASSERT_OK_AND_ASSIGN(MetricsFile file,
                       MetricsFile::Open(dir.file("run.jsonl"), kFresh));
  EXPECT_THAT(file.Write("{\"a\":1}"), IsOk());
  EXPECT_EQ(ReadAll(dir.file("run.jsonl")), "{\"a\":1}\n");
  EXPECT_THAT(file.Write("{\"b\":2}"), IsOk());
  EXPECT_EQ(ReadAll(dir.file("run.jsonl")), "{\"a\":1}\n{\"b\":2}\n");
}

// What users look at is one job; what they did not move away is still there.
TEST(MetricsFileTest, AFreshJobKeepsTheOldFileUnderAnotherName) {
  TempDir dir;
  const std::string path = dir.file("run.jsonl");
  std::ofstream(path) << "first\n";
  {
    ASSERT_OK_AND_ASSIGN(MetricsFile file, MetricsFile::Open(path, kFresh));
    EXPECT_EQ(file.set_aside(), path + ".1");
    EXPECT_EQ(ReadAll(path), "");
    EXPECT_THAT(file.Write("second"), IsOk());
  }
  ASSERT_OK_AND_ASSIGN(MetricsFile file, MetricsFile::Open(path, kFresh));
  EXPECT_EQ(file.set_aside(), path + ".2");
  EXPECT_EQ(ReadAll(path), "");
  EXPECT_EQ(ReadAll(path + ".1"), "first\n");
  EXPECT_EQ(ReadAll(path + ".2"), "second\n");
}

TEST(MetricsFileTest, AJobThatGoesOnAppends) {
  TempDir dir;
  const std::string path = dir.file("run.jsonl");
  std::ofstream(path) << "first\n";
  ASSERT_OK_AND_ASSIGN(MetricsFile file, MetricsFile::Open(path, kGoesOn));
  EXPECT_EQ(file.set_aside(), "");
  EXPECT_THAT(file.Write("second"), IsOk());
  EXPECT_EQ(ReadAll(path), "first\nsecond\n");
}

TEST(MetricsFileTest, ALineThatWasCutStaysALineOfItsOwn) {
  TempDir dir;
  const std::string path = dir.file("run.jsonl");
  std::ofstream(path) << "whole\n{\"event\":\"st";
  ASSERT_OK_AND_ASSIGN(MetricsFile file, MetricsFile::Open(path, kGoesOn));
  EXPECT_THAT(file.Write("next"), IsOk());
  EXPECT_EQ(ReadAll(path), "whole\n{\"event\":\"st\nnext\n");
}

// mktemp makes an empty file, /dev/stdout is a link to whatever is there.
TEST(MetricsFileTest, EmptyFilesAndLinksStayWhereTheyAre) {
  TempDir dir;
  const std::string path = dir.file("run.jsonl");
  std::ofstream(path) << "";
  {
    ASSERT_OK_AND_ASSIGN(MetricsFile file, MetricsFile::Open(path, kFresh));
    EXPECT_EQ(file.set_aside(), "");
    EXPECT_THAT(file.Write("line"), IsOk());
  }
  const std::string link = dir.file("link");
  std::filesystem::create_symlink(path, link);
  ASSERT_OK_AND_ASSIGN(MetricsFile linked, MetricsFile::Open(link, kFresh));
  EXPECT_EQ(linked.set_aside(), "");
  EXPECT_THAT(linked.Write("more"), IsOk());
  EXPECT_EQ(ReadAll(path), "line\nmore\n");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST(MetricsFileTest, AJobThatRunsKeepsItsFile) {
  TempDir dir;
  const std::string path = dir.file("run.jsonl");
  std::filesystem::create_symlink(path, dir.file("link"));
  const auto written = StatusIs(absl::StatusCode::kFailedPrecondition,
                                HasSubstr("which another job writes now"));
  {
    ASSERT_OK_AND_ASSIGN(MetricsFile first, MetricsFile::Open(path, kFresh));
    EXPECT_THAT(MetricsFile::Open(path, kFresh), written) << "empty yet";
    ASSERT_THAT(first.Write("first"), IsOk());
    EXPECT_THAT(MetricsFile::Open(path, kFresh), written);
    EXPECT_THAT(MetricsFile::Open(path, kGoesOn), written);
    EXPECT_THAT(MetricsFile::Open(dir.file("link"), kFresh), written);
    EXPECT_EQ(ReadAll(path), "first\n");
    EXPECT_FALSE(std::filesystem::exists(path + ".1"));
  }
  EXPECT_THAT(MetricsFile::Open(path, kFresh), IsOk());
  EXPECT_EQ(ReadAll(path + ".1"), "first\n");
}

// In a store that cannot append.
class StoredMetricsTest : public ::testing::Test {
 protected:
  // The file borrows nothing: all of these tests' are over one.
  class Shared final : public ObjectStoreWrapper {
   public:
    explicit Shared(std::shared_ptr<ObjectStore> store)
        : ObjectStoreWrapper(store.get()), store_(std::move(store)) {}

   private:
    const std::shared_ptr<ObjectStore> store_;
  };
  absl::StatusOr<MetricsFile> Open(MetricsFile::Start start) {
    return MetricsFile::OpenStored(std::make_unique<Shared>(store_), "/m/x",
                                   start);
  }
  std::string Text(const std::string& path) {
    return store_->Read(path).value_or("nothing");
  }

  const std::shared_ptr<ObjectStore> store_ = NewMemoryStoreWithoutRename();
};

TEST_F(StoredMetricsTest, IsWholeWhenItIsClosed) {
  ASSERT_OK_AND_ASSIGN(MetricsFile file, Open(kFresh));
  EXPECT_EQ(Text("/m/x"), "");  // who may not write learns it at once
  EXPECT_THAT(file.Write("{\"a\":1}"), IsOk());
  EXPECT_THAT(file.Write("{\"b\":2}"), IsOk());
  EXPECT_THAT(file.Close(), IsOk());
  EXPECT_EQ(Text("/m/x"), "{\"a\":1}\n{\"b\":2}\n");
}

TEST_F(StoredMetricsTest, AJobThatGoesOnAppendsAFreshOneKeepsWhatWasThere) {
  ASSERT_THAT(store_->Write("/m/x", "first\n"), IsOk());
  ASSERT_THAT(store_->Write("/m/x.1", "earlier\n"), IsOk());
  {
    ASSERT_OK_AND_ASSIGN(MetricsFile file, Open(kGoesOn));
    EXPECT_EQ(file.set_aside(), "");
    EXPECT_THAT(file.Write("second"), IsOk());
  }
  EXPECT_EQ(Text("/m/x"), "first\nsecond\n");
  ASSERT_OK_AND_ASSIGN(MetricsFile file, Open(kFresh));
  EXPECT_EQ(file.set_aside(), "/m/x.2");
  EXPECT_EQ(Text("/m/x.1"), "earlier\n");
  EXPECT_EQ(Text("/m/x.2"), "first\nsecond\n");
  EXPECT_EQ(Text("/m/x"), "");
}

TEST(MetricsFileTest, RefusesAnUnwritablePathByName) {
  TempDir dir;
  EXPECT_THAT(
      MetricsFile::Open(dir.file("no/such/run.jsonl"), kFresh),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("no/such/run.jsonl")));
}

TEST(MetricsFileTest, KeepsTheFirstWriteError) {
  ASSERT_OK_AND_ASSIGN(MetricsFile file,
                       MetricsFile::Open("/dev/full", kFresh));
  EXPECT_THAT(file.Write("{}"), StatusIs(absl::StatusCode::kResourceExhausted,
                                         HasSubstr("/dev/full")));
  EXPECT_FALSE(file.status().ok());
}

}  // namespace
}  // namespace podsim
