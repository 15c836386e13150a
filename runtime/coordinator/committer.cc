#include "runtime/coordinator/committer.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/mutex.h"
#include "host/checkpoint/layout.h"

namespace podsim {
namespace {

constexpr std::chrono::milliseconds kWaitSlice(100);

std::int64_t BytesOf(const CheckpointManifest& manifest) {
  std::int64_t bytes = 0;
  for (const CheckpointFile& file : manifest.files()) bytes += file.bytes();
  return bytes;
}

}  // namespace

struct Committer::Impl {
  struct Request {
    CheckpointManifest manifest;
    CommitDone done;
  };

  void Loop(const std::stop_token& stop);
  explicit Impl(Options opts) : options(std::move(opts)) {}
  absl::Status Commit(const Request& request);
  void Prune(std::int64_t upto);
  bool PruneIsDue() const PODSIM_REQUIRES(mutex) {
    return !unpruned.empty() && unpruned.front() <= proved;
  }

  Options options;
  Mutex mutex;
  CondVar changed;
  std::deque<Request> requests PODSIM_GUARDED_BY(mutex);
  // Steps committed since older ones were deleted; training has come safely
  // past `proved`.
  std::deque<std::int64_t> unpruned PODSIM_GUARDED_BY(mutex);
  std::int64_t proved PODSIM_GUARDED_BY(mutex) = 0;
  std::jthread thread;
};

absl::Status Committer::Impl::Commit(const Request& request) {
  CheckpointManifest manifest = request.manifest;
  manifest.mutable_tensors()->Add(options.tensors.begin(),
                                  options.tensors.end());
  const absl::Status status =
      CommitCheckpoint(options.held, options.stamp, manifest);
  request.done(status, StepPath(options.held.path(), manifest.step()),
               BytesOf(manifest));
  return status;
}

// The checkpoints are safe; too many of them are no reason to end a job.
void Committer::Impl::Prune(std::int64_t upto) {
  const absl::Status pruned =
      PruneCheckpoints(options.held, options.keep, upto, options.on_pruned);
  if (!pruned.ok())
    Log(LogLevel::kWarning,
        absl::StrCat("cannot delete old checkpoints: ", pruned.message()));
}

void Committer::Impl::Loop(const std::stop_token& stop) {
  for (;;) {
    std::optional<Request> request;
    std::int64_t upto = 0;
    {
      MutexLock lock(mutex);
      while (requests.empty() && !PruneIsDue()) {
        if (stop.stop_requested()) return;
        changed.WaitFor(mutex, kWaitSlice);
      }
      // Of a backlog of commits each would take longer, as the directory grows.
      if (PruneIsDue()) {
        upto = proved;
        while (PruneIsDue()) unpruned.pop_front();
      } else {
        request = std::move(requests.front());
        requests.pop_front();
      }
    }
    if (!request) {
      Prune(upto);
    } else if (Commit(*request).ok()) {
      MutexLock lock(mutex);
      unpruned.push_back(request->manifest.step());
    }
  }
}

Committer::Committer(Options options)
    : impl_(std::make_unique<Impl>(std::move(options))) {
  impl_->thread = std::jthread(
      [impl = impl_.get()](const std::stop_token& stop) { impl->Loop(stop); });
}

Committer::~Committer() {
  impl_->thread.request_stop();
  impl_->thread.join();
}

void Committer::Commit(const CheckpointManifest& manifest, CommitDone done) {
  MutexLock lock(impl_->mutex);
  impl_->requests.push_back({manifest, std::move(done)});
  impl_->changed.NotifyOne();
}

void Committer::OnEvent(const JobEvent& event) {
  std::int64_t proved = 0;
  // A step's loss is that of the weights before it.
  if (event.has_step()) proved = event.step().step() - 1;
  if (event.has_done() && !event.done().drained())
    proved = event.done().steps();
  if (proved <= 0) return;
  MutexLock lock(impl_->mutex);
  impl_->proved = std::max(impl_->proved, proved);
  if (impl_->PruneIsDue()) impl_->changed.NotifyOne();
}

}  // namespace podsim
