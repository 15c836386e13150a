// The coordinator as a gRPC server: a thin shell around Membership. One thread
// owns the state machine; the network's threads only put messages into its
// queue, and it alone writes, so everything happens in one order.
//
//   PODSIM_ASSIGN_OR_RETURN(auto server, CoordinatorServer::Start({...}));
//   Print(server->address());
//   server->Begin(FindStart(...));
//   absl::Status outcome = server->Wait();
#ifndef PODSIM_RUNTIME_COORDINATOR_SERVICE_H_
#define PODSIM_RUNTIME_COORDINATOR_SERVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/rpc/security.h"
#include "proto/checkpoint.pb.h"
#include "proto/event.pb.h"
#include "proto/job.pb.h"
#include "runtime/coordinator/committer.h"
#include "runtime/coordinator/event_feed.h"
#include "runtime/coordinator/run_start.h"

namespace podsim {

// Thread-safe.
class CoordinatorServer {
 public:
  struct Options {
    // "unix:/path" (in a private directory) or "host:port"; port 0: any free.
    std::string listen;
    RpcSecurity security;
    // The plan for an ISA level. Called once with `isa`, this machine's level,
    // before anyone has joined, and once with the pod's common level.
    std::function<absl::StatusOr<JobPlan>(const std::string& isa)> make_plan;
    std::string isa;
    // Called from one thread, in order; must not block, or leases run out and
    // calls stay unanswered meanwhile. May be empty.
    std::function<void(const JobEvent&)> on_event;
    std::uint32_t generation = 1;
    // What is looked for meanwhile, until Begin: "checkpoints in a".
    std::string looking;
    // Makes a checkpoint of parts that lie on the store and then calls `done`,
    // from any thread but the caller's. Must not block. Empty: the job has
    // none.
    std::function<void(const CheckpointManifest&, CommitDone done)> commit;
    // Borrowed; must outlive the server.
    const Clock* clock = nullptr;
    // What readers of the job's events are given (proto/watch.proto): whoever
    // starts the server publishes there. Borrowed; must outlive the server,
    // which ends it. Null: nobody may watch.
    EventFeed* feed = nullptr;
    // Where what hosts bring of the trace is kept, by TracePartFile; empty:
    // they are asked for none.
    std::string trace_parts;
  };

  // Plans, listens and returns; hosts may join from now on, and wait for Begin.
  // Errors: what make_plan gives, FAILED_PRECONDITION (plain text beyond this
  //   machine), INVALID_ARGUMENT (address), UNAVAILABLE (cannot listen there).
  static absl::StatusOr<std::unique_ptr<CoordinatorServer>> Start(
      Options options);
  ~CoordinatorServer();  // ends a job that still runs, then joins
  CoordinatorServer(const CoordinatorServer&) = delete;
  CoordinatorServer& operator=(const CoordinatorServer&) = delete;

  // What hosts dial, with the port that was bound.
  const std::string& address() const;

  // The pod may form: where it begins. An error fails the job with it, as one
  // that cannot begin. Once.
  void Begin(absl::StatusOr<RunStart> start);

  // Before Begin: what is looked at answers, so that the hosts wait on.
  void GiveSignOfLife();

  // Fails the job with CANCELLED: `reason`, unless it has ended.
  void Stop(const std::string& reason);

  // Has the job finish its step, save if it does so at all, and end, once the
  // pod has formed; as Stop before, and where there are no steps.
  void Drain(const std::string& reason);

  // Blocks until the job has ended (Membership bounds every wait): OK if it is
  // done, else the first failure.
  absl::Status Wait();

  // After Wait: lets hosts that have not yet brought their part of the trace do
  // so, for `limit` at most, if they were asked for it and the pod has formed.
  // Blocks. Whether there was nothing to wait for any more.
  bool WaitForTrace(absl::Duration limit);

 private:
  struct Impl;
  explicit CoordinatorServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_SERVICE_H_
