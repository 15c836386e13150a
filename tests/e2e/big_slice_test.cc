// The largest slice on a small machine: 256 hosts, 2,048 cores, under 4 GiB.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/units.h"
#include "tests/e2e/pod.h"

namespace podsim::testing {
namespace {

TEST(BigSliceTest, V3_2048TrainsInUnderFourGiB) {
  PodRun pod({"--topology=v3-2048", "--model=mlp", "--hidden=512,512",
              "--dataset=synthetic", "--example_shape=28,28", "--classes=10",
              "--batch_per_core=8", "--train_steps=3",
              "--reference_topology=v3-2048"});
  std::map<pid_t, std::int64_t> peaks;
  // Sampled until the output ends; the peak of a process is its own.
  while (!pod.process().ReadUntil([](const std::string&) { return false; },
                                  std::chrono::milliseconds(50))) {
    peaks[pod.process().pid()] =
        std::max(peaks[pod.process().pid()], PeakMemoryOf(pod.process().pid()));
    for (const auto& [pid, name] : ChildrenOf(pod.process().pid()))
      peaks[pid] = std::max(peaks[pid], PeakMemoryOf(pid));
    if (!IsAlive(pod.process().pid())) break;
  }
  ASSERT_EQ(pod.Wait(std::chrono::seconds(300)), 0) << pod.output();
  std::int64_t total = 0;
  for (const auto& [pid, peak] : peaks) total += peak;
  RecordProperty("peak_bytes_of_all_processes", std::to_string(total));
  EXPECT_GE(peaks.size(), 10u);  // launcher, coordinator, 8 host processes
  EXPECT_GT(total, 100 * kMiB);
  EXPECT_LT(total, 4 * kGiB) << FormatBytes(total);
  EXPECT_EQ(pod.Event("summary").value("steps", 0), 3) << pod.output();
  EXPECT_EQ(pod.Event("plan").value("processes", 0), 8);
}

}  // namespace
}  // namespace podsim::testing
