// What a span costs: where nothing is traced, where another step is, and where
// it is kept (docs/trace.md); and what the simulated clock costs a step
// (docs/timing-model.md).
#include <benchmark/benchmark.h>

#include "base/trace/tracer.h"
#include "bench/bench_main.h"
#include "runtime/forecast/pod_clock.h"

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

constexpr std::int64_t kMs = 1'000'000'000;
const SimStep kStep = {.compute = SimTime::Picoseconds(6 * kMs),
                       .total = SimTime::Picoseconds(6 * kMs)};

// What every step takes must be there afterwards.
void ExpectMsAStep(const PodClock& clock, std::int64_t ms,
                   benchmark::State& state) {
  SimSum expected;
  expected.Add(SimTime::Picoseconds(ms * kMs), state.iterations());
  if (!clock.time() || !(clock.time()->sum == expected))
    state.SkipWithError("the simulated time is wrong");
  state.SetItemsProcessed(state.iterations());
}

// A step's event and what its line and record ask for.
void ClockOfAStep(benchmark::State& state) {
  PodClock clock;
  clock.SetStep(kStep);
  JobEvent step;
  step.mutable_step()->set_step(1);
  for (auto _ : state) {
    clock.OnEvent(step);
    benchmark::DoNotOptimize(clock.time());
  }
  ExpectMsAStep(clock, 6, state);
}
BENCHMARK(ClockOfAStep);

// Steps that wait for the forecast.
void ClockBeforeTheForecast(benchmark::State& state) {
  PodClock clock;
  JobEvent step;
  step.mutable_step()->set_step(1);
  for (auto _ : state) {
    clock.OnEvent(step);
    benchmark::DoNotOptimize(clock.time());
  }
  clock.SetStep(kStep);
  ExpectMsAStep(clock, 6, state);
}
BENCHMARK(ClockBeforeTheForecast);

// With one host that computes 4 ms longer.
void ClockOfASlowedStep(benchmark::State& state) {
  PodClock clock;
  clock.SetStep(kStep);
  JobEvent fault;
  fault.mutable_fault()->set_step(1);
  Fault& slow = *fault.mutable_fault()->mutable_fault();
  slow.set_kind(Fault::SLOW);
  slow.set_phase("compute");
  slow.set_seconds(4e-3);
  JobEvent step;
  step.mutable_step()->set_step(1);
  for (auto _ : state) {
    clock.OnEvent(fault);
    clock.OnEvent(step);
    benchmark::DoNotOptimize(clock.time());
  }
  ExpectMsAStep(clock, 10, state);
}
BENCHMARK(ClockOfASlowedStep);

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) { return podsim::BenchMain(argc, argv); }
