// Children of this process: how they end, what they inherit.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "runtime/pod/pipe.h"
#include "runtime/pod/supervisor.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;

// A launcher that is killed outright: the kernel ends its children.
TEST(ProcessTest, ChildrenDieWithTheLauncher) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  ASSERT_OK_AND_ASSIGN(Pipe pipe, MakePipe());
  const pid_t launcher = fork();
  ASSERT_GE(launcher, 0);
  if (launcher == 0) {
    const auto child = Process::Start(
        {.name = "child", .argv = {"/bin/sh", "-c", "exec sleep 100"}});
    const pid_t pid = child.ok() ? child->pid() : 0;
    if (write(pipe.write_end.get(), &pid, sizeof(pid)) < 0) _exit(1);
    pause();
    _exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(fcntl(pipe.read_end.get(), F_SETFL, 0), 0);  // wait for it
  ASSERT_EQ(read(pipe.read_end.get(), &child, sizeof(child)),
            static_cast<ssize_t>(sizeof(child)));
  ASSERT_GT(child, 0);
  ASSERT_EQ(kill(launcher, SIGKILL), 0);
  ASSERT_EQ(waitpid(launcher, nullptr, 0), launcher);
  int status = 0;
  // Comes back at once, or never if the child lives on.
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 127);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

// As in a program that embeds us.
TEST(ProcessTest, AnEndThatSomebodyElseCollectedIsAnEnd) {
  signal(SIGCHLD, SIG_IGN);
  ASSERT_OK_AND_ASSIGN(
      Process process,
      Process::Start(
          {.name = "child", .argv = {"/bin/sh", "-c", "trap | grep CHLD"}}));
  while (!process.Reap()) {
  }
  signal(SIGCHLD, SIG_DFL);
  EXPECT_TRUE(process.end()->unknown);
  EXPECT_THAT(DescribeEnd(*process.end()), HasSubstr("nobody knows how"));
}

TEST(ProcessTest, HidesWhatIsNotForTheChild) {
  setenv("PODSIM_ICI_ADVERTISE", "elsewhere:1", 1);
  ASSERT_OK_AND_ASSIGN(
      Process process,
      Process::Start(
          {.name = "child",
           .argv = {"/bin/sh", "-c", "test -z \"${PODSIM_ICI_ADVERTISE+set}\""},
           .hidden_environment = {"PODSIM_ICI_ADVERTISE"}}));
  unsetenv("PODSIM_ICI_ADVERTISE");
  while (!process.Reap()) {
  }
  EXPECT_TRUE(process.end()->clean());
}

TEST(ProcessTest, InheritsOnlyWhatItIsGiven) {
  ASSERT_OK_AND_ASSIGN(Pipe given, MakePipe());
  ASSERT_OK_AND_ASSIGN(Pipe kept, MakePipe());
  ASSERT_OK_AND_ASSIGN(
      Process process,
      Process::Start(
          {.name = "child",
           .argv = {"/bin/sh", "-c",
                    absl::StrCat(
                        "test -e /proc/self/fd/", given.write_end.get(),
                        " && test ! -e /proc/self/fd/", kept.write_end.get())},
           .inherited_fds = {given.write_end.get()}}));
  while (!process.Reap()) {
  }
  EXPECT_TRUE(process.end()->clean());
}

}  // namespace
}  // namespace podsim
