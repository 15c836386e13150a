#include "tests/interconnect/collectives/run_plans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

#include "base/clock.h"
#include "interconnect/collectives/executor.h"
#include "tests/interconnect/collectives/fake_network.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

std::int64_t LongestFrame(const std::vector<TestCollective>& collectives) {
  std::int64_t longest = 1;
  for (const TestCollective& one : collectives) {
    for (const RankPlan& plan : one.plans) {
      for (const PlanOp& op : plan.ops) {
        longest = std::max(longest, op.range.count);
      }
    }
  }
  return longest;
}

}  // namespace

Bytes Encode(ElementType type, const std::vector<double>& values) {
  const std::size_t size = SizeOf(type);
  Bytes bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = static_cast<float>(values[i]);
    auto bits = std::bit_cast<std::uint32_t>(number);
    if (type == ElementType::kBfloat16) bits >>= 16;
    if (type == ElementType::kInt32) {
      bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(values[i]));
    }
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

std::vector<double> Decode(ElementType type, const Bytes& bytes) {
  const std::size_t size = SizeOf(type);
  std::vector<double> values(bytes.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * size, size);
    if (type == ElementType::kBfloat16) bits <<= 16;
    values[i] = type == ElementType::kInt32
                    ? static_cast<double>(static_cast<std::int32_t>(bits))
                    : static_cast<double>(std::bit_cast<float>(bits));
  }
  return values;
}

Bytes EncodeFloats(const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

void RunTogether(std::vector<TestCollective>& collectives,
                 const ElementRules& rules, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int> hosts(collectives[0].plans.size());
  std::iota(hosts.begin(), hosts.end(), 0);
  SimClock clock;
  const std::int64_t longest =
      LongestFrame(collectives) * static_cast<std::int64_t>(SizeOf(rules.wire));
  FakeNetwork network(static_cast<int>(hosts.size()),
                      longest * (1 + random() % 3), seed);
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<std::pair<int, std::size_t>> starts;  // host, collective
  for (const int host : hosts) {
    executors.push_back(std::make_unique<Executor>(
        network, clock, Executor::Options{.host = host, .hosts = hosts}));
    for (std::size_t i = 0; i < collectives.size(); ++i)
      starts.emplace_back(host, i);
  }
  std::size_t done = 0;
  std::shuffle(starts.begin(), starts.end(), random);
  for (const auto& [host, i] : starts) {
    CollectiveBuffer buffer(collectives[i].buffers[host], rules.type, rules.op);
    buffer.wire = rules.wire;
    ASSERT_THAT(
        executors[host]->Start(
            i, std::make_shared<const RankPlan>(collectives[i].plans[host]),
            buffer, "test",
            [&done](const absl::Status& status) {
              ASSERT_THAT(status, IsOk());
              ++done;
            }),
        IsOk());
    for (auto polls = random() % 8; polls > 0; --polls) {
      network.Poll(absl::ZeroDuration());
    }
  }
  network.Run();
  for (const auto& executor : executors) {
    ASSERT_TRUE(executor->idle()) << executor->waiting().what;
  }
  ASSERT_EQ(done, starts.size());
  EXPECT_EQ(network.overwritten(), 0);
}

void RunPlans(std::vector<RankPlan> plans, const ElementRules& rules,
              std::uint32_t seed, std::vector<Bytes>& buffers) {
  std::vector<TestCollective> collectives(1);
  collectives[0] = {std::move(plans), std::move(buffers)};
  RunTogether(collectives, rules, seed);
  buffers = std::move(collectives[0].buffers);
}

}  // namespace podsim::testing
