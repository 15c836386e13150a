// The executor over the in-process transport, one thread per process: however
// the hosts are packed, the bits are those of the plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "interconnect/collectives/executor.h"
#include "interconnect/collectives/pieces.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/collectives/order_oracle.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::AllPlans;
using testing::MakeRequest;
using testing::RandomInputs;
using testing::SumInOrderOf;

constexpr absl::Duration kDeadline = absl::Seconds(60);

struct Packing {
  int hosts;
  int processes;
  std::int64_t elements;
  std::int64_t chunk;
  Algorithm algorithm = Algorithm::kRing;
  bool threads = false;  // every process shares its large sums among threads
};

// Each algorithm with the hosts in 1, 2, 3 and 4 processes, for a small buffer
// and for a large one: some take another form then.
std::vector<Packing> PackingsOfAlgorithms() {
  std::vector<Packing> packings;
  for (const Algorithm algorithm : AllAlgorithms()) {
    for (const int processes : {1, 2, 3, 4}) {
      packings.push_back({4, processes, 1000, 64 * 1024, algorithm});
      packings.push_back({4, processes, 70000, 4096, algorithm});
    }
    packings.push_back({6, 3, 1'500'000, 64 * 1024, algorithm});
  }
  return packings;
}

std::string Name(const ::testing::TestParamInfo<Packing>& info) {
  return std::string(NameOf(info.param.algorithm)) + "_" +
         std::to_string(info.param.hosts) + "hosts_" +
         std::to_string(info.param.processes) + "processes_" +
         std::to_string(info.param.elements) + "elements" +
         (info.param.threads ? "_threads" : "");
}

void OnThreads(std::int64_t count,
               const std::function<void(std::int64_t)>& fn) {
  std::vector<std::jthread> threads;
  for (std::int64_t i = 0; i < count; ++i) {
    threads.emplace_back([&fn, i] { fn(i); });
  }
}

class PackedPod : public ::testing::TestWithParam<Packing> {};
INSTANTIATE_TEST_SUITE_P(
    Packings, PackedPod,
    ::testing::Values(Packing{1, 1, 1000, 100}, Packing{2, 2, 65537, 512},
                      Packing{5, 1, 65537, 512}, Packing{5, 2, 65537, 512},
                      Packing{5, 3, 65537, 512}, Packing{5, 5, 65537, 512},
                      Packing{16, 4, 15, 4}, Packing{16, 4, 20000, 100},
                      // More than the bound of one route: credit runs out.
                      Packing{3, 3, 4'000'000, 65536},
                      Packing{2, 2, 600'000, 1 << 20, Algorithm::kRing, true},
                      Packing{4, 2, 600'000, 1 << 20,
                              Algorithm::kHalvingDoubling, true}),
    Name);
INSTANTIATE_TEST_SUITE_P(Algorithms, PackedPod,
                         ::testing::ValuesIn(PackingsOfAlgorithms()), Name);

// What one process does: all collectives of its hosts, then it leaves.
void RunProcess(std::unique_ptr<Transport> transport,
                const std::vector<RankPlan>& plans,
                const ParallelRunner& parallel,
                std::vector<std::vector<std::vector<float>>>& buffers) {
  SystemClock clock;
  std::vector<int> hosts(plans.size());
  std::iota(hosts.begin(), hosts.end(), 0);
  std::vector<std::unique_ptr<Executor>> executors;
  for (const int host : transport->local_hosts()) {
    executors.push_back(std::make_unique<Executor>(
        *transport, clock,
        Executor::Options{.host = host, .hosts = hosts, .parallel = parallel}));
    const auto plan = std::make_shared<const RankPlan>(plans[host]);
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

TEST_P(PackedPod, GivesTheBitsOfThePlan) {
  const Packing& pod = GetParam();
  const PlanRequest request = MakeRequest(Collective::kAllReduce, pod.algorithm,
                                          pod.hosts, pod.elements, pod.chunk);
  const std::vector<RankPlan> plans = AllPlans(request);
  const int collectives = pod.elements > 1'000'000 ? 1 : 4;
  std::vector<std::vector<std::vector<float>>> buffers;
  std::vector<std::vector<float>> expected;
  for (int i = 0; i < collectives; ++i) {
    buffers.push_back(RandomInputs(pod.hosts, pod.elements, 77 + i));
    expected.push_back(SumInOrderOf(request, buffers.back()));
  }

  const ParallelRunner parallel =
      pod.threads ? ParallelRunner(&OnThreads) : nullptr;
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
        RunProcess(std::move(own), plans, parallel, buffers);
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

// One of two hosts goes at some point of an all-reduce; the other one goes on
// reading what came from it. The sanitizer would see memory that has gone.
class LeavingHost : public ::testing::TestWithParam<ElementType> {
 protected:
  using Memory = std::vector<float>;

  std::unique_ptr<Executor> Make(int host, Transport& transport,
                                 std::shared_ptr<Memory> memory) {
    return std::make_unique<Executor>(
        transport, clock_,
        Executor::Options{
            .host = host, .hosts = {0, 1}, .memory = std::move(memory)});
  }
  void Begin(int host, Executor& executor, Memory& memory) {
    CollectiveBuffer buffer(memory);
    buffer.wire = GetParam();
    ASSERT_THAT(
        executor.Start(0, std::make_shared<const RankPlan>(plans_[host]),
                       buffer, "bucket", [](const absl::Status&) {}),
        testing::IsOk());
  }

  // After `polls` of each; `late`: the other one starts then. Returns whether
  // the all-reduce was done by then.
  bool Leave(int polls, bool late) {
    InProcessNetwork network;
    const auto going = network.Join({0});
    const auto staying = network.Join({1});
    auto memory = std::make_shared<Memory>(kElements, 1.0f);
    const std::weak_ptr<Memory> watched = memory;
    const auto own = std::make_shared<Memory>(kElements, 2.0f);
    std::unique_ptr<Executor> gone = Make(0, *going, memory);
    std::unique_ptr<Executor> reader = Make(1, *staying, own);
    Begin(0, *gone, *memory);
    memory.reset();
    if (!late) Begin(1, *reader, *own);
    for (int poll = 0; poll < polls; ++poll) {
      staying->Poll(absl::ZeroDuration());
      going->Poll(absl::ZeroDuration());
    }
    const bool done = gone->idle() && reader->idle() && !late;
    gone.reset();
    if (late) Begin(1, *reader, *own);
    for (int poll = 0; poll < 4; ++poll) staying->Poll(absl::ZeroDuration());
    reader.reset();
    EXPECT_TRUE(watched.expired());
    return done;
  }

  static constexpr std::int64_t kElements = 1000;
  const SystemClock clock_;
  const std::vector<RankPlan> plans_ = AllPlans(
      MakeRequest(Collective::kAllReduce, Algorithm::kRing, 2, kElements, 100));
};
INSTANTIATE_TEST_SUITE_P(Wires, LeavingHost,
                         ::testing::Values(ElementType::kFloat32,
                                           ElementType::kBfloat16),
                         [](const auto& info) {
                           return std::string(NameOf(info.param));
                         });

TEST_P(LeavingHost, LeavesItsBytesToThoseWhoReadThem) {
  constexpr int kMost = 100;
  int polls = 0;
  for (bool done = false; !done && polls < kMost; ++polls) {
    Leave(polls, /*late=*/true);
    done = Leave(polls, /*late=*/false);
  }
  EXPECT_GT(polls, 3);
  EXPECT_LT(polls, kMost);
}

}  // namespace
}  // namespace podsim
