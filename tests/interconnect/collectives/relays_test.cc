// Which sends pass on what a receive leaves: all of a ring's, and nowhere one
// whose bytes somebody else still reads.
#include "interconnect/collectives/relays.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "interconnect/collectives/plan_builder.h"
#include "tests/interconnect/collectives/requests.h"

namespace podsim {
namespace {

using testing::AlgorithmsFor;
using testing::AllPlans;
using testing::Describe;
using testing::MakeRequest;

constexpr Collective kCollectives[] = {
    Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
    Collective::kBroadcast, Collective::kAllToAll};

bool Meet(const Range& a, const Range& b) {
  return a.begin < b.begin + b.count && b.begin < a.begin + a.count;
}

bool Reads(const PlanOp& op, const Range& range) {
  if (IsLocal(op.kind) && Meet({op.source, op.range.count}, range)) return true;
  const bool own = op.kind == OpKind::kSend || op.kind == OpKind::kReduce ||
                   op.kind == OpKind::kReceiveReduce;
  return own && Meet(op.range, range);
}

// Nobody but `send` reads what `receive` leaves before a receive overwrites it
// whole. Looks at every op.
bool OnlySendReads(const RankPlan& plan, std::size_t receive, int send) {
  const Range& range = plan.ops[receive].range;
  for (std::size_t i = receive + 1; i < plan.ops.size(); ++i) {
    const PlanOp& op = plan.ops[i];
    if (static_cast<int>(i) == send) continue;
    if (Reads(op, range)) return false;
    if (op.kind == OpKind::kReceiveCopy && op.range == range) return true;
  }
  return false;
}

TEST(FindRelays, ARingPassesOnAllButTheLast) {
  constexpr int kWorld = 4;
  constexpr int kChunks = 3;
  const RankPlan plan =
      RingAllReduce({{0, 1, 2, 3}, kWorld * kChunks * 10, 10}, 2);
  int passing = 0;
  int sums = 0;
  int copies = 0;
  const std::vector<Relay> relays = FindRelays(plan);
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    if (relays[i].passing) ++passing;
    if (relays[i].send < 0) continue;
    ++(plan.ops[i].kind == OpKind::kReceiveReduce ? sums : copies);
  }
  EXPECT_EQ(sums, (kWorld - 1) * kChunks);
  // The last sum is a rank's own segment: it is sent, and stays.
  EXPECT_EQ(passing, (kWorld - 2) * kChunks);
  EXPECT_EQ(copies, (kWorld - 2) * kChunks);
}

TEST(FindRelays, HoldForEveryPlan) {
  int sums_that_pass = 0;
  for (const Collective collective : kCollectives) {
    for (const Algorithm algorithm : AlgorithmsFor(collective)) {
      for (const int world : {1, 2, 3, 4, 5, 8, 9}) {
        for (const int chunk : {7, 64, 1000}) {
          const PlanRequest request =
              MakeRequest(collective, algorithm, world, 2520, chunk);
          SCOPED_TRACE(Describe(request));
          for (const RankPlan& plan : AllPlans(request)) {
            const std::vector<Relay> relays = FindRelays(plan);
            ASSERT_EQ(relays.size(), plan.ops.size());
            for (std::size_t i = 0; i < relays.size(); ++i) {
              if (relays[i].send < 0) {
                EXPECT_FALSE(relays[i].passing);
                continue;
              }
              const PlanOp& send = plan.ops[relays[i].send];
              EXPECT_EQ(send.kind, OpKind::kSend);
              EXPECT_EQ(send.range, plan.ops[i].range);
              EXPECT_EQ(send.after.count + send.after_also.count, 1);
              if (!relays[i].passing) continue;
              EXPECT_TRUE(OnlySendReads(plan, i, relays[i].send)) << i;
              ++sums_that_pass;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(sums_that_pass, 1000);
}

// Receive, send, receive again, with something else in between.
RankPlan PlanWith(const std::function<void(PlanBuilder&, const Cut&)>& more) {
  PlanBuilder builder("collective", 0, 3, 100, 100);
  const Cut sum = builder.ReceiveReduce(1, {20, 30});
  const Cut sent = builder.Send(2, {20, 30}, {{sum}});
  more(builder, sum);
  builder.ReceiveCopy(1, {20, 30}, {{sent}});
  return std::move(builder).Build();
}

TEST(FindRelays, ASumThatOthersReadDoesNotPass) {
  EXPECT_TRUE(FindRelays(PlanWith([](auto&, auto&) {}))[0].passing);
  const auto passes = [](const auto& more) {
    const std::vector<Relay> relays = FindRelays(PlanWith(more));
    EXPECT_EQ(relays[0].send, 1);
    return relays[0].passing;
  };
  EXPECT_FALSE(passes([](PlanBuilder& builder, const Cut& sum) {
    builder.Send(1, {20, 30}, {{sum}});
  }));
  EXPECT_FALSE(passes([](PlanBuilder& builder, const Cut& sum) {
    builder.Send(1, {49, 10}, {{sum}});
  }));
  EXPECT_FALSE(passes([](PlanBuilder& builder, const Cut& sum) {
    builder.Copy({60, 30}, 20, {{sum}});
  }));
  EXPECT_TRUE(passes([](PlanBuilder& builder, const Cut& sum) {
    builder.Send(1, {50, 10}, {{sum}});
  }));
}

}  // namespace
}  // namespace podsim
