// The story of a frame. OnFrame finds the run (one collective in progress) and
// in its index the op that receives the chunk. If all that the op waits for is
// done, the bytes are reduced straight out of the transport's memory; if not,
// the payload is kept, with its credit. A finished op may free others: sends go
// out as far as credit reaches (executor_send.cc), kept payloads are applied.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"
#include "interconnect/collectives/executor_impl.h"

namespace podsim {

void Executor::OnFrame(const FrameHeader& header, Payload payload) {
  Impl& impl = *impl_;
  if (!impl.failure.ok()) return;
  const FrameKey& key = header.key;
  const auto frame = [&] {
    return absl::StrCat("host ", impl.options.host, " got chunk ", key.chunk,
                        " of collective #", key.sequence, " from host ",
                        header.from);
  };
  if (key.generation != impl.options.generation) {
    Log(LogLevel::kWarning,
        absl::StrCat(frame(), " of generation ", key.generation, ", this is ",
                     impl.options.generation, ": dropped"));
    return;
  }
  impl.moved_frames.fetch_add(1, std::memory_order_relaxed);
  const int position = impl.PositionOf(header.from);
  if (position < 0 || key.group != impl.options.group) {
    impl.Fail(absl::InternalError(absl::StrCat(
        frame(), " for group ", key.group, ", which is not its group ",
        impl.options.group, " of ", impl.options.hosts.size(), " hosts")));
  } else if (const auto at = impl.by_sequence.find(key.sequence);
             at != impl.by_sequence.end()) {
    PlanRun& run = *at->second;
    run.moved = impl.clock.Now();
    impl.Receive(run, position, key.chunk, std::move(payload));
    impl.CompleteIfDone(run);
  } else if (impl.used.Contains(key.sequence)) {
    impl.Fail(absl::InternalError(
        absl::StrCat(frame(),
                     ", which had finished there: it came twice, or "
                     "the hosts hold different plans")));
  } else {
    impl.mailbox[key.sequence].push_back(
        {position, key.chunk, std::move(payload)});
  }
  impl.Settle();
}

void Executor::Impl::Receive(PlanRun& run, int position, std::uint32_t chunk,
                             Payload payload) {
  if (!failure.ok()) return;
  const std::int32_t op = run.index().FindReceive(position, chunk);
  const auto frame = [&] {
    return absl::StrCat("chunk ", chunk, " from host ", HostOf(position));
  };
  if (op < 0) {
    return FailRun(
        run, absl::StatusCode::kInternal,
        absl::StrCat(frame(), " is not in the plan of host ", options.host,
                     ": the two hosts hold different plans"));
  }
  if (run.arrived[op]) {
    return FailRun(run, absl::StatusCode::kInternal,
                   absl::StrCat(frame(), " came twice to host ", options.host));
  }
  const std::size_t expected = run.WireBytesOf(run.plan->ops[op]);
  if (payload.size() != expected) {
    return FailRun(run, absl::StatusCode::kDataLoss,
                   absl::StrCat(frame(), " to host ", options.host, " has ",
                                payload.size(), " bytes, expected ", expected));
  }
  run.arrived[op] = true;
  run.last_peer = HostOf(position);
  if (run.trace != nullptr) run.trace->ops[op] = options.tracer->Now();
  --run.needs[run.index().peer_of[op]];
  if (!run.progress.ready(op)) {
    run.kept.emplace(op, std::move(payload));
    return;
  }
  if (!Apply(run, op, payload)) return;
  { const Payload released = std::move(payload); }
  Finish(run, op);
}

bool Executor::Impl::Apply(PlanRun& run, std::int32_t op,
                           const Payload& payload) {
  const absl::Status taken = Take(run, op, payload);
  if (run.trace != nullptr && taken.ok()) Trace(run, op);
  if (taken.ok()) return true;
  const PlanOp& what = run.plan->ops[op];
  FailRun(run, taken.code(),
          absl::StrCat("chunk ", what.chunk, " from host ", HostOf(what.peer),
                       " to host ", options.host,
                       " is damaged: ", taken.message()));
  return false;
}

// What is to be sent on next is made where the next host will read it, if the
// transport has such a place and credit for it.
absl::Status Executor::Impl::Take(PlanRun& run, std::int32_t op,
                                  const Payload& payload) {
  const std::int32_t send = run.SendMadeBy(op);
  if (send >= 0 &&
      run.progress.IsNextAfter(op, send, run.index().peer_of[send]) &&
      !CreditOf(run, run.plan->ops[send].peer).blocked) {
    const PlanOp& what = run.plan->ops[send];
    absl::Status taken;
    if (run.trace != nullptr) run.trace->ops[send] = options.tracer->Now();
    const absl::StatusOr<SendResult> passed = transport.SendInPlace(
        HeaderOf(run, what), run.WireBytesOf(what),
        [&](const Places& places) {
          const auto crc = run.PassOn(op, payload, places);
          taken = crc.status();
          return crc;
        },
        TokenOf(run, send));
    if (!taken.ok()) return taken;
    if (passed.ok() && *passed == SendResult::kQueued) return taken;
    PODSIM_CHECK(!run.PassedOn(send));
    // Whatever stands against it, Pump will meet it again.
  }
  return run.Take(op, payload, options.parallel);
}

void Executor::Impl::Finish(PlanRun& run, std::int32_t op) {
  const auto push = [this](std::int32_t freed) { ready.push_back(freed); };
  run.progress.Finish(op, push);
  while (!ready.empty()) {
    const std::int32_t next = ready.back();
    ready.pop_back();
    if (run.plan->ops[next].kind == OpKind::kSend) {
      Pump(run, run.index().peer_of[next]);
    } else if (IsLocal(run.plan->ops[next].kind)) {
      run.Combine(next, options.parallel);
      run.progress.Finish(next, push);
    } else if (auto kept = run.kept.extract(next); !kept.empty()) {
      if (!Apply(run, next, kept.mapped())) return;
      kept = {};  // gives the credit back before more is done
      run.progress.Finish(next, push);
    }
  }
}

}  // namespace podsim
