// What only files can get wrong: failing writes, leftovers, odd kinds of file.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "host/storage/posix_file.h"
#include "host/storage/storage.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// No file of this process may grow beyond `bytes`: a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes)
      : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    PODSIM_CHECK(getrlimit(RLIMIT_FSIZE, &old_) == 0);
    const rlimit limit = {bytes, old_.rlim_max};
    PODSIM_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() {
    PODSIM_CHECK(setrlimit(RLIMIT_FSIZE, &old_) == 0);
    static_cast<void>(std::signal(SIGXFSZ, old_handler_));
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

int FilesIn(const std::string& directory) {
  const std::filesystem::directory_iterator files(directory);
  return static_cast<int>(std::distance(begin(files), end(files)));
}

TEST(LocalStore, FailedWriteKeepsTheOldFileAndLeavesNothing) {
  testing::TempDir dir;
  const auto store = NewLocalStore();
  ASSERT_THAT(store->Write(dir.file("object"), "old"), IsOk());
  absl::Status status;
  {
    const FileSizeLimit limit(1000);
    status = store->Write(dir.file("object"), std::string(5000, 'n'));
  }
  EXPECT_THAT(status,
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr(dir.file("object")),
                             HasSubstr("larger than this process may "
                                       "write (ulimit -f 0, in KiB)"))));
  ASSERT_OK_AND_ASSIGN(const std::string read, store->Read(dir.file("object")));
  EXPECT_EQ(read, "old");
  EXPECT_EQ(FilesIn(dir.path()), 1);
}

TEST(LocalStore, FailedReplaceLeavesNothing) {
  testing::TempDir dir;
  const auto store = NewLocalStore();
  std::filesystem::create_directory(dir.file("taken"));
  EXPECT_THAT(store->Write(dir.file("taken"), "x"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("taken")));
  EXPECT_EQ(FilesIn(dir.path()), 1);
}

TEST(LocalStore, LeftoverOfAKilledWriterIsHiddenAndHarmless) {
  testing::TempDir dir;
  const auto store = NewLocalStore();
  // What this very process would name its first temporary file.
  const std::string leftover =
      dir.file(".object" + std::string(kTemporaryMark) +
               std::to_string(getpid()) + "-0");
  std::ofstream(leftover) << "half";
  ASSERT_THAT(store->Write(dir.file("object"), "whole"), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto names, store->List(dir.path()));
  EXPECT_THAT(names, ElementsAre("object"));
  EXPECT_TRUE(std::filesystem::exists(leftover));
  // Whoever knows that nobody writes the object may delete them, and no
  // other's.
  const std::string other = dir.file(".object2" + std::string(kTemporaryMark) +
                                     std::to_string(getpid()) + "-0");
  std::ofstream(other) << "half";
  ASSERT_THAT(store->DeleteUnfinished(dir.file("object")), IsOk());
  EXPECT_FALSE(std::filesystem::exists(leftover));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_EQ(FilesIn(dir.path()), 2);
  EXPECT_THAT(store->DeleteUnfinished(dir.file("none/object")), IsOk());
}

TEST(LocalStore, DeleteTreeTakesWhatListHidesAndFollowsNoLink) {
  testing::TempDir dir;
  const auto store = NewLocalStore();
  ASSERT_THAT(store->Write(dir.file("tree/sub/object"), "x"), IsOk());
  ASSERT_THAT(store->Write(dir.file("elsewhere/object"), "x"), IsOk());
  std::ofstream(dir.file("tree/.object") + std::string(kTemporaryMark) + "1-0")
      << "half";
  std::filesystem::create_directory(dir.file("tree/empty"));
  std::filesystem::create_symlink(dir.file("elsewhere"), dir.file("tree/link"));
  ASSERT_THAT(store->DeleteTree(dir.file("tree")), IsOk());
  EXPECT_FALSE(std::filesystem::exists(dir.file("tree")));
  EXPECT_TRUE(std::filesystem::exists(dir.file("elsewhere/object")));
  std::filesystem::create_symlink(dir.file("elsewhere"), dir.file("link"));
  EXPECT_THAT(store->DeleteTree(dir.file("link")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(kIsAFile)));
  EXPECT_TRUE(std::filesystem::exists(dir.file("elsewhere/object")));
}

