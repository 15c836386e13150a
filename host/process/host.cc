#include "host/process/host.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/build.h"
#include "base/log.h"
#include "base/status.h"
#include "host/process/coordinator_address.h"
#include "host/process/host_messages.h"
#include "host/process/host_run.h"
#include "host/process/life_log.h"
#include "host/process/preparation.h"
#include "host/process/prepare_work.h"
#include "host/process/send_trace_part.h"
#include "host/process/trace_part.h"
#include "host/storage/distant_places.h"
#include "host/storage/store_waits.h"
#include "job/placement.h"
#include "job/saving.h"
#include "job/traced_steps.h"

namespace podsim {
namespace {

// Between two lines of the log about what the host is at.
constexpr absl::Duration kLifeInterval = absl::Seconds(5);
// Before the first line about a coordinator that does not answer; one that
// starts beside the host is there by then.
constexpr absl::Duration kFirstWord = absl::Seconds(1);
constexpr absl::Duration kLongestCall = absl::Seconds(60);
// Beyond what a store may take to try again (host/storage/gcs/retry.h).
constexpr absl::Duration kLongestStoreWait = absl::Minutes(3);

void Tell(const std::string& line) { Log(LogLevel::kInfo, line); }

Join MakeJoin(const HostOptions& options, const std::string& ici_address,
              const std::string& isa) {
  Join join;
  join.set_protocol_version(kProtocolVersion);
  join.set_build_id(BuildId());
  join.set_process(options.settings.process());
  join.set_pid(getpid());
  join.set_hostname(HostName());
  join.set_ici_address(ici_address);
  join.set_isa(isa);
  join.set_accelerator_type(options.accelerator_type);
  return join;
}

// Nothing comes before the pod has formed, which takes as long as its last
// host does.
absl::StatusOr<Assignment> AwaitAssignment(const HostOptions& options,
                                           HostRun& run) {
  const WaitLog log(
      {.what = absl::StrCat("still waiting for the pod to form, at ",
                            options.settings.coordinator()),
       .why = [&run]() -> std::string {
         const std::string what = run.link->looking();
         if (what.empty()) return "";
         return absl::StrCat("the coordinator looks for ", what);
       }},
      kFirstWord, kLifeInterval, Tell);
  return run.link->WaitAssignment();
}

// Puts the store as far away as the plan says, and watches it.
void MoveStore(const JobPlan& plan, int process, HostRun& run) {
  if (plan.spec().simulate_geography()) {
    const HostRange here = HostsOf(plan, process);
    run.store =
        NewDistantStore(std::move(run.store),
                        DistantPlacesOf(plan.geography(), plan.bits().hosts(),
                                        here.end - here.first));
  }
  run.store = WatchStore(std::move(run.store), &run.store_watch);
}

// Who waits for its store is at work: that ends by itself.
void CountStoreWait(HostRun& run) {
  const absl::Duration wait = run.store_watch.longest_wait(absl::Now());
  if (wait > absl::ZeroDuration() && wait < kLongestStoreWait)
    run.progress.Count(1);
}

// A phase of its own: the coordinator takes it for no step, and no hang. A job
// is done without its trace, too.
void WriteTrace(const HostOptions& options, const Assignment& assignment,
                HostRun& run) {
  const Progress::Snapshot before = run.progress.snapshot();
  run.progress.Enter(before.step, kWritingTrace);
  const TracePart part =
      TracePartOf(assignment.plan(),
                  {.process = options.settings.process(),
                   .generation = assignment.generation()},
                  run.link->clock_offset(), run.tracer->Take());
  const auto on_progress = [&run] { run.progress.Count(1); };
  const absl::Status written =
      !options.settings.trace_part().empty()
          ? WriteTracePart(options.settings.trace_part(), part, on_progress)
          : SendTracePart(options.settings.coordinator(), run.security, part,
                          on_progress);
  run.progress.Enter(before.step, before.phase);
  if (!written.ok())
    Log(LogLevel::kWarning,
        absl::StrCat("no part of the trace: ", written.message()));
}

// If the job is traced, and whoever started this process wants its part, or the
// coordinator does.
void BeginTrace(const HostOptions& options, const Assignment& assignment,
                HostRun& run) {
  if (options.settings.trace_part().empty() && !assignment.keeps_trace())
    return;
  const StepRange steps =
      TracedSteps(assignment.plan().spec(), assignment.start().step(),
                  assignment.start().last_step());
  if (steps.empty()) return;
  run.tracer.emplace(run.clock, Tracer::Options{.first_step = steps.first,
                                                .last_step = steps.last});
  run.write_trace = [&options, assignment, &run] {
    WriteTrace(options, assignment, run);
  };
}

// Once. Whoever has failed says so first.
void EndTrace(HostRun& run) {
  if (const auto write = std::exchange(run.write_trace, nullptr)) write();
}

absl::Status RunJob(const HostOptions& options, HostRun& run) {
  PODSIM_ASSIGN_OR_RETURN(Assignment assignment, AwaitAssignment(options, run));
  // Whom it turns away it never assigns anything; before, nobody can tell.
  run.joined = true;
  Tell(absl::StrCat("joined as process ", options.settings.process()));
  run.drains = MakesSteps(assignment.plan());
  Tell(absl::StrCat(
      "plan ", assignment.plan().hash(), ": plays ",
      DescribeHosts(HostsOf(assignment.plan(), options.settings.process())),
      " of ", assignment.plan().bits().hosts(), " of ",
      assignment.plan().bits().slice(), ", isa ",
      assignment.plan().bits().isa(), ", generation ",
      assignment.generation()));
  MoveStore(assignment.plan(), options.settings.process(), run);
  BeginTrace(options, assignment, run);
  const LifeLog life(run.progress, kLifeInterval, Tell);
  PODSIM_RETURN_IF_ERROR(
      PrepareWork(assignment, options.settings.threads(), run));
  run.stop.Attach(run.work.get());
  run.progress.Enter(0, "waiting for the other hosts");
  run.link->SendReady();
  PODSIM_RETURN_IF_ERROR(run.link->WaitStart());
  Tell("all hosts are ready: the work begins");
  PODSIM_RETURN_IF_ERROR(run.work->Run());
  EndTrace(run);
  Done done;
  if (run.trainer != nullptr) done.set_weights_hash(run.trainer->WeightsHash());
  return run.link->Finish(done);
}

// There is nobody left to tell, and nothing that could still be saved: the
// coordinator is who makes checkpoints of what the hosts write.
[[noreturn]] void EndAtOnce(const absl::Status& why) {
  Log(LogLevel::kError, std::string(why.message()));
  _exit(1);
}

void ReportFailure(const absl::Status& status, const HostOptions& options,
                   HostRun& run) {
  if (absl::IsAborted(status)) return;  // the coordinator knows
  FailureScene scene = {
      .host = options.settings.process(),
      .at = run.progress.snapshot(),
      .awaited = run.work == nullptr ? -1 : run.work->waiting().host,
      .disk_failed = run.saver != nullptr && !run.saver->status().ok()};
  if (run.transport != nullptr && !run.transport->local_hosts().empty())
    scene.host = run.transport->local_hosts().front();
  run.link->SendFailure(FailureOf(status, scene));
}

absl::Status CallCoordinator(const HostOptions& options, const Join& join,
                             HostRun& run) {
  const std::string& address = options.settings.coordinator();
  Tell(absl::StrCat("calls the coordinator at ", address, " as process ",
                    join.process(), ", pid ", join.pid(), ", frames at ",
                    join.ici_address()));
  const WaitLog log({.what = absl::StrCat("still calling ", address),
                     .most = kLongestCall,
                     .why = [address] { return WhyNoAnswer(address); }},
                    kFirstWord, kLifeInterval, Tell);
  PODSIM_ASSIGN_OR_RETURN(
      run.link, CoordinatorLink::Open(
                    {.address = address,
                     .security = run.security,
                     .initialization_timeout = kLongestCall,
                     .gate = &run.gate,
                     .on_last_step =
                         [] {
                           ProcessStoreWaits().Hurry(kSavingPatience,
                                                     "the job is to end");
                         },
                     .clock = &run.clock,
                     .before_heartbeat = [&run] { CountStoreWait(run); },
                     .on_silence = EndAtOnce},
                    join, run.progress, [&run](const absl::Status& why) {
                      ProcessStoreWaits().Hurry(kEndingPatience,
                                                "the job has ended");
                      run.stop.Stop(why);
                    }));
  return absl::OkStatus();
}

}  // namespace

absl::Status RunHost(const HostOptions& options, const std::string& token,
                     const std::string& worker_hostnames, SignalWatch& watch) {
  // May try an instruction in a forked child, so before any gRPC call.
  PODSIM_ASSIGN_OR_RETURN(const std::string isa, BestIsa());
  HostRun run;
  run.security = {
      .token = token,
      .allow_plaintext_network = options.settings.allow_plaintext_network()};
  PODSIM_ASSIGN_OR_RETURN(
      run.transport,
      GrpcTransport::Start({.process = options.settings.process(),
                            .address = options.settings.ici_listen(),
                            .security = run.security}));
  run.stop.Attach(run.transport.get());
  const Join join =
      MakeJoin(options,
               AdvertisedAddress(options.settings, run.transport->address(),
                                 worker_hostnames),
               isa);
  PODSIM_RETURN_IF_ERROR(CallCoordinator(options, join, run));
  watch.Handle([&run, told = false](int signal) mutable {
    if (!run.drains || std::exchange(told, true)) return false;
    run.link->SendDrain(signal == SIGTERM ? "SIGTERM" : "SIGUSR1");
    return true;
  });
  const absl::Status status = RunJob(options, run);
  watch.Handle({});
  if (run.joined)
    Tell(status.ok() ? std::string("left: the job is done")
                     : absl::StrCat("left: ", status.message()));
  if (!status.ok()) ReportFailure(status, options, run);
  EndTrace(run);
  run.stop.Attach(static_cast<HostWork*>(nullptr));
  return status;
}

}  // namespace podsim
