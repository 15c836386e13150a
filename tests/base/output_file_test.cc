// What a program writes to when a user names it, and what it leaves alone.
#include "base/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::HasSubstr;

constexpr auto kUnfit = absl::StatusCode::kFailedPrecondition;

std::string ContentsOf(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteTo(const std::string& path, OutputStart start) {
  const auto fd = OpenOutput(path, start);
  ASSERT_THAT(fd.status(), IsOk());
  EXPECT_EQ(fcntl(fd->get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(write(fd->get(), "new", 3), 3);
}

TEST(OutputFileTest, FilesAreMadeEmptiedOrAppendedTo) {
  const TempDir dir;
  const std::string path = dir.file("x");
  WriteTo(path, OutputStart::kAppend);
  WriteTo(path, OutputStart::kAppend);
  EXPECT_EQ(ContentsOf(path), "newnew");
  WriteTo(path, OutputStart::kEmpty);
  EXPECT_EQ(ContentsOf(path), "new");
  EXPECT_THAT(
      OpenOutput(dir.file("no/x"), OutputStart::kEmpty),
      StatusIs(absl::StatusCode::kNotFound,
               HasSubstr(absl::StrCat("cannot write ", dir.file("no/x")))));
}

TEST(OutputFileTest, ANamedPipeIsRefusedReadOrNot) {
  const TempDir dir;
  const std::string path = dir.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(OpenOutput(path, OutputStart::kEmpty),
              StatusIs(kUnfit, HasSubstr("pipe: it is a named pipe")));
  const UniqueFd reader(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader.valid());
  EXPECT_THAT(OpenOutput(path, OutputStart::kAppend),
              StatusIs(kUnfit, HasSubstr("give a regular file")));
}

TEST(OutputFileTest, DevicesAndWhatProcNamesAreWrittenToAsTheyAre) {
  EXPECT_THAT(OpenOutput("/dev/null", OutputStart::kEmpty).status(), IsOk());
  EXPECT_TRUE(IsOutputDevice("/dev/null"));
  EXPECT_TRUE(IsOutputDevice("/dev/stdout"));
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  WriteTo(absl::StrCat("/dev/fd/", writer.get()), OutputStart::kEmpty);
  std::array<char, 3> text{};
  EXPECT_EQ(read(reader.get(), text.data(), text.size()), 3);
}

// `program --out=/dev/stdout > file` loses nothing of what was printed.
TEST(OutputFileTest, AFileBehindADescriptorIsNotEmptied) {
  const TempDir dir;
  const std::string path = dir.file("x");
  std::ofstream(path) << "old";
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  WriteTo(absl::StrCat("/proc/self/fd/", file.get()), OutputStart::kEmpty);
  EXPECT_EQ(ContentsOf(path), "oldnew");
}

TEST(OutputFileTest, LinksOfOnesOwnAreFollowed) {
  const TempDir dir;
  const std::string path = dir.file("x");
  std::ofstream(path) << "old";
  std::filesystem::create_symlink("x", dir.file("link"));
  std::filesystem::create_symlink(dir.file("link"), dir.file("far"));
  WriteTo(dir.file("far"), OutputStart::kAppend);
  EXPECT_EQ(ContentsOf(path), "oldnew");
  std::filesystem::create_symlink("/dev/null", dir.file("null"));
  EXPECT_FALSE(IsOutputDevice(dir.file("null")));
  WriteTo(dir.file("null"), OutputStart::kEmpty);
  std::filesystem::create_symlink("circle", dir.file("circle"));
  EXPECT_THAT(OpenOutput(dir.file("circle"), OutputStart::kEmpty).status(),
              ::testing::Not(IsOk()));
}

TEST(OutputFileTest, LinksOfOthersAreNotFollowed) {
  EXPECT_THAT(CheckLinkOwner("x", 1000, 1000), IsOk());
  EXPECT_THAT(CheckLinkOwner("x", 0, 1000), IsOk());
  for (const uid_t user : {0, 1001})
    EXPECT_THAT(CheckLinkOwner("x", 1000, user),
                StatusIs(absl::StatusCode::kPermissionDenied,
                         HasSubstr("cannot write x: it is a symbolic link of "
                                   "another user (uid 1000)")));
  const TempDir dir;
  const std::string path = dir.file("x");
  std::ofstream(path) << "old";
  std::filesystem::create_symlink("x", dir.file("link"));
  // Only root may give a link away.
  if (lchown(dir.file("link").c_str(), 12345, 12345) == 0) {
    EXPECT_THAT(OpenOutput(dir.file("link"), OutputStart::kEmpty),
                StatusIs(absl::StatusCode::kPermissionDenied,
                         HasSubstr("another user (uid 12345)")));
    EXPECT_EQ(ContentsOf(path), "old");
  }
}

}  // namespace
}  // namespace podsim
