// What pod_ckpt says of a model_dir whose job saves and prunes meanwhile: at
// each moment, as it was before or as it is now, and never damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "host/checkpoint/layout.h"
#include "host/storage/wrapper.h"
#include "runtime/ckpt/ckpt.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Does something before each call.
class Interrupted : public ObjectStoreWrapper, public ConditionalObjects {
 public:
  Interrupted(ObjectStore* base, std::function<void()> between)
      : ObjectStoreWrapper(base), base_(base), between_(std::move(between)) {}

  absl::StatusOr<std::string> Read(std::string_view path) override {
    between_();
    return base_->Read(path);
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    between_();
    return base_->ReadRange(path, offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    between_();
    return base_->Stat(path);
  }
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    between_();
    return base_->Write(path, bytes);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    between_();
    return base_->List(prefix);
  }
  absl::Status Delete(std::string_view path) override {
    between_();
    return base_->Delete(path);
  }
  absl::Status DeleteTree(std::string_view directory) override {
    between_();
    return base_->DeleteTree(directory);
  }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    between_();
    return base_->Rename(from, to);
  }

  ConditionalObjects* Conditional(std::string_view path) override {
    return base_->Conditional(path) == nullptr ? nullptr : this;
  }
  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override {
    between_();
    return base_->Conditional(directory)->ListTree(directory);
  }
  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override {
    between_();
    return base_->Conditional(path)->ReadVersion(path);
  }
  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override {
    between_();
    return base_->Conditional(path)->WriteIf(path, bytes, expected);
  }
  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override {
    between_();
    return base_->Conditional(path)->DeleteIf(path, expected);
  }
  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override {
    between_();
    return base_->Conditional(from)->CopyIf(from, to, expected);
  }

 private:
  ObjectStore* const base_;
  const std::function<void()> between_;
};

class BesideAJobTest : public ::testing::TestWithParam<testing::StoreKind> {
 protected:
  // The next step, and the one before it goes.
  void SaveAndPrune(ObjectStore& store) {
    step_ += 100;
    ASSERT_THAT(
        testing::SaveCheckpoint(store, path_, program_,
                                testing::SomeVariables(program_, 1), step_),
        IsOk());
    ASSERT_THAT(testing::Prune(store, path_, 1), IsOk());
  }
  void ExpectSound(const std::string& command, ObjectStore& store) {
    const CkptResult result =
        RunCkpt({command, path_}, store, absl::FromUnixSeconds(2'000'000'000),
                /*width=*/0);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.error, IsEmpty());
    EXPECT_THAT(result.text, AllOf(HasSubstr(command == "ls" ? "  committed\n"
                                                             : ": good, step "),
                                   Not(HasSubstr("damaged"))));
  }

  const Program program_ = testing::TrainedMlp({6});
  testing::TempDir dir_;
  const std::string path_ =
      GetParam().name == "local" ? dir_.file("m") : std::string("/m");
  const std::unique_ptr<ObjectStore> store_ = GetParam().make();
  std::int64_t step_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Stores, BesideAJobTest,
                         ::testing::ValuesIn(testing::StoreKinds()),
                         [](const auto& info) { return info.param.name; });

TEST_P(BesideAJobTest, AReadingThatAPruningInterruptsIsSound) {
  SaveAndPrune(*store_);
  for (const std::string command : {"ls", "verify"}) {
    int before = 0;  // which of the reading's requests
    for (bool came = true; came; ++before) {
      SCOPED_TRACE(absl::StrCat(command, ", pruned before request ", before));
      int left = before;
      Interrupted reader(store_.get(), [&] {
        if (left-- == 0) SaveAndPrune(*store_);
      });
      ExpectSound(command, reader);
      came = left < 0;
    }
    EXPECT_GT(before, 5) << command;
  }
}

TEST_P(BesideAJobTest, AReadingBetweenTwoRequestsOfAPruningIsSound) {
  SaveAndPrune(*store_);
  for (const std::string command : {"ls", "verify"}) {
    int readings = 0;
    Interrupted job(store_.get(), [&] {
      SCOPED_TRACE(
          absl::StrCat(command, " before the job's request ", readings));
      ++readings;
      ExpectSound(command, *store_);
    });
    SaveAndPrune(job);
    EXPECT_GT(readings, 10) << command;
  }
}

// Of a bucket the files of an old one go one by one.
class BesideABucketsJobTest : public BesideAJobTest {
 protected:
  // These first (object_commit.h).
  void BeginToDelete(const std::string& step) {
    ASSERT_OK_AND_ASSIGN(const std::vector<std::string> files,
                         testing::FilesBelow(*store_, step));
    for (const char* name : {kMarkerName, kManifestName, kSumsName})
      for (const std::string& file : files)
        if (absl::EndsWith(file, absl::StrCat("/", name))) {
          ASSERT_THAT(store_->Delete(file), IsOk());
        }
  }
};

std::vector<testing::StoreKind> Buckets() {
  std::vector<testing::StoreKind> kinds = testing::StoreKinds();
  std::erase_if(kinds, [](const testing::StoreKind& kind) {
    return kind.make()->CanRename("/m");
  });
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Stores, BesideABucketsJobTest,
                         ::testing::ValuesIn(Buckets()),
                         [](const auto& info) { return info.param.name; });

TEST_P(BesideABucketsJobTest, AReadingThatHalfADeletionInterruptsIsSound) {
  for (const std::string command : {"ls", "verify"}) {
    int before = 0;
    for (bool came = true; came; ++before) {
      SCOPED_TRACE(absl::StrCat(command, ", begun before request ", before));
      SaveAndPrune(*store_);
      const std::string old = StepPath(path_, step_);
      ASSERT_THAT(testing::SaveCheckpoint(*store_, path_, program_,
                                          testing::SomeVariables(program_, 1),
                                          step_ + 1),
                  IsOk());
      int left = before;
      Interrupted reader(store_.get(), [&] {
        if (left-- == 0) BeginToDelete(old);
      });
      ExpectSound(command, reader);
      came = left < 0;
      ASSERT_THAT(store_->DeleteTree(path_), IsOk());
    }
    EXPECT_GT(before, 5) << command;
  }
}

}  // namespace
}  // namespace podsim
