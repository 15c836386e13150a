#include "base/log.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::MatchesRegex;

class Logging : public ::testing::Test {
 protected:
  void TearDown() override { SetMinLogLevel(LogLevel::kInfo); }

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

TEST_F(Logging, MinLevelDropsWhatIsBelow) {
  SetMinLogLevel(LogLevel::kWarning);
  EXPECT_EQ(Capture(LogAll).size(), 2);
  SetMinLogLevel(LogLevel::kError);
  const auto lines = Capture(LogAll);
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(lines[0].front(), 'E');
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

}  // namespace
}  // namespace podsim
