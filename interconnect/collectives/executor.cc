// How a collective begins, and what may be asked of an executor. What happens
// then stands beside it: executor_receive.cc and executor_send.cc for frames,
// executor_end.cc for how runs end.
#include "interconnect/collectives/executor.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "interconnect/collectives/executor_impl.h"

namespace podsim {

Executor::Executor(Transport& transport, const Clock& clock, Options options)
    : impl_(std::make_unique<Impl>(transport, clock, std::move(options))) {
  transport.SetSink(impl_->options.host, this);
}

Executor::~Executor() { impl_->Leave(); }

absl::Status Executor::Impl::CheckStart(std::uint64_t sequence,
                                        const RankPlan* plan,
                                        const CollectiveBuffer& buffer) const {
  PODSIM_RETURN_IF_ERROR(failure);
  const auto refuse = [&](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat("host ", options.host,
                                                   " cannot start collective #",
                                                   sequence, ": ", why));
  };
  if (plan == nullptr) return refuse("no plan");
  if (plan->world != static_cast<int>(options.hosts.size())) {
    return refuse(absl::StrCat("its plan is for ", plan->world,
                               " ranks, the group has ", options.hosts.size(),
                               " hosts"));
  }
  if (HostOf(plan->rank) != options.host) {
    return refuse(absl::StrCat("its plan is host ", HostOf(plan->rank), "'s"));
  }
  if (plan->elements != buffer.elements() ||
      buffer.bytes.size() % SizeOf(buffer.type) != 0) {
    return refuse(absl::StrCat("its plan is for ", plan->elements,
                               " elements, the buffer has ",
                               buffer.elements()));
  }
  if (reinterpret_cast<std::uintptr_t>(buffer.bytes.data()) %
          SizeOf(buffer.type) !=
      0) {
    return refuse(absl::StrCat("its buffer does not begin at a multiple of ",
                               SizeOf(buffer.type), " bytes"));
  }
  if (buffer.wire != buffer.type && !(buffer.type == ElementType::kFloat32 &&
                                      buffer.wire == ElementType::kBfloat16)) {
    return refuse(absl::StrCat(NameOf(buffer.type).data(),
                               " does not travel as ",
                               NameOf(buffer.wire).data()));
  }
  if (used.Contains(sequence)) return refuse("the sequence was used before");
  return absl::OkStatus();
}

absl::Status Executor::Start(std::uint64_t sequence,
                             std::shared_ptr<const RankPlan> plan,
                             const CollectiveBuffer& buffer, std::string label,
                             DoneCallback done) {
  PODSIM_RETURN_IF_ERROR(impl_->CheckStart(sequence, plan.get(), buffer));
  PODSIM_ASSIGN_OR_RETURN(std::shared_ptr<const PlanTables> tables,
                          impl_->tables.Of(plan));
  auto run =
      std::make_unique<PlanRun>(std::move(plan), std::move(tables), buffer);
  run->serial = impl_->next_serial++;
  run->sequence = sequence;
  run->label = std::move(label);
  run->lane = buffer.lane;
  run->done = std::move(done);
  run->moved = impl_->clock.Now();
  if (Tracer* const tracer = impl_->options.tracer; IsTracing(tracer))
    run->trace = std::make_unique<PlanRun::Trace>(PlanRun::Trace{
        .step = tracer->step(),
        .begun = tracer->Now(),
        .ops = std::vector<std::int64_t>(run->plan->ops.size())});
  PlanRun& started = *run;
  impl_->used.Add(sequence);
  impl_->by_sequence[sequence] = run.get();
  impl_->runs[run->serial] = std::move(run);
  impl_->Begin(started);
  impl_->Settle();
  return absl::OkStatus();
}

void Executor::Impl::Begin(PlanRun& run) {
  for (const std::int32_t op : run.index().first_local) {
    run.Combine(op, options.parallel);
    Finish(run, op);
  }
  for (std::size_t peer = 0; peer < run.index().peers.size(); ++peer) {
    Pump(run, static_cast<std::int32_t>(peer));
  }
  if (const auto early = mailbox.find(run.sequence); early != mailbox.end()) {
    std::vector<EarlyFrame> frames = std::move(early->second);
    mailbox.erase(early);
    for (EarlyFrame& frame : frames) {
      Receive(run, frame.position, frame.chunk, std::move(frame.payload));
    }
  }
  CheckLostPeers(run);
  CompleteIfDone(run);
}

bool Executor::idle() const { return impl_->runs.empty(); }

int Executor::awaited() const { return impl_->awaited; }

std::uint64_t Executor::progress() const {
  return impl_->moved_frames.load(std::memory_order_relaxed);
}

Waiting Executor::waiting() const {
  if (impl_->runs.empty()) return {};
  const PlanRun& run = *impl_->runs.begin()->second;
  const std::int32_t op = run.progress.FirstOpen();
  return {.host = impl_->HostOf(run.plan->ops[op].peer),
          .what = impl_->WhatIsAwaited(run, op),
          .since = impl_->clock.Now() - run.moved};
}

}  // namespace podsim
