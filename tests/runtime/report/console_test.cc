// What a person sees, on a real terminal of so many columns.
#include "runtime/report/console.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/program.h"
#include "base/status.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;

// Both ends of a pseudo-terminal.
class Terminal {
 public:
  explicit Terminal(unsigned short columns)
      : screen_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    PODSIM_CHECK(screen_ >= 0 && grantpt(screen_) == 0 &&
                 unlockpt(screen_) == 0);
    program_ = open(ptsname(screen_), O_RDWR | O_NOCTTY);
    PODSIM_CHECK(program_ >= 0);
    const winsize size = {.ws_row = 24, .ws_col = columns};
    PODSIM_CHECK(ioctl(program_, TIOCSWINSZ, &size) == 0);
  }
  ~Terminal() {
    close(program_);
    close(screen_);
  }
  int program() const { return program_; }
  // What was written, with plain newlines.
  std::string Take() {
    std::string text(1 << 16, '\0');
    const ssize_t count = read(screen_, text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    std::erase(text, '\r');
    return text;
  }

 private:
  int screen_;
  int program_;
};

constexpr char kLong[] =
    "restarting, generation 2 (1 restarts left): host 2 was lost: its "
    "connection broke";

TEST(ConsoleTest, ProseBreaksAtWordsOnANarrowTerminal) {
  Terminal terminal(60);
  Console console(terminal.program(), terminal.program());
  EXPECT_EQ(console.terminal_width(), 60);
  console.Prose(kLong);
  EXPECT_EQ(terminal.Take(),
            "restarting, generation 2 (1 restarts left): host 2 was lost:\n"
            "    its connection broke\n");
  console.Error(kLong);
  EXPECT_THAT(terminal.Take(), HasSubstr("lost:\n    its"));
  // A table is the caller's.
  console.Line(kLong);
  EXPECT_EQ(terminal.Take(), std::string(kLong) + "\n");
}

TEST(ConsoleTest, ANoteBreaksButItsCommandsStayWhole) {
  Terminal terminal(30);
  Console console(terminal.program(), terminal.program());
  const std::string command =
      "    pod_host --coordinator=node-a:8476 --process=I";
  const std::string note =
      "waiting for hosts; start each by\n" + command + "\nwithin 60 s";
  console.Note(note);
  EXPECT_EQ(terminal.Take(), "waiting for hosts; start each\n    by\n" +
                                 command + "\nwithin 60 s\n");
  console.Note(note, "# ");
  EXPECT_EQ(terminal.Take(), "# waiting for hosts; start\n#     each by\n# " +
                                 command + "\n# within 60 s\n");
}

TEST(ConsoleTest, APipeGetsWholeLinesWithoutColour) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  Console console(fds[1], fds[1]);
  EXPECT_EQ(console.terminal_width(), 0);
  console.Prose(kLong);
  console.Error("FAILED: host1");
  std::string text(1 << 12, '\0');
  text.resize(static_cast<std::size_t>(read(fds[0], text.data(), text.size())));
  EXPECT_EQ(text, std::string(kLong) + "\nFAILED: host1\n");
  close(fds[0]);
  close(fds[1]);
}

TEST(ConsoleTest, ColourIsAddedAfterTheLinesAreBroken) {
  Terminal terminal(60);
  Console console(terminal.program(), terminal.program(),
                  {.color_out = true, .color_err = true});
  console.Prose("WARNING     " + std::string(46, 'x') + " y");
  EXPECT_EQ(terminal.Take(),
            "\x1b[1;33mWARNING\x1b[0m     " + std::string(46, 'x') + " y\n");
  console.Error("error: no");
  EXPECT_EQ(terminal.Take(), "\x1b[1;31merror:\x1b[0m no\n");
  Console plain(terminal.program(), terminal.program());
  plain.Error("error: no");
  EXPECT_EQ(terminal.Take(), "error: no\n");
}

TEST(ConsoleTest, TheLiveLineLeavesTheLastColumnFree) {
  Terminal terminal(30);
  Console console(terminal.program(), terminal.program(), {.live = true});
  EXPECT_EQ(console.live_columns(), 29);
  console.Live(std::string(40, 'x'));
  const std::string text = terminal.Take();
  EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), 29);
}

// As of `pod_launch --print_job | head -3`.
TEST(ConsoleTest, AReaderThatHasSeenEnoughIsNoError) {
  signal(SIGPIPE, SIG_IGN);
  int out[2];
  int err[2];
  ASSERT_EQ(pipe(out), 0);
  ASSERT_EQ(pipe(err), 0);
  close(out[0]);
  {
    Console console(out[1], err[1]);
    console.Line("what nobody reads");
    EXPECT_EQ(console.ExitCode(0), kReaderGone);
    EXPECT_EQ(console.ExitCode(2), 2);
  }
  close(out[1]);
  close(err[1]);
  char said = 0;
  EXPECT_EQ(read(err[0], &said, 1), 0) << "not a word";
  close(err[0]);
}

}  // namespace
}  // namespace podsim
