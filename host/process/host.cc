#include "host/process/host.h"

#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/build.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/bench/bench_run.h"
#include "host/board/cpu_share.h"
#include "host/checkpoint/async_saver.h"
#include "host/process/coordinator_link.h"
#include "host/process/life_log.h"
#include "host/process/preparation.h"
#include "host/storage/faulty_store.h"
#include "host/storage/uri_store.h"
#include "host/train/fault_injector.h"
#include "host/train/step_gate.h"
#include "host/train/trainer.h"
#include "interconnect/topology/accelerator_type.h"
#include "interconnect/transport/faults/link_faults.h"
#include "interconnect/transport/faults/shaped_links.h"
#include "interconnect/transport/grpc/grpc_transport.h"
#include "job/placement.h"
#include "job/saving.h"

namespace podsim {
namespace {

// Between two lines of the log about what the host is at.
constexpr absl::Duration kLifeInterval = absl::Seconds(5);

void Tell(const std::string& line) { Log(LogLevel::kInfo, line); }

// The reason to stop, if there is one, for whoever waits: the transport while
// the pod forms, then the work. Thread-safe.
class StopSwitch {
 public:
  void Stop(const absl::Status& why) {
    MutexLock lock(mutex_);
    if (why_.ok()) why_ = why;
    if (transport_ != nullptr) transport_->Wake();
    if (work_ != nullptr) work_->Abort(why_);
  }
  absl::Status why() const {
    MutexLock lock(mutex_);
    return why_;
  }
  // Must outlive every call of Stop.
  void Attach(Transport* transport) {
    MutexLock lock(mutex_);
    transport_ = transport;
  }
  // `work` must outlive this object or be replaced by nullptr.
  void Attach(HostWork* work) {
    MutexLock lock(mutex_);
    work_ = work;
    if (work_ != nullptr && !why_.ok()) work_->Abort(why_);
  }

 private:
  mutable Mutex mutex_;
  Transport* transport_ PODSIM_GUARDED_BY(mutex_) = nullptr;
  HostWork* work_ PODSIM_GUARDED_BY(mutex_) = nullptr;
  absl::Status why_ PODSIM_GUARDED_BY(mutex_);
};

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
  return join;
}

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
  return transport.Connect(pod, assignment.generation(),
                           absl::Seconds(plan.initialization_timeout()),
                           /*share_memory=*/plan.transport() == "shm");
}

// Everything that lives while the job runs; destroyed in reverse order.
struct Job {
  SystemClock clock;
  StopSwitch stop;
  std::unique_ptr<GrpcTransport> transport;
  // Over it, if the plan has faults, or lines that take a latency.
  std::optional<LinkFaults> link_faults;
  std::optional<ShapedLinks> links;
  Progress progress;
  StepGate gate;
  std::unique_ptr<ObjectStore> store = NewUriStore();
  std::unique_ptr<FaultyStore> faulty_store;  // over it, likewise
  std::unique_ptr<CoordinatorLink> link;
  std::optional<FaultInjector> faults;
  std::unique_ptr<AsyncSaver> saver;
  Trainer* trainer = nullptr;  // the work, if it is training
  std::unique_ptr<HostWork> work;
  // Set once a pod can be drained: it has formed, and makes steps.
  std::atomic<bool> drains{false};
};

absl::Status Connect(const Assignment& assignment, Job& job) {
  job.progress.Enter(0, "connecting to the other hosts");
  const absl::Status connected = ConnectPeers(*job.transport, assignment);
  // Woken because the job has ended: that is the reason to give.
  PODSIM_RETURN_IF_ERROR(job.stop.why());
  return connected;
}

// Of a process, the one that polls among them.
int ThreadsFor(const HostOptions& options, const JobPlan& plan) {
  if (options.settings.threads() > 0) return options.settings.threads();
  if (plan.threads() > 0) return plan.threads();
  return FairShare(AvailableCpus(), plan.processes());
}

std::unique_ptr<AsyncSaver> MakeSaver(const Assignment& assignment,
                                      std::shared_ptr<const Program> program,
                                      Job& job) {
  const JobPlan& plan = assignment.plan();
  if (plan.model_dir().empty() || plan.mode() == "eval") return nullptr;
  return std::make_unique<AsyncSaver>(AsyncSaver::Options{
      .store = job.faulty_store != nullptr
                   ? static_cast<ObjectStore*>(job.faulty_store.get())
                   : job.store.get(),
      .model_dir = plan.model_dir(),
      .stamp = assignment.stamp(),
      .program = std::move(program),
      .local_hosts = job.transport->local_hosts(),
      .hosts = plan.bits().hosts(),
      .on_written =
          [&job](const CheckpointPart& part) { job.link->OnCheckpoint(part); },
      .on_progress = [&job] { job.progress.Count(1); }});
}

