#include "host/process/coordinator_link.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/rpc/credentials.h"
#include "base/rpc/deadline.h"
#include "base/rpc/status.h"
#include "base/status.h"
#include "host/process/silence.h"
#include "proto/coordinator.grpc.pb.h"

namespace podsim {
namespace {

constexpr std::chrono::milliseconds kWaitSlice(100);
// A coordinator that answers no heartbeat for so long is frozen, or the line to
// it is cut. gRPC's own pings would take our standstill for its silence.
constexpr absl::Duration kSilence = absl::Seconds(7);
// How long the last words may take to reach the coordinator.
constexpr absl::Duration kFarewell = absl::Milliseconds(500);

grpc::ChannelArguments ChannelArgs() {
  grpc::ChannelArguments args = DefaultChannelArguments();
  // The coordinator may start after us: try again soon, not after a second.
  args.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  args.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  args.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  args.SetMaxReceiveMessageSize(-1);
  return args;
}

}  // namespace

struct CoordinatorLink::Impl {
  Impl(Options given, const Progress& work,
       std::function<void(const absl::Status&)> end)
      : options(std::move(given)), progress(work), on_end(std::move(end)) {}

  void Send(const HostMessage& message);
  void SayFarewell();
  void ReadLoop();
  void HeartbeatLoop(const std::stop_token& stop);
  void WatchSilence(const std::stop_token& stop);
  void Handle(const CoordinatorMessage& message);
  void End(const absl::Status& why);
  // Waits until `ready` holds, the link ended, or `timeout` passed.
  absl::Status WaitUntil(const std::function<bool()>& ready,
                         absl::Duration timeout, std::string_view what);

  const Options options;
  const Progress& progress;
  const std::function<void(const absl::Status&)> on_end;
  SystemClock clock;
  grpc::ClientContext context;
  std::unique_ptr<podsim::Coordinator::Stub> stub;
  std::unique_ptr<grpc::ClientReaderWriter<HostMessage, CoordinatorMessage>>
      stream;

