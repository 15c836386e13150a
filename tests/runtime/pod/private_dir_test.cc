// The directory of a job's sockets: whose it is, and that none is left over.
#include "runtime/pod/private_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

namespace fs = std::filesystem;

using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::HasSubstr;

void WriteFile(const std::string& path) { std::ofstream(path) << "x"; }

int EntriesIn(const std::string& path) {
  return static_cast<int>(
      std::distance(fs::directory_iterator(path), fs::directory_iterator()));
}

TEST(PrivateDirTest, IsOursAloneAndGoesWithAllThatIsInIt) {
  TempDir parent;
  std::string path;
  {
    ASSERT_OK_AND_ASSIGN(const PrivateDir dir,
                         PrivateDir::Create({parent.path()}));
    path = dir.path();
    struct stat info = {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
    std::ofstream(dir.File("x")) << "y";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(PrivateDirTest, WhatAKilledProcessLeftGoesWithTheNext) {
  TempDir parent;
  const pid_t child = fork();
  if (child == 0) {
    const auto dir = PrivateDir::Create({parent.path()});
    if (dir.ok()) WriteFile(dir->File("coordinator.sock"));
    _exit(dir.ok() ? 0 : 1);  // no destructor runs
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_EQ(EntriesIn(parent.path()), 1);

  ASSERT_OK_AND_ASSIGN(const PrivateDir dir,
                       PrivateDir::Create({parent.path()}));
  EXPECT_TRUE(fs::exists(dir.path()));
  EXPECT_EQ(EntriesIn(parent.path()), 1);
}

TEST(PrivateDirTest, ThoseOfLivingProcessesStay) {
  TempDir parent;
  std::vector<std::optional<PrivateDir>> dirs;
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK_AND_ASSIGN(PrivateDir dir, PrivateDir::Create({parent.path()}));
    dirs.emplace_back(std::move(dir));
  }
  for (const auto& dir : dirs) EXPECT_TRUE(fs::exists(dir->path()));
  dirs[1].reset();
  EXPECT_EQ(EntriesIn(parent.path()), 2);
}

TEST(PrivateDirTest, WhatIsNamedOtherwiseIsNotTouched) {
  TempDir parent, elsewhere;
  const std::vector<std::string> kept = {parent.path() + "/podsim-abcdef",
                                         parent.path() + "/podsim-job-abc",
                                         parent.path() + "/podsim-job_abcdef"};
  for (const std::string& path : kept) fs::create_directory(path);
  WriteFile(parent.path() + "/podsim-job-filefi");
  fs::create_directory_symlink(elsewhere.path(),
                               parent.path() + "/podsim-job-linkli");
  WriteFile(elsewhere.path() + "/theirs");
  ASSERT_OK_AND_ASSIGN(const PrivateDir dir,
                       PrivateDir::Create({parent.path()}));
  EXPECT_EQ(EntriesIn(parent.path()), 6);
  EXPECT_TRUE(fs::exists(elsewhere.path() + "/theirs"));
}

TEST(PrivateDirTest, TakesTheFirstParentThatWorks) {
  TempDir parent;
  const std::string long_path = parent.path() + "/" + std::string(100, 'x');
  fs::create_directory(long_path);
  ASSERT_OK_AND_ASSIGN(
      const PrivateDir dir,
      PrivateDir::Create({"/no/such", long_path, parent.path()}));
  EXPECT_THAT(dir.path(), ::testing::StartsWith(parent.path() + "/podsim-"));
}

TEST(PrivateDirTest, SaysWhereItFailed) {
  EXPECT_THAT(PrivateDir::Create({"/no/such"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
}

}  // namespace
}  // namespace podsim
