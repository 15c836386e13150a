// Lines that carry nothing any more, though nobody has closed them.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/pod.h"
#include "tests/testing/cut_line.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__)
constexpr double kSlack = 3;
#else
constexpr double kSlack = 1;
#endif

constexpr int kHosts = 4;
constexpr int kVictim = 2;

// A v3-32 whose host 2 is reached, and reaches the coordinator, through lines
// that can be cut. Its own calls to its peers go straight.
class CutTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("PODSIM_TOKEN", "a-token-of-a-test-that-is-long-enough", 1);
    pod_ = std::make_unique<PodRun>(std::vector<std::string>{
        "--topology=v3-32", "--model=mlp", "--train_steps=1000000",
        "--external_hosts", "--listen=unix:" + Socket("coordinator")});
    for (int host = 0; host < kHosts; ++host) {
      const bool victim = host == kVictim;
      const std::string name = "ici-" + std::to_string(host);
      std::vector<std::string> command = {
          Program("pod_host"),
          "--coordinator=" +
              (victim ? lease_.address() : "unix:" + Socket("coordinator")),
          "--process=" + std::to_string(host),
          "--ici_listen=unix:" + Socket(name)};
      if (victim) command.push_back("--ici_advertise=" + ici_.address());
      hosts_.push_back(
          std::make_unique<Subprocess>(Subprocess::Options{command, {}}));
    }
  }
  void TearDown() override { unsetenv("PODSIM_TOKEN"); }

  std::string Socket(const std::string& name) const {
    return directory_.file(name + ".sock");
  }

  // Trains until some steps are done, calls `cut`, and expects the end.
  template <typename Action>
  void ExpectVictimNamed(const Action& cut) {
    ASSERT_TRUE(pod_->WaitForEvents("step", 5)) << pod_->output();
    ASSERT_GT(ici_.carried(), 0);
    ASSERT_GT(lease_.carried(), 0);
    cut();
    const auto begin = steady_clock::now();
    const int code = pod_->Wait();
    const std::chrono::duration<double> took = steady_clock::now() - begin;
    EXPECT_LT(took.count(), 10 * kSlack) << pod_->output();
    EXPECT_NE(code, 0);
    EXPECT_NE(code, -1);
    const std::vector<nlohmann::json> failures = pod_->Events("failure");
    ASSERT_EQ(failures.size(), 1u) << pod_->output();
    EXPECT_EQ(failures[0]["process"], "host" + std::to_string(kVictim))
        << failures[0];
    // The hosts end too, the one that was cut off included.
    for (const auto& host : hosts_) {
      const int ended = host->Wait(kDeadline);
      EXPECT_NE(ended, 0) << host->output();
      EXPECT_NE(ended, -1) << host->output();
    }
  }

  TempDir directory_;
  CutLine lease_{Socket("coordinator")};
  CutLine ici_{Socket("ici-2")};
  std::unique_ptr<PodRun> pod_;
  std::vector<std::unique_ptr<Subprocess>> hosts_;
};

TEST_F(CutTest, AHostThatIsCutOffIsNamed) {
  ExpectVictimNamed([this] {
    lease_.Cut();
    ici_.Cut();
  });
}

TEST_F(CutTest, AHostThatReachesOnlyTheCoordinatorIsNamed) {
  ExpectVictimNamed([this] { ici_.Cut(); });
}

TEST_F(CutTest, AHostThatReachesOnlyItsPeersIsNamed) {
  ExpectVictimNamed([this] { lease_.Cut(); });
}

}  // namespace
}  // namespace podsim::testing
