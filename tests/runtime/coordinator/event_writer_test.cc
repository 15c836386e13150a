// Events through a pipe whose reader keeps up, stands still, comes late, or
// has gone.
#include "runtime/coordinator/event_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

JobEvent Formed() {
  JobEvent event;
  event.mutable_formed()->set_generation(7);
  return event;
}

JobEvent StepEvent(std::int64_t step) {
  JobEvent event;
  event.mutable_step()->set_step(step);
  // As long as a real one: several hundred bytes.
  for (const char* name : {"loss", "accuracy", "top_5", "norm", "perplexity"}) {
    MetricSum& metric = *event.mutable_step()->add_metrics();
    metric.set_name(name);
    metric.set_total(0.123456789012345);
    metric.set_weight(128);
  }
  return event;
}

JobEvent Done() {
  JobEvent event;
  event.mutable_done()->set_weights_hash("abc");
  return event;
}

class EventWriterTest : public ::testing::Test {
 protected:
  EventWriterTest() {
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) std::abort();
  }
  ~EventWriterTest() override {
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }

  void CloseEnd(int which) { close(std::exchange(ends_[which], -1)); }
  int write_end() const { return ends_[1]; }

  // Lines until the pipe's end.
  std::vector<std::string> ReadAll() {
    std::string bytes;
    std::array<char, 4096> buffer{};
    while (true) {
      const ssize_t count = read(ends_[0], buffer.data(), buffer.size());
      if (count <= 0) break;
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return LinesOf(bytes);
  }
  static std::vector<std::string> LinesOf(const std::string& bytes) {
    std::vector<std::string> lines;
    std::istringstream text(bytes);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  // Until the pipe holds `text` that nobody has read: without it a writer whose
  // thread is late to start may have given up its first steps.
  void AwaitUnread(const std::string& text) const {
    const absl::Time deadline = clock_.Now() + absl::Seconds(60);
    for (int unread = 0; unread < static_cast<int>(text.size());) {
      ASSERT_LT(clock_.Now(), deadline);
      ASSERT_EQ(ioctl(ends_[0], FIONREAD, &unread), 0);
      std::this_thread::yield();
    }
  }
  // What `act` logs.
  static std::string LogOf(const std::function<void()>& act) {
    ::testing::internal::CaptureStderr();
    act();
    return ::testing::internal::GetCapturedStderr();
  }

  const SystemClock clock_;
  std::array<int, 2> ends_ = {-1, -1};
};

TEST(EventTextTest, IsOneLineOfJson) {
  const std::string text = EventText(StepEvent(12));
  EXPECT_THAT(text, StartsWith("{\"step\":{\"step\":\"12\""));
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST(EventTextTest, OfStepsAloneWhatIsNothingIsLeftOut) {
  EXPECT_THAT(EventText(StepEvent(12)),
              ::testing::Not(HasSubstr("learning_rate")));
  JobEvent saved;
  saved.mutable_saved()->set_step(12);
  EXPECT_THAT(EventText(saved), HasSubstr("\"bytes\":\"0\""));
}

TEST_F(EventWriterTest, AReaderThatKeepsUpGetsEverythingInOrder) {
  std::vector<std::string> lines;
  std::jthread reader([&] { lines = ReadAll(); });
  const std::string log = LogOf([&] {
    EventWriter writer(write_end(), clock_);
    writer.Write(Formed());
    for (int step = 1; step <= 5000; ++step) writer.Write(StepEvent(step));
    writer.Write(Done());
    writer.Finish(absl::Seconds(60));
  });
  CloseEnd(1);
  reader.join();
  ASSERT_EQ(lines.size(), 5002);
  EXPECT_EQ(lines.front() + "\n", EventText(Formed()));
  for (int step = 1; step <= 5000; ++step) {
    ASSERT_EQ(lines[step] + "\n", EventText(StepEvent(step)));
  }
  EXPECT_EQ(lines.back() + "\n", EventText(Done()));
  EXPECT_EQ(log, "");
}

// Were Write to block, this would never end: the steps fill pipe and queue
// several times over.
TEST_F(EventWriterTest, AReaderThatStandsStillFindsWhatMattersInThePipe) {
  constexpr int kSteps = 5'000;
  const std::string log = LogOf([&] {
    EventWriter writer(write_end(), clock_, 64 << 10);
    writer.Write(Formed());
    writer.Write(StepEvent(1));
    AwaitUnread(EventText(Formed()) + EventText(StepEvent(1)));
    for (int step = 2; step <= kSteps; ++step) writer.Write(StepEvent(step));
    writer.Write(Done());
    writer.Finish(absl::Milliseconds(10));
  });
  CloseEnd(1);
  const std::vector<std::string> lines = ReadAll();
  ASSERT_GE(lines.size(), 4);
  EXPECT_EQ(lines.front() + "\n", EventText(Formed()));
  EXPECT_EQ(lines[1] + "\n", EventText(StepEvent(1)));
  // The newest step says how far the job came.
  EXPECT_EQ(lines[lines.size() - 2] + "\n", EventText(StepEvent(kSteps)));
  EXPECT_EQ(lines.back() + "\n", EventText(Done()));
  EXPECT_THAT(log, HasSubstr("W "));
  EXPECT_THAT(log, HasSubstr(std::to_string(kSteps + 2 - lines.size()) +
                             " steps are missing from the job's record"));
}

TEST_F(EventWriterTest, AReaderThatComesLateMissesOnlySteps) {
  constexpr int kSteps = 5'000;
  std::vector<std::string> lines;
  {
    EventWriter writer(write_end(), clock_, 64 << 10);
    writer.Write(Formed());
    for (int step = 1; step <= kSteps; ++step) {
      writer.Write(StepEvent(step));
      if (step % (kSteps / 20) == 0) writer.Write(Formed());
    }
    writer.Write(Done());
    std::jthread reader([&] { lines = ReadAll(); });
    writer.Finish(absl::Seconds(60));
    CloseEnd(1);
  }
  std::int64_t formed = 0;
  for (const std::string& line : lines) {
    formed += line + "\n" == EventText(Formed());
  }
  EXPECT_EQ(formed, 21);
  EXPECT_EQ(lines.back() + "\n", EventText(Done()));
  EXPECT_LT(lines.size(), kSteps);
}

TEST_F(EventWriterTest, AReaderThatHasGoneHoldsUpNothing) {
  CloseEnd(0);
  const std::string log = LogOf([&] {
    EventWriter writer(write_end(), clock_);
    for (int step = 1; step <= 1000; ++step) writer.Write(StepEvent(step));
    writer.Finish(absl::InfiniteDuration());
  });
  // Said once.
  EXPECT_THAT(LinesOf(log), ElementsAre(HasSubstr("Broken pipe")));
}

// Too much for a pipe that nobody reads: given up, and said so.
TEST_F(EventWriterTest, APipeThatIsFullToTheBrimIsGivenUp) {
  const std::string log = LogOf([&] {
    EventWriter writer(write_end(), clock_);
    JobEvent large = Formed();
    large.mutable_formed()->add_notes(std::string(4 << 20, 'x'));
    writer.Write(large);
    writer.Write(Done());
    writer.Finish(absl::Milliseconds(10));
  });
  EXPECT_THAT(LinesOf(log), ElementsAre(HasSubstr("nobody read them in time")));
}

TEST_F(EventWriterTest, AFileTakesEverything) {
  const TempDir dir;
  const int fd =
      open(dir.file("events").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  {
    EventWriter writer(fd, clock_);
    for (int step = 1; step <= 5000; ++step) writer.Write(StepEvent(step));
    writer.Write(Done());
    writer.Finish(absl::Seconds(60));
    writer.Write(Done());  // too late
  }
  close(fd);
  std::ifstream in(dir.file("events"));
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(LinesOf(bytes).size(), 5001);
}

}  // namespace
}  // namespace podsim
