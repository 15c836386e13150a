// A newest checkpoint that is huge, or that cannot be read: it is passed over
// with a note, and costs no memory.
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/manifest.h"
#include "host/checkpoint/sums.h"
#include "host/storage/wrapper.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/host/storage/limited_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kHuge = 20'000'000'000;  // sparse: it takes no disk
constexpr std::int64_t kMostAtOnce = std::int64_t{8} << 20;

class UnreadableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const int step : {100, 200})
      ASSERT_THAT(
          testing::SaveCheckpoint(*files_, dir_.path(), program_,
                                  testing::SomeVariables(program_, step), step),
          IsOk());
  }

  std::string Newest(const std::string& file) const {
    return StepPath(dir_.path(), 200) + "/" + file;
  }

  // manifest.json and SHA256SUMS of one who knows how to make them.
  void Forge(const std::function<void(CheckpointManifest&)>& change) {
    ASSERT_OK_AND_ASSIGN(CheckpointAt at,
                         ReadManifest(*files_, StepPath(dir_.path(), 200)));
    change(at.manifest);
    const std::string json = ManifestJson(at.manifest);
    Sums sums = {{kManifestName, Sha256Hex(json)}};
    for (const CheckpointFile& file : at.manifest.files())
      sums[file.name()] = file.sha256();
    ASSERT_THAT(files_->Write(Newest(kManifestName), json), IsOk());
    ASSERT_THAT(files_->Write(Newest(kSumsName), FormatSums(sums)), IsOk());
  }

  void ExpectPassedOver(ObjectStore& store, const std::string& why) {
    ASSERT_OK_AND_ASSIGN(const struct Newest newest,
                         FindNewestGood(store, dir_.path()));
    ASSERT_TRUE(newest.checkpoint.has_value());
    EXPECT_EQ(newest.checkpoint->step, 100);
    EXPECT_THAT(newest.refused,
                ElementsAre(AllOf(HasSubstr(StepPath(dir_.path(), 200)),
                                  HasSubstr(why))));
  }

  testing::TempDir dir_;
  const Program program_ = testing::TrainedMlp({16});
  const std::unique_ptr<ObjectStore> files_ = NewLocalStore();
  testing::LimitedStore store_{files_.get(), kMostAtOnce};
};

TEST_F(UnreadableTest, AHugeManifest) {
  std::filesystem::resize_file(Newest(kManifestName), kHuge);
  ExpectPassedOver(store_,
                   "manifest.json is larger than any can be (4.00 MiB)");
}

TEST_F(UnreadableTest, HugeSums) {
  std::filesystem::resize_file(Newest(kSumsName), kHuge);
  ExpectPassedOver(store_, "SHA256SUMS is larger than any can be (4.00 MiB)");
}

TEST_F(UnreadableTest, AHugePart) {
  std::filesystem::resize_file(Newest(PartName(2, 4)), kHuge);
  ExpectPassedOver(store_, "has 20000000000 bytes, ");
}

TEST_F(UnreadableTest, AHugePartOfWhichTheManifestKnows) {
  Forge([](CheckpointManifest& manifest) {
    manifest.mutable_files(1)->set_bytes(kHuge);
  });
  std::filesystem::resize_file(Newest(PartName(2, 4)), kHuge);
  ExpectPassedOver(store_, "has 20000000000 bytes, its tensors have ");
}

// As long as all agree, a large part is read: some MiB at a time.
TEST_F(UnreadableTest, ALargePartIsReadInPieces) {
  constexpr std::int64_t kLarge = std::int64_t{24} << 20;
  Forge([](CheckpointManifest& manifest) {
    manifest.mutable_files(1)->set_bytes(kLarge + 4096);
    for (CheckpointTensor& tensor : *manifest.mutable_tensors()) {
      if (tensor.file() != manifest.files(1).name()) continue;
      tensor.clear_shape();
      tensor.add_shape(kLarge / 4);
    }
  });
  std::filesystem::resize_file(Newest(PartName(2, 4)), kLarge + 4096);
  ExpectPassedOver(store_, PartName(2, 4));

  const Program wide = testing::TrainedMlp({1024, 2048});
  ASSERT_THAT(testing::SaveCheckpoint(*files_, dir_.path(), wide,
                                      testing::SomeVariables(wide, 3), 300),
              IsOk());
  EXPECT_THAT(VerifyCheckpoint(store_, StepPath(dir_.path(), 300)), IsOk());
}

