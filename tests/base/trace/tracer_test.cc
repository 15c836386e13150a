#include "base/trace/tracer.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>
#include <vector>

namespace podsim {
namespace {

TEST(Tracer, ASpanGoesFromItsMakingToItsEnd) {
  SimClock clock;
  Tracer tracer(clock, {.first_step = 2, .last_step = 3});
  tracer.EnterStep(2);
  const std::int64_t begin = tracer.Now();
  {
    TracedSpan span(&tracer, SpanKind::kInput, 4, 2);
    ASSERT_TRUE(span.on());
    span->name = "input";
    clock.Advance(absl::Nanoseconds(70));
  }
  const TracedSpans kept = tracer.Take();
  ASSERT_EQ(kept.spans.size(), 1U);
  EXPECT_EQ(kept.spans[0], (Span{.kind = SpanKind::kInput,
                                 .host = 4,
                                 .hosts = 2,
                                 .step = 2,
                                 .begin = begin,
                                 .end = begin + 70,
                                 .name = "input"}));
  EXPECT_EQ(kept.dropped, 0);
  EXPECT_TRUE(tracer.Take().spans.empty());
}

TEST(Tracer, OnlyStepsOfTheRangeAreKept) {
  SimClock clock;
  Tracer tracer(clock, {.first_step = 2, .last_step = 3});
  for (std::int64_t step = 0; step <= 5; ++step) {
    tracer.EnterStep(step);
    const TracedSpan span(&tracer, SpanKind::kStep, 0);
    EXPECT_EQ(span.on(), step == 2 || step == 3) << step;
  }
  const TracedSpans kept = tracer.Take();
  ASSERT_EQ(kept.spans.size(), 2U);
  EXPECT_EQ(kept.spans[0].step, 2);
  EXPECT_EQ(kept.spans[1].step, 3);
}

// A span that is under way when its step ends is still that step's.
TEST(Tracer, ASpanIsOfTheStepInWhichItBegan) {
  SimClock clock;
  Tracer tracer(clock, {.first_step = 1, .last_step = 1});
  tracer.EnterStep(1);
  {
    const TracedSpan span(&tracer, SpanKind::kStep, 0);
    tracer.EnterStep(2);
  }
  const TracedSpans kept = tracer.Take();
  ASSERT_EQ(kept.spans.size(), 1U);
  EXPECT_EQ(kept.spans[0].step, 1);
}

TEST(Tracer, NoneIsNoTracer) {
  TracedSpan span(nullptr, SpanKind::kStep, 0);
  EXPECT_FALSE(span.on());
  EXPECT_FALSE(IsTracing(nullptr));
}

TEST(Tracer, WithoutRoomItDropsAndCounts) {
  SimClock clock;
  Tracer tracer(clock, {.first_step = 1, .last_step = 1, .most = 3});
  for (int i = 0; i < 5; ++i) tracer.Add({.step = 1, .begin = i});
  const TracedSpans kept = tracer.Take();
  ASSERT_EQ(kept.spans.size(), 3U);
  EXPECT_EQ(kept.spans[2].begin, 2);
  EXPECT_EQ(kept.dropped, 2);
  // What was taken has left its room to others.
  for (int i = 0; i < 5; ++i) tracer.Add({.step = 1});
  EXPECT_EQ(tracer.Take().spans.size(), 3U);
}

// More threads keep no more spans.
TEST(Tracer, ThreadsThatAddAtOnceShareTheRoom) {
  constexpr int kThreads = 8;
  constexpr int kEach = 2000;
  constexpr std::size_t kMost = 5000;
  SimClock clock;
  Tracer tracer(clock, {.first_step = 1, .last_step = 1, .most = kMost});
  tracer.EnterStep(1);
  {
    // All live at once: none has the id, and the buffer, of one that has ended.
    std::latch started(kThreads);
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&tracer, &started, t] {
        started.arrive_and_wait();
        for (int i = 0; i < kEach; ++i)
          const TracedSpan span(&tracer, SpanKind::kOther, t);
      });
  }
  const TracedSpans kept = tracer.Take();
  EXPECT_EQ(static_cast<std::int64_t>(kept.spans.size()) + kept.dropped,
            kThreads * kEach);
  EXPECT_LE(kept.spans.size(), kMost);
  EXPECT_GT(kept.spans.size(), 0U);
}

}  // namespace
}  // namespace podsim