TEST(LocalStore, RenameTakesNotEvenAnEmptyDirectorysPlace) {
  testing::TempDir dir;
  const auto store = NewLocalStore();
  ASSERT_THAT(store->Write(dir.file("from/object"), "x"), IsOk());
  std::filesystem::create_directory(dir.file("to"));
  EXPECT_THAT(store->Rename(dir.file("from"), dir.file("to")),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("to")));
  EXPECT_EQ(FilesIn(dir.file("to")), 0);
}

TEST(LocalStore, RenamesALinkThatCannotBeFollowedAndNoneToAFile) {
  testing::TempDir dir;
  const auto store = NewLocalStore();
  std::filesystem::create_symlink(dir.file("loop"), dir.file("loop"));
  ASSERT_THAT(store->Rename(dir.file("loop"), dir.file("moved")), IsOk());
  EXPECT_FALSE(std::filesystem::is_symlink(dir.file("loop")));
  EXPECT_TRUE(std::filesystem::is_symlink(dir.file("moved")));
  ASSERT_THAT(store->Write(dir.file("object"), "x"), IsOk());
  std::filesystem::create_symlink(dir.file("object"), dir.file("link"));
  EXPECT_THAT(store->Rename(dir.file("link"), dir.file("to")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(kIsAFile)));
}

TEST(LocalStore, NewFilesFollowTheUmask) {
  testing::TempDir dir;
  const mode_t old_mask = umask(027);
  const absl::Status status = NewLocalStore()->Write(dir.file("object"), "x");
  umask(old_mask);
  ASSERT_THAT(status, IsOk());
  EXPECT_EQ(std::filesystem::status(dir.file("object")).permissions(),
            static_cast<std::filesystem::perms>(0640));
}

TEST(LocalStore, RefusesAPipeInsteadOfWaitingOnIt) {
  testing::TempDir dir;
  ASSERT_EQ(mkfifo(dir.file("pipe").c_str(), 0600), 0);
  EXPECT_THAT(
      NewLocalStore()->Read(dir.file("pipe")),
      StatusIs(absl::StatusCode::kNotFound,
               AllOf(HasSubstr("pipe"), HasSubstr("Not a regular file"))));
}

// Even of root, who could rename a file onto it.
TEST(LocalStore, WritesToADeviceAsItIs) {
  EXPECT_THAT(NewLocalStore()->Write("/dev/null", "x"), IsOk());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

// What the link leads to may be anybody's.
TEST(LocalStore, AWrittenFileTakesThePlaceOfALink) {
  testing::TempDir dir;
  std::ofstream(dir.file("other")) << "old";
  std::filesystem::create_symlink("other", dir.file("link"));
  EXPECT_THAT(NewLocalStore()->Write(dir.file("link"), "new"), IsOk());
  EXPECT_FALSE(std::filesystem::is_symlink(dir.file("link")));
  ASSERT_OK_AND_ASSIGN(const std::string other,
                       NewLocalStore()->Read(dir.file("other")));
  EXPECT_EQ(other, "old");
}

TEST(LocalStore, RelativePathsWork) {
  testing::TempDir dir;
  const std::filesystem::path old = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  const auto store = NewLocalStore();
  const absl::Status status = store->Write("plain", "x");
  const auto names = store->List(".");
  std::filesystem::current_path(old);
  ASSERT_THAT(status, IsOk());
  ASSERT_THAT(names, IsOk());
  EXPECT_THAT(*names, ElementsAre("plain"));
}

TEST(ErrnoStatus, NamesPathAndReasonUnderTheStoresCodes) {
  struct Case {
    int error;
    absl::StatusCode code;
    std::string reason = {};  // empty: the system's
  };
  for (const Case& c :
       {Case{ENOENT, absl::StatusCode::kNotFound, kNothingThere},
        Case{EISDIR, absl::StatusCode::kNotFound, kIsAFolder},
        Case{ENOTDIR, absl::StatusCode::kNotFound, kIsAFile},
        Case{EACCES, absl::StatusCode::kPermissionDenied},
        Case{EROFS, absl::StatusCode::kPermissionDenied},
        Case{ENOSPC, absl::StatusCode::kResourceExhausted},
        Case{EEXIST, absl::StatusCode::kAlreadyExists},
        Case{EMFILE, absl::StatusCode::kResourceExhausted},
        Case{EIO, absl::StatusCode::kUnavailable}}) {
    EXPECT_THAT(ErrnoStatus(c.error, "read", "/data/x"),
                StatusIs(c.code, AllOf(HasSubstr("read /data/x: "),
                                       HasSubstr(c.reason.empty()
                                                     ? std::strerror(c.error)
                                                     : c.reason))));
  }
}

}  // namespace
}  // namespace podsim
