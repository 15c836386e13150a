// How runs end: complete, or all of them with the first failure. Callbacks run
// last, in Settle, when the state is consistent again: `done` may start the
// next collective.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"
#include "interconnect/collectives/executor_impl.h"

namespace podsim {

void Executor::Impl::CompleteIfDone(PlanRun& run) {
  if (!run.progress.complete()) return;
  if (run.trace != nullptr) Trace(run);
  by_sequence.erase(run.sequence);
  auto node = runs.extract(run.serial);
  completed.push_back(std::move(node.mapped()));
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
  for (const auto& run : ended) {
    awaited = run->last_peer;
    run->done(absl::OkStatus());
  }
  for (auto& [serial, run] : failed) {
    run->done(why);
    // The transport may still read its scratch and rounded payloads.
    buried.push_back(std::move(run));
  }
}

void Executor::Impl::Leave() {
  auto lent = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  lent->push_back(options.memory);
  for (auto& [serial, run] : runs) lent->push_back(run->TakeLent());
  for (auto& run : buried) lent->push_back(run->TakeLent());
  transport.Leave(options.host, std::move(lent));
}

void Executor::Impl::Fail(const absl::Status& why) {
  if (failure.ok()) failure = why;
}

void Executor::Impl::FailRun(const PlanRun& run, absl::StatusCode code,
                             const std::string& what) {
  Fail(absl::Status(code, absl::StrCat(run.name(), ": ", what)));
}

void Executor::Abort(const absl::Status& why) {
  impl_->Fail(why);
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

}  // namespace podsim
