// Thin: all rules about what completes when are the streams' own.
#include "interconnect/transport/grpc/completion_loop.h"

#include <grpc/support/time.h>
#include <sched.h>

#include <algorithm>

namespace podsim {
namespace {

// How long to look before sleeping. On a machine with more processes than cores
// every look is followed by a yield, and what others do meanwhile is what is
// waited for (docs/performance.md).
constexpr std::chrono::microseconds kLookFor(200);

// How often to look at the queue where most things come another way: a look
// costs a system call or two, at 20 us a tenth of an all-reduce of 16 KiB.
// Where something came through the queue a short while ago, more is likely to.
constexpr std::chrono::microseconds kQueueEvery(200);
constexpr std::chrono::microseconds kBusyQueueEvery(20);
constexpr std::chrono::milliseconds kQueueIsBusyFor(10);

// Time that gRPC has to hand back what was cancelled; more is a bug.
constexpr absl::Duration kDrainLimit = absl::Seconds(30);

gpr_timespec ToGrpcTime(CompletionLoop::Time until) {
  const std::chrono::nanoseconds left =
      until - std::chrono::steady_clock::now();
  // gRPC counts in milliseconds and rounds up: "now" would wait for the next.
  if (left.count() <= 0) return gpr_inf_past(GPR_CLOCK_MONOTONIC);
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(left.count(), GPR_TIMESPAN));
}

}  // namespace

CompletionLoop::CompletionLoop(
    std::unique_ptr<grpc::ServerCompletionQueue> queue)
    : queue_(std::move(queue)), wake_([this](bool) {
        wake_set_.store(false, std::memory_order_release);
        woken_ = true;
      }) {}

CompletionLoop::~CompletionLoop() {
  queue_->Shutdown();
  const Time limit = After(kDrainLimit);
  while (RunOne(limit)) {
  }
  PODSIM_CHECK(!Passed(limit));
}

bool CompletionLoop::RunOne(Time until) {
  void* tag = nullptr;
  bool ok = false;
  if (queue_->AsyncNext(&tag, &ok, ToGrpcTime(until)) !=
      grpc::CompletionQueue::GOT_EVENT) {
    return false;
  }
  static_cast<Operation*>(tag)->End(ok);
  return true;
}

bool CompletionLoop::Glance(SideDoor& door) {
  const bool came = door.Look();
  const bool rarely = door.open();
  if (rarely && std::chrono::steady_clock::now() < queue_look_) return came;
  const bool ran = RunOne(Time());
  const Time now = std::chrono::steady_clock::now();
  if (ran) queue_ran_ = now;
  const bool busy = now - queue_ran_ < kQueueIsBusyFor;
  // Where there was one completion there may be more.
  queue_look_ =
      rarely && !ran ? now + (busy ? kBusyQueueEvery : kQueueEvery) : Time();
  return ran || came;
}

bool CompletionLoop::RunOneSoon(Time until, SideDoor& door) {
  const Time patience = std::min(until, last_ + kLookFor);
  bool ran = Glance(door);
  while (!ran && std::chrono::steady_clock::now() < patience) {
    sched_yield();
    ran = Glance(door);
  }
  if (!ran && !Passed(until)) {
    door.SetWaiting(true);
    ran = door.Look() || RunOne(until);
    door.SetWaiting(false);
  }
  if (ran) last_ = std::chrono::steady_clock::now();
  return ran;
}

void CompletionLoop::Wake() {
  if (wake_set_.exchange(true, std::memory_order_acq_rel)) return;
  MutexLock lock(mutex_);
  alarm_.Set(queue_.get(), gpr_inf_past(GPR_CLOCK_MONOTONIC), wake_.Begin());
}

CompletionLoop::Time CompletionLoop::After(absl::Duration wait) {
  return std::chrono::steady_clock::now() +
         absl::ToChronoNanoseconds(
             std::clamp(wait, absl::ZeroDuration(), absl::Minutes(1)));
}

bool CompletionLoop::Passed(Time until) {
  return std::chrono::steady_clock::now() >= until;
}

}  // namespace podsim
