// How wide text for people may be.
#include "runtime/report/text_width.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace podsim {
namespace {

TEST(TextWidthTest, TheVariableThenTheTerminalThenEighty) {
  EXPECT_EQ(TextWidth("60", 120), 60);
  EXPECT_EQ(TextWidth(std::nullopt, 120), 120);
  EXPECT_EQ(TextWidth(std::nullopt, 0), 80);
  for (const char* wrong : {"", "wide", "0", "-5", "19", "1001", "60x"}) {
    EXPECT_EQ(TextWidth(wrong, 120), 120) << wrong;
    EXPECT_EQ(TextWidth(wrong, 0), 80) << wrong;
  }
  EXPECT_EQ(TextWidth("20", 0), 20);
  EXPECT_EQ(TextWidth(std::nullopt, 3), 80) << "no line could be broken";
}

TEST(TerminalWidthTest, IsThatOfATerminalAndNoPipes) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  EXPECT_EQ(TerminalWidth(pipe_ends[1]), 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  winsize size = {};
  size.ws_col = 60;
  ASSERT_EQ(ioctl(terminal, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(TerminalWidth(terminal), 60);
  close(terminal);
}

}  // namespace
}  // namespace podsim
