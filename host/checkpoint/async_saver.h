// Saves a process's part of a checkpoint while training goes on: the pause is a
// copy in memory, the writing happens on a thread of its own.
//
//   AsyncSaver saver({.store = &store, .model_dir = dir, .stamp = stamp, ...});
//   PODSIM_RETURN_IF_ERROR(saver.Save(step, trainer.variables(),
//   /*last=*/false));
//   ... training ...
//   PODSIM_RETURN_IF_ERROR(saver.Wait());
//
// Thread-safe, but for Save, which one thread calls.
#ifndef PODSIM_HOST_CHECKPOINT_ASYNC_SAVER_H_
#define PODSIM_HOST_CHECKPOINT_ASYNC_SAVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/trace/tracer.h"
#include "host/storage/storage.h"
#include "models/graph/program.h"
#include "proto/coordinator.pb.h"

namespace podsim {

class AsyncSaver {
 public:
  struct Options {
    ObjectStore* store = nullptr;  // borrowed; must outlive the saver
    std::string model_dir;
    std::int64_t stamp = 0;  // of this generation of the pod; positive
    std::shared_ptr<const Program> program;
    std::vector<int> local_hosts;  // whose parts are written
    int hosts = 1;                 // of the slice
    bool resumed = false;          // the run began with a checkpoint
    // All parts of a step lie on the store (from the background thread), or it
    // is skipped (from Save).
    std::function<void(const CheckpointPart&)> on_written;
    // A sign of life, may be empty: for each file written (background thread),
    // and while Save or Wait wait for a write that is not overdue.
    std::function<void()> on_progress;
    // For how long the store that is being written to has been silent; empty:
    // it is waited for, however long it takes.
    std::function<absl::Duration()> silence;
    // Gets a span of each host's part, of the step that it was saved after if
    // that one is traced. nullptr: nothing is traced; else it outlives the
    // saver.
    Tracer* tracer = nullptr;
  };
  // Training waits for an earlier write no longer than until the store has been
  // silent for this time.
  static constexpr absl::Duration kPatience = absl::Seconds(3);

  explicit AsyncSaver(Options options);
  // Ends after the file that is being written; Wait first for the others.
  ~AsyncSaver();
  AsyncSaver(const AsyncSaver&) = delete;
  AsyncSaver& operator=(const AsyncSaver&) = delete;

  // Copies the local hosts' tensors (the pause) and writes them in the
  // background to PartsPath(store, model_dir, step, stamp). Waits first for an
  // earlier step that is still being written, as part of the pause; if the
  // store is silent meanwhile, this step is skipped, and on_written is told so
  // at once. The last one never is. Nothing is written of variables that are
  // not all finite. Errors: those of an earlier write, naming its step: a
  // checkpoint that
  //   failed fails the next one, and all after it; INVALID_ARGUMENT (a tensor
  //   that was not finite, naming it).
  absl::Status Save(std::int64_t step, std::span<const float> variables,
                    bool last);

  // Of the writes so far; cheap.
  absl::Status status() const;

  // Whether there is a checkpoint: the run began with one, or this process's
  // part of one has been written since.
  bool CanGoBack() const;

  // Until nothing is being written; then status().
  absl::Status Wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_ASYNC_SAVER_H_
