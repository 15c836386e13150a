// A signal ends the program whenever nobody can make something of it.
#include "base/signal_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace podsim {
namespace {

// The exit code of `program` in a process of its own, or 128 + the signal that
// ended it.
int RunAlone(const std::function<int()>& program) {
  const pid_t child = fork();
  if (child == 0) _exit(program());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(SignalWatchTest, EndsAProgramThatHandlesNothing) {
  EXPECT_EQ(RunAlone([] {
              signal(SIGTERM, SIG_IGN);  // as whoever started us may have it
              SignalWatch watch({SIGTERM});
              kill(getpid(), SIGTERM);
              for (;;) pause();
              return 0;
            }),
            128 + SIGTERM);
}

TEST(SignalWatchTest, TheHandlerDecides) {
  EXPECT_EQ(RunAlone([] {
              SignalWatch watch({SIGTERM, SIGINT});
              int pipes[2];
              if (pipe(pipes) != 0) return 1;
              watch.Handle([&](int signal) {
                const char byte = static_cast<char>(signal);
                return write(pipes[1], &byte, 1) == 1 && signal == SIGTERM;
              });
              kill(getpid(), SIGTERM);
              char seen = 0;
              if (read(pipes[0], &seen, 1) != 1 || seen != SIGTERM) return 2;
              kill(getpid(), SIGINT);
              for (;;) pause();
              return 0;
            }),
            128 + SIGINT);
}

TEST(SignalWatchTest, AHandlerThatIsGoneIsNotCalled) {
  EXPECT_EQ(RunAlone([] {
              SignalWatch watch({SIGTERM});
              watch.Handle([](int) { return true; });
              watch.Handle({});
              kill(getpid(), SIGTERM);
              for (;;) pause();
              return 0;
            }),
            128 + SIGTERM);
}

}  // namespace
}  // namespace podsim
