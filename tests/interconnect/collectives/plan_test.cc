// Plans by themselves: an interpreter runs the plans of all ranks in a random
// order and checks that every range is summed exactly once, that no op touches
// bytes that another one still uses, and that it never gets stuck.
#include "interconnect/collectives/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "interconnect/collectives/plan_index.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

using Generator = RankPlan (*)(const RingOptions&, int);

// A ring that does not visit the ranks in their own order.
std::vector<int> ShuffledOrder(int world) {
  std::vector<int> order(world);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(world));
  return order;
}

std::vector<RankPlan> AllPlans(Generator generator,
                               const RingOptions& options) {
  std::vector<RankPlan> plans;
  for (std::size_t rank = 0; rank < options.order.size(); ++rank) {
    plans.push_back(generator(options, static_cast<int>(rank)));
  }
  return plans;
}

// Values are sets of ranks with multiplicity: two bits for each of 32 ranks.
using Value = std::uint64_t;
Value Share(int rank) { return Value{1} << (2 * rank); }
Value Everybody(int world) {
  Value all = 0;
  for (int rank = 0; rank < world; ++rank) all += Share(rank);
  return all;
}

// Runs plans with at most `in_flight` frames from one rank to another, in an
// order drawn from `seed`. A frame leaves its bytes where they are until it is
// delivered, and its send is done only some time after that, as with zero-copy
// sends; an op that writes where a frame still reads is reported.
class Interpreter {
 public:
  Interpreter(const std::vector<RankPlan>& plans, int in_flight, int seed)
      : plans_(plans), in_flight_(in_flight), random_(seed) {
    for (const RankPlan& plan : plans) {
      auto index = IndexPlan(plan);
      EXPECT_THAT(index, testing::IsOk());
      indexes_.push_back(*std::move(index));
    }
    for (const PlanIndex& index : indexes_) progress_.emplace_back(index);
    for (const RankPlan& plan : plans) {
      buffers_.emplace_back(plan.elements, Share(plan.rank));
      reading_.emplace_back();
    }
    waiting_.resize(plans.size());
  }

  std::vector<std::vector<Value>>& buffers() { return buffers_; }
  std::int64_t sent(int rank) const { return sent_.at(rank); }
  const std::string& error() const { return error_; }

  // False: stuck, or a hazard (error() says which).
  bool Run() {
    for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
      sent_.push_back(0);
      PostSends(static_cast<int>(rank));
    }
    while (!actions_.empty() && error_.empty()) {
      const std::size_t pick = random_() % actions_.size();
      const Action action = actions_[pick];
      actions_[pick] = actions_.back();
      actions_.pop_back();
      if (action.send_done) {
        EndSend(action.from, action.op);
      } else {
        Deliver(action.from, action.to);
      }
    }
    for (const PlanProgress& progress : progress_) {
      if (!progress.complete() && error_.empty()) error_ = "stuck";
    }
    return error_.empty();
  }

 private:
  // Something that may happen next: the first frame of a pair is delivered, or
  // a delivered frame's send is done.
  struct Action {
    bool send_done = false;
    int from = 0;
    int to = 0;
    std::int32_t op = 0;
  };

  void PostSends(int rank) {
    const PlanIndex& index = indexes_[rank];
    for (std::size_t peer = 0; peer < index.peers.size(); ++peer) {
      const int to = index.peers[peer].rank;
      std::deque<std::int32_t>& pair = frames_[{rank, to}];
      std::int32_t op;
      while (credit_used_[{rank, to}] < in_flight_ &&
             (op = progress_[rank].NextSend(static_cast<std::int32_t>(peer))) >=
                 0) {
        progress_[rank].BeginSend(static_cast<std::int32_t>(peer));
        ++credit_used_[{rank, to}];
        sent_[rank] += plans_[rank].ops[op].range.count;
        reading_[rank].insert({plans_[rank].ops[op].range.begin, op});
        pair.push_back(op);
        if (pair.size() == 1) actions_.push_back({false, rank, to, 0});
      }
    }
  }

  void Deliver(int from, int to) {
    std::deque<std::int32_t>& pair = frames_[{from, to}];
    const std::int32_t sent = pair.front();
    pair.pop_front();
    if (!pair.empty()) actions_.push_back({false, from, to, 0});
    const std::int32_t op =
        indexes_[to].FindReceive(from, plans_[from].ops[sent].chunk);
    if (op < 0 || plans_[to].ops[op].range != plans_[from].ops[sent].range) {
      error_ = "a frame that its receiver does not expect";
      return;
    }
    // What waits for an earlier op keeps its credit, as in the executor.
    waiting_[to][op] = {from, sent};
    if (progress_[to].ready(op)) Consume(to, op);
  }

  void Consume(int to, std::int32_t op) {
    const auto [from, sent] = waiting_[to].extract(op).mapped();
    const PlanOp& what = plans_[to].ops[op];
    CheckNotRead(to, what.range);
    for (std::int64_t i = 0; i < what.range.count; ++i) {
      Value& mine = buffers_[to][what.range.begin + i];
      const Value received = buffers_[from][what.range.begin + i];
      mine = what.kind == OpKind::kReceiveReduce ? received + mine : received;
    }
    --credit_used_[{from, to}];
    actions_.push_back({true, from, to, sent});
    Finish(to, op);
    PostSends(from);
  }

  void CheckNotRead(int rank, const Range& range) {
    auto after = reading_[rank].lower_bound(range.begin + range.count);
    if (after == reading_[rank].begin()) return;
    const PlanOp& send = plans_[rank].ops[std::prev(after)->second];
    if (send.range.begin + send.range.count <= range.begin) return;
    error_ = "rank " + std::to_string(rank) + " writes what chunk " +
             std::to_string(send.chunk) + " still sends";
  }

  void EndSend(int rank, std::int32_t op) {
    reading_[rank].erase(plans_[rank].ops[op].range.begin);
    Finish(rank, op);
  }

  void Finish(int rank, std::int32_t op) {
    std::vector<std::int32_t> ready;
    progress_[rank].Finish(op, [&](std::int32_t freed) {
      if (waiting_[rank].count(freed) > 0) ready.push_back(freed);
    });
    for (const std::int32_t next : ready) Consume(rank, next);
    PostSends(rank);
  }

  const std::vector<RankPlan>& plans_;
  const int in_flight_;
  std::mt19937 random_;
  std::vector<PlanIndex> indexes_;
  std::vector<PlanProgress> progress_;
  std::vector<std::vector<Value>> buffers_;
  // Per rank: ranges being sent, begin -> op. Sends of one rank never overlap.
  std::vector<std::map<std::int64_t, std::int32_t>> reading_;
  // Per rank: op -> frame (from, op there) that arrived too early for it.
  std::vector<std::map<std::int32_t, std::pair<int, std::int32_t>>> waiting_;
  std::map<std::pair<int, int>, std::deque<std::int32_t>> frames_;
  std::map<std::pair<int, int>, int> credit_used_;
  std::vector<Action> actions_;
  std::vector<std::int64_t> sent_;
  std::string error_;
};

