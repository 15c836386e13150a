// One job at a time in a directory: whoever lives keeps it, a dead holder's is
// free, a distant one is judged by its signs of life.
#include "host/storage/directory_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

namespace fs = std::filesystem;

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

LockRecord Elsewhere() {
  return {.host = "node-b",
          .pid = 4711,
          .since = absl::FromUnixSeconds(1'700'000'000),
          .boot = "another-boot",
          .pid_namespace = "pid:[1]",
          .started = 77,
          .id = "feed"};
}

TEST(LockRecordTest, SurvivesItsText) {
  EXPECT_EQ(ParseLock(LockText(Elsewhere())), Elsewhere());
  EXPECT_EQ(ParseLock(""), std::nullopt);
  EXPECT_EQ(ParseLock("host=a\npid=x\nsince=1\nstarted=1\nid=f\n"),
            std::nullopt);
  EXPECT_EQ(ParseLock("host=\x1b[2J\npid=1\nsince=1\nstarted=1\nid=f\n"),
            std::nullopt);
}

TEST(IsHeldTest, TheKernelKnowsWhoLivesOnThisMachine) {
  LockRecord here = Elsewhere();
  here.boot = "this-boot";
  EXPECT_FALSE(IsHeld({}, "this-boot"));
  EXPECT_TRUE(IsHeld({.kernel_holds = true}, "this-boot"));
  EXPECT_FALSE(IsHeld({.record = here}, "this-boot"));
}

TEST(IsHeldTest, WithoutItsLocksTheProcessIsLookedUp) {
  LockRecord here = Elsewhere();
  here.boot = "this-boot";
  LockView view = {.kernel_knows = false, .record = here, .alive = true};
  view.silent = absl::Hours(1);  // stopped, say: it still holds it
  EXPECT_TRUE(IsHeld(view, "this-boot"));
  view.alive = false;
  view.silent = absl::ZeroDuration();
  EXPECT_FALSE(IsHeld(view, "this-boot"));
  // In a container whose processes cannot be seen.
  view.alive = std::nullopt;
  EXPECT_TRUE(IsHeld(view, "this-boot"));
  view.silent = kLockLease;
  EXPECT_FALSE(IsHeld(view, "this-boot"));
}

TEST(IsHeldTest, AnotherMachineIsJudgedByItsSignsOfLife) {
  LockView view = {.record = Elsewhere(), .silent = absl::Seconds(29)};
  EXPECT_TRUE(IsHeld(view, "this-boot"));
  view.silent = kLockLease;
  EXPECT_FALSE(IsHeld(view, "this-boot"));
  // Where no boot has a name, none is this one.
  view.record->boot = "";
  view.silent = absl::Seconds(1);
  EXPECT_TRUE(IsHeld(view, ""));
}

class DirectoryLockTest : public ::testing::Test {
 protected:
  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Write(const std::string& text) {
    fs::create_directories(model_);
    std::ofstream(file_) << text;
  }
  // As if it had been written so long ago.
  void Age(absl::Duration age) {
    const timespec then = absl::ToTimespec(absl::Now() - age);
    const timespec times[] = {then, then};
    ASSERT_EQ(utimensat(AT_FDCWD, file_.c_str(), times, 0), 0);
  }

  TempDir dir_;
  std::string model_ = dir_.file("a/model");
  std::string file_ = model_ + "/" + kLockFile;
};

TEST_F(DirectoryLockTest, TheSecondIsToldWhoHasIt) {
  {
    ASSERT_OK_AND_ASSIGN(const DirectoryLock lock,
                         DirectoryLock::Acquire(model_));
    EXPECT_THAT(lock.Renew(), IsOk());
    EXPECT_THAT(
        DirectoryLock::Acquire(model_),
        StatusIs(absl::StatusCode::kFailedPrecondition,
                 AllOf(HasSubstr(model_),
                       HasSubstr(absl::StrCat("pid ", getpid(), " on ")),
                       HasSubstr(" since 20"))));
  }
  EXPECT_TRUE(fs::is_empty(model_));
  EXPECT_THAT(DirectoryLock::Acquire(model_), IsOk());
}

// The holder of the child's pipe ends without a destructor.
TEST_F(DirectoryLockTest, AKilledHolderIsTakenOverAtOnce) {
  std::array<int, 2> held{};
  ASSERT_EQ(pipe(held.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = DirectoryLock::Acquire(model_);
    const char byte = lock.ok() ? 1 : 0;
    if (write(held[1], &byte, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(held[0], &byte, 1), 1);
  ASSERT_EQ(byte, 1);
  EXPECT_THAT(DirectoryLock::Acquire(model_),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr(absl::StrCat("pid ", child))));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(fs::exists(file_));
  ASSERT_OK_AND_ASSIGN(const DirectoryLock lock,
                       DirectoryLock::Acquire(model_));
  EXPECT_EQ(ParseLock(Read(file_))->pid, getpid());
  close(held[0]);
  close(held[1]);
}

// As a launcher that is killed: its coordinator dies with it, a moment later.
TEST_F(DirectoryLockTest, WhatADeadHolderStartedIsWaitedFor) {
  const pid_t holder = fork();
  if (holder == 0) {
    const auto lock = DirectoryLock::Acquire(model_);
    if (fork() == 0) poll(nullptr, 0, 300);
    _exit(lock.ok() ? 0 : 1);  // no destructor runs
  }
  int status = -1;
  ASSERT_EQ(waitpid(holder, &status, 0), holder);
  ASSERT_EQ(status, 0);
  EXPECT_THAT(DirectoryLock::Acquire(model_), IsOk());
}

TEST_F(DirectoryLockTest, WhoInheritedItKeepsIt) {
  std::optional<DirectoryLock> inherited;
  {
    ASSERT_OK_AND_ASSIGN(const DirectoryLock lock,
                         DirectoryLock::Acquire(model_));
    ASSERT_OK_AND_ASSIGN(DirectoryLock same,
                         DirectoryLock::Inherit(model_, dup(lock.fd())));
    inherited.emplace(std::move(same));
    EXPECT_THAT(inherited->Renew(), IsOk());
    fs::rename(file_, file_ + "-kept");  // as after a kill: it stays
  }
  fs::rename(file_ + "-kept", file_);
  EXPECT_THAT(
      DirectoryLock::Acquire(model_),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("pid")));
  inherited.reset();
  EXPECT_THAT(DirectoryLock::Acquire(model_), IsOk());
  EXPECT_THAT(DirectoryLock::Inherit(model_, open("/dev/null", O_RDWR)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(model_)));
}

TEST_F(DirectoryLockTest, AnotherMachinesHoldsWhileItRenews) {
  Write(LockText(Elsewhere()));
  EXPECT_THAT(DirectoryLock::Acquire(model_),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("pid 4711 on node-b since 2023-11-14"),
                             HasSubstr("sign of life"))));
  Age(kLockLease + absl::Seconds(1));
  ASSERT_OK_AND_ASSIGN(const DirectoryLock lock,
                       DirectoryLock::Acquire(model_));
  EXPECT_EQ(ParseLock(Read(file_))->pid, getpid());
  EXPECT_THAT(lock.Renew(), IsOk());
  Write(LockText(Elsewhere()));
  EXPECT_THAT(lock.Renew(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("taken over by pid 4711 on node-b")));
}