// The lines as the plan wants them.
Transport& ShapeLinks(const JobPlan& plan, Transport& transport, Job& job) {
  if (plan.faults().empty() && plan.link_latency() <= 0) return transport;
  job.link_faults.emplace(
      LinkFaults::Options{.latency = absl::Seconds(plan.link_latency()),
                          .seed = plan.bits().seed()});
  return job.links.emplace(transport, *job.link_faults, job.clock);
}

// What the plan wants to go wrong in this process, and where.
void ArmFaults(const JobPlan& plan, Transport& transport, Job& job) {
  if (plan.faults().empty()) return;
  job.faulty_store = std::make_unique<FaultyStore>(job.store.get());
  FaultEffects effects = RealFaultEffects();
  effects.cut = [&job](int from, int to) { job.link_faults->Cut(from, to); };
  effects.delay = [&job](int from, int to, absl::Duration by) {
    job.link_faults->Delay(from, to, by);
  };
  effects.flip = [&job](int from, int to) {
    job.link_faults->FlipNext(from, to);
  };
  effects.fail_next_write = [&job](const absl::Status& status) {
    job.faulty_store->FailNextWrite(status);
  };
  job.faults.emplace(
      plan, transport.local_hosts(),
      [&job](int index, std::int64_t step) {
        return job.link->AnnounceFault(index, step);
      },
      std::move(effects));
}

absl::Status PrepareTraining(const HostOptions& options,
                             const Assignment& assignment, Job& job) {
  const JobPlan& plan = assignment.plan();
  job.progress.Enter(0, "opening the data set");
  PODSIM_ASSIGN_OR_RETURN(auto dataset, OpenPlannedDataset(plan, *job.store));
  job.progress.Enter(0, "compiling the model");
  PODSIM_ASSIGN_OR_RETURN(auto program, CompilePlanned(plan));
  PODSIM_ASSIGN_OR_RETURN(const PodsimKernels* kernels,
                          LoadKernels(plan.bits().isa()));
  job.progress.Enter(0, "restoring");
  PODSIM_RETURN_IF_ERROR(CheckShared(*job.store, assignment));
  PODSIM_ASSIGN_OR_RETURN(StartState start,
                          Restore(*job.store, assignment.start(), *program));
  PODSIM_RETURN_IF_ERROR(Connect(assignment, job));
  Transport& transport = ShapeLinks(plan, *job.transport, job);
  ArmFaults(plan, transport, job);
  job.saver = MakeSaver(assignment, program, job);
  PODSIM_ASSIGN_OR_RETURN(
      auto trainer,
      Trainer::Create({.plan = plan,
                       .program = std::move(program),
                       .dataset = std::move(dataset),
                       .kernels = kernels,
                       .threads = ThreadsFor(options, plan),
                       .start = std::move(start),
                       .last_step = assignment.start().last_step(),
                       .reducer = {.generation = assignment.generation()},
                       .transport = &transport,
                       .clock = &job.clock,
                       .progress = &job.progress,
                       .reports = job.link.get(),
                       .gate = &job.gate,
                       .saver = job.saver.get(),
                       .faults = job.faults ? &*job.faults : nullptr}));
  job.trainer = trainer.get();
  job.work = std::move(trainer);
  return absl::OkStatus();
}

absl::Status PrepareBench(const HostOptions& options,
                          const Assignment& assignment, Job& job) {
  PODSIM_RETURN_IF_ERROR(Connect(assignment, job));
  PODSIM_ASSIGN_OR_RETURN(
      job.work,
      BenchRun::Create({.plan = assignment.plan(),
                        .generation = assignment.generation(),
                        .threads = ThreadsFor(options, assignment.plan()),
                        .transport = job.transport.get(),
                        .clock = &job.clock,
                        .progress = &job.progress,
                        .reports = job.link.get()}));
  return absl::OkStatus();
}

