// What goes out: sends to a peer in the plan's order, as far as its credit
// reaches. Those refused for want of credit queue up per peer until OnCredit.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/collectives/executor_impl.h"

namespace podsim {

void Executor::Impl::Pump(PlanRun& run, std::int32_t peer) {
  const int position = run.index().peers[peer].rank;
  CreditQueue& queue = CreditOf(run, position);
  while (failure.ok()) {
    const std::int32_t op = run.progress.NextSend(peer);
    if (op < 0) return;
    if (queue.blocked) {
      if (!run.queued[peer]) queue.entries.push_back({run.serial, peer});
      run.queued[peer] = true;
      return;
    }
    const absl::StatusOr<SendResult> sent = Send(run, op);
    if (!sent.ok()) {
      return FailRun(
          run, sent.status().code(),
          absl::StrCat("chunk ", run.plan->ops[op].chunk, " from host ",
                       options.host, " to host ", HostOf(position), ": ",
                       sent.status().message()));
    }
    if (*sent == SendResult::kNoCredit) {
      queue.blocked = true;
    } else {
      run.progress.BeginSend(peer);
    }
  }
}

FrameHeader Executor::Impl::HeaderOf(const PlanRun& run,
                                     const PlanOp& send) const {
  return {.from = options.host,
          .to = HostOf(send.peer),
          .lane = run.lane,
          .key = {options.generation, options.group, run.sequence, send.chunk}};
}

absl::StatusOr<SendResult> Executor::Impl::Send(PlanRun& run, std::int32_t op) {
  if (run.PassedOn(op)) return SendResult::kQueued;
  if (run.trace != nullptr) run.trace->ops[op] = options.tracer->Now();
  const PlanOp& what = run.plan->ops[op];
  FrameHeader header = HeaderOf(run, what);
  if (run.MustMake(op)) {
    PODSIM_ASSIGN_OR_RETURN(
        const SendResult placed,
        transport.SendInPlace(
            header, run.WireBytesOf(what),
            [&](const Places& places) { return run.Make(op, places); },
            TokenOf(run, op)));
    if (placed != SendResult::kNoPlace) return placed;
  }
  const Outgoing& out = run.PayloadOf(op);
  header.checksum = out.checksum;
  return transport.Send(header, out.bytes, TokenOf(run, op));
}

void Executor::OnSendDone(std::uint64_t token) {
  PlanRun* run = impl_->FindRun(static_cast<std::uint32_t>(token >> 32));
  if (run == nullptr) return;  // it failed meanwhile
  const std::int32_t op = static_cast<std::int32_t>(token & 0xffffffffU);
  impl_->moved_frames.fetch_add(1, std::memory_order_relaxed);
  run->moved = impl_->clock.Now();
  run->last_peer = impl_->HostOf(run->plan->ops[op].peer);
  if (run->trace != nullptr) impl_->Trace(*run, op);
  --run->needs[run->index().peer_of[op]];
  run->ReturnPayload(op);
  impl_->Finish(*run, op);
  impl_->CompleteIfDone(*run);
  impl_->Settle();
}

void Executor::OnCredit(int peer) {
  const auto at = impl_->credit.find(impl_->PositionOf(peer));
  if (at == impl_->credit.end()) return;
  // Of which lane is not said: both try, what is waited for first.
  std::vector<Impl::CreditQueue::Entry> entries;
  for (const Lane lane : {Lane::kExpress, Lane::kBulk}) {
    Impl::CreditQueue& queue = at->second[static_cast<std::size_t>(lane)];
    if (!queue.blocked) continue;
    queue.blocked = false;
    entries.insert(entries.end(), queue.entries.begin(), queue.entries.end());
    queue.entries.clear();
  }
  for (const Impl::CreditQueue::Entry& entry : entries) {
    PlanRun* run = impl_->FindRun(entry.serial);
    PODSIM_CHECK(run != nullptr);  // a run with unsent frames is not over
    run->queued[entry.peer] = false;
    impl_->Pump(*run, entry.peer);
  }
  impl_->Settle();
}

}  // namespace podsim
