// Readers of a job's events that stall, that die and that flood the call: the
// job trains as without them, to the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/top/watch_call.h"
#include "tests/e2e/pod.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kPodToken[] = "a-token-of-a-test-that-is-long-enough";
// As the coordinator says of itself (runtime/coordinator/event_feed.h), and
// more than that.
constexpr int kPlaces = 16;
constexpr int kAtOnce = 24;

// Its events are several times what a stream holds that nobody reads.
std::vector<std::string> LongJob() {
  return {"--topology=v3-32",   "--model=mlp",
          "--hidden=16",        "--dataset=digits",
          "--batch_per_core=4", "--train_steps=1000",
          "--processes=2",      "--reference_topology=v3-32"};
}

// A pod whose hosts the test starts, so that readers are there before.
class ReadersTest : public ::testing::Test {
 protected:
  void StartPod() {
    pod_ = std::make_unique<PodRun>(
        WithFlags(LongJob(), {"--external_hosts", "--listen=" + address(),
                              "--initialization_timeout=300"}),
        token_);
    // Once it listens.
    ASSERT_TRUE(pod_->process().ReadUntilText("(--initialization_timeout)\n",
                                              kDeadline))
        << pod_->output();
  }
  void StartHost(int process) {
    const std::string id = std::to_string(process);
    hosts_.push_back(std::make_unique<Subprocess>(Subprocess::Options{
        {Program("pod_host"), "--coordinator=" + address(), "--process=" + id,
         "--ici_listen=unix:" + dir_.file("ici-" + id)},
        token_}));
  }
  // pod_top once it has been told something.
  std::unique_ptr<Subprocess> StartTop() {
    auto top = std::make_unique<Subprocess>(
        Subprocess::Options{{Program("pod_top"), "--address=" + address(),
                             "--streaming", "--json", "--rate=0.1"},
                            token_});
    EXPECT_TRUE(top->ReadUntilText("\"phase\"", kDeadline)) << top->output();
    return top;
  }
  std::unique_ptr<WatchCall> Call() const {
    auto call = WatchCall::Open(address(), {.token = kPodToken}, {});
    EXPECT_TRUE(call.ok()) << call.status();
    return call.ok() ? *std::move(call) : nullptr;
  }
  std::string address() const { return "unix:" + dir_.file("coordinator"); }

  TempDir dir_;
  const std::vector<std::pair<std::string, std::string>> token_ = {
      {"PODSIM_TOKEN", kPodToken}};
  std::unique_ptr<PodRun> pod_;
  std::vector<std::unique_ptr<Subprocess>> hosts_;
};

TEST_F(ReadersTest, ThatStallDieAndFloodDisturbNothing) {
  PodRun alone(LongJob());
  ASSERT_EQ(alone.Wait(), 0) << alone.output();
  ASSERT_NO_FATAL_FAILURE(StartPod());
  StartHost(0);

  // They stall and die while they are told of steps.
  const auto stalls = StartTop();
  const auto dies = StartTop();
  stalls->Signal(SIGSTOP);

  // A flood: more streams than there are places, of which nobody reads on.
  std::vector<std::unique_ptr<WatchCall>> held;
  int refused = 0;
  for (int i = 0; i < kAtOnce; ++i) {
    held.push_back(Call());
    ASSERT_NE(held.back(), nullptr);
    WatchedEvent event;
    if (held.back()->Next(event)) continue;
    ++refused;
    const WatchEnd end = held.back()->Finish();
    EXPECT_TRUE(absl::IsResourceExhausted(end.status)) << end.status;
    EXPECT_EQ(end.nearest, 0u);
    EXPECT_THAT(std::string(end.status.message()),
                HasSubstr("16 readers watch this job already"));
    held.pop_back();
  }
  EXPECT_EQ(refused, kAtOnce + 2 - kPlaces);

  // And calls upon calls, as long as the job lasts.
  std::atomic<std::int64_t> calls = 0;
  std::vector<std::jthread> flood;
  for (int i = 0; i < 2; ++i)
    flood.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const auto call = Call();
        if (call == nullptr) return;
        WatchedEvent event;
        call->Next(event);
        ++calls;  // hung up on in the middle of it
      }
    });

  StartHost(1);
  ASSERT_TRUE(pod_->WaitForEvents("step", 10)) << pod_->output();
  dies->Signal(SIGKILL);
  const std::int64_t before = calls;
  // A socket that is full of what nobody reads keeps no coordinator, either.
  ASSERT_EQ(pod_->Wait(), 0) << pod_->output();
  EXPECT_GT(calls, before) << "nobody has flooded it";
  flood.clear();

  const auto summary = pod_->Event("summary");
  EXPECT_EQ(pod_->Events("step").size(), 1000u);
  EXPECT_NE(summary.value("weights_hash", ""), "");
  EXPECT_EQ(summary["weights_hash"], alone.Event("summary")["weights_hash"]);
  EXPECT_TRUE(IsAlive(stalls->pid()));
  EXPECT_EQ(dies->Wait(kDeadline), 128 + SIGKILL);
  for (const auto& host : hosts_)
    EXPECT_EQ(host->Wait(kDeadline), 0) << host->output();
}

}  // namespace
}  // namespace podsim::testing
