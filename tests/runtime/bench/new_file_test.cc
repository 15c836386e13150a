#include "runtime/bench/new_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

std::string Read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(NewFileTest, NeverOverwrites) {
  const testing::TempDir directory;
  const std::string path = directory.file("x.json");
  for (const std::string suffix : {"", ".0", ".1", ".2"}) {
    ASSERT_OK_AND_ASSIGN(NewFile file, NewFile::Create(path));
    EXPECT_EQ(file.path(), path + suffix);
    EXPECT_THAT(file.Write("text" + suffix), IsOk());
  }
  EXPECT_EQ(Read(path), "text");
  EXPECT_EQ(Read(path + ".1"), "text.1");
}

TEST(NewFileTest, LeavesNoEmptyFileBehind) {
  const testing::TempDir directory;
  const std::string path = directory.file("x.json");
  {
    ASSERT_OK_AND_ASSIGN(const NewFile file, NewFile::Create(path));
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(NewFileTest, SaysWhereItCannotWrite) {
  EXPECT_THAT(NewFile::Create("/no/such/directory/x.json"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("/no/such/directory/x.json")));
}

TEST(NewFileTest, WritesToADeviceAsItIs) {
  {
    ASSERT_OK_AND_ASSIGN(NewFile file, NewFile::Create("/dev/null"));
    EXPECT_EQ(file.path(), "/dev/null");
    EXPECT_THAT(file.Write("text"), IsOk());
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_FALSE(std::filesystem::exists("/dev/null.0"));
}

TEST(NewFileTest, PutsNothingBesideADirectory) {
  const testing::TempDir directory;
  for (const std::string& path :
       {std::string("/"), directory.path(), directory.file("new/")}) {
    EXPECT_THAT(NewFile::Create(path),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("it is a directory")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

}  // namespace
}  // namespace podsim
