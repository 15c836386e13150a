#include "base/trace.h"

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::string> Details(const Tracer& tracer) {
  std::vector<std::string> details;
  for (const SpanRecord& span : tracer.Spans()) details.push_back(span.detail);
  return details;
}

TEST(Tracer, RecordsWhenAndHowLong) {
  SimClock clock;
  Tracer tracer(clock);
  const absl::Time start = clock.Now();
  clock.Advance(absl::Seconds(2));
  {
    const Span outer(tracer, "step");
    clock.Advance(absl::Seconds(1));
    const Span inner(tracer, "all-reduce", "bucket 3");
    clock.Advance(absl::Seconds(4));
  }
  const std::vector<SpanRecord> spans = tracer.Spans();
  ASSERT_EQ(spans.size(), 2);  // in the order of their ends
  EXPECT_EQ(spans[0].name, "all-reduce");
  EXPECT_EQ(spans[0].detail, "bucket 3");
  EXPECT_EQ(spans[0].begin - start, absl::Seconds(3));
  EXPECT_EQ(spans[0].duration, absl::Seconds(4));
  EXPECT_EQ(spans[1].name, "step");
  EXPECT_EQ(spans[1].detail, "");
  EXPECT_EQ(spans[1].begin - start, absl::Seconds(2));
  EXPECT_EQ(spans[1].duration, absl::Seconds(5));
  EXPECT_EQ(spans[0].thread, spans[1].thread);
}

TEST(Tracer, KeepsTheNewestSpansInOrderAndAllTotals) {
  SimClock clock;
  Tracer tracer(clock, 3);
  EXPECT_THAT(Details(tracer), ElementsAre());
  for (int i = 0; i < 8; ++i) {
    const Span span(tracer, "compute", std::to_string(i));
    clock.Advance(absl::Milliseconds(10));
    if (i == 1) {
      EXPECT_THAT(Details(tracer), ElementsAre("0"));
    }
  }
  EXPECT_THAT(Details(tracer), ElementsAre("5", "6", "7"));
  const auto totals = tracer.Totals();
  ASSERT_EQ(totals.size(), 1);
  EXPECT_EQ(totals.at("compute").count, 8);
  EXPECT_EQ(totals.at("compute").duration, absl::Milliseconds(80));
}

TEST(Tracer, WithoutRoomForSpansStillAddsUp) {
  SimClock clock;
  Tracer tracer(clock, 0);
  { const Span span(tracer, "input"); }
  { const Span span(tracer, "input"); }
  EXPECT_TRUE(tracer.Spans().empty());
  EXPECT_EQ(tracer.Totals().at("input").count, 2);
}

TEST(Tracer, CountsByName) {
  SimClock clock;
  Tracer tracer(clock);
  EXPECT_TRUE(tracer.Counters().empty());
  tracer.Add("frames", 2);
  tracer.Add("bytes", 1 << 30);
  tracer.Add("frames", -1);
  EXPECT_THAT(tracer.Counters(),
              ElementsAre(Pair("bytes", 1 << 30), Pair("frames", 1)));
}

TEST(Tracer, TakesSpansFromManyThreads) {
  SimClock clock;
  Tracer tracer(clock, 10'000);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&tracer] {
        for (int i = 0; i < 500; ++i) {
          const Span span(tracer, "compute");
          tracer.Add("panels", 1);
        }
      });
  }
  std::set<std::uint64_t> threads;
  for (const SpanRecord& span : tracer.Spans()) threads.insert(span.thread);
  EXPECT_EQ(threads.size(), 4);
  EXPECT_EQ(tracer.Spans().size(), 2000);
  EXPECT_EQ(tracer.Totals().at("compute").count, 2000);
  EXPECT_EQ(tracer.Counters().at("panels"), 2000);
}

}  // namespace
}  // namespace podsim
