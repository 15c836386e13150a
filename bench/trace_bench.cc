// What a span costs: where nothing is traced, where another step is, and where
// it is kept (docs/trace.md).
#include <benchmark/benchmark.h>

#include "base/trace/tracer.h"
#include "bench/bench_main.h"

namespace podsim {
namespace {

// Spans of a host's training thread in a step of README's mlp are about 20.
void Spans(benchmark::State& state, Tracer* tracer) {
  for (auto _ : state) {
    TracedSpan span(tracer, SpanKind::kInput, 0);
    benchmark::DoNotOptimize(span.on());
  }
  state.SetItemsProcessed(state.iterations());
}

void SpanOff(benchmark::State& state) { Spans(state, nullptr); }
BENCHMARK(SpanOff);

void SpanOfAnotherStep(benchmark::State& state) {
  const SystemClock clock;
  Tracer tracer(clock, {.first_step = 2, .last_step = 2});
  tracer.EnterStep(1);
  Spans(state, &tracer);
  if (!tracer.Take().spans.empty()) state.SkipWithError("a span is wrong");
}
BENCHMARK(SpanOfAnotherStep);

// As many as there is room for: further ones would be dropped.
void SpanKept(benchmark::State& state) {
  const SystemClock clock;
  Tracer tracer(clock, {.first_step = 1, .last_step = 1});
  tracer.EnterStep(1);
  Spans(state, &tracer);
  if (tracer.Take().dropped > 0) state.SkipWithError("the room is wrong");
}
BENCHMARK(SpanKept)->Iterations(200'000);

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) { return podsim::BenchMain(argc, argv); }
