// The executor over the in-process transport, one thread per process: however
// the hosts are packed, the bits are those of the plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "interconnect/collectives/executor.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/collectives/ring_oracle.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::RandomInputs;
using testing::RingSum;

constexpr absl::Duration kDeadline = absl::Seconds(60);

struct Packing {
  int hosts;
  int processes;
  std::int64_t elements;
  std::int64_t chunk;
};

std::string Name(const ::testing::TestParamInfo<Packing>& info) {
  return std::to_string(info.param.hosts) + "hosts_" +
         std::to_string(info.param.processes) + "processes_" +
         std::to_string(info.param.elements) + "elements";
}

class PackedPod : public ::testing::TestWithParam<Packing> {};
INSTANTIATE_TEST_SUITE_P(
    Packings, PackedPod,
    ::testing::Values(Packing{1, 1, 1000, 100}, Packing{2, 2, 65537, 512},
                      Packing{5, 1, 65537, 512}, Packing{5, 2, 65537, 512},
                      Packing{5, 3, 65537, 512}, Packing{5, 5, 65537, 512},
                      Packing{16, 4, 15, 4}, Packing{16, 4, 20000, 100},
                      // More than the bound of one route: credit runs out.
                      Packing{3, 3, 4'000'000, 65536}),
    Name);

// What one process does: all collectives of its hosts, then it leaves.
void RunProcess(std::unique_ptr<Transport> transport, const Packing& pod,
                const std::vector<int>& order,
                std::vector<std::vector<std::vector<float>>>& buffers) {
  SystemClock clock;
  std::vector<int> hosts(pod.hosts);
  std::iota(hosts.begin(), hosts.end(), 0);
  std::vector<std::unique_ptr<Executor>> executors;
  for (const int host : transport->local_hosts()) {
    executors.push_back(std::make_unique<Executor>(
        *transport, clock, Executor::Options{.host = host, .hosts = hosts}));
    const auto plan = std::make_shared<const RankPlan>(
        RingAllReduce({order, pod.elements, pod.chunk}, host));
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      ASSERT_THAT(executors.back()->Start(i, plan, buffers[i][host], "bucket",
                                          [](const absl::Status& status) {
                                            EXPECT_THAT(status,
                                                        testing::IsOk());
                                          }),
                  testing::IsOk());
    }
  }
  const absl::Time until = clock.Now() + kDeadline;
  for (const auto& executor : executors) {
    while (!executor->idle()) {
      ASSERT_LT(clock.Now(), until) << executor->waiting().what;
      transport->Poll(absl::Milliseconds(100));
    }
  }
}

TEST_P(PackedPod, GivesTheBitsOfTheRing) {
  const Packing& pod = GetParam();
  std::vector<int> order(pod.hosts);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + pod.hosts / 2, order.end());
  std::reverse(order.begin() + pod.hosts / 3, order.end());
  const int collectives = pod.elements > 1'000'000 ? 1 : 4;
  std::vector<std::vector<std::vector<float>>> buffers;
  std::vector<std::vector<float>> expected;
  for (int i = 0; i < collectives; ++i) {
    buffers.push_back(RandomInputs(pod.hosts, pod.elements, 77 + i));
    expected.push_back(RingSum(order, buffers.back()));
  }

  InProcessNetwork network;
  std::vector<std::unique_ptr<Transport>> transports;
  for (int process = 0; process < pod.processes; ++process) {
    std::vector<int> local;
    for (int host = 0; host < pod.hosts; ++host) {
      if (host * pod.processes / pod.hosts == process) local.push_back(host);
    }
    transports.push_back(network.Join(local));
  }
  {
    std::vector<std::jthread> threads;
    for (auto& transport : transports) {
      threads.emplace_back([&, own = std::move(transport)]() mutable {
        RunProcess(std::move(own), pod, order, buffers);
      });
    }
  }
  for (int i = 0; i < collectives; ++i) {
    for (int host = 0; host < pod.hosts; ++host) {
      EXPECT_TRUE(buffers[i][host] == expected[i])
          << "collective " << i << ", host " << host;
    }
  }
}

}  // namespace
}  // namespace podsim
