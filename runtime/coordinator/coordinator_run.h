// What a coordinator's process holds as long as its job, and its look for where
// the job begins: it listens before, so that hosts may come meanwhile.
//
//   CoordinatorRun run(settings);
//   ... run.spec, run.draft, run.store, run.server ...
//   run.server->Begin(LookForStart(settings, run));
#ifndef PODSIM_RUNTIME_COORDINATOR_COORDINATOR_RUN_H_
#define PODSIM_RUNTIME_COORDINATOR_COORDINATOR_RUN_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "host/checkpoint/held_dir.h"
#include "host/storage/job_hold.h"
#include "host/storage/storage.h"
#include "host/storage/watched_store.h"
#include "proto/event.pb.h"
#include "proto/job.pb.h"
#include "proto/programs.pb.h"
#include "runtime/coordinator/committer.h"
#include "runtime/coordinator/event_feed.h"
#include "runtime/coordinator/event_writer.h"
#include "runtime/coordinator/job_monitor.h"
#include "runtime/coordinator/run_start.h"
#include "runtime/coordinator/service.h"

namespace podsim {

// Threads that use the server end before it does.
struct CoordinatorRun {
  explicit CoordinatorRun(const CoordinatorSettings& settings);

  const SystemClock clock;
  EventWriter events;
  EventFeed feed;  // the same, for readers over the network
  StoreWatch watch;
  std::unique_ptr<ObjectStore> store;
  JobSpec spec;
  JobPlan draft;
  std::unique_ptr<JobHold> hold;  // of the model_dir
  std::int64_t stamp = 0;         // of what this process writes there
  std::optional<HeldDir> held;    // with the record, as the start left it
  std::optional<Committer> committer;
  std::atomic<bool> begun = false;    // the committer stands, if there is one
  std::atomic<bool> skipped = false;  // a checkpoint that some wrote a part of
  std::unique_ptr<JobMonitor> monitor;  // reads `feed`
  std::unique_ptr<CoordinatorServer> server;
  std::jthread keeper;  // of the hold
};

// Writes and publishes what happens to the job. Does not block. Thread-safe.
void Tell(const JobEvent& event, CoordinatorRun& run);

// What LookForStart looks for: "checkpoints in runs/a".
std::string WhatIsLookedFor(const CoordinatorRun& run);

// Holds the model_dir, finds where training goes on, and makes the model_dir
// ready for it. Tells the server's hosts meanwhile that the store answers, and
// keeps the hold from then on. Blocks. REQUIRES: run.server.
// Errors: those of JobHold, HeldDir, FindStart and PrepareModelDir.
absl::StatusOr<RunStart> LookForStart(const CoordinatorSettings& settings,
                                      CoordinatorRun& run);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_COORDINATOR_RUN_H_