  // When the coordinator was heard last; nanoseconds since 1970.
  std::atomic<std::int64_t> heard{0};
  Mutex write_mutex;
  bool broken PODSIM_GUARDED_BY(write_mutex) = false;
  Mutex mutex;
  CondVar changed;
  std::optional<Assignment> assignment PODSIM_GUARDED_BY(mutex);
  std::set<int> faults_noted PODSIM_GUARDED_BY(mutex);
  bool started PODSIM_GUARDED_BY(mutex) = false;
  bool finished PODSIM_GUARDED_BY(mutex) = false;
  bool read_all PODSIM_GUARDED_BY(mutex) = false;
  absl::Status ended PODSIM_GUARDED_BY(mutex);
  std::jthread heartbeat;
  std::jthread watchdog;
  std::jthread reader;
};

void CoordinatorLink::Impl::Send(const HostMessage& message) {
  MutexLock lock(write_mutex);
  if (broken) return;
  broken = !stream->Write(message);
}

void CoordinatorLink::Impl::WatchSilence(const std::stop_token& stop) {
  SilenceWatch watch(kSilence);
  Mutex idle_mutex;
  CondVar idle;
  std::stop_callback wake(stop, [&] { idle.NotifyAll(); });
  while (!stop.stop_requested()) {
    {
      MutexLock lock(idle_mutex);
      idle.WaitFor(idle_mutex, kWaitSlice);
    }
    {
      MutexLock lock(mutex);
      if (read_all) return;  // that is known already
    }
    if (!watch.IsSilent(absl::FromUnixNanos(heard.load()), clock.Now())) {
      continue;
    }
    options.on_silence(absl::UnavailableError(
        absl::StrCat("coordinator lost: it has answered nothing for ",
                     absl::FormatDuration(kSilence), ": frozen, or cut off")));
    return;
  }
}

void CoordinatorLink::Impl::End(const absl::Status& why) {
  {
    MutexLock lock(mutex);
    if (finished || !ended.ok()) return;
    ended = why;
    changed.NotifyAll();
  }
  on_end(why);
}

void CoordinatorLink::Impl::Handle(const CoordinatorMessage& message) {
  if (message.has_abort()) {
    End(absl::AbortedError(message.abort().reason()));
    return;
  }
  if (options.gate != nullptr && message.has_hold()) {
    HostMessage answer;
    answer.mutable_held()->set_step(options.gate->Hold());
    Send(answer);
  }
  if (options.gate != nullptr && message.has_go())
    options.gate->Go(message.go().step(), message.go().end());
  MutexLock lock(mutex);
  if (message.has_fault_noted())
    faults_noted.insert(message.fault_noted().index());
  if (message.has_assignment()) assignment = message.assignment();
  if (message.has_start()) started = true;
  if (message.has_finish()) finished = true;
  changed.NotifyAll();
}

void CoordinatorLink::Impl::ReadLoop() {
  CoordinatorMessage message;
  while (stream->Read(&message)) {
    heard.store(absl::ToUnixNanos(clock.Now()));
    Handle(message);
  }
  const grpc::Status status = stream->Finish();
  {
    MutexLock lock(mutex);
    read_all = true;
    changed.NotifyAll();
  }
  End(status.ok() ? absl::UnavailableError("the coordinator closed the line")
                  : Annotate(FromGrpcStatus(status), "coordinator lost"));
}

// A cancelled stream may drop what was written last: half-close it and let the
// coordinator close its side, for a while.
void CoordinatorLink::Impl::SayFarewell() {
  {
    MutexLock lock(write_mutex);
    if (!broken) stream->WritesDone();
    broken = true;
  }
  const absl::Time deadline = clock.Now() + kFarewell;
  MutexLock lock(mutex);
  while (!read_all && clock.Now() < deadline)
    changed.WaitFor(mutex, kWaitSlice);
}

void CoordinatorLink::Impl::HeartbeatLoop(const std::stop_token& stop) {
  Mutex idle_mutex;
  CondVar idle;
  std::stop_callback wake(stop, [&] { idle.NotifyAll(); });
  while (!stop.stop_requested()) {
    const Progress::Snapshot now = progress.snapshot();
    HostMessage message;
    message.mutable_heartbeat()->set_progress(now.count);
    message.mutable_heartbeat()->set_step(now.step);
    message.mutable_heartbeat()->set_phase(now.phase);
    if (now.waiting.host >= 0) {
      auto& waiting = *message.mutable_heartbeat()->mutable_waiting();
      waiting.set_host(now.waiting.host);
      waiting.set_what(now.waiting.what);
      waiting.set_seconds(absl::ToDoubleSeconds(now.waiting.since));
    }
    Send(message);
    MutexLock lock(idle_mutex);
    idle.WaitFor(idle_mutex,
                 absl::ToChronoNanoseconds(options.heartbeat_interval));
  }
}

absl::Status CoordinatorLink::Impl::WaitUntil(
    const std::function<bool()>& ready, absl::Duration timeout,
    std::string_view what) {
  const absl::Time deadline = clock.Now() + timeout;
  MutexLock lock(mutex);
  while (!ready()) {
    if (!ended.ok()) return ended;
    if (clock.Now() >= deadline)
      return absl::DeadlineExceededError(absl::StrCat(
          "no ", absl::string_view(what.data(), what.size()), " from ",
          options.address, " within ", absl::FormatDuration(timeout)));
    changed.WaitFor(mutex, kWaitSlice);
  }
  return absl::OkStatus();
}

CoordinatorLink::CoordinatorLink(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

CoordinatorLink::~CoordinatorLink() {
  {
    MutexLock lock(impl_->mutex);
    impl_->finished = true;  // a line that breaks from here on is no news
  }
  impl_->heartbeat.request_stop();
  impl_->watchdog.request_stop();
  impl_->SayFarewell();
  impl_->context.TryCancel();
}

absl::StatusOr<std::unique_ptr<CoordinatorLink>> CoordinatorLink::Open(
    Options options, const Join& join, const Progress& progress,
    std::function<void(const absl::Status&)> on_end) {
  PODSIM_ASSIGN_OR_RETURN(
      auto channel,
      OpenChannel(options.address, options.security, ChannelArgs()));
  auto impl =
      std::make_unique<Impl>(std::move(options), progress, std::move(on_end));
  if (!channel->WaitForConnected(
          DeadlineIn(impl->options.initialization_timeout)))
    return absl::DeadlineExceededError(
        absl::StrCat("no coordinator at ", impl->options.address, " within ",
                     absl::FormatDuration(impl->options.initialization_timeout),
                     "; is it running, and is the address right?"));
  impl->heard.store(absl::ToUnixNanos(impl->clock.Now()));
  AttachToken(impl->options.security, impl->context);
  impl->stub = podsim::Coordinator::NewStub(channel);
  impl->stream = impl->stub->Attach(&impl->context);
  HostMessage message;
  *message.mutable_join() = join;
  impl->Send(message);
  Impl& shared = *impl;
  impl->reader = std::jthread([&shared] { shared.ReadLoop(); });
  if (impl->options.on_silence)
    impl->watchdog = std::jthread(
        [&shared](const std::stop_token& stop) { shared.WatchSilence(stop); });
  impl->heartbeat = std::jthread(
      [&shared](const std::stop_token& stop) { shared.HeartbeatLoop(stop); });
  return std::unique_ptr<CoordinatorLink>(new CoordinatorLink(std::move(impl)));
}

absl::StatusOr<Assignment> CoordinatorLink::WaitAssignment() {
  Impl& impl = *impl_;
  PODSIM_RETURN_IF_ERROR(impl.WaitUntil(
      [&]() PODSIM_NO_THREAD_SAFETY_ANALYSIS {
        return impl.assignment.has_value();
      },
      impl.options.initialization_timeout, "assignment"));
  MutexLock lock(impl.mutex);
  return *impl.assignment;
}

void CoordinatorLink::SendReady() {
  HostMessage message;
  message.mutable_ready();
  impl_->Send(message);
}

absl::Status CoordinatorLink::WaitStart() {
  Impl& impl = *impl_;
  return impl.WaitUntil(
      [&]() PODSIM_NO_THREAD_SAFETY_ANALYSIS { return impl.started; },
      impl.options.initialization_timeout, "start signal");
}

void CoordinatorLink::OnStep(const StepReport& report) {
  HostMessage message;
  *message.mutable_step() = report;
  impl_->Send(message);
}

void CoordinatorLink::OnEval(const EvalReport& report) {
  HostMessage message;
  *message.mutable_eval() = report;
  impl_->Send(message);
}

void CoordinatorLink::OnBench(const BenchReport& report) {
  HostMessage message;
  *message.mutable_bench() = report;
  impl_->Send(message);
}

void CoordinatorLink::OnCheckpoint(const CheckpointPart& part) {
  HostMessage message;
  *message.mutable_checkpoint() = part;
  impl_->Send(message);
}

void CoordinatorLink::SendDrain(const std::string& reason) {
  HostMessage message;
  message.mutable_drain()->set_reason(reason);
  impl_->Send(message);
}

absl::Status CoordinatorLink::AnnounceFault(int index, std::int64_t step) {
  Impl& impl = *impl_;
  HostMessage message;
  message.mutable_fault()->set_index(index);
  message.mutable_fault()->set_step(step);
  impl.Send(message);
  return impl.WaitUntil(
      [&]() PODSIM_NO_THREAD_SAFETY_ANALYSIS {
        return impl.faults_noted.count(index) > 0;
      },
      impl.options.initialization_timeout, "note of a fault");
}

void CoordinatorLink::SendFailure(const Failure& failure) {
  HostMessage message;
  *message.mutable_failure() = failure;
  impl_->Send(message);
}

absl::Status CoordinatorLink::Finish(const Done& done) {
  Impl& impl = *impl_;
  HostMessage message;
  *message.mutable_done() = done;
  impl.Send(message);
  return impl.WaitUntil(
      [&]() PODSIM_NO_THREAD_SAFETY_ANALYSIS { return impl.finished; },
      absl::InfiniteDuration(), "end of the job");
}

}  // namespace podsim
