#include "runtime/coordinator/committer.h"

#include <chrono>
#include <deque>
#include <stop_token>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/save.h"
#include "models/zoo/zoo.h"

namespace podsim {
namespace {

constexpr std::chrono::milliseconds kWaitSlice(100);

absl::Status AddTensors(CheckpointManifest& manifest) {
  const PlanBits& bits = manifest.bits();
  PODSIM_ASSIGN_OR_RETURN(const Program program, BuildProgram(bits));
  for (CheckpointTensor& tensor : TensorsOf(program, bits.hosts())) {
    *manifest.add_tensors() = std::move(tensor);
  }
  return absl::OkStatus();
}

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
  void Handle(Request request) const;

  Options options;
  Mutex mutex;
  CondVar changed;
  std::deque<Request> requests PODSIM_GUARDED_BY(mutex);
  std::jthread thread;
};

void Committer::Impl::Handle(Request request) const {
  CheckpointManifest& manifest = request.manifest;
  absl::Status status = AddTensors(manifest);
  if (status.ok())
    status = CommitCheckpoint(*options.store, options.model_dir, options.stamp,
                              manifest);
  request.done(status, StepPath(options.model_dir, manifest.step()),
               BytesOf(manifest));
  if (!status.ok()) return;
  // The checkpoint is safe; too many of them are no reason to end a job.
  const absl::Status pruned =
      PruneCheckpoints(*options.store, options.model_dir, options.keep);
  if (!pruned.ok())
    Log(LogLevel::kWarning,
        absl::StrCat("cannot delete old checkpoints: ", pruned.message()));
}

void Committer::Impl::Loop(const std::stop_token& stop) {
  for (;;) {
    Request request;
    {
      MutexLock lock(mutex);
      while (requests.empty()) {
        if (stop.stop_requested()) return;
        changed.WaitFor(mutex, kWaitSlice);
      }
      request = std::move(requests.front());
      requests.pop_front();
    }
    Handle(std::move(request));
  }
}

Committer::Committer(Options options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
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

}  // namespace podsim
