#include "host/process/prepare_work.h"

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "host/bench/bench_run.h"
#include "host/board/cpu_share.h"
#include "host/process/preparation.h"
#include "host/process/shape_links.h"
#include "host/storage/store_waits.h"
#include "job/placement.h"
#include "job/saving.h"

namespace podsim {
namespace {

absl::Status ConnectPeers(GrpcTransport& transport,
                          const Assignment& assignment) {
  const JobPlan& plan = assignment.plan();
  std::vector<IciProcess> pod;
  for (const PeerAddress& peer : assignment.peers()) {
    const HostRange hosts = HostsOf(plan, peer.process());
    pod.push_back({.process = peer.process(),
                   .address = peer.ici_address(),
                   .first_host = hosts.first,
                   .host_count = hosts.end - hosts.first});
  }
  return transport.Connect(
      pod, assignment.generation(),
      absl::Seconds(plan.spec().initialization_timeout()),
      /*share_memory=*/plan.spec().transport() == words::Transport::shm);
}

absl::Status Connect(const Assignment& assignment, HostRun& run) {
  run.progress.Enter(0, "connecting to the other hosts");
  const absl::Status connected = ConnectPeers(*run.transport, assignment);
  // Woken because the job has ended: that is the reason to give.
  PODSIM_RETURN_IF_ERROR(run.stop.why());
  return connected;
}

int ThreadsFor(int threads, const JobPlan& plan) {
  if (threads > 0) return threads;
  if (plan.spec().threads() > 0) return plan.spec().threads();
  return FairShare(AvailableCpus(), plan.spec().processes());
}

std::unique_ptr<AsyncSaver> MakeSaver(const Assignment& assignment,
                                      std::shared_ptr<const Program> program,
                                      HostRun& run) {
  const JobPlan& plan = assignment.plan();
  if (!Saves(plan)) return nullptr;
  return std::make_unique<AsyncSaver>(AsyncSaver::Options{
      .store = run.faulty_store != nullptr
                   ? static_cast<ObjectStore*>(run.faulty_store.get())
                   : run.store.get(),
      .model_dir = plan.spec().model_dir(),
      .stamp = assignment.stamp(),
      .program = std::move(program),
      .local_hosts = run.transport->local_hosts(),
      .hosts = plan.bits().hosts(),
      .resumed = !assignment.start().checkpoint().empty(),
      .on_written =
          [&run](const CheckpointPart& part) { run.link->OnCheckpoint(part); },
      .on_progress = [&run] { run.progress.Count(1); },
      .silence = [] { return ProcessStoreWaits().silence(); },
      .tracer = run.tracer ? &*run.tracer : nullptr});
}

// What the plan wants to go wrong in this process, and where.
void ArmFaults(const JobPlan& plan, Transport& transport, HostRun& run) {
  if (plan.faults().empty()) return;
  run.faulty_store = std::make_unique<FaultyStore>(run.store.get());
  FaultEffects effects = RealFaultEffects();
  effects.cut = [&run](int from, int to) { run.link_faults->Cut(from, to); };
  effects.delay = [&run](int from, int to, absl::Duration by) {
    run.link_faults->Delay(from, to, by);
  };
  effects.flip = [&run](int from, int to) {
    run.link_faults->FlipNext(from, to);
  };
  effects.fail_next_write = [&run](const absl::Status& status) {
    run.faulty_store->FailNextWrite(status);
  };
  run.faults.emplace(
      plan, transport.local_hosts(),
      [&run](int index, std::int64_t step) {
        return run.link->AnnounceFault(index, step);
      },
      std::move(effects));
}

absl::Status PrepareTraining(const Assignment& assignment, int threads,
                             HostRun& run) {
  const JobPlan& plan = assignment.plan();
  run.progress.Enter(0, "opening the data set");
  PODSIM_ASSIGN_OR_RETURN(auto dataset, OpenPlannedDataset(plan, *run.store));
  run.progress.Enter(0, "compiling the model");
  PODSIM_ASSIGN_OR_RETURN(auto program, PlannedProgram(plan));
  PODSIM_ASSIGN_OR_RETURN(const PodsimKernels* kernels,
                          LoadKernels(plan.bits().isa()));
  run.progress.Enter(0, "restoring");
  PODSIM_RETURN_IF_ERROR(CheckShared(*run.store, assignment));
  PODSIM_ASSIGN_OR_RETURN(StartState start,
                          Restore(*run.store, assignment.start(), *program));
  PODSIM_RETURN_IF_ERROR(Connect(assignment, run));
  Transport& transport =
      ShapeLinks(plan, *run.transport, run.clock, run.link_faults, run.links);
  ArmFaults(plan, transport, run);
  run.saver = MakeSaver(assignment, program, run);
  PODSIM_ASSIGN_OR_RETURN(
      auto trainer,
      Trainer::Create({.plan = plan,
                       .program = std::move(program),
                       .dataset = std::move(dataset),
                       .kernels = kernels,
                       .threads = ThreadsFor(threads, plan),
                       .start = std::move(start),
                       .last_step = assignment.start().last_step(),
                       .reducer = {.generation = assignment.generation()},
                       .transport = &transport,
                       .clock = &run.clock,
                       .progress = &run.progress,
                       .reports = run.link.get(),
                       .gate = &run.gate,
                       .saver = run.saver.get(),
                       .faults = run.faults ? &*run.faults : nullptr,
                       .tracer = run.tracer ? &*run.tracer : nullptr}));
  run.trainer = trainer.get();
  run.work = std::move(trainer);
  return absl::OkStatus();
}

absl::Status PrepareBench(const Assignment& assignment, int threads,
                          HostRun& run) {
  PODSIM_RETURN_IF_ERROR(Connect(assignment, run));
  PODSIM_ASSIGN_OR_RETURN(
      run.work,
      BenchRun::Create({.plan = assignment.plan(),
                        .generation = assignment.generation(),
                        .threads = ThreadsFor(threads, assignment.plan()),
                        .transport = run.transport.get(),
                        .clock = &run.clock,
                        .progress = &run.progress,
                        .reports = run.link.get()}));
  return absl::OkStatus();
}

}  // namespace

absl::Status PrepareWork(const Assignment& assignment, int threads,
                         HostRun& run) {
  return assignment.plan().spec().has_bench()
             ? PrepareBench(assignment, threads, run)
             : PrepareTraining(assignment, threads, run);
}

}  // namespace podsim