TEST(SegmentOf, SharesDifferByAtMostOneAndCoverAll) {
  for (int world : {1, 2, 3, 7, 32}) {
    for (std::int64_t elements : {0, 1, 6, 7, 8, 1000}) {
      std::int64_t end = 0;
      for (int i = 0; i < world; ++i) {
        const Range segment = SegmentOf(elements, world, i);
        EXPECT_EQ(segment.begin, end);
        EXPECT_GE(segment.count, elements / world);
        EXPECT_LE(segment.count, (elements + world - 1) / world);
        end += segment.count;
      }
      EXPECT_EQ(end, elements);
    }
  }
}

struct RingCase {
  int world;
  std::int64_t elements;
  std::int64_t chunk;
};

std::vector<RingCase> RingCases() {
  std::vector<RingCase> cases;
  for (int world : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32}) {
    for (std::int64_t elements :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{world - 1},
          std::int64_t{world}, std::int64_t{world + 1}, std::int64_t{1000},
          std::int64_t{65537}}) {
      for (std::int64_t chunk : {3, 64, 1000, 65536}) {
        // 65,537 elements in chunks of 3 make millions of ops, no new paths.
        if (elements > 1000 && chunk < 64) continue;
        cases.push_back({world, elements, chunk});
      }
    }
  }
  return cases;
}

std::string Describe(const RingCase& c) {
  return "world " + std::to_string(c.world) + ", elements " +
         std::to_string(c.elements) + ", chunk " + std::to_string(c.chunk);
}

class RingPlan : public ::testing::TestWithParam<int> {
 protected:
  // The cases of one world size.
  static std::vector<RingCase> Cases() {
    std::vector<RingCase> cases = RingCases();
    std::erase_if(cases,
                  [](const RingCase& c) { return c.world != GetParam(); });
    return cases;
  }
};

INSTANTIATE_TEST_SUITE_P(World, RingPlan,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32));

TEST_P(RingPlan, AllReduceSumsEveryElementExactlyOnce) {
  for (const RingCase& c : Cases()) {
    const RingOptions options{ShuffledOrder(c.world), c.elements, c.chunk};
    const std::vector<RankPlan> plans = AllPlans(&RingAllReduce, options);
    for (int in_flight : {1, 3}) {
      const int seed = 7 * in_flight + static_cast<int>(c.elements);
      SCOPED_TRACE(Describe(c) + ", frames in flight " +
                   std::to_string(in_flight) + ", seed " +
                   std::to_string(seed));
      Interpreter interpreter(plans, in_flight, seed);
      ASSERT_TRUE(interpreter.Run()) << interpreter.error();
      for (const auto& buffer : interpreter.buffers()) {
        ASSERT_EQ(buffer, std::vector<Value>(c.elements, Everybody(c.world)));
      }
    }
  }
}

