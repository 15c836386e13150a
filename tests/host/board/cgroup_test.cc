#include "host/board/cgroup.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Optional;

TEST(CpuMaxTest, QuotaAndNone) {
  ASSERT_OK_AND_ASSIGN(const auto limited, ParseCpuMax("150000 100000\n"));
  EXPECT_THAT(limited, Optional(1.5));
  ASSERT_OK_AND_ASSIGN(const auto unlimited, ParseCpuMax("max 100000\n"));
  EXPECT_EQ(unlimited, std::nullopt);
}

TEST(CpuMaxTest, RefusesBadContent) {
  for (const char* text : {"", "\n", "max", "100000", "max 0", "0 100000",
                           "-1 100000", "1 2 3", "x 100000", "100000 x"}) {
    EXPECT_THAT(ParseCpuMax(text), StatusIs(kInvalid, HasSubstr("cpu.max")))
        << text;
  }
}

TEST(CfsQuotaTest, QuotaAndNone) {
  ASSERT_OK_AND_ASSIGN(const auto limited,
                       ParseCfsQuota("50000\n", "100000\n"));
  EXPECT_THAT(limited, Optional(0.5));
  ASSERT_OK_AND_ASSIGN(const auto unlimited, ParseCfsQuota("-1\n", "100000\n"));
  EXPECT_EQ(unlimited, std::nullopt);
}

TEST(CfsQuotaTest, RefusesBadContent) {
  for (const char* quota : {"", "0", "-2", "max", "1.5"}) {
    EXPECT_THAT(ParseCfsQuota(quota, "100000"),
                StatusIs(kInvalid, HasSubstr("cfs_quota")))
        << quota;
  }
  for (const char* period : {"", "0", "-1", "max"}) {
    EXPECT_THAT(ParseCfsQuota("-1", period),
                StatusIs(kInvalid, HasSubstr("cfs_period")))
        << period;
  }
}

TEST(MemoryLimitTest, BytesAndNone) {
  ASSERT_OK_AND_ASSIGN(const auto limited, ParseMemoryLimit("536870912\n"));
  EXPECT_THAT(limited, Optional(std::int64_t{1} << 29));
  ASSERT_OK_AND_ASSIGN(const auto unlimited, ParseMemoryLimit("max\n"));
  EXPECT_EQ(unlimited, std::nullopt);
}

TEST(MemoryLimitTest, RefusesBadContent) {
  for (const char* text : {"", "-1", "1G", "99999999999999999999", "maximum"}) {
    EXPECT_THAT(ParseMemoryLimit(text),
                StatusIs(kInvalid, HasSubstr("memory limit")))
        << text;
  }
}

TEST(ProcCgroupTest, VersionTwo) {
  ASSERT_OK_AND_ASSIGN(const CgroupPaths paths,
                       ParseProcCgroup("0::/user.slice/a:b\n"));
  EXPECT_EQ(paths.v2, "/user.slice/a:b");
  EXPECT_EQ(paths.v1_cpu, std::nullopt);
}

TEST(ProcCgroupTest, VersionOneAndHybrid) {
  ASSERT_OK_AND_ASSIGN(const CgroupPaths paths,
                       ParseProcCgroup("9:name=systemd:/x\n"
                                       "4:memory:/docker/abc\n"
                                       "3:cpuset:/y\n"
                                       "1:cpu,cpuacct:/docker/abc\n"
                                       "0::/\n"));
  EXPECT_EQ(paths.v1_memory, "/docker/abc");
  EXPECT_EQ(paths.v1_cpu, "/docker/abc");
  EXPECT_EQ(paths.v2, "/");
}

TEST(ProcCgroupTest, RefusesBadContent) {
  for (const char* text : {"nonsense\n", "0:\n", "0::\n", "1:cpu:relative\n"}) {
    EXPECT_THAT(ParseProcCgroup(text),
                StatusIs(kInvalid, HasSubstr("/proc/self/cgroup")))
        << text;
  }
}

TEST(ParentGroupTest, WalksUpToTheRoot) {
  EXPECT_EQ(ParentGroup("/a/b"), "/a");
  EXPECT_EQ(ParentGroup("/a"), "/");
  EXPECT_EQ(ParentGroup("/"), std::nullopt);
  EXPECT_EQ(ParentGroup(""), std::nullopt);
}

// A made-up /proc and /sys/fs/cgroup.
class CgroupTreeTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = dir_.file(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  CgroupLimits Read() const {
    return ReadCgroupLimits(dir_.file("proc"), dir_.file("cgroup"));
  }

 private:
  testing::TempDir dir_;
};

TEST_F(CgroupTreeTest, NothingThereIsNoLimit) {
  EXPECT_EQ(Read().cpus, std::nullopt);
  Write("proc/self/cgroup", "0::/a\n");
  EXPECT_EQ(Read().cpus, std::nullopt);
  EXPECT_EQ(Read().memory_bytes, std::nullopt);
}

TEST_F(CgroupTreeTest, TightestAncestorCounts) {
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("cgroup/a/b/cpu.max", "400000 100000\n");
  Write("cgroup/a/cpu.max", "200000 100000\n");
  Write("cgroup/a/b/memory.max", "1000\n");
  Write("cgroup/a/memory.max", "max\n");
  EXPECT_THAT(Read().cpus, Optional(2.0));
  EXPECT_THAT(Read().memory_bytes, Optional(1000));
}

TEST_F(CgroupTreeTest, VersionOneTrees) {
  Write("proc/self/cgroup", "4:memory:/job\n1:cpu,cpuacct:/job\n0::/\n");
  Write("cgroup/cpu/job/cpu.cfs_quota_us", "150000\n");
  Write("cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  Write("cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  Write("cgroup/cpu/cpu.cfs_period_us", "100000\n");
  Write("cgroup/memory/job/memory.limit_in_bytes", "4096\n");
  EXPECT_THAT(Read().cpus, Optional(1.5));
  EXPECT_THAT(Read().memory_bytes, Optional(4096));
}

// In a container without its own namespace the path is the host's.
TEST_F(CgroupTreeTest, MissingGroupFallsBackToTheRoot) {
  Write("proc/self/cgroup", "4:memory:/docker/abc\n");
  Write("cgroup/memory/memory.limit_in_bytes", "8192\n");
  EXPECT_THAT(Read().memory_bytes, Optional(8192));
}

TEST_F(CgroupTreeTest, BadFilesAreSkippedAndTheRestStillCounts) {
  Write("proc/self/cgroup", "0::/a\n");
  Write("cgroup/a/cpu.max", "rubbish\n");
  Write("cgroup/cpu.max", "300000 100000\n");
  EXPECT_THAT(Read().cpus, Optional(3.0));
  Write("proc/self/cgroup", "rubbish\n");
  EXPECT_EQ(Read().cpus, std::nullopt);
}

}  // namespace
}  // namespace podsim
