// Where jobs of this machine are found, and what is not believed.
#include "runtime/pod/watch_place.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "base/unique_fd.h"
#include "runtime/pod/private_dir.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

WatchPlace PlaceOf(const std::string& model_dir) {
  WatchPlace place;
  place.set_address("unix:/run/x/coordinator-1.sock");
  place.set_token("0123456789abcdef");
  place.set_model_dir(model_dir);
  place.set_launcher_pid(getpid());
  place.set_slice("v3-8");
  place.set_model("mlp");
  return place;
}

class WatchPlaceTest : public ::testing::Test {
 protected:
  // As PrivateDir makes them, held until the test's end.
  std::string MakeDir(const std::string& name, mode_t mode = 0700) {
    const std::string path = parent_.file(name);
    EXPECT_EQ(mkdir(path.c_str(), mode), 0);
    EXPECT_EQ(chmod(path.c_str(), mode), 0);  // whatever the umask
    held_[name] = UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(flock(held_[name].get(), LOCK_EX | LOCK_NB), 0);
    return path;
  }
  std::vector<WatchPlace> Found() const {
    return FindWatchPlaces({"/no/such/parent", parent_.path()}, geteuid());
  }

  TempDir parent_;
  std::map<std::string, UniqueFd> held_;
};

TEST_F(WatchPlaceTest, WhatIsWrittenIsFound) {
  const std::string dir = MakeDir("podsim-job-abcdef");
  ASSERT_THAT(WriteWatchPlace(dir, PlaceOf("/runs/a")), IsOk());
  ASSERT_THAT(WriteWatchPlace(dir, PlaceOf("/runs/b")), IsOk());
  const auto places = Found();
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].address(), "unix:/run/x/coordinator-1.sock");
  EXPECT_EQ(places[0].token(), "0123456789abcdef");
  EXPECT_EQ(places[0].model_dir(), "/runs/b");
  EXPECT_THAT(FindWatchPlaces({parent_.path()}, geteuid() + 1), IsEmpty());
  struct stat status = {};
  ASSERT_EQ(stat((dir + "/watch.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(WatchPlaceTest, WhatOthersMayHaveMadeIsNotBelieved) {
  // A directory that others may enter; a file that others may write; a link.
  const std::string open = MakeDir("podsim-job-opened", 0755);
  ASSERT_THAT(WriteWatchPlace(open, PlaceOf("/runs/a")), IsOk());
  const std::string loose = MakeDir("podsim-job-looser");
  ASSERT_THAT(WriteWatchPlace(loose, PlaceOf("/runs/a")), IsOk());
  ASSERT_EQ(chmod((loose + "/watch.json").c_str(), 0666), 0);
  const std::string elsewhere = MakeDir("elsewhere");
  ASSERT_THAT(WriteWatchPlace(elsewhere, PlaceOf("/runs/a")), IsOk());
  std::filesystem::create_directory_symlink(elsewhere,
                                            parent_.file("podsim-job-linked"));
  EXPECT_THAT(Found(), IsEmpty());
}

// Two jobs; the launcher of the first was killed, and the second has its
// process id.
TEST_F(WatchPlaceTest, AnIdThatIsUsedAgainShowsNoJobThatIsGone) {
  const std::string gone = MakeDir("podsim-job-aaaaaa");
  ASSERT_THAT(WriteWatchPlace(gone, PlaceOf("/runs/gone")), IsOk());
  const std::string here = MakeDir("podsim-job-bbbbbb");
  ASSERT_THAT(WriteWatchPlace(here, PlaceOf("/runs/here")), IsOk());
  held_.erase("podsim-job-aaaaaa");
  // Whoever looks, looks more than once.
  for (int look = 0; look < 2; ++look) {
    const auto places = Found();
    ASSERT_EQ(places.size(), 1u);
    EXPECT_EQ(places[0].model_dir(), "/runs/here");
  }
  held_.clear();
  EXPECT_THAT(Found(), IsEmpty());
}

// A launcher that is killed says no farewell.
TEST_F(WatchPlaceTest, AKilledLaunchersJobIsGone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  UniqueFd told(ends[0]);
  UniqueFd tells(ends[1]);
  const pid_t launcher = fork();
  ASSERT_GE(launcher, 0);
  if (launcher == 0) {
    const auto dir = PrivateDir::Create({parent_.path()});
    const bool written =
        dir.ok() && WriteWatchPlace(dir->path(), PlaceOf("/runs/a")).ok();
    if (!written || write(tells.get(), "", 1) != 1) _exit(1);
    for (;;) pause();
  }
  tells.Reset();
  char byte = 0;
  ASSERT_EQ(read(told.get(), &byte, 1), 1);
  // Its own id is this test's, which lives.
  EXPECT_EQ(Found().size(), 1u);
  kill(launcher, SIGKILL);
  EXPECT_EQ(waitpid(launcher, nullptr, 0), launcher);
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(WatchPlaceTest, WhatIsNoPlaceIsPassedOver) {
  const std::string dir = MakeDir("podsim-job-abcdef");
  EXPECT_THAT(Found(), IsEmpty());  // there is no file yet
  WatchPlace dead = PlaceOf("/runs/a");
  dead.set_launcher_pid(0);
  ASSERT_THAT(WriteWatchPlace(dir, dead), IsOk());
  EXPECT_THAT(Found(), IsEmpty());
  std::ofstream(dir + "/watch.json") << "{\"address\": ";
  EXPECT_THAT(Found(), IsEmpty());
}

TEST(ChooseWatchPlaceTest, ByModelDirOrTheOnlyOne) {
  const auto a = PlaceOf("/runs/a");
  const auto b = PlaceOf("/runs/b");
  const auto none = PlaceOf("");
  EXPECT_EQ(ChooseWatchPlace({a, b}, "/runs/b/")->model_dir(), "/runs/b");
  EXPECT_EQ(ChooseWatchPlace({a}, "")->model_dir(), "/runs/a");
  EXPECT_THAT(ChooseWatchPlace({}, ""),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("pod_launch")));
  EXPECT_THAT(ChooseWatchPlace({a}, "/runs/c"),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("/runs/c"), HasSubstr("/runs/a"))));
  EXPECT_THAT(
      ChooseWatchPlace({a, b, none}, ""),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               AllOf(HasSubstr("--model_dir=/runs/a (v3-8, mlp)"),
                     HasSubstr("--model_dir=/runs/b"), HasSubstr("--pid="),
                     Not(HasSubstr("0123456789abcdef")))));
}

