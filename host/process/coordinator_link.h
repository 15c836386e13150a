// A host process's line to the coordinator: joins the pod, keeps the lease
// alive on a thread of its own, passes reports on, hears when to start and
// when to end.
//
//   auto link = CoordinatorLink::Open(options, join, progress, on_end);
//   auto assignment = link->WaitAssignment();
//   link->Ready(); link->WaitStart(); ... link->Finish(done);
#ifndef PODSIM_HOST_PROCESS_COORDINATOR_LINK_H_
#define PODSIM_HOST_PROCESS_COORDINATOR_LINK_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/rpc/security.h"
#include "base/trace/clock_offset.h"
#include "host/bench/bench_run.h"
#include "host/board/progress.h"
#include "host/train/step_gate.h"
#include "host/train/trainer.h"
#include "proto/coordinator.pb.h"

namespace podsim {

// Thread-safe. No grpc type shows.
class CoordinatorLink final : public ReportSink, public BenchSink {
 public:
  struct Options {
    std::string address;  // "unix:/..." or "host:port"
    RpcSecurity security;
    // How long Open, WaitAssignment and WaitStart may take, each.
    absl::Duration initialization_timeout = absl::Seconds(60);
    absl::Duration heartbeat_interval = absl::Milliseconds(250);
    // Borrowed; held and released as the coordinator says. nullptr: never.
    StepGate* gate = nullptr;
    // The coordinator has named the last step. From a thread of the link; may
    // be empty.
    std::function<void()> on_last_step;
    // By which round trips to the coordinator are timed; borrowed. nullptr: one
    // of the link's own.
    const Clock* clock = nullptr;
    // Called before each heartbeat, on the link's thread; may be empty.
    std::function<void()> before_heartbeat;
    // The coordinator has answered nothing for 7 s in which this process ran.
    // gRPC cannot take back what it may be writing, so every other call of the
    // link may hang from here on, its destructor too: all that is left is to
    // end the process. From a thread of the link. Empty: nobody watches.
    std::function<void(const absl::Status&)> on_silence;
  };

  // Connects (trying again until the timeout) and sends `join`. `progress` must
  // outlive the link. `on_end` is called at most once, from a thread of the
  // link, when the coordinator aborts the job or is lost; not after a normal
  // end.
  // Errors: DEADLINE_EXCEEDED (no coordinator), FAILED_PRECONDITION (plain text
  //   beyond this machine).
  static absl::StatusOr<std::unique_ptr<CoordinatorLink>> Open(
      Options options, const Join& join, const Progress& progress,
      std::function<void(const absl::Status&)> on_end);
  ~CoordinatorLink() override;

  // Errors of the waits: DEADLINE_EXCEEDED, UNAVAILABLE (coordinator lost),
  //   ABORTED (the job ended; the coordinator's reason). Of WaitAssignment
  //   also what the coordinator turned this host away with.
  absl::StatusOr<Assignment> WaitAssignment();
  // What the coordinator looks for meanwhile; empty: for nothing.
  std::string looking() const;
  void SendReady();
  absl::Status WaitStart();

  void OnStep(const StepReport& report) override;
  void OnEval(const EvalReport& report) override;
  void OnBench(const BenchReport& report) override;
  void OnCheckpoint(const CheckpointPart& part);
  void SendFailure(const Failure& failure);
  // The process was told to end; the coordinator decides how.
  void SendDrain(const std::string& reason);
  // Tells the coordinator of a fault before it strikes and waits until it has
  // heard. Errors: as of the waits.
  absl::Status AnnounceFault(int index, std::int64_t step);

  // What the coordinator's clock is ahead of Options::clock, as far as the
  // heartbeats that were answered tell.
  ClockOffset clock_offset() const;

  // Reports the end of the work and waits for the coordinator's Finish: as long
  // as other hosts take and the coordinator answers.
  absl::Status Finish(const Done& done);

 private:
  struct Impl;
  explicit CoordinatorLink(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_COORDINATOR_LINK_H_
