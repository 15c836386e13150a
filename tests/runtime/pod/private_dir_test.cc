// The directory of a job's sockets: whose it is, and that none is left over.
#include "runtime/pod/private_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

namespace fs = std::filesystem;

using ::podsim::testing::IsOk;
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

TEST(PrivateDirTest, AFullPlaceIsPassedOver) {
  TempDir full, parent;
  const auto probe = [&](const std::string& path) {
    return absl::StartsWith(path, full.path())
               ? absl::ResourceExhaustedError("no space left")
               : absl::OkStatus();
  };
  ASSERT_OK_AND_ASSIGN(const PrivateDir dir,
                       PrivateDir::Create({full.path(), parent.path()}, probe));
  EXPECT_THAT(dir.path(), ::testing::StartsWith(parent.path() + "/podsim-"));
  EXPECT_EQ(EntriesIn(full.path()), 0);
  EXPECT_THAT(PrivateDir::Create({full.path()}, probe),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr(full.path() + ": no space left")));
}

TEST(PrivateDirTest, APlaceIsFullWhenItTakesNoFile) {
  TempDir parent;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {.rlim_cur = 100, .rlim_max = 100};
    setrlimit(RLIMIT_FSIZE, &small);
    const bool refused = !PrivateDir::CanHoldFiles(parent.path()).ok();
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(PrivateDir::CanHoldFiles(parent.path()), IsOk());
  EXPECT_EQ(EntriesIn(parent.path()), 0);
}

TEST(PrivateDirTest, LeftoversGoFromEveryPlace) {
  TempDir first, second;
  const pid_t child = fork();
  if (child == 0) {
    const auto dir = PrivateDir::Create({second.path()});
    _exit(dir.ok() ? 0 : 1);  // no destructor runs
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(EntriesIn(second.path()), 1);
  ASSERT_OK_AND_ASSIGN(const PrivateDir dir,
                       PrivateDir::Create({first.path(), second.path()}));
  EXPECT_EQ(EntriesIn(second.path()), 0);
}

TEST(PrivateDirTest, ComesBackWhenSomebodyTidiedItAway) {
  TempDir parent;
  ASSERT_OK_AND_ASSIGN(PrivateDir dir, PrivateDir::Create({parent.path()}));
  WriteFile(dir.File("kept"));
  EXPECT_THAT(dir.Restore(), IsOk());
  EXPECT_TRUE(fs::exists(dir.File("kept")));
  fs::remove_all(dir.path());
  EXPECT_THAT(dir.Restore(), IsOk());
  struct stat info = {};
  ASSERT_EQ(stat(dir.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  // It is held again: nobody takes it for a leftover.
  ASSERT_OK_AND_ASSIGN(const PrivateDir other,
                       PrivateDir::Create({parent.path()}));
  EXPECT_TRUE(fs::exists(dir.path()));
  // What somebody else has put there meanwhile is not entered.
  fs::remove_all(dir.path());
  fs::create_directory(dir.path());
  EXPECT_THAT(dir.Restore(), StatusIs(absl::StatusCode::kAlreadyExists,
                                      HasSubstr(dir.path())));
}

TEST(PrivateDirTest, TmpdirComesBeforeTmp) {
  setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  setenv("TMPDIR", "/var/tmp/mine", 1);
  EXPECT_THAT(PrivateDirParents(),
              ::testing::ElementsAre("/run/user/7", "/var/tmp/mine", "/tmp"));
  setenv("TMPDIR", "relative", 1);
  unsetenv("XDG_RUNTIME_DIR");
  EXPECT_THAT(PrivateDirParents(), ::testing::ElementsAre("/tmp"));
  unsetenv("TMPDIR");
}

TEST(PrivateDirTest, SaysWhereItFailed) {
  EXPECT_THAT(PrivateDir::Create({"/no/such"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such")));
}

}  // namespace
}  // namespace podsim
