// A wall clock that is set back by a minute in the middle of a job.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "tests/e2e/pod.h"

namespace podsim::testing {
namespace {

// The wall clock of the programs that are started with `environment`.
class SharedClock {
 public:
  SharedClock() : path_(dir_.file("shift")) { SetBack(0); }

  void SetBack(std::int64_t seconds) const {
    const std::int64_t shift = -seconds * 1'000'000'000;
    const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(pwrite(fd, &shift, sizeof(shift), 0), sizeof(shift));
    close(fd);
  }
  std::vector<std::pair<std::string, std::string>> environment() const {
    return {{"LD_PRELOAD", PODSIM_SET_BACK_CLOCK},
            {"CLOCK_SHIFT_FILE", path_},
            // Its library wants to be loaded first; the clock is before it.
            {"ASAN_OPTIONS", "verify_asan_link_order=0"}};
  }

 private:
  TempDir dir_;
  const std::string path_;
};

TEST(ClockTest, SetBackHarmsNoJobAndNoAccount) {
  const TempDir dir;
  const std::string faults = dir.file("faults.txt");
  // The clock is set while one host rests for longer than a lease; later the
  // pod is started anew, by a clock that is behind.
  std::ofstream(faults)
      << "faults { kind: SLOW host: 3 step: 6 phase: 'compute' seconds: 4 }"
         "faults { kind: KILL host: 2 step: 12 }";
  const SharedClock clock;
  PodRun pod(
      {"--topology=v3-32", "--model=mlp", "--hidden=32", "--dataset=digits",
       "--batch_per_core=4", "--processes=4", "--train_steps=20",
       "--reference_topology=v3-32", "--checkpoint_every=5",
       "--heartbeat_timeout=2", "--max_restarts=1",
       "--model_dir=" + dir.file("model"), "--faults=" + faults},
      clock.environment());
  ASSERT_TRUE(pod.WaitForEvents("fault", 1)) << pod.output();
  clock.SetBack(60);
  EXPECT_EQ(pod.Wait(), 0) << pod.output();

  EXPECT_EQ(pod.Events("restart").size(), 1) << pod.output();
  double last = 0;
  for (const nlohmann::json& step : pod.Events("step")) {
    EXPECT_GT(step.at("wall_time"), last);
    last = step.at("wall_time");
  }
  const nlohmann::json summary = pod.Event("summary");
  ASSERT_TRUE(summary.contains("goodput")) << pod.output();
  EXPECT_EQ(summary["faults"]["injected"], 2);
}

}  // namespace
}  // namespace podsim::testing
