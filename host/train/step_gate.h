// Lets the coordinator choose a step that all processes can still agree on: it
// has them hold, learns the last step that each has begun, and names the
// greatest as the one after which to save or to end. Nobody is beyond it, as
// no step can be finished before all have begun it.
//
//   training thread:  for (...) { step; const Next next = gate.After(step); ...
//   } link's thread:    held.set_step(gate.Hold());  ...  gate.Go(step, end);
#ifndef PODSIM_HOST_TRAIN_STEP_GATE_H_
#define PODSIM_HOST_TRAIN_STEP_GATE_H_

#include <cstdint>
#include <set>

#include "base/mutex.h"

namespace podsim {

// Thread-safe.
class StepGate {
 public:
  // What follows a step.
  struct Next {
    bool save = false;  // a checkpoint is wanted after this step
    bool end = false;   // this step was the last
  };

  // `step` is done (or training begins after it); waits while held. Unless told
  // to end, the next step counts as begun from here on. Every Hold is followed
  // by Go, or by Open when the job ends.
  Next After(std::int64_t step);

  // No further After returns before Go. Returns the last step begun.
  std::int64_t Hold();
  // Steps up to `step` may be made; a checkpoint is due after it and, with
  // `end`, it is the last.
  void Go(std::int64_t step, bool end);
  // Nobody waits here any more: the job is being ended.
  void Open();

 private:
  Mutex mutex_;
  CondVar changed_;
  std::int64_t begun_ PODSIM_GUARDED_BY(mutex_) = 0;
  std::set<std::int64_t> save_after_ PODSIM_GUARDED_BY(mutex_);
  std::int64_t end_after_ PODSIM_GUARDED_BY(mutex_) = -1;
  bool held_ PODSIM_GUARDED_BY(mutex_) = false;
  bool open_ PODSIM_GUARDED_BY(mutex_) = false;
};

}  // namespace podsim

#endif  // PODSIM_HOST_TRAIN_STEP_GATE_H_