TEST_P(RingPlan, ReduceScatterLeavesEachRankItsSegment) {
  for (const RingCase& c : Cases()) {
    SCOPED_TRACE(Describe(c));
    const RingOptions options{ShuffledOrder(c.world), c.elements, c.chunk};
    const std::vector<RankPlan> plans = AllPlans(&RingReduceScatter, options);
    Interpreter interpreter(plans, 2, 5);
    ASSERT_TRUE(interpreter.Run()) << interpreter.error();
    for (int rank = 0; rank < c.world; ++rank) {
      const Range own = SegmentOf(c.elements, c.world, rank);
      const auto& buffer = interpreter.buffers()[rank];
      for (std::int64_t i = own.begin; i < own.begin + own.count; ++i) {
        ASSERT_EQ(buffer[i], Everybody(c.world));
      }
    }
  }
}

TEST_P(RingPlan, AllGatherSpreadsEachRanksSegment) {
  for (const RingCase& c : Cases()) {
    SCOPED_TRACE(Describe(c));
    const RingOptions options{ShuffledOrder(c.world), c.elements, c.chunk};
    const std::vector<RankPlan> plans = AllPlans(&RingAllGather, options);
    Interpreter interpreter(plans, 2, 5);
    ASSERT_TRUE(interpreter.Run()) << interpreter.error();
    for (const auto& buffer : interpreter.buffers()) {
      for (int segment = 0; segment < c.world; ++segment) {
        const Range range = SegmentOf(c.elements, c.world, segment);
        for (std::int64_t i = range.begin; i < range.begin + range.count; ++i) {
          ASSERT_EQ(buffer[i], Share(segment));
        }
      }
    }
  }
}

TEST_P(RingPlan, SendsTheBytesOfTheFormula) {
  for (const RingCase& c : Cases()) {
    SCOPED_TRACE(Describe(c));
    const RingOptions options{ShuffledOrder(c.world), c.elements, c.chunk};
    std::int64_t total = 0;
    for (const RankPlan& plan : AllPlans(&RingAllReduce, options)) {
      std::int64_t sent = 0;
      for (const PlanOp& op : plan.ops) {
        if (op.kind == OpKind::kSend) sent += op.range.count;
      }
      // 2 (W-1)/W S, up to one element per step where W does not divide S.
      EXPECT_NEAR(sent, 2.0 * (c.world - 1) * c.elements / c.world,
                  2.0 * (c.world - 1));
      total += sent;
    }
    EXPECT_EQ(total, 2 * (c.world - 1) * c.elements);
  }
}

TEST(RingPlan, ChunksAreUniquePerPairAndSegmentsAreCutByTheChunkLength) {
  const RingOptions options{{0, 1}, 1000, 64};  // both peers are the same rank
  for (const RankPlan& plan : AllPlans(&RingAllReduce, options)) {
    std::map<std::pair<bool, std::uint32_t>, int> seen;
    for (const PlanOp& op : plan.ops) {
      EXPECT_LE(op.range.count, 64);
      EXPECT_EQ((++seen[{op.kind == OpKind::kSend, op.chunk}]), 1);
    }
    EXPECT_EQ(plan.ops.size(), 4 * ((500 + 63) / 64));
  }
}

// The pair of phases is where zero-copy sends bite: without the dependency the
// interpreter finds the hazard, so the test above can fail.
TEST(RingPlan, TheInterpreterSeesAMissingWaitForASend) {
  const RingOptions options{{0, 1, 2}, 30, 10};
  std::vector<RankPlan> plans = AllPlans(&RingAllReduce, options);
  for (RankPlan& plan : plans) {
    for (PlanOp& op : plan.ops) {
      if (op.kind == OpKind::kReceiveCopy) op.after = {};
    }
  }
  int found = 0;
  for (int seed = 0; seed < 50; ++seed) {
    Interpreter interpreter(plans, 4, seed);
    if (interpreter.Run()) continue;
    EXPECT_THAT(interpreter.error(), HasSubstr("still sends"));
    ++found;
  }
  EXPECT_GT(found, 0);
}

TEST(IndexPlan, RefusesOpsThatMakeNoSense) {
  const RankPlan good = RingAllReduce({{0, 1, 2}, 30, 10}, 0);
  EXPECT_THAT(IndexPlan(good), testing::IsOk());
  const auto refused = [&](auto change, const char* what) {
    RankPlan bad = good;
    change(bad);
    EXPECT_THAT(IndexPlan(bad),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what)));
  };
  refused([](RankPlan& plan) { plan.ops[1].peer = 3; }, "peer 3 of world 3");
  refused([](RankPlan& plan) { plan.ops[1].peer = 0; }, "peer 0");
  refused([](RankPlan& plan) { plan.ops[1].range = {25, 6}; }, "range 25+6");
  refused(
      [](RankPlan& plan) {
        plan.ops[1].after = {1, 1};
      },
      "waits for ops 1+1");
  refused([](RankPlan& plan) { plan.ops.push_back(plan.ops[1]); }, "twice");
}

}  // namespace
}  // namespace podsim
