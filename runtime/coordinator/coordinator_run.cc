#include "runtime/coordinator/coordinator_run.h"

#include <chrono>
#include <stop_token>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"
#include "base/stop_wait.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/save.h"
#include "host/storage/directory_lock.h"
#include "host/storage/uri_store.h"
#include "job/plan_program.h"
#include "job/saving.h"

namespace podsim {
namespace {

SystemClock ClockFor(const CoordinatorSettings& settings) {
  return settings.has_wall_offset_ns()
             ? SystemClock(absl::Nanoseconds(settings.wall_offset_ns()))
             : SystemClock();
}

// Once a second to who waits for the start, while the store answers.
std::jthread SayAlive(CoordinatorRun& run) {
  return std::jthread([&run](const std::stop_token& stop) {
    std::int64_t seen = 0;
    while (WaitUnlessStopped(stop, std::chrono::seconds(1))) {
      if (const std::int64_t done = run.watch.done(); done != seen) {
        seen = done;
        run.server->GiveSignOfLife();
      }
    }
  });
}

// Gives signs of life, for machines that cannot see this process, until told
// to stop. Ends the job when one has taken the directory over.
void KeepHold(const std::stop_token& stop, JobHold& hold,
              CoordinatorServer& server) {
  do {
    const absl::Status kept = hold.Renew();
    if (absl::IsFailedPrecondition(kept)) {
      server.Stop(std::string(kept.message()));
      return;
    }
    // A store that does not answer for a while may have kept it.
    if (!kept.ok()) Log(LogLevel::kWarning, std::string(kept.message()));
  } while (WaitUnlessStopped(stop, absl::ToChronoNanoseconds(kLockRenewal)));
}

// So that no other job writes there, from before we look what is there.
absl::Status HoldModelDir(const CoordinatorSettings& settings,
                          CoordinatorRun& run) {
  if (!Saves(run.draft)) return absl::OkStatus();
  const std::string& dir = run.draft.spec().model_dir();
  HoldKey key{.lease = settings.model_dir_lease()};
  if (settings.has_model_dir_lock_fd())
    key.lock_fd = settings.model_dir_lock_fd();
  const bool held = key.lock_fd >= 0 || !key.lease.empty();
  auto hold = held ? JobHold::Join(*run.store, dir, key)
                   : JobHold::Acquire(*run.store, dir);
  if (!hold.ok()) return Annotate(hold.status(), "--model_dir");
  run.hold = *std::move(hold);
  run.keeper = std::jthread([&run](const std::stop_token& stop) {
    KeepHold(stop, *run.hold, *run.server);
  });
  PODSIM_ASSIGN_OR_RETURN(
      run.held,
      HeldDir::Open(*run.store, dir, [&run](const std::string& change) {
        return run.hold->Announce(change);
      }));
  PODSIM_RETURN_IF_ERROR(FinishChange(*run.held, run.hold->change()));
  return run.held->Announce("");
}

// Finds where training goes on, and makes the model_dir ready for it.
absl::StatusOr<RunStart> StartOf(CoordinatorRun& run) {
  PODSIM_ASSIGN_OR_RETURN(RunStart start,
                          FindStart(*run.store, run.spec, run.draft));
  run.stamp = absl::ToUnixNanos(run.clock.Now());
  start.stamp = run.stamp;
  if (!Saves(run.draft)) return start;
  PODSIM_RETURN_IF_ERROR(PrepareModelDir(*run.held, run.stamp, start));
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(run.draft));
  run.committer.emplace(Committer::Options{
      .held = *run.held,
      .stamp = run.stamp,
      .keep = run.draft.spec().keep(),
      .on_pruned =
          [&run](std::int64_t step, const absl::Status& status) {
            JobEvent event;
            event.set_wall_time(
                absl::ToDoubleSeconds(run.clock.Now() - absl::UnixEpoch()));
            event.mutable_deleted()->set_step(step);
            event.mutable_deleted()->set_error(std::string(status.message()));
            Tell(event, run);
          },
      .tensors = TensorsOf(program, run.draft.bits().hosts())});
  return start;
}

}  // namespace

CoordinatorRun::CoordinatorRun(const CoordinatorSettings& settings)
    : clock(ClockFor(settings)),
      events(settings.events_fd(), clock),
      feed({.generation = settings.generation()}),
      store(NewUriStore()) {}

void Tell(const JobEvent& event, CoordinatorRun& run) {
  // Whoever reads of it in a file finds it on the network, too.
  run.feed.Publish(event);
  run.events.Write(event);
}

std::string WhatIsLookedFor(const CoordinatorRun& run) {
  if (!run.spec.restore().empty())
    return absl::StrCat("the checkpoint ", run.spec.restore());
  const std::string& dir = run.draft.spec().model_dir();
  return dir.empty() ? "where the job begins"
                     : absl::StrCat("checkpoints in ", dir);
}

absl::StatusOr<RunStart> LookForStart(const CoordinatorSettings& settings,
                                      CoordinatorRun& run) {
  const std::jthread alive = SayAlive(run);
  PODSIM_RETURN_IF_ERROR(HoldModelDir(settings, run));
  absl::StatusOr<RunStart> start = StartOf(run);
  run.begun = true;
  return start;
}

}  // namespace podsim
