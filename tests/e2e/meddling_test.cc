// What others do to the model_dir of a job that runs: its lock is taken away or
// replaced, all of it is moved. The job ends, and says what has happened.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "tests/e2e/pod.h"

namespace podsim {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using testing::kDeadline;
using testing::PodRun;
using testing::WithFlags;

// Tells when somebody has opened a file.
class OpenWatch {
 public:
  explicit OpenWatch(const std::string& path)
      : fd_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    PODSIM_CHECK(inotify_add_watch(fd_.get(), path.c_str(), IN_OPEN) >= 0);
  }
  bool Seen() const {
    std::array<char, 4096> events{};
    return read(fd_.get(), events.data(), events.size()) > 0;
  }

 private:
  const UniqueFd fd_;
};

class MeddlingTest : public ::testing::Test {
 protected:
  // It saves every 50 steps, and would last for hours.
  std::vector<std::string> Job() const {
    return {"--topology=v3-32",
            "--processes=2",
            "--hidden=16",
            "--dataset=digits",
            "--batch_per_core=4",
            "--train_steps=100000000",
            "--checkpoint_every=50",
            "--reference_topology=v3-32",
            "--keep=1",
            "--model_dir=" + model_dir_};
  }

  testing::TempDir directory_;
  const std::string model_dir_ = directory_.file("model");
  const std::string lock_ = model_dir_ + "/.podsim-lock";
};

// The coordinator looks at it for as long as the job lasts; a pipe has no bytes
// until somebody writes to it.
TEST_F(MeddlingTest, ALockThatBecomesAPipeIsNotWaitedFor) {
  PodRun pod(Job());
  ASSERT_TRUE(pod.WaitForEvents("step", 5)) << pod.output();
  fs::remove(lock_);
  ASSERT_EQ(mkfifo(lock_.c_str(), 0600), 0);
  const OpenWatch watch(lock_);
  ASSERT_TRUE(testing::Eventually([&] { return watch.Seen(); }, kDeadline))
      << "nobody has looked at it";
  pod.process().Signal(SIGTERM);
  EXPECT_EQ(pod.Wait(), 75) << pod.output();
  EXPECT_THAT(pod.output(), HasSubstr("drained"));
  EXPECT_TRUE(fs::is_fifo(lock_)) << "it is not the job's";
}

TEST_F(MeddlingTest, WhoseLockWasRemovedEndsWhenAnotherTakesIt) {
  // What the two save would be in each other's way.
  const std::vector<std::string> flags =
      WithFlags(Job(), {"--checkpoint_every=100000000"});
  PodRun first(flags);
  ASSERT_TRUE(first.WaitForEvents("step", 5)) << first.output();
  fs::remove(lock_);
  PodRun second(flags);
  ASSERT_TRUE(second.WaitForEvents("step", 1)) << second.output();
  EXPECT_EQ(first.Wait(), 1) << first.output();
  EXPECT_THAT(first.Unwrapped(),
              HasSubstr(absl::StrCat(lock_, " was taken over by pid ",
                                     second.process().pid(), " on ")));
  EXPECT_THAT(first.Unwrapped(),
              HasSubstr(": the file that this job held was removed or "
                        "replaced"));
  second.process().Signal(SIGTERM);
  EXPECT_EQ(second.Wait(), 75) << second.output();
}

// Its checkpoint of step 50 is there when it is asked for.
TEST_F(MeddlingTest, ADirectoryThatWasMovedAwayIsNotGoneOnFrom) {
  const std::string faults = directory_.file("faults");
  std::ofstream(faults)
      << "faults { kind: SLOW host: 0 step: 60 seconds: 3600 }";
  PodRun pod(
      WithFlags(Job(), {"--faults=" + faults, "--stall_timeout=100000"}));
  ASSERT_TRUE(pod.WaitForEvents("step", 59)) << pod.output();
  ASSERT_TRUE(pod.WaitForEvents("checkpoint", 1)) << pod.output();
  const std::string elsewhere = directory_.file("elsewhere");
  fs::rename(model_dir_, elsewhere);
  pod.process().Signal(SIGINT);
  ASSERT_TRUE(pod.process().ReadUntilText("a second one stops it", kDeadline));
  pod.process().Signal(SIGINT);
  EXPECT_EQ(pod.Wait(), 128 + SIGINT) << pod.output();
  EXPECT_THAT(
      pod.Unwrapped(),
      HasSubstr(absl::StrCat("the checkpoints have gone from ", model_dir_,
                             " meanwhile: put them back, or 59 steps "
                             "are lost")));
  // As it says.
  fs::rename(elsewhere, model_dir_);
  PodRun next(WithFlags(Job(), {"--train_steps=60"}));
  EXPECT_EQ(next.Wait(), 0) << next.output();
  ASSERT_FALSE(next.Events("step").empty());
  EXPECT_EQ(next.Events("step").front()["step"], 51);
}

// Its metrics file, which is there by default, goes along, and is not made
// anew.
TEST_F(MeddlingTest, MetricsGoWithADirectoryThatIsMovedAway) {
  const std::string faults = directory_.file("faults");
  std::ofstream(faults)
      << "faults { kind: SLOW host: 0 step: 20 seconds: 3600 }";
  std::vector<std::string> command =
      WithFlags(Job(), {"--faults=" + faults, "--stall_timeout=100000"});
  command.insert(command.begin(), testing::Program("pod_launch"));
  testing::Subprocess pod({.command = command});
  const auto steps_in = [](const std::string& folder) {
    std::ifstream lines(folder + "/metrics.jsonl");
    int steps = 0;
    for (std::string line; std::getline(lines, line);)
      steps += line.find("\"event\":\"step\"") != line.npos ? 1 : 0;
    return steps;
  };
  ASSERT_TRUE(testing::Eventually([&] { return steps_in(model_dir_) == 19; },
                                  kDeadline))
      << pod.output();
  const std::string elsewhere = directory_.file("elsewhere");
  fs::rename(model_dir_, elsewhere);
  pod.Signal(SIGINT);
  ASSERT_TRUE(pod.ReadUntilText("a second one stops it", kDeadline));
  pod.Signal(SIGINT);
  EXPECT_EQ(pod.Wait(kDeadline), 128 + SIGINT) << pod.output();
  EXPECT_FALSE(fs::exists(model_dir_));
  EXPECT_EQ(steps_in(elsewhere), 19);
}

}  // namespace
}  // namespace podsim
