// Large sums and copies shared among threads: the same bits as on one.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "interconnect/collectives/executor.h"
#include "interconnect/collectives/pieces.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::AllPlans;
using testing::Describe;
using testing::MakeRequest;

using Bytes = std::vector<std::byte>;

void Backwards(std::int64_t count,
               const std::function<void(std::int64_t)>& fn) {
  while (count > 0) fn(--count);
}

void OnManyThreads(std::int64_t count,
                   const std::function<void(std::int64_t)>& fn) {
  std::vector<std::jthread> threads;
  for (std::int64_t i = 0; i < count; ++i) {
    threads.emplace_back([&fn, i] { fn(i); });
  }
}

struct ParallelCase {
  ElementType type;
  ElementType wire;
  const char* runner_name;
  ParallelRunner runner;
};

void PrintTo(const ParallelCase& one, std::ostream* out) {
  *out << NameOf(one.type) << " over " << NameOf(one.wire) << ", "
       << one.runner_name;
}

std::vector<ParallelCase> ParallelCases() {
  std::vector<ParallelCase> cases;
  for (const auto& [type, wire] :
       {std::pair(ElementType::kFloat32, ElementType::kFloat32),
        std::pair(ElementType::kFloat32, ElementType::kBfloat16),
        std::pair(ElementType::kBfloat16, ElementType::kBfloat16),
        std::pair(ElementType::kInt32, ElementType::kInt32)}) {
    cases.push_back({type, wire, "Backwards", &Backwards});
    cases.push_back({type, wire, "OnThreads", &OnManyThreads});
  }
  return cases;
}

// Numbers of which none is a NaN, whose payload nobody promises.
Bytes RandomValues(ElementType type, std::int64_t elements,
                   std::mt19937& random) {
  const std::size_t size = SizeOf(type);
  Bytes bytes(static_cast<std::size_t>(elements) * size);
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const auto value = static_cast<std::int32_t>(random());
    const float scaled = static_cast<float>(value) / 65536.0F;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &scaled, sizeof(bits));
    if (type == ElementType::kInt32) std::memcpy(&bits, &value, sizeof(bits));
    if (type == ElementType::kBfloat16) bits >>= 16;
    std::memcpy(&bytes[at], &bits, size);
  }
  return bytes;
}

// All hosts in one process. Returns their buffers.
std::vector<Bytes> RunAll(const std::vector<RankPlan>& plans,
                          const ParallelCase& rules,
                          const ParallelRunner& parallel, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int> hosts(plans.size());
  std::iota(hosts.begin(), hosts.end(), 0);
  std::vector<Bytes> buffers;
  InProcessNetwork network;
  const auto transport = network.Join(hosts);
  const SystemClock clock;
  std::vector<std::unique_ptr<Executor>> executors;
  for (const int host : hosts) {
    buffers.push_back(RandomValues(rules.type, plans[host].elements, random));
    executors.push_back(std::make_unique<Executor>(
        *transport, clock,
        Executor::Options{.host = host, .hosts = hosts, .parallel = parallel}));
  }
  for (const int host : hosts) {
    CollectiveBuffer buffer(buffers[host], rules.type, ReductionOp::kSum);
    buffer.wire = rules.wire;
    EXPECT_THAT(
        executors[host]->Start(0, std::make_shared<const RankPlan>(plans[host]),
                               buffer, "bucket",
                               [](const absl::Status& status) {
                                 EXPECT_THAT(status, testing::IsOk());
                               }),
        testing::IsOk());
  }
  const absl::Time until = clock.Now() + absl::Seconds(60);
  for (const auto& executor : executors) {
    while (!executor->idle() && clock.Now() < until) {
      transport->Poll(absl::Milliseconds(100));
    }
    EXPECT_TRUE(executor->idle()) << executor->waiting().what;
  }
  return buffers;
}

// Some rank sums or copies that many elements at once.
bool CombinesAtLeast(std::int64_t elements,
                     const std::vector<RankPlan>& plans) {
  for (const RankPlan& plan : plans) {
    for (const PlanOp& op : plan.ops) {
      if (op.kind != OpKind::kSend && op.range.count >= elements) return true;
    }
  }
  return false;
}

class ParallelExecutor : public ::testing::TestWithParam<ParallelCase> {};
INSTANTIATE_TEST_SUITE_P(Types, ParallelExecutor,
                         ::testing::ValuesIn(ParallelCases()),
                         [](const auto& info) {
                           return std::string(NameOf(info.param.type)) +
                                  "Over" +
                                  std::string(NameOf(info.param.wire)) +
                                  info.param.runner_name;
                         });

// Segments one element shorter than what is cut, as long, longer, and twice as
// long: some algorithms halve them. All sum and copy what they receive; some
// sum and copy within the buffer too.
TEST_P(ParallelExecutor, GivesTheSameBits) {
  constexpr int kHosts = 4;
  const std::int64_t least =
      kLeastCutBytes / static_cast<std::int64_t>(SizeOf(GetParam().type));
  std::uint32_t seed = 0;
  for (const Algorithm algorithm : AllAlgorithms()) {
    for (const std::int64_t segment :
         {least - 1, least, least + 1, 2 * least + 1}) {
      const PlanRequest request =
          MakeRequest(Collective::kAllReduce, algorithm, kHosts,
                      kHosts * segment, /*chunk=*/1 << 20);
      SCOPED_TRACE(Describe(request));
      const std::vector<RankPlan> plans = AllPlans(request);
      int shared = 0;
      const ParallelRunner counted = [&](std::int64_t count, const auto& fn) {
        ++shared;
        GetParam().runner(count, fn);
      };
      const auto one = RunAll(plans, GetParam(), nullptr, ++seed);
      EXPECT_TRUE(RunAll(plans, GetParam(), counted, seed) == one);
      EXPECT_EQ(shared > 0, CombinesAtLeast(least, plans));
    }
  }
}

// What is copied within a buffer may overlap itself; then nobody shares it.
TEST(ParallelExecutorTest, ACopyOntoItselfStaysWhole) {
  constexpr std::int64_t kCount = 200'000;
  RankPlan plan;
  plan.elements = kCount + 1;
  plan.ops.push_back(
      {.kind = OpKind::kCopy, .range = {0, kCount}, .source = 1});
  const ParallelCase ints = {ElementType::kInt32, ElementType::kInt32, "",
                             nullptr};
  const auto once = RunAll({plan}, ints, nullptr, 5);
  EXPECT_TRUE(RunAll({plan}, ints, &Backwards, 5) == once);
}

}  // namespace
}  // namespace podsim
