// The all-reduces of a process: one executor per local host, driven by one
// thread that polls the transport, so that buckets travel while the cores
// compute.
//
//   Reducer reducer(transport, clock, plan, progress);
//   reducer.Start(local, bucket, sequence, gradients);   // does not block
//   PODSIM_ASSIGN_OR_RETURN(absl::Time reduced, reducer.Wait(bucket));
#ifndef PODSIM_HOST_TRAIN_REDUCER_H_
#define PODSIM_HOST_TRAIN_REDUCER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/trace/tracer.h"
#include "host/board/progress.h"
#include "interconnect/collectives/executor.h"
#include "interconnect/transport/endpoint.h"
#include "proto/job.pb.h"

namespace podsim {

class Reducer {
 public:
  struct Options {
    std::uint32_t generation = 1;
    // A wait in which no frame moves for this long fails. Infinite where a
    // coordinator judges leases and aborts.
    absl::Duration stall_limit = absl::InfiniteDuration();
    // Owns the shares that Start is given; lives as long as another host of
    // this process reads them. Null: the caller sees to it.
    std::shared_ptr<const void> memory = nullptr;
    Tracer* tracer = nullptr;  // as Executor::Options
  };

  // `transport`, `clock` and `progress` must outlive this object; from here on
  // the transport belongs to its thread.
  Reducer(Transport& transport, const Clock& clock, const JobPlan& plan,
          Progress& progress, Options options);
  ~Reducer();  // joins

  // Starts the all-reduce of `bucket` (or, counted on behind the buckets, of an
  // exchange) for local host number `local` on its share `gradients` (all its
  // elements), which stays borrowed until Wait returns. Every host of the pod
  // starts the same sequences. Thread-safe.
  void Start(int local, int bucket, std::uint64_t sequence,
             std::span<float> gradients);

  // Waits until `bucket` is reduced for every local host that started it, and
  // says since when it is, which may be long before the call.
  // Errors: what the executors latched, the reason given to Abort,
  //   DEADLINE_EXCEEDED (stall_limit) saying what was waited for, or
  //   INVALID_ARGUMENT (the plan names no algorithm that fits its hosts).
  absl::StatusOr<absl::Time> Wait(int bucket);

  // After Wait: the host that came last in it, as Executor::awaited says of
  // the local host that was done last; -1: none. Thread-safe.
  int awaited(int bucket) const;

  // Fails what is in flight and every later Wait. Thread-safe.
  void Abort(const absl::Status& why);

  // What the executors wait for now. Thread-safe.
  Waiting waiting() const;

 private:
  using Command = std::function<void()>;
  // How the elements of a collective travel and what is made of them.
  struct Rule {
    ElementType wire = ElementType::kFloat32;
    ReductionOp op = ReductionOp::kSum;
    Lane lane = Lane::kBulk;  // a pass waits for exchanges
  };
  // Fills rank_plans_, labels_ and rules_.
  absl::Status PlanBuckets(const JobPlan& plan);
  void Loop(const std::stop_token& stop);
  void Post(Command command);
  void RunCommands();
  void PublishWaiting();
  void OnDone(int local, int bucket, const absl::Status& status);

  Transport& transport_;
  const Clock& clock_;
  Progress& progress_;
  const Options options_;
  // Of each bucket, and of each exchange behind them: constant after
  // construction. The plans by local host.
  std::vector<std::vector<std::shared_ptr<const RankPlan>>> rank_plans_;
  std::vector<std::string> labels_;
  std::vector<Rule> rules_;
  // The polling thread's.
  std::vector<std::unique_ptr<Executor>> executors_;
  std::uint64_t counted_ = 0;

  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<Command> commands_ PODSIM_GUARDED_BY(mutex_);
  // Per bucket: all-reduces that run, and when the last one ended.
  std::vector<int> running_ PODSIM_GUARDED_BY(mutex_);
  std::vector<absl::Time> reduced_ PODSIM_GUARDED_BY(mutex_);
  std::vector<int> awaited_ PODSIM_GUARDED_BY(mutex_);
  absl::Status failure_ PODSIM_GUARDED_BY(mutex_);
  Waiting waiting_ PODSIM_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: starts when all else stands
};

}  // namespace podsim

#endif  // PODSIM_HOST_TRAIN_REDUCER_H_
