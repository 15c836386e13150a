// The story of a frame. OnFrame finds the run (one collective in progress) and
// in its index the op that receives the chunk. If all that the op waits for is
// done, the bytes are reduced straight out of the transport's memory; if not,
// the payload is kept, with its credit. A finished op may free others: sends go
// out as far as credit reaches, kept payloads are applied. Sends refused for
// want of credit queue up per peer until OnCredit.
//
// Callbacks run last, in Settle, when the state is consistent again: `done` may
// start the next collective.
#include "interconnect/collectives/executor.h"

#include <atomic>
#include <map>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"
#include "interconnect/collectives/plan_index.h"
#include "interconnect/collectives/plan_run.h"
#include "interconnect/collectives/relays.h"
#include "interconnect/collectives/sequence_set.h"

namespace podsim {
namespace {

// Tables of plans that died are swept when this many are held.
constexpr std::size_t kSweepTablesAt = 64;

// A frame of a collective that was not started here yet.
struct EarlyFrame {
  int position = 0;
  std::uint32_t chunk = 0;
  Payload payload;
};

// Sends to one peer that wait for credit, first come first served.
struct CreditQueue {
  struct Entry {
    std::uint32_t serial = 0;
    std::int32_t peer = 0;  // in the run's index
  };
  bool blocked = false;
  std::vector<Entry> entries;
};

struct CachedTables {
  std::weak_ptr<const RankPlan> plan;
  std::shared_ptr<const PlanTables> tables;
};

}  // namespace

struct Executor::Impl {
  Impl(Transport& by, const Clock& time, Options given)
      : transport(by), clock(time), options(std::move(given)) {
    for (std::size_t i = 0; i < options.hosts.size(); ++i) {
      position_of[options.hosts[i]] = static_cast<int>(i);
    }
    PODSIM_CHECK(position_of.size() == options.hosts.size());
    PODSIM_CHECK(position_of.count(options.host) == 1);
  }

  int HostOf(int position) const { return options.hosts[position]; }
  // -1: not in the group.
  int PositionOf(int host) const {
    const auto at = position_of.find(host);
    return at == position_of.end() ? -1 : at->second;
  }
  PlanRun* FindRun(std::uint32_t serial) {
    const auto at = runs.find(serial);
    return at == runs.end() ? nullptr : at->second.get();
  }

  absl::Status CheckStart(std::uint64_t sequence, const RankPlan* plan,
                          const CollectiveBuffer& buffer) const;
  absl::StatusOr<std::shared_ptr<const PlanTables>> TablesOf(
      const std::shared_ptr<const RankPlan>& plan);
  void Begin(PlanRun& run);
  void Receive(PlanRun& run, int position, std::uint32_t chunk,
               Payload payload);
  bool Apply(PlanRun& run, std::int32_t op, const Payload& payload);
  void Finish(PlanRun& run, std::int32_t op);
  void Pump(PlanRun& run, std::int32_t peer);
  void CheckLostPeers(PlanRun& run);
  void CompleteIfDone(PlanRun& run);
  void Fail(const absl::Status& why);
  void FailRun(const PlanRun& run, absl::StatusCode code,
               const std::string& what);
  void Settle();
  std::string WhatIsAwaited(const PlanRun& run, std::int32_t op) const;

  Transport& transport;
  const Clock& clock;
  const Options options;
  std::unordered_map<int, int> position_of;  // host -> position
  std::atomic<std::uint64_t> moved_frames{0};

