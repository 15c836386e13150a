// Runs collectives on all the local hosts of a process, round after round, each
// host at its own pace, on the calling thread: the thread that starts a
// collective also polls the transport, so no hand-off costs latency.
//
//   CollectiveDriver driver(transport, clock, progress, {.hosts = 4});
//   PODSIM_RETURN_IF_ERROR(driver.Run(20, rounds));
#ifndef PODSIM_HOST_BENCH_COLLECTIVE_DRIVER_H_
#define PODSIM_HOST_BENCH_COLLECTIVE_DRIVER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "host/board/progress.h"
#include "interconnect/collectives/executor.h"
#include "interconnect/transport/endpoint.h"

namespace podsim {

class ParallelFor;

// A collective to start; the buffer stays valid until Run returns.
struct CollectiveStart {
  std::shared_ptr<const RankPlan> plan;
  CollectiveBuffer buffer;
};

// What the local hosts do. `local` is the host's place among the local ones.
class CollectiveRounds {
 public:
  virtual ~CollectiveRounds() = default;
  // Appends the collectives that the host starts now, at once. Every host of
  // the pod starts as many in every round, in the same order.
  virtual void Begin(int local, int round,
                     std::vector<CollectiveStart>& starts) = 0;
  // All of them are done.
  virtual void End(int local, int round) = 0;
};

class CollectiveDriver {
 public:
  struct Options {
    int hosts = 1;  // of the pod
    std::uint32_t generation = 1;
    // A wait in which no frame moves for this long fails. Infinite where a
    // coordinator judges leases and aborts.
    absl::Duration stall_limit = absl::InfiniteDuration();
    // Borrowed; must outlive the driver. Shares large sums and copies among
    // threads, from within Run, if there are several local hosts: they take
    // turns on the thread that polls. nullptr: that thread does all.
    ParallelFor* parallel = nullptr;
  };

  // `transport`, `clock` and `progress` must outlive this object.
  CollectiveDriver(Transport& transport, const Clock& clock, Progress& progress,
                   Options options);

  // `rounds` rounds on every local host. `label` names the collectives in
  // messages. After an error the driver must die before the buffers do.
  // Errors: what the executors latched, the reason given to Abort,
  //   DEADLINE_EXCEEDED (`deadline` passed, stall_limit) saying what was waited
  //   for.
  absl::Status Run(int rounds, const std::string& label, absl::Time deadline,
                   CollectiveRounds& work);

  // Makes Run, or the next one, fail with `why`. Thread-safe.
  void Abort(const absl::Status& why);

  // What was waited for when nothing moved last. Thread-safe.
  Waiting waiting() const;

 private:
  struct Host {
    std::unique_ptr<Executor> executor;
    std::uint64_t next_sequence = 0;
    int round = 0;  // begun
    int open = 0;   // collectives of it that are not done
  };

  void Advance(int local, int rounds, const std::string& label,
               CollectiveRounds& work);
  void OnDone(int local, const absl::Status& status);
  void Fail(const absl::Status& why);
  void PollOnce(absl::Time deadline);
  void CheckWait(absl::Time deadline);
  void Publish(Waiting waiting);

  Transport& transport_;
  const Clock& clock_;
  Progress& progress_;
  const Options options_;
  std::vector<Host> hosts_;
  std::vector<int> ready_;  // local hosts that may go on
  int finished_ = 0;        // local hosts that are through with all rounds
  absl::Status failure_;
  std::vector<CollectiveStart> starts_;  // scratch of Advance
  std::uint64_t counted_ = 0;            // frames told to progress_
  absl::Time moved_;                     // when a frame did last
  bool published_ = false;               // the lease says who is waited for

  std::atomic<bool> aborted_{false};
  mutable Mutex mutex_;
  absl::Status abort_reason_ PODSIM_GUARDED_BY(mutex_);
  Waiting waiting_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim

#endif  // PODSIM_HOST_BENCH_COLLECTIVE_DRIVER_H_
