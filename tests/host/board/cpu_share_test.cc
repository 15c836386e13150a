#include "host/board/cpu_share.h"

#include <gmock/gmock.h>
#include <sched.h>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

TEST(AvailableCpusTest, TheSmallerOfMaskAndQuotaButAtLeastOne) {
  EXPECT_EQ(AvailableCpus(8, std::nullopt), 8);
  EXPECT_EQ(AvailableCpus(8, 3.0), 3);
  EXPECT_EQ(AvailableCpus(8, 2.9), 2);
  EXPECT_EQ(AvailableCpus(2, 64.0), 2);
  EXPECT_EQ(AvailableCpus(4, 0.5), 1);
  EXPECT_EQ(AvailableCpus(0, std::nullopt), 1);
  EXPECT_EQ(AvailableCpus(2, 1e300), 2);
}

// A mask of one CPU, as `taskset` sets it, is seen.
TEST(AvailableCpusTest, FollowsTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_GE(AvailableCpus(), 1);
  EXPECT_LE(AvailableCpus(), CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(AvailableCpus(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(FairShareTest, DividesDownToOne) {
  EXPECT_EQ(FairShare(8, 1), 8);
  EXPECT_EQ(FairShare(8, 3), 2);
  EXPECT_EQ(FairShare(2, 2), 1);
  EXPECT_EQ(FairShare(2, 100), 1);
}

TEST(MemAvailableTest, ReadsTheLine) {
  ASSERT_OK_AND_ASSIGN(const std::int64_t bytes,
                       ParseMemAvailable("MemTotal:       24684096 kB\n"
                                         "MemFree:            1000 kB\n"
                                         "MemAvailable:   24343696 kB\n"
                                         "Buffers:            1044 kB\n"));
  EXPECT_EQ(bytes, 24343696LL * 1024);
}

TEST(MemAvailableTest, RefusesBadContent) {
  for (const char* text :
       {"", "MemTotal: 5 kB\n", "MemAvailable: kB\n", "MemAvailable: x kB\n",
        "MemAvailable: -1 kB\n", "MemAvailable: 12\n", "MemAvailable: 12 MB\n",
        "MemAvailable: 9223372036854775807 kB\n",
        "MemAvailable: 99999999999999999999 kB\n"}) {
    EXPECT_THAT(
        ParseMemAvailable(text),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("meminfo")))
        << text;
  }
}

TEST(MachineMemoryTest, IsThisMachines) {
  ASSERT_OK_AND_ASSIGN(const std::int64_t bytes, MachineMemoryBytes());
  EXPECT_GT(bytes, std::int64_t{16} << 20);
  EXPECT_LT(bytes, std::int64_t{1} << 50);
}

}  // namespace
}  // namespace podsim
