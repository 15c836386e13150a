// Makes checkpoints of parts that lie on the store, on a thread of its own: the
// coordinator's loop never waits for a disk.
#ifndef PODSIM_RUNTIME_COORDINATOR_COMMITTER_H_
#define PODSIM_RUNTIME_COORDINATOR_COMMITTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/held_dir.h"
#include "proto/checkpoint.pb.h"
#include "proto/event.pb.h"

namespace podsim {

// What a commit came to: its directory and the bytes of its files.
using CommitDone = std::function<void(
    const absl::Status& status, const std::string& path, std::int64_t bytes)>;

// Thread-safe.
class Committer {
 public:
  struct Options {
    HeldDir held;  // the thread's alone from here on
    std::int64_t stamp = 0;
    int keep = 0;  // checkpoints; 0: all
    // Told of each checkpoint beyond `keep`, from the thread.
    OnPruned on_pruned = {};
    // Of every checkpoint: what the plan's Program holds.
    std::vector<CheckpointTensor> tensors = {};
  };

  explicit Committer(Options options);
  // Finishes what was asked for; a disk that hangs holds it up.
  ~Committer();
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  // Does not block. Adds the manifest's tensors, commits and calls `done` from
  // the thread.
  void Commit(const CheckpointManifest& manifest, CommitDone done);

  // What happens to the job, in order. Does not block. Once a step has been
  // made from a checkpoint, or the job has reached its end with it, that
  // training has not diverged, and what is beyond `keep` is deleted; until then
  // the one before it stays as well.
  void OnEvent(const JobEvent& event);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_COMMITTER_H_
