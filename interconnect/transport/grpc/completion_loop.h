// The completion queue of a process: runs what gRPC has completed, on the
// thread that asks for it, and can be woken from any other.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_GRPC_COMPLETION_LOOP_H_
#define PODSIM_INTERCONNECT_TRANSPORT_GRPC_COMPLETION_LOOP_H_

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/status.h"

namespace podsim {

// One kind of operation of an object: the tag that its completion carries. At
// most one of a kind is pending. Must outlive its completion.
class Operation {
 public:
  explicit Operation(std::function<void(bool ok)> done)
      : done_(std::move(done)) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // The tag for a call that starts now. REQUIRES: !pending().
  void* Begin() {
    PODSIM_CHECK(!std::exchange(pending_, true));
    return this;
  }
  // Called once with each completion.
  void End(bool ok) {
    pending_ = false;
    done_(ok);
  }
  bool pending() const { return pending_; }

 private:
  std::function<void(bool)> done_;
  bool pending_ = false;
};

// What comes to a process past its completion queue.
class SideDoor {
 public:
  virtual ~SideDoor() = default;
  // There is one: the queue, which asks the kernel, need not be looked at all
  // the time.
  virtual bool open() const = 0;
  // Takes in what has come; false if nothing has.
  virtual bool Look() = 0;
  // While waiting, what comes must also complete something in the queue.
  virtual void SetWaiting(bool waiting) = 0;
};

class CompletionLoop {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit CompletionLoop(std::unique_ptr<grpc::ServerCompletionQueue> queue);
  // Shuts the queue down and runs what is left. REQUIRES: the server is shut
  // down, and all calls have ended or are cancelled.
  ~CompletionLoop();

  grpc::ServerCompletionQueue& queue() { return *queue_; }

  // Runs the next completion; false if none came until then.
  bool RunOne(Time until);
  // The same, or lets in what is at the side door; but for a short while after
  // something has come it looks again and again, letting others run in between,
  // before it sleeps: to be woken from sleep takes longer than most answers.
  bool RunOneSoon(Time until, SideDoor& door);

  // Makes RunOne run something. Thread-safe.
  void Wake();
  // Whether Wake was called since the last question.
  bool TakeWake() { return std::exchange(woken_, false); }

  // `wait` from now, cut to a minute.
  static Time After(absl::Duration wait);
  static bool Passed(Time until);

 private:
  // Looks at both, at the queue only now and then if the other is open.
  bool Glance(SideDoor& door);

  const std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  Operation wake_;
  std::atomic<bool> wake_set_ = false;  // the alarm is on its way
  bool woken_ = false;
  Time last_;        // when something came last
  Time queue_look_;  // when to look at the queue next, if there is a side door
  Time queue_ran_;   // when something was there last
  Mutex mutex_;
  grpc::Alarm alarm_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_GRPC_COMPLETION_LOOP_H_