TEST_F(UnreadableTest, ALinkLoop) {
  for (const std::string& file :
       {std::string(kManifestName), std::string(kSumsName), PartName(1, 4)}) {
    SCOPED_TRACE(file);
    const std::string name = Newest(file);
    ASSERT_OK_AND_ASSIGN(const std::string whole, files_->Read(name));
    ASSERT_THAT(files_->Delete(name), IsOk());
    ASSERT_EQ(symlink(name.c_str(), name.c_str()), 0);
    ExpectPassedOver(store_, "Too many levels of symbolic links");
    EXPECT_THAT(testing::Prune(store_, dir_.path(), 1), IsOk())
        << "it does not count among those kept";
    ASSERT_THAT(files_->Delete(name), IsOk());
    ASSERT_THAT(files_->Write(name, whole), IsOk());
  }
}

// The directory itself: a run that goes on from an older one sets it aside, as
// it will save a checkpoint of that name.
TEST_F(UnreadableTest, ADirectoryThatIsALinkLoop) {
  const std::string name = StepPath(dir_.path(), 200);
  ASSERT_THAT(files_->DeleteTree(name), IsOk());
  ASSERT_EQ(symlink(name.c_str(), name.c_str()), 0);
  ExpectPassedOver(store_, "Too many levels of symbolic links");
  ASSERT_THAT(testing::SetAside(store_, dir_.path(), 100, 7), IsOk());
  EXPECT_FALSE(std::filesystem::is_symlink(name));
  EXPECT_TRUE(std::filesystem::is_symlink(SetAsidePath(dir_.path(), 200, 7)));
}

TEST_F(UnreadableTest, ADirectoryOnADiskThatIsNotThere) {
  const std::string name = StepPath(dir_.path(), 200);
  ASSERT_THAT(files_->DeleteTree(name), IsOk());
  ASSERT_EQ(symlink("/no/such/disk", name.c_str()), 0);
  ExpectPassedOver(store_, "no checkpoint is there");
}

TEST_F(UnreadableTest, AFileWithTheNameOfAStepIsNoCheckpoint) {
  ASSERT_THAT(files_->Write(StepPath(dir_.path(), 300), "mine"), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto steps, ListSteps(store_, dir_.path()));
  EXPECT_THAT(steps, ElementsAre(100, 200));
}

// Whose it is cannot be told.
TEST_F(UnreadableTest, AnOldLinkLoopStaysBesideThem) {
  const std::string name = StepPath(dir_.path(), 50);
  ASSERT_EQ(symlink(name.c_str(), name.c_str()), 0);
  ASSERT_THAT(testing::Prune(store_, dir_.path(), 1), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto names, files_->List(dir_.path()));
  EXPECT_THAT(names, ElementsAre(kRecordName, "200/", "50"));
}

// Another user's files, for whoever is not root.
class ForbiddenStore final : public ObjectStoreWrapper {
 public:
  ForbiddenStore(ObjectStore* base, std::string below)
      : ObjectStoreWrapper(base), below_(std::move(below)) {}

  absl::StatusOr<std::string> Read(std::string_view path) override {
    PODSIM_RETURN_IF_ERROR(Check("open", path));
    return ObjectStoreWrapper::Read(path);
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    PODSIM_RETURN_IF_ERROR(Check("open", path));
    return ObjectStoreWrapper::ReadRange(path, offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    PODSIM_RETURN_IF_ERROR(Check("open", path));
    return ObjectStoreWrapper::Stat(path);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view path) override {
    PODSIM_RETURN_IF_ERROR(Check("list", path));
    return ObjectStoreWrapper::List(path);
  }

 private:
  absl::Status Check(const char* doing, std::string_view path) const {
    if (path.substr(0, below_.size()) != below_) return absl::OkStatus();
    return absl::PermissionDeniedError(
        absl::StrCat(doing, " ", std::string(path), ": Permission denied"));
  }

  const std::string below_;
};

TEST_F(UnreadableTest, AnotherUsersFilesOrDirectory) {
  for (const std::string& below :
       {StepPath(dir_.path(), 200), Newest(kManifestName),
        Newest(PartName(3, 4))}) {
    SCOPED_TRACE(below);
    ForbiddenStore store(files_.get(), below);
    ExpectPassedOver(store, "Permission denied");
  }
}

TEST_F(UnreadableTest, AnotherUsersModelDirIsRefused) {
  ForbiddenStore store(files_.get(), dir_.path());
  EXPECT_THAT(FindNewestGood(store, dir_.path()),
              StatusIs(absl::StatusCode::kPermissionDenied,
                       HasSubstr("Permission denied")));
}

}  // namespace
}  // namespace podsim