// Nobody's clock, or that of a machine that was set back.
TEST_F(DirectoryLockTest, ATimeAheadSaysWhatToDo) {
  for (const auto& [ahead, said] :
       {std::pair(absl::Hours(5), "is 4h59m5"),
        std::pair(absl::Hours(631968), "is 63196")}) {
    Write(LockText(Elsewhere()));
    Age(-ahead);
    EXPECT_THAT(DirectoryLock::Acquire(model_),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         AllOf(HasSubstr(said), Not(HasSubstr("-63")),
                               HasSubstr("ahead; if no job runs there, remove"),
                               Not(HasSubstr("sign of life")),
                               HasSubstr("pid 4711 on node-b"))));
    // It is done as it says.
    fs::remove(file_);
    EXPECT_THAT(DirectoryLock::Acquire(model_), IsOk());
  }
}

// Of a holder of this machine the kernel knows more than any clock.
TEST_F(DirectoryLockTest, ATimeAheadOfADeadHolderHereIsNoHindrance) {
  LockRecord dead = NewLockRecord();
  dead.started += 1;  // another process with this pid
  Write(LockText(dead));
  Age(-absl::Hours(5));
  EXPECT_THAT(DirectoryLock::Acquire(model_), IsOk());
}

TEST_F(DirectoryLockTest, ALockThatWasRemovedSaysSo) {
  ASSERT_OK_AND_ASSIGN(const DirectoryLock lock,
                       DirectoryLock::Acquire(model_));
  fs::remove(file_);
  EXPECT_THAT(lock.Renew(), IsOk()) << "nobody else has it";
  Write(LockText(Elsewhere()));
  EXPECT_THAT(lock.Renew(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                     HasSubstr("was removed or replaced")));
  fs::remove(file_);
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(lock.Renew(), IsOk()) << "without waiting for a writer";
}

TEST_F(DirectoryLockTest, RenewingIsASignOfLife) {
  ASSERT_OK_AND_ASSIGN(const DirectoryLock lock,
                       DirectoryLock::Acquire(model_));
  Age(absl::Hours(1));
  EXPECT_THAT(lock.Renew(), IsOk());
  struct stat status = {};
  ASSERT_EQ(stat(file_.c_str(), &status), 0);
  EXPECT_LT(absl::Now() - absl::TimeFromTimespec(status.st_mtim),
            absl::Minutes(1));
}

TEST_F(DirectoryLockTest, TakesWhatNobodyCanReadForNobodys) {
  Write("what is this\n");
  EXPECT_THAT(DirectoryLock::Acquire(model_), IsOk());
}

TEST_F(DirectoryLockTest, WhatIsNoFileIsToBeRemoved) {
  fs::create_directories(model_);
  const auto refused = [&](const std::string& kind) {
    EXPECT_THAT(DirectoryLock::Acquire(model_),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         HasSubstr(absl::StrCat(file_, " is ", kind,
                                                ", not a file; remove it"))));
    fs::remove(file_);
  };
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  refused("a FIFO (named pipe)");
  fs::create_directory(file_);
  refused("a folder");
  fs::create_symlink("elsewhere", file_);
  refused("a symbolic link");
  EXPECT_THAT(DirectoryLock::Acquire(model_), IsOk());
}

TEST_F(DirectoryLockTest, SaysWhatCannotBeWritten) {
  std::ofstream(dir_.file("a")) << "a file";
  EXPECT_THAT(DirectoryLock::Acquire(model_).status().message(),
              HasSubstr(model_));
}

}  // namespace
}  // namespace podsim