TEST(ChooseWatchPlaceTest, ByTheLaunchersProcess) {
  auto a = PlaceOf("");
  a.set_launcher_pid(7);
  auto b = a;
  b.set_launcher_pid(8);
  EXPECT_EQ(ChooseWatchPlace({a, b}, "", 8)->launcher_pid(), 8);
  EXPECT_THAT(ChooseWatchPlace({a, b}, "", 9),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("process 9 runs no job of yours"),
                             HasSubstr("--pid=7 (v3-8, mlp) does"))));
}

TEST(ChooseWatchPlaceTest, OfARunThatHasEndedTheFileIsNamed) {
  const TempDir dir;
  EXPECT_THAT(
      ChooseWatchPlace({}, dir.path(), 0),
      StatusIs(absl::StatusCode::kNotFound, Not(HasSubstr("--metrics_file"))));
  std::ofstream(dir.file("metrics.jsonl")) << "{}\n";
  EXPECT_THAT(ChooseWatchPlace({}, dir.path(), 0),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("; of one that has ended: --metrics_file " +
                                 dir.file("metrics.jsonl"))));
}

TEST(WholeModelDirTest, PathsAreWholeAndUrisStay) {
  EXPECT_EQ(WholeModelDir("gs://bucket/a//"), "gs://bucket/a");
  EXPECT_EQ(WholeModelDir(""), "");
  EXPECT_EQ(WholeModelDir("/"), "/");
  TempDir dir;
  const std::string real = std::filesystem::canonical(dir.path());
  std::filesystem::create_directory(dir.file("a"));
  std::filesystem::create_directory_symlink("a", dir.file("b"));
  EXPECT_EQ(WholeModelDir(dir.file("b/")), real + "/a");
  EXPECT_EQ(WholeModelDir(dir.file("none/../c")), real + "/c");
}

}  // namespace
}  // namespace podsim