absl::Status RunJob(const HostOptions& options, Job& job) {
  PODSIM_ASSIGN_OR_RETURN(Assignment assignment, job.link->WaitAssignment());
  job.drains = MakesSteps(assignment.plan());
  PODSIM_RETURN_IF_ERROR(CheckAcceleratorType(
      options.accelerator_type, assignment.plan().bits().slice()));
  Tell(absl::StrCat(
      "plan ", assignment.plan().hash(), ": plays ",
      DescribeHosts(HostsOf(assignment.plan(), options.settings.process())),
      " of ", assignment.plan().bits().hosts(), " of ",
      assignment.plan().bits().slice(), ", isa ",
      assignment.plan().bits().isa(), ", generation ",
      assignment.generation()));
  const LifeLog life(job.progress, kLifeInterval, Tell);
  PODSIM_RETURN_IF_ERROR(assignment.plan().has_bench()
                             ? PrepareBench(options, assignment, job)
                             : PrepareTraining(options, assignment, job));
  job.stop.Attach(job.work.get());
  job.progress.Enter(0, "waiting for the other hosts");
  job.link->SendReady();
  PODSIM_RETURN_IF_ERROR(job.link->WaitStart());
  Tell("all hosts are ready: the work begins");
  PODSIM_RETURN_IF_ERROR(job.work->Run());
  Done done;
  if (job.trainer != nullptr) done.set_weights_hash(job.trainer->WeightsHash());
  return job.link->Finish(done);
}

// There is nobody left to tell, and nothing that could still be saved: the
// coordinator is who makes checkpoints of what the hosts write.
[[noreturn]] void EndAtOnce(const absl::Status& why) {
  Log(LogLevel::kError, std::string(why.message()));
  _exit(1);
}

void ReportFailure(const absl::Status& status, const HostOptions& options,
                   Job& job) {
  if (absl::IsAborted(status)) return;  // the coordinator knows
  const Progress::Snapshot now = job.progress.snapshot();
  Failure failure;
  failure.set_host(options.settings.process());
  if (job.transport != nullptr && !job.transport->local_hosts().empty())
    failure.set_host(job.transport->local_hosts().front());
  failure.set_step(now.step);
  failure.set_phase(now.phase);
  failure.set_code(static_cast<int>(status.code()));
  failure.set_message(std::string(status.message()));
  failure.set_blamed_host(-1);
  // Only a lost or silent peer is somebody else's fault.
  const bool own_disk = job.saver != nullptr && !job.saver->status().ok();
  if (!own_disk &&
      (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
       absl::IsCancelled(status))) {
    const int named = BlamedHost(status);
    const int awaited = job.work == nullptr ? -1 : job.work->waiting().host;
    failure.set_blamed_host(named >= 0 ? named : awaited);
  }
  job.link->SendFailure(failure);
}

}  // namespace

absl::Status RunHost(const HostOptions& options, const std::string& token,
                     const std::string& worker_hostnames, SignalWatch& watch) {
  const RpcSecurity security = {
      .token = token,
      .allow_plaintext_network = options.settings.allow_plaintext_network()};
  // May try an instruction in a forked child, so before any gRPC call.
  PODSIM_ASSIGN_OR_RETURN(const std::string isa, BestIsa());
  Job job;
  PODSIM_ASSIGN_OR_RETURN(
      job.transport,
      GrpcTransport::Start({.process = options.settings.process(),
                            .address = options.settings.ici_listen(),
                            .security = security}));
  job.stop.Attach(job.transport.get());
  const Join join =
      MakeJoin(options,
               AdvertisedAddress(options.settings, job.transport->address(),
                                 worker_hostnames),
               isa);
  Tell(absl::StrCat("calls the coordinator at ",
                    options.settings.coordinator()));
  PODSIM_ASSIGN_OR_RETURN(
      job.link, CoordinatorLink::Open(
                    {.address = options.settings.coordinator(),
                     .security = security,
                     .gate = &job.gate,
                     .on_silence = EndAtOnce},
                    join, job.progress,
                    [&job](const absl::Status& why) { job.stop.Stop(why); }));
  Tell(absl::StrCat("joined as process ", options.settings.process(), ", pid ",
                    getpid(), ", frames at ", join.ici_address()));
  watch.Handle([&job, told = false](int) mutable {
    if (!job.drains || std::exchange(told, true)) return false;
    job.link->SendDrain("SIGTERM");
    return true;
  });
  const absl::Status status = RunJob(options, job);
  watch.Handle({});
  Tell(status.ok() ? std::string("left: the job is done")
                   : absl::StrCat("left: ", status.message()));
  if (!status.ok()) ReportFailure(status, options, job);
  job.stop.Attach(static_cast<HostWork*>(nullptr));
  return status;
}

}  // namespace podsim
