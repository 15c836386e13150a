// A trace of a whole pod in one process: what it has follows from the plan, and
// it changes no bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "base/trace/tracer.h"
#include "host/process/in_process_pod.h"
#include "interconnect/collectives/algorithms.h"
#include "job/lines.h"
#include "tests/host/train/test_plan.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

constexpr int kProcesses = 2;
constexpr int kHosts = 4;
constexpr std::int64_t kFirst = 2;
constexpr std::int64_t kLast = 3;

using ByStep = std::map<std::int64_t, std::int64_t>;

// Of one kind (segments of cores apart from the pass), by process.
struct Traced {
  PodResult result;
  std::vector<TracedSpans> parts;

  ByStep Count(int process, SpanKind kind, bool of_cores = false) const {
    ByStep steps;
    for (const Span& span : parts[process].spans)
      if (span.kind == kind && (span.cores > 0) == of_cores) ++steps[span.step];
    return steps;
  }
};

absl::StatusOr<Traced> Trace(PodSetup setup) {
  SystemClock clock;
  std::vector<std::unique_ptr<Tracer>> tracers;
  for (int process = 0; process < kProcesses; ++process) {
    tracers.push_back(std::make_unique<Tracer>(
        clock, Tracer::Options{.first_step = kFirst, .last_step = kLast}));
    setup.tracers.push_back(tracers.back().get());
  }
  Traced traced;
  PODSIM_ASSIGN_OR_RETURN(traced.result, TrainInProcess(setup));
  for (const auto& tracer : tracers) traced.parts.push_back(tracer->Take());
  return traced;
}

PodSetup SmallPod() {
  return MakeSetup({.hosts = kHosts,
                    .processes = kProcesses,
                    .steps = 5,
                    .hidden = {64, 32}});
}

ByStep EachStep(std::int64_t count) {
  return {{kFirst, count}, {kLast, count}};
}

TEST(TraceTest, ChangesNoBit) {
  ASSERT_OK_AND_ASSIGN(const PodResult plain, TrainInProcess(SmallPod()));
  ASSERT_OK_AND_ASSIGN(const Traced traced, Trace(SmallPod()));
  EXPECT_EQ(traced.result.weights_hash, plain.weights_hash);
}

TEST(TraceTest, HasWhatThePlanSaysOfEachTracedStepAndNoOther) {
  const PodSetup setup = SmallPod();
  const std::int64_t buckets = setup.plan.bits().buckets_size();
  ASSERT_GT(buckets, 1);
  std::int64_t segments = 0;
  for (const Segment& segment :
       setup.program->entries.at(EntryPoint::kTrainMicrobatch))
    if (segment.kind == SegmentKind::kCompute) ++segments;
  ASSERT_OK_AND_ASSIGN(const Traced traced, Trace(setup));
  constexpr std::int64_t kLocal = kHosts / kProcesses;
  for (int process = 0; process < kProcesses; ++process) {
    const auto count = [&](SpanKind kind, bool of_cores = false) {
      return traced.Count(process, kind, of_cores);
    };
    EXPECT_EQ(traced.parts[process].dropped, 0);
    EXPECT_EQ(count(SpanKind::kStep), EachStep(1));
    EXPECT_EQ(count(SpanKind::kInput), EachStep(1));
    EXPECT_EQ(count(SpanKind::kCompute), EachStep(1));
    EXPECT_EQ(count(SpanKind::kCompute, true), EachStep(segments * kLocal));
    EXPECT_EQ(count(SpanKind::kWait), EachStep(buckets));
    EXPECT_EQ(count(SpanKind::kUpdate), EachStep(buckets));
    EXPECT_EQ(count(SpanKind::kPacking), EachStep(buckets));
    EXPECT_EQ(count(SpanKind::kCollective), EachStep(buckets * kLocal));
  }
}

TEST(TraceTest, HasEveryChunkOfThePlanAtBothItsEnds) {
  const PodSetup setup = SmallPod();
  std::int64_t chunks = 0;
  for (const Bucket& bucket : setup.plan.bits().buckets()) {
    ASSERT_OK_AND_ASSIGN(const PlanRequest request,
                         AllReduceOf(setup.plan, bucket));
    for (int host = 0; host < kHosts; ++host) {
      ASSERT_OK_AND_ASSIGN(const RankPlan plan, MakeRankPlan(request, host));
      chunks += std::count_if(
          plan.ops.begin(), plan.ops.end(),
          [](const PlanOp& op) { return op.kind == OpKind::kSend; });
    }
  }
  ASSERT_GT(chunks, 0);
  ASSERT_OK_AND_ASSIGN(const Traced traced, Trace(setup));
  // Flow, from, to, step.
  using End = std::tuple<std::uint64_t, int, int, std::int64_t>;
  std::set<End> sent;
  std::set<End> received;
  for (const TracedSpans& part : traced.parts)
    for (const Span& span : part.spans) {
      if (span.kind == SpanKind::kSend)
        sent.insert({span.flow, span.host, span.peer, span.step});
      if (span.kind == SpanKind::kReceive)
        received.insert({span.flow, span.peer, span.host, span.step});
    }
  EXPECT_EQ(static_cast<std::int64_t>(sent.size()),
            chunks * (kLast - kFirst + 1));
  EXPECT_EQ(sent, received);
}

// Steps hold what the training thread does in them, and say of a wait whom it
// was for.
TEST(TraceTest, StepsHoldTheirPartsAndWaitsNameAHost) {
  ASSERT_OK_AND_ASSIGN(const Traced traced, Trace(SmallPod()));
  for (const TracedSpans& part : traced.parts) {
    std::map<std::int64_t, Span> steps;
    for (const Span& span : part.spans)
      if (span.kind == SpanKind::kStep) steps[span.step] = span;
    for (const Span& span : part.spans) {
      EXPECT_LE(span.begin, span.end);
      if (span.kind == SpanKind::kWait) {
        EXPECT_GE(span.peer, 0);
        EXPECT_LT(span.peer, kHosts);
      }
      if (span.kind >= SpanKind::kCollective) continue;
      ASSERT_TRUE(steps.contains(span.step));
      EXPECT_GE(span.begin, steps[span.step].begin);
      EXPECT_LE(span.end, steps[span.step].end);
    }
  }
}

TEST(TraceTest, ATracerForEachProcessOrNone) {
  PodSetup setup = SmallPod();
  setup.tracers = {nullptr};
  EXPECT_EQ(TrainInProcess(setup).status().code(), kInvalid);
}

}  // namespace
}  // namespace podsim::testing
