#include "host/bench/collective_driver.h"

#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "host/core/core.h"

namespace podsim {
namespace {

constexpr absl::Duration kDriverPollWait = absl::Milliseconds(100);

ParallelRunner RunnerOf(ParallelFor* parallel) {
  if (parallel == nullptr) return nullptr;
  return [parallel](std::int64_t count, const auto& fn) {
    parallel->Run(count, fn);
  };
}

}  // namespace

CollectiveDriver::CollectiveDriver(Transport& transport, const Clock& clock,
                                   Progress& progress, Options options)
    : transport_(transport),
      clock_(clock),
      progress_(progress),
      options_(options) {
  std::vector<int> everyone(static_cast<std::size_t>(options.hosts));
  std::iota(everyone.begin(), everyone.end(), 0);
  const std::vector<int>& local_hosts = transport.local_hosts();
  const ParallelRunner parallel =
      RunnerOf(local_hosts.size() > 1 ? options.parallel : nullptr);
  for (const int host : local_hosts) {
    Host& local = hosts_.emplace_back();
    local.executor = std::make_unique<Executor>(
        transport, clock,
        Executor::Options{.host = host,
                          .generation = options.generation,
                          .hosts = everyone,
                          .parallel = parallel});
  }
}

absl::Status CollectiveDriver::Run(int rounds, const std::string& label,
                                   absl::Time deadline,
                                   CollectiveRounds& work) {
  finished_ = 0;
  moved_ = clock_.Now();
  const int hosts = static_cast<int>(hosts_.size());
  for (int local = 0; local < hosts; ++local) {
    hosts_[local].round = 0;
    ready_.push_back(local);
  }
  while (failure_.ok() && finished_ < hosts) {
    // A collective may be done as soon as it is started, so that more become
    // ready while these are advanced.
    while (failure_.ok() && !ready_.empty()) {
      const int local = ready_.back();
      ready_.pop_back();
      Advance(local, rounds, label, work);
    }
    if (failure_.ok() && finished_ < hosts) PollOnce(deadline);
  }
  return failure_;
}

// Ends the host's round, if it is in one, and begins the next.
void CollectiveDriver::Advance(int local, int rounds, const std::string& label,
                               CollectiveRounds& work) {
  Host& host = hosts_[local];
  if (host.round > 0) work.End(local, host.round - 1);
  if (host.round == rounds) {
    ++finished_;
    return;
  }
  starts_.clear();
  work.Begin(local, host.round++, starts_);
  host.open = static_cast<int>(starts_.size());
  if (starts_.empty()) ready_.push_back(local);
  for (const CollectiveStart& start : starts_) {
    const absl::Status started = host.executor->Start(
        host.next_sequence++, start.plan, start.buffer, label,
        [this, local](const absl::Status& status) { OnDone(local, status); });
    if (!started.ok()) return Fail(started);
  }
}

void CollectiveDriver::OnDone(int local, const absl::Status& status) {
  if (!status.ok()) return Fail(status);
  if (--hosts_[local].open == 0) ready_.push_back(local);
}

void CollectiveDriver::Fail(const absl::Status& why) {
  if (failure_.ok()) failure_ = why;
}

void CollectiveDriver::PollOnce(absl::Time deadline) {
  const int events = transport_.Poll(kDriverPollWait);
  std::uint64_t frames = 0;
  for (const Host& host : hosts_) frames += host.executor->progress();
  progress_.Count(frames - std::exchange(counted_, frames));
  if (aborted_.load(std::memory_order_acquire)) {
    MutexLock lock(mutex_);
    return Fail(abort_reason_);
  }
  if (events == 0) return CheckWait(deadline);
  if (published_) Publish({});  // it goes on
  if (deadline != absl::InfiniteFuture() && clock_.Now() >= deadline) {
    CheckWait(deadline);
  } else if (options_.stall_limit != absl::InfiniteDuration()) {
    moved_ = clock_.Now();
  }
}

void CollectiveDriver::CheckWait(absl::Time deadline) {
  Waiting waiting;
  for (const Host& host : hosts_) {
    if (host.executor->idle()) continue;
    waiting = host.executor->waiting();
    if (waiting.host >= 0) break;
  }
  const absl::Time now = clock_.Now();
  if (now >= deadline) {
    Fail(absl::DeadlineExceededError(
        absl::StrCat("--timeout has passed: ", waiting.what)));
  } else if (now - moved_ > options_.stall_limit) {
    Fail(absl::DeadlineExceededError(absl::StrCat(
        "no frame moved for ", absl::FormatDuration(options_.stall_limit), ": ",
        waiting.what)));
  }
  Publish(std::move(waiting));
}

void CollectiveDriver::Publish(Waiting waiting) {
  published_ = waiting.host >= 0;
  progress_.SetWaiting(waiting);
  MutexLock lock(mutex_);
  waiting_ = std::move(waiting);
}

void CollectiveDriver::Abort(const absl::Status& why) {
  {
    MutexLock lock(mutex_);
    if (abort_reason_.ok()) abort_reason_ = why;
  }
  aborted_.store(true, std::memory_order_release);
  transport_.Wake();
}

Waiting CollectiveDriver::waiting() const {
  MutexLock lock(mutex_);
  return waiting_;
}

}  // namespace podsim
