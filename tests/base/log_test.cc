#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class Logging : public ::testing::Test {
 protected:
  // What `fn` writes to standard error, line by line.
  template <typename Fn>
  static std::vector<std::string> Capture(const Fn& fn) {
    ::testing::internal::CaptureStderr();
    fn();
    std::istringstream text(::testing::internal::GetCapturedStderr());
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  static void LogAll() {
    Log(LogLevel::kInfo, "one");
    Log(LogLevel::kWarning, "two");
    Log(LogLevel::kError, "three");
  }
};

TEST_F(Logging, LineHasLevelTimeAndMessage) {
  const auto lines = Capture(LogAll);
  ASSERT_EQ(lines.size(), 3);
  const std::string time = " [0-9][0-9]:[0-9][0-9]:[0-9][0-9][.][0-9]+ ";
  EXPECT_THAT(lines[0], MatchesRegex("I" + time + "one"));
  EXPECT_THAT(lines[1], MatchesRegex("W" + time + "two"));
  EXPECT_THAT(lines[2], MatchesRegex("E" + time + "three"));
  for (const std::string& line : lines) EXPECT_EQ(line.find(' ', 2), 14);
}

// A message may quote what a stranger sent.
TEST_F(Logging, NothingInALineControlsTheTerminal) {
  const auto lines = Capture([] {
    Log(LogLevel::kWarning, "refused: \x1b[2J\rW 00:00:00 fine\nE forged");
  });
  ASSERT_EQ(lines.size(), 1);
  EXPECT_THAT(lines[0],
              HasSubstr("refused: \\x1b[2J\\x0dW 00:00:00 fine\\nE forged"));
}

TEST_F(Logging, LinesOfSeveralThreadsDoNotTear) {
  constexpr int kThreads = 4;
  constexpr int kLines = 100;
  const auto lines = Capture([] {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([t] {
        const std::string message(100 + t, static_cast<char>('a' + t));
        for (int i = 0; i < kLines; ++i) Log(LogLevel::kInfo, message);
      });
  });
  ASSERT_EQ(lines.size(), kThreads * kLines);
  std::vector<int> count(kThreads);
  for (const std::string& line : lines) {
    const std::string message = line.substr(15);
    const int t = message.front() - 'a';
    ASSERT_TRUE(t >= 0 && t < kThreads) << line;
    ASSERT_EQ(message, std::string(100 + t, static_cast<char>('a' + t)));
    ++count[t];
  }
  for (const int lines_of_one : count) EXPECT_EQ(lines_of_one, kLines);
}

// Standard error as a pipe that nobody reads for a while.
class StalledLog : public ::testing::Test {
 protected:
  StalledLog() : stderr_(dup(STDERR_FILENO)) {
    if (pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) != 0) std::abort();
    // The writing end blocks, as a child's does.
    fcntl(ends_[1], F_SETFL, 0);
    dup2(ends_[1], STDERR_FILENO);
  }
  ~StalledLog() override {
    dup2(stderr_, STDERR_FILENO);
    for (const int fd : {ends_[0], ends_[1], stderr_}) close(fd);
  }

  std::vector<std::string> ReadLines() {
    std::string bytes;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 0;
         (count = read(ends_[0], buffer.data(), buffer.size())) > 0;) {
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
    }
    std::istringstream text(bytes);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  int stderr_;
  std::array<int, 2> ends_ = {-1, -1};
};

// Were Log to block, this would never end.
TEST_F(StalledLog, LosesLinesRatherThanTime) {
  constexpr int kLines = 3000;  // 300 kB; a pipe holds 64 KiB
  const std::string message(84, 'x');
  for (int i = 0; i < kLines; ++i) Log(LogLevel::kInfo, message);
  const std::size_t kept = ReadLines().size();
  EXPECT_GT(kept, 500);
  EXPECT_LT(kept, 700);
  Log(LogLevel::kInfo, "later");
  Log(LogLevel::kInfo, "last");
  const auto lines = ReadLines();
  ASSERT_EQ(lines.size(), 3);
  EXPECT_THAT(lines[0],
              HasSubstr(std::to_string(kLines - kept) + " lines are lost"));
  EXPECT_THAT(lines[1], HasSubstr("later"));
  EXPECT_THAT(lines[2], HasSubstr("last"));
}

}  // namespace
}  // namespace podsim
