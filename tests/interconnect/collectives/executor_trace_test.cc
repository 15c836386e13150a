// What executors tell a trace: every chunk of the plan once at its sender and
// once at its receiver, and no bit changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "base/clock.h"
#include "base/trace/tracer.h"
#include "interconnect/collectives/executor.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/collectives/order_oracle.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::AllPlans;
using testing::IsOk;
using testing::MakeRequest;
using testing::RandomInputs;
using testing::SumInOrderOf;

constexpr int kHosts = 4;
constexpr std::int64_t kElements = 5000;

// All hosts in this thread; every executor has the tracer.
std::vector<std::vector<float>> Reduce(const PlanRequest& request,
                                       Tracer* tracer) {
  const std::vector<RankPlan> plans = AllPlans(request);
  std::vector<std::vector<float>> buffers = RandomInputs(kHosts, kElements, 7);
  SystemClock clock;
  InProcessNetwork network;
  std::vector<int> hosts(kHosts);
  std::iota(hosts.begin(), hosts.end(), 0);
  const std::unique_ptr<Transport> transport = network.Join(hosts);
  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<int> awaited(kHosts, -1);
  for (const int host : hosts)
    executors.push_back(std::make_unique<Executor>(
        *transport, clock,
        Executor::Options{.host = host, .hosts = hosts, .tracer = tracer}));
  for (const int host : hosts)
    EXPECT_THAT(
        executors[host]->Start(0, std::make_shared<const RankPlan>(plans[host]),
                               CollectiveBuffer(buffers[host]), "bucket 0",
                               [&, host](const absl::Status& status) {
                                 EXPECT_THAT(status, IsOk());
                                 awaited[host] = executors[host]->awaited();
                               }),
        IsOk());
  const absl::Time until = clock.Now() + absl::Seconds(60);
  for (const auto& executor : executors)
    while (!executor->idle() && clock.Now() < until)
      transport->Poll(absl::Milliseconds(100));
  for (const int host : hosts) {
    EXPECT_TRUE(executors[host]->idle());
    EXPECT_GE(awaited[host], 0);
    EXPECT_NE(awaited[host], host);
  }
  return buffers;
}

std::int64_t SendsOf(const RankPlan& plan) {
  return std::count_if(plan.ops.begin(), plan.ops.end(), [](const PlanOp& op) {
    return op.kind == OpKind::kSend;
  });
}

class ExecutorTrace : public ::testing::TestWithParam<Algorithm> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, ExecutorTrace,
                         ::testing::ValuesIn(AllAlgorithms()),
                         [](const auto& info) {
                           return std::string(NameOf(info.param));
                         });

TEST_P(ExecutorTrace, HasEveryChunkAtBothItsEnds) {
  const PlanRequest request =
      MakeRequest(Collective::kAllReduce, GetParam(), kHosts, kElements, 512);
  SystemClock clock;
  Tracer tracer(clock, {.first_step = 5, .last_step = 5});
  tracer.EnterStep(5);
  const auto sums = Reduce(request, &tracer);
  const std::vector<float> expected =
      SumInOrderOf(request, RandomInputs(kHosts, kElements, 7));
  for (const std::vector<float>& sum : sums) EXPECT_TRUE(sum == expected);

  std::map<std::uint64_t, Span> sent;
  std::map<std::uint64_t, Span> received;
  std::map<int, int> collectives;
  for (Span& span : tracer.Take().spans) {
    EXPECT_EQ(span.step, 5);
    EXPECT_LE(span.begin, span.end);
    EXPECT_GT(span.begin, 0);
    if (span.kind == SpanKind::kCollective) {
      ++collectives[span.host];
      EXPECT_NE(span.name.find("bucket 0"), std::string::npos) << span.name;
      continue;
    }
    auto& of_kind = span.kind == SpanKind::kSend ? sent : received;
    EXPECT_TRUE(of_kind.emplace(span.flow, span).second);
  }
  for (int host = 0; host < kHosts; ++host) EXPECT_EQ(collectives[host], 1);
  std::int64_t planned = 0;
  for (const RankPlan& plan : AllPlans(request)) planned += SendsOf(plan);
  EXPECT_EQ(static_cast<std::int64_t>(sent.size()), planned);
  ASSERT_EQ(received.size(), sent.size());
  for (const auto& [flow, send] : sent) {
    ASSERT_TRUE(received.contains(flow));
    const Span& receive = received[flow];
    EXPECT_EQ(receive.host, send.peer);
    EXPECT_EQ(receive.peer, send.host);
    EXPECT_EQ(receive.bytes, send.bytes);
    EXPECT_EQ(receive.name, send.name);
    EXPECT_LE(send.begin, receive.end);
  }
}

TEST_P(ExecutorTrace, OfAnotherStepHasNothing) {
  SystemClock clock;
  Tracer tracer(clock, {.first_step = 5, .last_step = 5});
  tracer.EnterStep(4);
  Reduce(
      MakeRequest(Collective::kAllReduce, GetParam(), kHosts, kElements, 512),
      &tracer);
  EXPECT_TRUE(tracer.Take().spans.empty());
}

}  // namespace
}  // namespace podsim