  // By serial, which is the order of their start.
  std::map<std::uint32_t, std::unique_ptr<PlanRun>> runs;
  std::unordered_map<std::uint64_t, PlanRun*> by_sequence;
  std::unordered_map<std::uint64_t, std::vector<EarlyFrame>> mailbox;
  std::unordered_map<int, CreditQueue> credit;  // by position
  std::unordered_map<int, absl::Status> lost;   // by position
  std::unordered_map<const RankPlan*, CachedTables> tables;
  std::uint32_t next_serial = 0;
  SequenceSet used;
  absl::Status failure;
  std::vector<std::unique_ptr<PlanRun>> completed;  // until Settle
  std::vector<std::unique_ptr<PlanRun>> buried;     // failed, until the end
  std::vector<std::int32_t> ready;                  // scratch of Finish
};

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
  if (buffer.wire != buffer.type && !(buffer.type == ElementType::kFloat32 &&
                                      buffer.wire == ElementType::kBfloat16)) {
    return refuse(absl::StrCat(NameOf(buffer.type).data(),
                               " does not travel as ",
                               NameOf(buffer.wire).data()));
  }
  if (used.Contains(sequence)) return refuse("the sequence was used before");
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const PlanTables>> Executor::Impl::TablesOf(
    const std::shared_ptr<const RankPlan>& plan) {
  // An address may be used again after its plan died: the weak pointer tells.
  CachedTables& cached = tables[plan.get()];
  if (cached.plan.lock() == plan) return cached.tables;
  PODSIM_ASSIGN_OR_RETURN(PlanIndex index, IndexPlan(*plan));
  cached = {plan, std::make_shared<const PlanTables>(
                      PlanTables{std::move(index), FindRelays(*plan)})};
  std::shared_ptr<const PlanTables> result = cached.tables;
  if (tables.size() >= kSweepTablesAt) {
    std::erase_if(
        tables, [](const auto& entry) { return entry.second.plan.expired(); });
  }
  return result;
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
  const absl::Status taken = run.Take(op, payload, options.parallel);
  if (taken.ok()) return true;
  const PlanOp& what = run.plan->ops[op];
  FailRun(run, taken.code(),
          absl::StrCat("chunk ", what.chunk, " from host ", HostOf(what.peer),
                       " to host ", options.host,
                       " is damaged: ", taken.message()));
  return false;
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

void Executor::Impl::Pump(PlanRun& run, std::int32_t peer) {
  const int position = run.index().peers[peer].rank;
  CreditQueue& queue = credit[position];
  while (failure.ok()) {
    const std::int32_t op = run.progress.NextSend(peer);
    if (op < 0) return;
    if (queue.blocked) {
      if (!run.queued[peer]) queue.entries.push_back({run.serial, peer});
      run.queued[peer] = true;
      return;
    }
    const PlanOp& what = run.plan->ops[op];
    const Outgoing& out = run.PayloadOf(op);
    const FrameHeader header = {
        .from = options.host,
        .to = HostOf(position),
        .lane = options.lane,
        .key = {options.generation, options.group, run.sequence, what.chunk},
        .checksum = out.checksum};
    const std::uint64_t token = static_cast<std::uint64_t>(run.serial) << 32 |
                                static_cast<std::uint32_t>(op);
    const absl::StatusOr<SendResult> sent =
        transport.Send(header, out.bytes, token);
    if (!sent.ok()) {
      return FailRun(
          run, sent.status().code(),
          absl::StrCat("chunk ", what.chunk, " from host ", options.host,
                       " to host ", header.to, ": ", sent.status().message()));
    }
    if (*sent == SendResult::kNoCredit) {
      queue.blocked = true;
    } else {
      run.progress.BeginSend(peer);
    }
  }
}

void Executor::Impl::CheckLostPeers(PlanRun& run) {
  for (std::size_t peer = 0; peer < run.needs.size() && failure.ok(); ++peer) {
    const int position = run.index().peers[peer].rank;
    const auto gone = lost.find(position);
    if (gone == lost.end() || run.needs[peer] == 0) continue;
    std::int32_t awaited = 0;
    while (run.index().peer_of[awaited] != static_cast<std::int32_t>(peer) ||
           run.arrived[awaited] || run.progress.done(awaited)) {
      ++awaited;
    }
    Fail(BlameHost(
        absl::Status(
            gone->second.code(),
            absl::StrCat(WhatIsAwaited(run, awaited), " to host ", options.host,
                         ", and is gone: ", gone->second.message())),
        HostOf(position)));
  }
}

void Executor::Impl::CompleteIfDone(PlanRun& run) {
  if (!run.progress.complete()) return;
  by_sequence.erase(run.sequence);
  auto node = runs.extract(run.serial);
  completed.push_back(std::move(node.mapped()));
}

void Executor::Impl::Fail(const absl::Status& why) {
  if (failure.ok()) failure = why;
}

void Executor::Impl::FailRun(const PlanRun& run, absl::StatusCode code,
                             const std::string& what) {
  Fail(absl::Status(code, absl::StrCat(run.name(), ": ", what)));
}

void Executor::Impl::Settle() {
  std::vector<std::unique_ptr<PlanRun>> ended = std::exchange(completed, {});
  std::map<std::uint32_t, std::unique_ptr<PlanRun>> failed;
  const absl::Status why = failure;
  if (!why.ok()) {
    failed.swap(runs);
    by_sequence.clear();
    mailbox.clear();
    credit.clear();
    ready.clear();
    // Give the credit of kept frames back before anybody is told.
    for (auto& [serial, run] : failed) run->kept.clear();
  }
  for (const auto& run : ended) run->done(absl::OkStatus());
  for (auto& [serial, run] : failed) {
    run->done(why);
    // The transport may still read its scratch and rounded payloads.
    buried.push_back(std::move(run));
  }
}

std::string Executor::Impl::WhatIsAwaited(const PlanRun& run,
                                          std::int32_t op) const {
  const PlanOp& what = run.plan->ops[op];
  const char* missing = "has not sent";
  if (what.kind == OpKind::kSend) {
    const bool unsent = run.progress.NextSend(run.index().peer_of[op]) == op;
    missing = unsent ? "gives no credit for" : "has not taken";
  }
  return absl::StrCat("host ", HostOf(what.peer), " ", missing, " chunk ",
                      what.chunk, " of ", run.name());
}

Executor::Executor(Transport& transport, const Clock& clock, Options options)
    : impl_(std::make_unique<Impl>(transport, clock, std::move(options))) {
  transport.SetSink(impl_->options.host, this);
}

Executor::~Executor() {
  impl_->transport.SetSink(impl_->options.host, nullptr);
}

absl::Status Executor::Start(std::uint64_t sequence,
                             std::shared_ptr<const RankPlan> plan,
                             const CollectiveBuffer& buffer, std::string label,
                             DoneCallback done) {
  PODSIM_RETURN_IF_ERROR(impl_->CheckStart(sequence, plan.get(), buffer));
  PODSIM_ASSIGN_OR_RETURN(std::shared_ptr<const PlanTables> tables,
                          impl_->TablesOf(plan));
  auto run =
      std::make_unique<PlanRun>(std::move(plan), std::move(tables), buffer);
  run->serial = impl_->next_serial++;
  run->sequence = sequence;
  run->label = std::move(label);
  run->done = std::move(done);
  run->moved = impl_->clock.Now();
  PlanRun& started = *run;
  impl_->used.Add(sequence);
  impl_->by_sequence[sequence] = run.get();
  impl_->runs[run->serial] = std::move(run);
  impl_->Begin(started);
  impl_->Settle();
  return absl::OkStatus();
}

bool Executor::idle() const { return impl_->runs.empty(); }

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

void Executor::Abort(const absl::Status& why) {
  impl_->Fail(why);
  impl_->Settle();
}

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

void Executor::OnSendDone(std::uint64_t token) {
  PlanRun* run = impl_->FindRun(static_cast<std::uint32_t>(token >> 32));
  if (run == nullptr) return;  // it failed meanwhile
  const std::int32_t op = static_cast<std::int32_t>(token & 0xffffffffU);
  impl_->moved_frames.fetch_add(1, std::memory_order_relaxed);
  run->moved = impl_->clock.Now();
  --run->needs[run->index().peer_of[op]];
  run->ReturnPayload(op);
  impl_->Finish(*run, op);
  impl_->CompleteIfDone(*run);
  impl_->Settle();
}

void Executor::OnCredit(int peer) {
  const auto at = impl_->credit.find(impl_->PositionOf(peer));
  if (at == impl_->credit.end() || !at->second.blocked) return;
  at->second.blocked = false;
  const std::vector<CreditQueue::Entry> entries =
      std::exchange(at->second.entries, {});
  for (const CreditQueue::Entry& entry : entries) {
    PlanRun* run = impl_->FindRun(entry.serial);
    PODSIM_CHECK(run != nullptr);  // a run with unsent frames is not over
    run->queued[entry.peer] = false;
    impl_->Pump(*run, entry.peer);
  }
  impl_->Settle();
}

void Executor::OnPeerLost(int peer, const absl::Status& why) {
  const int position = impl_->PositionOf(peer);
  if (position < 0 || !impl_->failure.ok()) return;
  // A peer that is through with all running collectives may leave; only a
  // collective that still needs it fails, now or when it is started.
  impl_->lost.emplace(position, why);
  for (const auto& [serial, run] : impl_->runs) impl_->CheckLostPeers(*run);
  impl_->Settle();
}

void Executor::OnBadFrame(int peer, const absl::Status& why) {
  const std::string what =
      absl::StrCat("host ", impl_->options.host, " got a bad frame from host ",
                   peer, ": ", why.message());
  if (impl_->PositionOf(peer) < 0) {
    Log(LogLevel::kWarning, absl::StrCat(what, "; dropped"));
    return;
  }
  impl_->Fail(absl::DataLossError(what));
  impl_->Settle();
}

}  // namespace podsim
