// What a trace is told of a run: each chunk that is sent or received, and the
// whole. Called of runs that are traced alone.
#include <utility>

#include "absl/strings/str_cat.h"
#include "interconnect/collectives/executor_impl.h"

namespace podsim {

void Executor::Impl::Trace(const PlanRun& run, std::int32_t op) {
  const PlanOp& what = run.plan->ops[op];
  const bool sends = what.kind == OpKind::kSend;
  const int peer = HostOf(what.peer);
  options.tracer->Add(
      {.kind = sends ? SpanKind::kSend : SpanKind::kReceive,
       .host = options.host,
       .peer = peer,
       .step = run.trace->step,
       .begin = run.trace->ops[op],
       .end = options.tracer->Now(),
       .bytes = static_cast<std::int64_t>(run.WireBytesOf(what)),
       .flow = FlowOf({.from = sends ? options.host : peer,
                       .to = sends ? peer : options.host,
                       .generation = options.generation,
                       .group = options.group,
                       .sequence = run.sequence,
                       .chunk = what.chunk}),
       .name = absl::StrCat("chunk ", what.chunk)});
}

void Executor::Impl::Trace(const PlanRun& run) {
  options.tracer->Add({.kind = SpanKind::kCollective,
                       .host = options.host,
                       .peer = run.last_peer,
                       .step = run.trace->step,
                       .begin = run.trace->begun,
                       .end = options.tracer->Now(),
                       .name = run.name()});
}

}  // namespace podsim
